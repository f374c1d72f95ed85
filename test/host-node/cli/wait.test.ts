/** `stint wait` against a real `stint serve`: what it prints, its exit statuses, and each mistake. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../../host-node/cli/program.ts";
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
  await create(job("bad", { exitCode: 1 }, { backoffLimit: 0 }));
  await create(job("slow", { exitCode: 0, runMs: 3_600_000 }));
  await create(job("paused", { exitCode: 0 }, { suspend: true }));
  await create(job("lost", { failReason: "ErrImagePull", failMessage: "no such image" }));
});
afterAll(async () => {
  await served.stop();
  rmSync(empty, { recursive: true });
});

function job(name: string, outcome: object, spec: object = {}): object {
  const metadata = { annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 10, ...outcome }) } };
  const template = { metadata, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels: { set: name === "good" || name === "bad" ? "ends" : "goes-on" } },
    spec: { template, ...spec },
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

async function wait(...args: readonly string[]): Promise<Answer> {
  return ask(new RecordingConsole(served.directory), args);
}

async function ask(console: RecordingConsole, args: readonly string[]): Promise<Answer> {
  const exit = await main(["wait", ...args], "0.0.0", console);
  return { exit, out: console.out, err: withoutFoundNote(console.err) };
}

describe("the exit status", () => {
  it("is 0 when the Job has succeeded, whatever its kind is called", async () => {
    for (const name of ["good", "job/good", "job.batch/good"]) {
      const { exit, out, err } = await wait(name);
      expect([exit, err]).toEqual([0, ""]);
      expect(out).toMatch(/^ +\d+\.\ds {2}good {2}has succeeded \d+ s ago: Reached expected number of .*\n$/m);
    }
  });

  it("is 1 when one has failed", async () => {
    const { exit, out } = await wait("good", "bad");
    expect(exit).toBe(1);
    expect(out).toMatch(
      /bad {2}has failed \d+ s ago: Job has reached the specified backoff limit \(BackoffLimitExceeded\)/,
    );
  });

  it("is 0 when it has failed and that was waited for, else 1", async () => {
    expect((await wait("bad", "--for", "failed")).exit).toBe(0);
    expect((await wait("good", "--for", "failed")).exit).toBe(1);
    expect((await wait("bad", "--for", "succeeded")).exit).toBe(1);
    expect((await wait("paused", "--for", "suspended")).exit).toBe(0);
  });

  it("is 124 when the time is over, with what the Job does", async () => {
    const { exit, out, err } = await wait("slow", "--timeout", "300ms");
    expect(exit).toBe(124);
    expect(out).toMatch(/slow {2}is running: 1 active, .*\(time-out\)\n$/);
    expect(err).toBe(
      "stint: after 0.3s the Job slow has not finished; `stint why JOB` says more, a longer --timeout waits on\n",
    );
  });

  it("is 3 when one was given up since it was stuck, with the reason; 1 when another one has failed", async () => {
    const { exit, out, err } = await wait("lost", "good", "--give-up-when-stuck", "200ms");
    expect(exit).toBe(3);
    expect(out).toMatch(/lost {2}is stuck, .*no such image.* \(given up\)\n/);
    expect(err).toBe("stint: the Job lost was stuck for 0.2s and is waited for no longer; `stint why JOB` says more\n");
    expect((await wait("lost", "bad", "--give-up-when-stuck", "200ms")).exit).toBe(1);
    const { out: json } = await wait("lost", "--give-up-when-stuck", "200ms", "-o", "json");
    expect(JSON.parse(json.trim().split("\n").at(-1)!)).toMatchObject({ verdict: "Stuck", outcome: "stuck" });
  });

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

  it("is 141 when nobody reads any more", async () => {
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

describe("the output", () => {
  it("as JSON is one object a line, with the verdict", async () => {
    const console = new RecordingConsole(served.directory);
    expect((await ask(console, ["good", "slow", "--timeout", "300ms", "-o", "json"])).exit).toBe(124);
    const last = (name: string) => console.lines.findLast(({ job }) => job === name);
    expect(last("good")).toMatchObject({ namespace: "default", verdict: "Succeeded", outcome: "reached" });
    expect(last("slow")).toMatchObject({ verdict: "Running", isFinished: false, outcome: "timedOut" });
    expect(console.lines.find(({ job }) => job === "slow")).toMatchObject({ outcome: null });
  });

  it("as JUnit is one document; lines go to standard error", async () => {
    const { exit, out, err } = await wait("-l", "set=ends", "-o", "junit");
    expect(exit).toBe(1);
    expect(out).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites tests="2" failures="1" errors="0">/);
    expect(out).toContain('<failure type="BackoffLimitExceeded"');
    expect(err).toContain("bad  has failed");
  });

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

describe("the Jobs of files", () => {
  let count = 0;
  function file(...objects: readonly object[]): string {
    const path = join(empty, `jobs-${++count}.yaml`);
    writeFileSync(path, objects.map((object) => JSON.stringify(object, null, 2)).join("\n---\n"));
    return path;
  }
  const named = (metadata: object): object => ({ ...job("x", {}), metadata });
  const waited = async (...args: readonly string[]): Promise<readonly [number, readonly string[], string]> => {
    const { exit, out, err } = await wait(...args, "-o", "json");
    const lines = out.split("\n").filter((line) => line !== "");
    return [
      exit,
      [...new Set(lines.map((line) => JSON.parse(line)).map((line) => `${line.namespace}/${line.job}`))],
      err,
    ];
  };

  it("are waited for, of several files and of a list, each once", async () => {
    const list = { apiVersion: "v1", kind: "List", items: [job("good", {}), job("bad", {})] };
    expect(await waited("-f", file(job("good", {})))).toEqual([0, ["default/good"], ""]);
    const [exit, jobs] = await waited("-f", file(list), "--filename", file(job("good", {})));
    expect([exit, jobs.toSorted()]).toEqual([1, ["default/bad", "default/good"]]);
  });

  it("are those of folders, and with -R of the folders in them", async () => {
    const folder = mkdtempSync(join(empty, "folder-"));
    mkdirSync(join(folder, "in"));
    writeFileSync(join(folder, "good.json"), JSON.stringify(job("good", {})));
    writeFileSync(join(folder, "in", "bad.json"), JSON.stringify(job("bad", {})));
    expect(await waited("-f", folder)).toEqual([0, ["default/good"], ""]);
    expect((await waited("-R", "-f", folder))[0]).toBe(1);
  });

  it("are those of standard input for -", async () => {
    const { exit, out } = await runStint(["wait", "-f", "-"], served.directory, {
      input: JSON.stringify(job("good", {})),
    });
    expect([exit, out]).toEqual([0, expect.stringMatching(/good {2}has succeeded/)]);
  });

  it("are in the namespace that the file names, else in that of --namespace", async () => {
    expect(await waited("-f", file(named({ name: "good", namespace: "default" })))).toEqual([0, ["default/good"], ""]);
    const there = await wait("-f", file(named({ name: "good", namespace: "team" })));
    expect([there.exit, there.err]).toEqual([2, expect.stringContaining("there is no Job good in namespace team of")]);
    const given = await wait("-n", "team", "-f", file(job("good", {})));
    expect(given.err).toContain("there is no Job good in namespace team of");
  });

  it("are all that is waited for: other objects are counted", async () => {
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const [exit, jobs, err] = await waited("-f", file(configMap, job("good", {})));
    expect([exit, jobs]).toEqual([0, ["default/good"]]);
    expect(err).toBe("stint: the files also have 1 ConfigMap; only Jobs are waited for\n");
  });

  const A = named({ name: "good", namespace: "a" });
  it.each<[string, object[], string[], string]>([
    [
      "has no name yet",
      [named({ generateName: "g-" })],
      [],
      ":5:5: metadata.generateName: the server chooses the name",
    ],
    ["has no name", [named({ labels: {} })], [], ":4:3: metadata.name: here is no name; allowed is the name of a Job"],
    ["has a wrong name", [named({ name: "Good_" })], [], ':5:13: metadata.name is "Good_"; allowed are small letters'],
    ["has a number for a namespace", [named({ name: "a", namespace: 5 })], [], ":6:5: metadata.namespace: here is no"],
    [
      "is in another namespace",
      [A, job("bad", {})],
      [],
      ":28:1: the namespace of the Job bad is default, and that of the Job good is a; allowed is one namespace: ",
    ],
    [
      "is in another namespace than the one that is given",
      [A],
      ["-n", "b"],
      ":6:5: the namespace of the Job good is a, and --namespace is b; leave --namespace out, or ",
    ],
    ["is of an earlier version", [{ ...A, apiVersion: "batch/v1beta1" }], [], ":2:17: apiVersion: "],
  ])("are refused if one %s", async (_, objects, args, sentence) => {
    const path = file(...objects);
    const { exit, out, err } = await wait("-f", path, ...args);
    expect([exit, out]).toEqual([2, ""]);
    expect(err).toContain(`${path}${sentence}`);
  });

  it("are refused if there are none, or the file is broken, missing, or beside names or labels", async () => {
    const pod = file({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } });
    const good = file(job("good", {}));
    const broken = join(empty, "broken.json");
    writeFileSync(broken, '{"kind": ]');
    for (const [args, sentence] of [
      [["-f", pod], `there is no Job in ${pod}: here is Pod p\n`],
      [["-f", broken], `${broken}:1:10: this is not JSON: here is "]"; allowed is a value`],
      [["-f", join(empty, "none.yaml")], "none.yaml: there is no such file"],
      [["good", "-f", good], `both good and --filename ${good} are given; allowed is one of them`],
      [["-l", "a=b", "-f", good], `both --selector a=b and --filename ${good} are given; allowed is one of them`],
    ] as const) {
      const { exit, out, err } = await wait(...args);
      expect([exit, out]).toEqual([2, ""]);
      expect(err).toContain(sentence);
    }
  });
});

describe("a mistake", () => {
  it.each<[string, string[], RegExp]>([
    ["no Job", [], /^stint: no Job is named; name Jobs, take those of a file with --filename FILE, or select them by /],
    [
      "a Job that is not there",
      ["nope"],
      /^stint: there is no Job nope in namespace default of https:.*\n`kubectl get/,
    ],
    ["two that are not there", ["good", "x", "y"], /there is none of the Jobs x, y in namespace default/],
    ["another namespace", ["good", "-n", "team"], /there is no Job good in namespace team/],
    ["labels of no Job", ["-l", "set=none"], /there is no Job with set=none in namespace default/],
    ["names and labels", ["good", "-l", "set=ends"], /both good and --selector set=ends are given; allowed is one/],
    [
      "a selector that is none",
      ["-l", "set in x"],
      /--selector is "set in x", and the server refuses it \(400: .*allowed is/,
    ],
    ["a name that is none", ["Good_"], /the Job's name is "Good_"; allowed are small letters/],
    ["a namespace that is none", ["good", "-n", "A"], /the namespace is "A"; allowed are/],
    ["a goal that is none", ["good", "--for", "done"], /Allowed choices are finished, succeeded, failed, suspended/],
    ["a format that is none", ["good", "-o", "xml"], /Allowed choices are text, json, junit/],
    ["a time without a unit", ["good", "--timeout", "5"], /5 has no unit: 5s, 5m or 5h\?/],
    ["a limit without a unit", ["good", "--give-up-when-stuck", "5"], /5 has no unit: 5s, 5m or 5h\?/],
    ["a limit that is none", ["--give-up-when-stuck", "good"], /allowed is a duration such as/i],
    ["a context that is not there", ["good", "--context", "prod"], /the context is "prod"; .* has stint/],
    ["a kubeconfig that is not there", ["good", "--kubeconfig", "none.yaml"], /none\.yaml/],
  ])("%s: exit status 2 and a sentence", async (_, args, sentence) => {
    const { exit, out, err } = await wait(...args);
    expect(err).toMatch(sentence);
    expect([exit, out]).toEqual([2, ""]);
  });

  it("no kubeconfig at all: says where it was looked for", async () => {
    const console = new RecordingConsole(empty);
    Object.assign(console.environment, { HOME: empty });
    const { exit, err } = await ask(console, ["good"]);
    expect(exit).toBe(2);
    expect(err).toContain("There is no ./stint.kubeconfig either, which `stint serve` writes.");
  });

  it("a server that has ended: says so, and does not try again", async () => {
    const other = await startServe();
    const kubeconfig = readFileSync(other.kubeconfig, "utf8");
    await other.stop();
    const file = join(empty, "ended.kubeconfig");
    writeFileSync(file, kubeconfig);
    const { exit, err } = await wait("good", "--kubeconfig", file);
    expect(exit).toBe(2);
    expect(err).toMatch(/^stint: no server listens at https:.*: that server has ended\./);
  });
});
