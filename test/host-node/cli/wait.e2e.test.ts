/**
 * `stint wait` against a real `stint serve` where something happens while it waits: signals, a deletion, a terminal,
 * a server that ends. transcripts/wait.txt has what it prints, its other exit statuses and each mistake.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, type Served, startServe } from "../serving.ts";
import { withoutFoundNote } from "./found-note.ts";
import { RecordingConsole } from "./recording-console.ts";

let served: Served;
let empty: string;
beforeAll(async () => {
  await buildModule("engine");
  empty = mkdtempSync(join(tmpdir(), "stint-wait-"));
  served = await startServe();
  await create(job("good", { exitCode: 0 }));
  await create(job("slow", { exitCode: 0, runMs: 3_600_000 }));
});
afterAll(async () => {
  await served.stop();
  rmSync(empty, { recursive: true });
});

function job(name: string, outcome: object): object {
  const metadata = { annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 10, ...outcome }) } };
  const template = { metadata, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { template },
  };
}

function send(method: string, path: string, body: object): Promise<number | undefined> {
  const config = parse(readFileSync(served.kubeconfig, "utf8"));
  const { server, "certificate-authority-data": authority } = config.clusters[0].cluster;
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${config.users[0].user.token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  return new Promise((resolve, reject) => {
    const ca = Buffer.from(authority, "base64").toString();
    const sent = request(`${server}${path}`, { method, ca, headers, agent: false }, (response) =>
      response.resume().on("end", () => resolve(response.statusCode)),
    );
    sent.on("error", reject).end(text);
  });
}

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
async function create(manifest: object): Promise<void> {
  expect(await send("POST", JOBS, manifest)).toBe(201);
}

interface Answer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

async function ask(console: RecordingConsole, args: readonly string[]): Promise<Answer> {
  const exit = await main(["wait", ...args], "0.0.0", console);
  return { exit, out: console.out, err: withoutFoundNote(console.err) };
}

describe("the exit status of wait", () => {
  it("is 130 after Ctrl-C, and 143 after SIGTERM", async () => {
    for (const [signal, status] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      const console = new RecordingConsole(served.directory);
      const answer = ask(console, ["slow"]);
      await console.outHas("is running");
      console.send(signal);
      expect((await answer).exit).toBe(status);
      expect(console.out).toContain("(interrupted)");
    }
  });

  it("is 141 when its output is closed", async () => {
    const console = new RecordingConsole(served.directory);
    const answer = ask(console, ["slow"]);
    await console.outHas("is running");
    console.closeOutput();
    expect((await answer).exit).toBe(141);
  });

  it("is 1 when the Job is deleted while it is waited for", async () => {
    await create(job("doomed", { exitCode: 0, runMs: 3_600_000 }));
    const console = new RecordingConsole(served.directory);
    const answer = ask(console, ["doomed"]);
    await console.outHas("is running");
    expect(await send("DELETE", `${JOBS}/doomed`, { propagationPolicy: "Background" })).toBe(200);
    expect((await answer).exit).toBe(1);
    expect(console.out).toContain("doomed  was deleted before its end was seen");
  });
});

describe("the output of wait", () => {
  it("on a terminal is drawn again in one place, and ends in lines that stay", async () => {
    const console = new RecordingConsole(served.directory);
    Object.assign(console.environment, { NO_COLOR: "1" });
    console.terminal = () => ({ columns: 40, rows: 10 });
    expect((await ask(console, ["good", "slow", "--timeout", "1500ms"])).exit).toBe(124);
    const [, drawn] = /\n(slow {2}is running: .*)\n/.exec(console.out)!;
    expect(drawn!.length).toBeLessThan(40);
    expect(console.out).toContain("\u001b[1A\u001b[2K");
    expect(console.out).toMatch(/slow {2}is running: [^]*\(time-out\)\n$/);
    expect(console.out).toMatch(/good {2}has succeeded/);
  });
});

describe("wait -f -", () => {
  it("takes the Jobs of standard input", async () => {
    const { exit, out } = await runStint(["wait", "-f", "-"], served.directory, {
      input: JSON.stringify(job("good", {})),
    });
    expect([exit, out]).toEqual([0, expect.stringMatching(/good {2}has succeeded/)]);
  });
});

describe("wait without a server", () => {
  it("says where it looked for a kubeconfig", async () => {
    const console = new RecordingConsole(empty);
    Object.assign(console.environment, { HOME: empty });
    const { exit, err } = await ask(console, ["good"]);
    expect(exit).toBe(2);
    expect(err).toContain("There is no ./stint.kubeconfig either, which `stint serve` writes.");
  });

  it("says that the server has ended, and does not try again", async () => {
    const other = await startServe();
    const kubeconfig = readFileSync(other.kubeconfig, "utf8");
    await other.stop();
    const file = join(empty, "ended.kubeconfig");
    writeFileSync(file, kubeconfig);
    const { exit, err } = await ask(new RecordingConsole(served.directory), ["good", "--kubeconfig", file]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^stint: no server listens at https:.*: that server has ended\./);
  });
});
