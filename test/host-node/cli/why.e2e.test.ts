/**
 * `stint why` against a real `stint serve`, beside a controller, and where there is none, or another one: what a
 * transcript cannot hold. transcripts/why.txt and why-refusals.txt have what it prints.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { main } from "./checked-main.ts";
import { statusResponse } from "../../../host-node/server/guard.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { type RunningServer, startServer } from "../../../host-node/server/https-server.ts";
import { kubeconfigText } from "../../../host-node/server/kubeconfig.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { freePort } from "../../free-port.ts";
import { type Served, spawnStint, startServe } from "../serving.ts";
import { withoutFoundNote } from "./found-note.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-why-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

interface Answer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** In the directory, with the environment. */
async function why(
  args: readonly string[],
  { cwd = directory, env = {}, terminal = false }: { cwd?: string; env?: object; terminal?: boolean } = {},
): Promise<Answer> {
  const console = new RecordingConsole(cwd);
  Object.assign(console.environment, env);
  if (terminal) console.terminal = () => ({ columns: 80, rows: 24 });
  const exit = await main(["why", ...args], "0.0.0", console);
  return { exit, out: console.out, err: withoutFoundNote(console.err) };
}

interface Access {
  readonly server: string;
  readonly authority: string;
  readonly token: string;
}

function accessOf(kubeconfig: string): Access {
  const config = parse(readFileSync(kubeconfig, "utf8"));
  const { server, "certificate-authority-data": authority } = config.clusters[0].cluster;
  return { server, authority: Buffer.from(authority, "base64").toString(), token: config.users[0].user.token };
}

let files = 0;
function kubeconfig(access: Access): string {
  return file(kubeconfigText(access));
}

function file(text: string): string {
  const path = join(directory, `kubeconfig-${++files}`);
  writeFileSync(path, text);
  return path;
}

function post({ server, authority, token }: Access, path: string, body: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = request(`${server}${path}`, { method: "POST", ca: authority, headers, agent: false }, (response) =>
      response.resume().on("end", () => resolve(response.statusCode)),
    );
    sent.on("error", reject).end(JSON.stringify(body));
  });
}

/** A Job whose pods fail. */
function failing(name: string): object {
  const metadata = {
    annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 10, exitCode: 1, logs: ["no such disk"] }) },
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { template: { metadata, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } } },
  };
}

