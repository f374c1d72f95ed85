/** `stint why` against a real `stint serve`, and what it says where there is none, or another one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { main } from "../../../host-node/cli/program.ts";
import { statusResponse } from "../../../host-node/server/guard.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { type RunningServer, startServer } from "../../../host-node/server/https-server.ts";
import { kubeconfigText } from "../../../host-node/server/kubeconfig.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
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

/** Of answers as JSON. */
function waitsForTheFirstTime(answer: Answer | undefined): boolean {
  if (answer === undefined) return false;
  const { state, failed } = JSON.parse(answer.out);
  return state === "Waiting" && failed === 1;
}

describe("why, of a server that runs", () => {
  let served: Served;
  let access: Access;
  /** What was said of a Job while it waited for its first back-off. */
  let waiting: Answer;
  let waitingAsJson: Answer;
  let waitingJob: string;
  /** In the server's directory. */
  const ask = (...args: readonly string[]): Promise<Answer> => why(args, { cwd: served.directory });
  beforeAll(async () => {
    served = await startServe();
    access = accessOf(served.kubeconfig);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
    expect(await post(access, "/api/v1/namespaces", namespace)).toBe(201);
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", failing("retry"))).toBe(201);
    expect(
      await post(access, "/apis/batch/v1/namespaces/team/jobs", {
        ...failing("paused"),
        spec: { ...(failing("paused") as any).spec, suspend: true },
      }),
    ).toBe(201);
    // The pods fail at once; the first back-off lasts for 10 s. Where both answers take longer, the next Job is asked
    // about.
    for (let attempt = 1; !waitsForTheFirstTime(waitingAsJson); attempt++) {
      waitingJob = `waits-${attempt}`;
      expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", failing(waitingJob))).toBe(201);
      do waiting = await ask(waitingJob);
      while (!waiting.out.includes("1 failure in a row"));
      waitingAsJson = await ask(waitingJob, "--output", "json");
    }
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  it("prints state, sentence, counts, the next moment and the last decisions with their times", () => {
    const { exit, out, err } = waiting;
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    const [heading, sentence, counts, next, failure, line, more, empty, header, ...decisions] = out
      .trimEnd()
      .split("\n");
    expect(heading).toBe(`job ${waitingJob}  Waiting`);
    expect(sentence).toMatch(
      /^ {2}waiting \d+ s before the next pod is created: 1 failure in a row, back-off 10 s since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d$/,
    );
    expect(counts).toBe(
      "  succeeded 0/1   failed 1 (backoffLimit 6)   active 0   ready 0   terminating 0   parallelism 1",
    );
    expect(next).toMatch(/^ {2}next: (now|in \d+ s), at (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC$/);
    expect(failure).toMatch(/^ {2}last failure: pod waits-\d+-\w+: container main: exit code 1 \(Error\)$/);
    expect(line).toBe("  │ no such disk");
    expect(more).toBe("  more: stint explain Backoff");
    expect(empty).toBe("");
    expect(header?.trim()).toMatch(/^TIME \(UTC\) +DECISION$/);
    expect(decisions[0]).toMatch(
      /^ {2}(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d +creating 1 pod: 0 of 1 wanted active, 0 succeeded$/,
    );
    expect(decisions.at(-1)).toMatch(
      / waiting \d+ s before the next pod is created: 1 failure in a row, back-off 10 s since /,
    );
  });

  it("prints the whole explanation as one line of JSON", () => {
    const { exit, out } = waitingAsJson;
    expect(exit).toBe(0);
    expect(out).toMatch(/^[^\n]+\n$/);
    const explanation = JSON.parse(out);
    expect(explanation).toMatchObject({
      namespace: "default",
      job: waitingJob,
      found: true,
      state: "Waiting",
      completions: 1,
      succeeded: 0,
      failed: 1,
    });
    expect(explanation.decisions.at(-1)).toMatchObject({ code: "Backoff", nextMs: explanation.nextMs });
  });

  it("takes names as kubectl shows them, and another namespace", async () => {
    for (const name of ["job/retry", "jobs/retry", "job.batch/retry"])
      expect((await ask(name)).out).toMatch(/^job retry {2}\w+\n/);
    for (const option of ["-n", "--namespace"])
      expect((await ask("paused", option, "team")).out).toMatch(/^job team\/paused {2}Suspended\n/);
    expect((await ask("paused")).exit).toBe(2);
  });

  it("finds the kubeconfig by its option, then in $KUBECONFIG, then where serve writes it", async () => {
    const env = { KUBECONFIG: `:${served.kubeconfig}:/no/such/file` };
    expect((await why(["retry"], { env })).exit).toBe(0);
    expect(
      (await why(["retry", "--kubeconfig", served.kubeconfig], { env: { KUBECONFIG: "/no/such/file" } })).exit,
    ).toBe(0);
    expect((await why(["retry"], { cwd: served.directory, env: { KUBECONFIG: "/no/such/file" } })).exit).toBe(2);
  });

  it("has colours on a terminal", async () => {
    expect((await why(["retry"], { cwd: served.directory, terminal: true })).out).toMatch(
      /^\u001b\[1mjob retry\u001b\[0m {2}\u001b\[33m\w+\u001b\[0m\n/,
    );
  });

  it("names the commands that say more of a Job that failed, as they can be typed here", async () => {
    const spec = { ...(failing("lost") as any).spec, backoffLimit: 0 };
    for (const namespace of ["default", "team"])
      expect(await post(access, `/apis/batch/v1/namespaces/${namespace}/jobs`, { ...failing("lost"), spec })).toBe(201);
    let here = await ask("lost");
    while (!here.out.startsWith("job lost  Failed\n")) here = await ask("lost");
    expect(here.out.split("\n").slice(3)).toEqual([
      "  its events: kubectl describe job lost --kubeconfig ./stint.kubeconfig",
      "  its output: kubectl logs -l job-name=lost --prefix --kubeconfig ./stint.kubeconfig",
      expect.stringMatching(/^ {2}last failure: pod lost-\w+: container main: exit code 1 \(Error\)$/),
      "  │ no such disk",
      "  more: stint explain Failed",
      "",
    ]);
    const askTeam = async (): Promise<string> =>
      (await why(["lost", "-n", "team"], { env: { KUBECONFIG: served.kubeconfig } })).out;
    let inVariable = await askTeam();
    while (!inVariable.startsWith("job team/lost  Failed\n")) inVariable = await askTeam();
    expect(inVariable.split("\n").slice(3, 5)).toEqual([
      "  its events: kubectl describe job lost -n team",
      "  its output: kubectl logs -l job-name=lost --prefix -n team",
    ]);
    const odd = join(directory, "my server's file");
    writeFileSync(odd, readFileSync(served.kubeconfig));
    expect((await why(["lost", "--kubeconfig", odd])).out).toContain(
      `kubectl describe job lost --kubeconfig '${odd.replace("'", "'\\''")}'\n`,
    );
    expect((await ask("retry")).out).not.toContain("kubectl");
  });

  it("ends with 2 when there is no such Job", async () => {
    const { exit, out, err } = await ask("nope");
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toBe(
      `stint: there is no Job nope in namespace default of ${access.server}.\n\`kubectl get jobs --all-namespaces\` lists the Jobs there are; --namespace names another namespace.\n`,
    );
    for (const option of ["-o", "--output"]) expect((await ask("nope", option, "json")).out).toContain('"found":false');
    const json = await ask("nope", "--output", "json");
    expect(json.exit).toBe(2);
    expect(JSON.parse(json.out)).toEqual({
      namespace: "default",
      job: "nope",
      found: false,
      state: "Unknown",
      sentence: "no such Job is known",
      nextMs: null,
      decisions: [],
    });
  });

  it("lists Jobs of a similar name, also of other namespaces", async () => {
    expect((await ask("rerty")).err).toBe(
      `stint: there is no Job rerty in namespace default of ${access.server}.\nDid you mean this?\n  stint why retry\n`,
    );
    expect((await ask("paused")).err).toContain("\nDid you mean this?\n  stint why paused -n team\n");
  });

  it("lists the pods by what they wait for, with the oldest of each and since when", async () => {
    const { template } = (failing("stuck") as any).spec;
    const spec = {
      parallelism: 2,
      completions: 2,
      template: { ...template, spec: { ...template.spec, nodeSelector: { disk: "none" } } },
    };
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", { ...failing("stuck"), spec })).toBe(201);
    let answer = await ask("stuck");
    while (!answer.out.includes("Unschedulable")) answer = await ask("stuck");
    const lines = answer.out.split("\n");
    expect(lines[1]).toMatch(
      /^ {2}2 of 2 active pods cannot run, 0 succeeded of 2; 2 Unschedulable \(stuck-\w{5} since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d: 0\/1 nodes are available: .+\)$/,
    );
    expect(lines[4]).toBe("  more: stint explain PodsStuck");
    expect(lines[6]).toBe("  PODS  STATE OR REASON  THE OLDEST   SINCE (UTC)");
    expect(lines[7]).toMatch(/^ {5}2  Unschedulable    stuck-\w{5}  (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d, for \d+ m?s$/);
    expect((await why(["stuck"], { cwd: served.directory, terminal: true })).out).toMatch(
      /\n\u001b\[33m {5}2 {2}Unschedulable /,
    );
    expect((await why(["stuck"], { cwd: served.directory, terminal: true, env: { NO_COLOR: "1" } })).out).not.toContain(
      "\u001b",
    );
  });

  it("tells the last Warning of pods that do not start, with the name of the oldest", async () => {
    const { template } = (failing("unmounted") as any).spec;
    const volumes = [{ name: "v", configMap: { name: "absent" } }];
    const spec = { parallelism: 2, completions: 2, template: { ...template, spec: { ...template.spec, volumes } } };
    expect(await post(access, "/apis/batch/v1/namespaces/default/jobs", { ...failing("unmounted"), spec })).toBe(201);
    let answer = await ask("unmounted");
    while (!answer.out.includes("FailedMount")) answer = await ask("unmounted");
    const [, pod] = /^ +2 {2}ContainerCreating +(unmounted-\w{5}) /m.exec(answer.out)!;
    const warnings = answer.out.slice(answer.out.indexOf("  LAST SEEN")).split("\n");
    expect(warnings[0]).toMatch(/^ {2}LAST SEEN +WARNING$/);
    expect(warnings[1]).toMatch(
      /^ {2}\d+ m?s ago(, \d+ times)? +pod\/unmounted-\w{5} FailedMount: MountVolume\.SetUp failed for volume "v" : configmap "absent" not found$/,
    );
    expect(warnings[1]).toContain(` pod/${pod} `);
    expect(warnings.slice(2)).toEqual([""]);
    const { events } = JSON.parse((await ask("unmounted", "-o", "json")).out);
    expect(events).toMatchObject([{ object: `pod/${pod}`, reason: "FailedMount" }]);
  });

  it("ends with 2 when the token is another server's, and does not show it", async () => {
    const path = kubeconfig({ ...access, token: "stale-token" });
    const { exit, out, err } = await why(["retry", "--kubeconfig", path]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toBe(
      `stint: ${access.server} refuses the credentials of context stint of ${path}: they have expired, or belong to another server.\nName the right kubeconfig with --kubeconfig FILE, or in $KUBECONFIG.\n`,
    );
  });

  it("tells nothing to a server with another certificate", async () => {
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

  it("tells what that one says, also without credentials", async () => {
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
    const [, , , , known, who] = (await ask("foreign", "--controller", url)).out.split("\n");
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

  it("says when nobody listens there, or something else, and refuses what is no address", async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, "127.0.0.1", resolve));
    const { port } = nobody.address() as { port: number };
    await new Promise((resolve) => nobody.close(resolve));
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

describe("why, without a kubeconfig that it can use", () => {
  it("says what was looked for, and what makes one", async () => {
    const [refusal, help, serve] = (await why(["pi"])).err.split("\n");
    expect(refusal).toBe(
      "stint: there is no kubeconfig and no service account of a pod: nothing says where the API server is.",
    );
    expect(help).toContain("Name one with --kubeconfig FILE or in $KUBECONFIG");
    expect(serve).toBe("There is no ./stint.kubeconfig either, which `stint serve` writes.");
    expect((await why(["pi"], { env: { KUBECONFIG: "/no/such/file" } })).err).not.toContain("stint serve");
  });

  const whole = { server: "https://127.0.0.1:1", authority: "a", token: "secret-token" };
  it.each([
    ["line 2 is not YAML", 'users:\n- {token: "secret-token'],
    ["it is not a kubeconfig", "secret-token"],
    ["names no cluster", kubeconfigText(whole).replace("current-context: stint", "current-context: other")],
    ["names no cluster", kubeconfigText(whole).replace("cluster: stint", "cluster: other")],
    ["allowed is a URL that begins with https://", kubeconfigText({ ...whole, server: "cluster.example" })],
    [
      "where everybody in between can read the credentials",
      kubeconfigText({ ...whole, server: "http://127.0.0.1:80" }),
    ],
  ])("%s", async (problem, text) => {
    const { exit, out, err } = await why(["pi", "--kubeconfig", file(text)]);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toMatch(/^stint: /);
    expect(err).toContain(problem);
    expect(err).not.toContain("secret-token");
  });

  it("takes the context that is named, and says which ones there are", async () => {
    const path = kubeconfig(whole);
    expect((await why(["pi", "--kubeconfig", path, "--context", "prod"])).err).toBe(
      `stint: the context is "prod"; ${path} has stint\n`,
    );
  });

  it("refuses names that no Job can have, and bad usage", async () => {
    for (const name of ["Pi", "pod/pi", "a b", "../jobs", "-"])
      expect((await why(["--", name])).err).toContain(
        `stint: the Job's name is ${JSON.stringify(name)}; allowed are small letters`,
      );
    expect((await why([])).err).toMatch(/^error: missing required argument 'job'\n/);
    expect((await why(["pi", "--output", "yaml"])).exit).toBe(2);
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