describe("why, of a server that runs", () => {
  let served: Served;
  let access: Access;
  beforeAll(async () => {
    served = await startServe();
    access = accessOf(served.kubeconfig);
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", failing("retry"))).toBe(201);
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  it("finds the kubeconfig by its option, then in $KUBECONFIG, then where serve writes it", async () => {
    const env = { KUBECONFIG: `:${served.kubeconfig}:/no/such/file` };
    expect((await why(["retry"], { env })).exit).toBe(0);
    expect(
      (await why(["retry", "--kubeconfig", served.kubeconfig], { env: { KUBECONFIG: "/no/such/file" } })).exit,
    ).toBe(0);
    expect((await why(["retry"], { cwd: served.directory, env: { KUBECONFIG: "/no/such/file" } })).exit).toBe(2);
  });

  it("prints in colours on a terminal, unless NO_COLOR is set", async () => {
    expect((await why(["retry"], { cwd: served.directory, terminal: true })).out).toMatch(
      /^\u001b\[1mjob retry\u001b\[0m {2}\u001b\[33m\w+\u001b\[0m\n/,
    );
    const { template } = (failing("stuck") as any).spec;
    const spec = {
      parallelism: 2,
      completions: 2,
      template: { ...template, spec: { ...template.spec, nodeSelector: { disk: "none" } } },
    };
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", { ...failing("stuck"), spec })).toBe(201);
    const ask = (env: object): Promise<Answer> => why(["stuck"], { cwd: served.directory, terminal: true, env });
    let { out } = await ask({});
    while (!out.includes("Unschedulable")) ({ out } = await ask({}));
    expect(out).toMatch(/\n\u001b\[33m {5}2 {2}Unschedulable /);
    expect((await ask({ NO_COLOR: "1" })).out).not.toContain("\u001b");
  });

  it("explains the pods of a Job, whose names are drawn", async () => {
    const lost = failing("lost") as any;
    lost.spec.backoffLimit = 0;
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", lost)).toBe(201);
    const ask = async (): Promise<any> =>
      JSON.parse((await why(["lost", "-o", "json"], { cwd: served.directory })).out);
    let answer = await ask();
    while (answer.state !== "Failed") answer = await ask();
    const { pod } = answer.lastFailure;
    const { exit, out } = await why([`pod/${pod}`], { cwd: served.directory });
    expect(exit).toBe(0);
    expect(
      out
        .replaceAll(pod, "lost-x")
        .replace(/\d\d:\d\d:\d\d/g, "TIME")
        .replace(/\d+ s ago/, "N s ago"),
    ).toBe(`pod lost-x  Failed
  pod lost-x has failed: container main exited (exit code 1, Error)
  its Job lost has failed N s ago: Job has reached the specified backoff limit (BackoffLimitExceeded)
  node stint   started TIME   ended TIME   exit code 1
  │ no such disk
  more: stint why lost --kubeconfig ./stint.kubeconfig
`);
  });

  it("sends no credentials to a server with another certificate", async () => {
    const other = await startServer({
      handler: { handle: () => statusResponse(404, "NotFound", "") },
      port: 0,
      token: "t",
      clock: new RealClock(),
      onCrowded: () => {},
      onError: () => {},
    });
    await other.close();
    const path = kubeconfig({ ...access, authority: other.authority });
    const { exit, err } = await why(["retry", "--kubeconfig", path]);
    expect(exit).toBe(2);
    expect(err).toMatch(
      /^stint: another server than the one of context stint of .* listens at https:\/\/127\.0\.0\.1:\d+; it was sent no credentials \(\w+\)\.\n.*--kubeconfig FILE/,
    );
    expect(err).not.toContain(access.token);
  });
});

describe("why, with a controller beside the server", () => {
  let served: Served;
  let controller: ReturnType<typeof spawnStint>;
  let url: string;
  const WAIT = { timeout: 60_000 };
  const ask = (...args: readonly string[]): Promise<Answer> => why(args, { cwd: served.directory });
  beforeAll(async () => {
    served = await startServe();
    controller = spawnStint(
      ["controller", "--kubeconfig", served.kubeconfig, "--leader-elect=false", "--listen", "127.0.0.1:0"],
      served.directory,
    );
    let log = "";
    controller.stdout.on("data", (chunk: Buffer) => (log += chunk.toString()));
    await vi.waitFor(() => expect(log).toContain("serving metrics"), WAIT);
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(log)![0];
    for (const [name, managedBy] of [
      ["own", "stint.dev/job-controller"],
      ["foreign", "example.com/queue"],
      ["common", undefined],
    ] as const) {
      const { spec, ...job } = failing(name) as any;
      expect(
        await post(accessOf(served.kubeconfig), "/apis/batch/v1/namespaces/default/jobs", {
          ...job,
          spec: { ...spec, suspend: true, managedBy },
        }),
      ).toBe(201);
    }
    await vi.waitFor(async () => expect((await fetch(`${url}/debug/jobs/default/own`)).status).toBe(200), WAIT);
    await vi.waitFor(async () => expect((await ask("common")).out).toContain("DECISION"), WAIT);
  }, WAIT.timeout);
  afterAll(async () => {
    const ended = new Promise((resolve) => controller.once("close", resolve));
    controller.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(await served.stop()).toBe(0);
  });

  it("prints what the controller says, also without credentials", async () => {
    for (const [address, cwd] of [
      [url, served.directory],
      [`${url}/`, directory],
    ] as const) {
      const { exit, out, err } = await why(["own", "--controller", address], { cwd });
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
      expect(out).toMatch(/^job own {2}Suspended\n/);
      expect(out).toContain(`\n  as the controller at ${url} sees it\n`);
    }
    expect(JSON.parse((await ask("own", "--controller", url, "-o", "json")).out)).toMatchObject({
      state: "Suspended",
      source: "controller",
      remarks: [`as the controller at ${url} sees it`],
    });
  });

  it("asks on where that one leaves the Job to others", async () => {
    expect((await ask("common", "--controller", url)).out).toBe((await ask("common")).out);
    const lines = (await ask("foreign", "--controller", url)).out.split("\n");
    const [known, who] = lines.slice(lines.findIndex((line) => line.startsWith("  from its objects")));
    expect(known).toBe(
      `  from its objects: no controller that explains it was found (${url} leaves it to another controller; https://127.0.0.1:${served.port} leaves it to another controller)`,
    );
    expect(who).toMatch(
      /^ {2}spec\.managedBy says example\.com\/queue: whether that controller runs is not known here/,
    );
    expect((await ask("own")).out).toMatch(
      /^job own {2}Suspended\n[^]*\n {2}from its objects: .*\n {2}spec\.managedBy says stint\.dev\/job-controller: /,
    );
    const { exit, err } = await why(["foreign", "--controller", url]);
    expect(exit).toBe(2);
    expect(err).toContain(
      `stint: ${url} leaves it to another controller, and its objects cannot be read: there is no kubeconfig`,
    );
    expect((await ask("nope", "--controller", url)).exit).toBe(2);
  });

  it("says when no controller listens at --controller, and refuses what is no address", async () => {
    const port = await freePort();
    expect(await ask("own", "--controller", `http://127.0.0.1:${port}`)).toEqual({
      exit: 2,
      out: "",
      err: `stint: no server listens at http://127.0.0.1:${port}, which --controller names.\nIs the \`kubectl port-forward\` to the leading replica still running?\n`,
    });
    expect((await ask("own", "--controller", `${url}/elsewhere`)).err).toBe(
      `stint: ${url}/elsewhere does not explain Jobs; it answered 404: there is no such page; / lists the pages.\nIs it the address of a \`stint controller\`? Its --listen says which.\n`,
    );
    for (const address of ["127.0.0.1:8080", "file:///tmp", "http://a/?b"])
      expect((await ask("own", "--controller", address)).err).toContain(
        `stint: --controller is ${JSON.stringify(address)}; allowed is the address`,
      );
    expect((await ask("own", "--controller", "http://user:secret-token@127.0.0.1:8080")).err).not.toContain(
      "secret-token",
    );
  });
});

describe("why, of a server that is gone", () => {
  it("says so, and what to do", async () => {
    const served = await startServe(["--runtime", "none"]);
    const { server } = accessOf(served.kubeconfig);
    const path = kubeconfig(accessOf(served.kubeconfig));
    expect(await served.stop()).toBe(0);
    const { exit, out, err } = await why(["retry", "--kubeconfig", path]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toBe(
      `stint: no server listens at ${server}, which context stint of ${path} names: that server has ended.\nStart it again (\`stint serve\`, if it was that), or name the kubeconfig of a running server with --kubeconfig FILE, or in $KUBECONFIG.\n`,
    );
  });
});

describe("why, of something else", () => {
  let other: RunningServer;
  let plain: Server;
  beforeAll(async () => {
    other = await startServer({
      handler: { handle: () => statusResponse(404, "NotFound", "the server could not find the requested resource") },
      port: 0,
      token: "t",
      clock: new RealClock(),
      onCrowded: () => {},
      onError: () => {},
    });
    plain = createServer((socket) => socket.on("error", () => {}).end("no TLS\n"));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await other.close();
    plain.close();
  });

  it("says that it does not tell about Jobs", async () => {
    const path = kubeconfig({ server: other.url, authority: other.authority, token: "t" });
    const { exit, err } = await why(["pi", "--kubeconfig", path]);
    expect(exit).toBe(2);
    expect(err).toBe(
      `stint: ${other.url} does not serve Jobs; it answered 404: the server could not find the requested resource.\nIs it a Kubernetes API server, and healthy?\n`,
    );
  });

  it("notices that there is no TLS", async () => {
    const { port } = plain.address() as { port: number };
    const { exit, err } = await why([
      "pi",
      "--kubeconfig",
      kubeconfig({ server: `https://127.0.0.1:${port}`, authority: other.authority, token: "t" }),
    ]);
    expect(exit).toBe(2);
    expect(err).toContain("it was sent no credentials");
  });
});

describe("why --help", () => {
  it("teaches with an example", async () => {
    const { exit, out } = await why(["--help"]);
    expect(exit).toBe(0);
    expect(out).toContain("\n  stint why pi\n");
    expect(out).toContain("\n  job retry  Waiting\n");
  });
});
