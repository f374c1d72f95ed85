/** `stint import`: logs of kubectl from a real cluster, and flight recordings, explained and made into recordings. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { History } from "../../../host-browser/history/history.ts";
import { viewAt } from "../../../host-browser/history/view.ts";
import { importRecording } from "../../../host-browser/share/import-recording.ts";
import { main } from "./checked-main.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { job, JOBS } from "../controlled-cluster.ts";
import { startRecorded } from "../flight-recorder/recorded-controller.ts";
import { RecordingConsole } from "./recording-console.ts";

const VECTORS = resolve(import.meta.dirname, "../../vectors/kubectl-logs");

let folder: string;

beforeAll(() => buildModule("engine"));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-import-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function stint(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const console = new RecordingConsole(folder);
  const exit = await main(args, "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

const linesOf = (name: string): any[] =>
  readFileSync(join(VECTORS, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const writeLines = (name: string, values: readonly object[]): void =>
  write(name, values.map((value) => `${JSON.stringify(value)}\n`).join(""));

/** The logs of the vectors; `change` makes others of them. */
function writeLogs(change: (line: any) => object | undefined = (line) => line): void {
  for (const name of ["jobs.json", "pods.json"])
    writeLines(
      name,
      linesOf(name).flatMap((line) => change(line) ?? []),
    );
}

describe("logs of kubectl", () => {
  test("each write of the built-in controller is shown with its decision", async () => {
    writeLogs();
    const { exit, out } = await stint("import", "jobs.json", "pods.json");
    expect(exit).toBe(0);
    const said = out.replace(/^\S+Z {2}/gm, "").replace(/pod (\w+)-\w{5}( |\b)/g, "pod $1$2");
    for (const line of [
      "job indexed: wrote the status: active 2, startTime (creating 2 pods: 0 of 2 wanted active, 0 succeeded)",
      "job indexed: wrote the status: Complete (CompletionsReached) (the Job has ended with Complete: 4 succeeded, 0 failed)",
      "job retries: wrote the status: active 0, 1 to be counted",
      "job retries: created pod retries (creating 1 pod: 0 of 1 wanted active, 0 succeeded)",
    ])
      expect(said).toContain(`${line}\n`);
    expect(said).toMatch(/job late: deleted pod late \(the Job fails: activeDeadlineSeconds of 3 s have passed since /);
    expect(out).toMatch(
      /\njobs.json, pods.json: 0 Jobs and 0 pods at the beginning, 45 changes, 33 writes of the controller, all of them explained\n$/,
    );
  });

  test("without --output-watch-events, in one file and in any order of the two kinds, it is the same", async () => {
    writeLogs();
    const { out: expected } = await stint("import", "jobs.json", "pods.json");
    const objects = ["pods.json", "jobs.json"].flatMap(linesOf).map(({ object }) => object);
    write("all.json", objects.map((object) => JSON.stringify(object, null, 4)).join("\n"));
    const { out } = await stint("import", "all.json");
    const writes = (text: string): string[] => text.split("\n").slice(0, -2);
    expect(writes(out)).toEqual(writes(expected));
  });

  test("--job shows what concerns one Job", async () => {
    writeLogs();
    const { out } = await stint("import", "--job", "default/late", "jobs.json", "pods.json");
    expect(out).toContain("job late: created pod late-");
    expect(out).not.toMatch(/job (indexed|retries)/);
  });

  test("--until leaves out what came later, and --job says where the Job stood then", async () => {
    writeLogs();
    const { out } = await stint(
      "import",
      "--job",
      "retries",
      "--until",
      "2026-11-23T20:50:35Z",
      "jobs.json",
      "pods.json",
    );
    expect(out.match(/created pod/g)).toHaveLength(1);
    expect(out).toMatch(
      /\njob retries {2}Waiting\n {2}waiting 4 s before the next pod is created: 1 failure in a row, /,
    );
    const { exit, err } = await stint("import", "--until", "yesterday", "jobs.json");
    expect(exit).toBe(2);
    expect(err).toBe('stint: --until is "yesterday"; allowed is a time such as 2026-11-23T20:36:22Z\n');
  });

  test("--job says who ended the pod that failed last, also when it is gone", async () => {
    const terminated = { exitCode: 3, reason: "Error", finishedAt: "2026-11-23T20:50:30Z" };
    writeLogs((line) => {
      const { status } = line.object;
      if (status.phase !== "Failed") return line;
      const [{ name }] = line.object.spec.containers;
      status.containerStatuses = [{ name, restartCount: 0, state: { terminated }, lastState: {} }];
      return line;
    });
    const story = ["import", "--job", "retries", "jobs.json", "pods.json"];
    const { out: complete } = await stint(...story);
    expect(complete).toMatch(/\njob retries {2}Complete\n/);
    expect(complete).not.toContain("last failure");
    const { out } = await stint(...story, "--until", "2026-11-23T20:50:35Z");
    expect(out).toMatch(/\n {2}last failure: pod retries-\w+: container \w+ exited \(exit code 3, Error\)\n/);
  });

  test("what was there before is no write, and what follows is explained", async () => {
    // The watches begin when the first pods of the Indexed Job have ended.
    const latest = new Map<string, any>();
    const later: Record<string, object[]> = { "jobs.json": [], "pods.json": [] };
    for (const name of Object.keys(later)) {
      const lines = linesOf(name);
      const begin = lines.findIndex(
        ({ object }) => Number(object.status?.succeeded ?? 0) >= 2 || object.status?.phase === "Succeeded",
      );
      for (const line of lines.slice(0, begin + 1)) latest.set(line.object.metadata.uid, line.object);
      later[name] = lines.slice(begin + 1);
    }
    const items = [...latest.values()];
    writeLines("jobs.json", [
      { kind: "List", items: items.filter(({ kind }) => kind === "Job") },
      ...later["jobs.json"]!,
    ]);
    writeLines("pods.json", [
      { kind: "List", items: items.filter(({ kind }) => kind === "Pod") },
      ...later["pods.json"]!,
    ]);
    const { out } = await stint("import", "jobs.json", "pods.json");
    expect(out).toMatch(/: 1 Job and \d pods? at the beginning, /);
    expect(out).toContain(
      "wrote the status: Complete (CompletionsReached) (the Job has ended with Complete: 4 succeeded",
    );
  });

  test("a write that no controller should have made is shown as not explained", async () => {
    const [created] = linesOf("pods.json");
    writeLogs();
    const extra = structuredClone(created);
    Object.assign(extra.object.metadata, { name: "indexed-0-extra", uid: "extra", resourceVersion: "999999" });
    writeLines("pods.json", [...linesOf("pods.json"), extra]);
    const { exit, out } = await stint("import", "jobs.json", "pods.json");
    expect(exit).toBe(0);
    expect(out).toContain(
      "job indexed: created pod indexed-0-extra of index 0 (not explained: by what is known, it was not to be done here)",
    );
    expect(out).toContain("34 writes of the controller, 1 not explained\n");
  });

  test("a log that ends in the middle of an object is read up to there", async () => {
    writeLogs();
    write("pods.json", readFileSync(join(folder, "pods.json"), "utf8").slice(0, -100));
    expect(await stint("import", "jobs.json", "pods.json")).toMatchObject({ exit: 0, err: "" });
  });

  test("the recording replays, opens in the playground with the decisions, and has no secret", async () => {
    writeLogs();
    expect(readFileSync(join(folder, "pods.json"), "utf8")).toContain("hunter2");
    await stint("import", "--save", "r.jsonl", "jobs.json", "pods.json");
    expect((await stint("replay", "r.jsonl")).out).toMatch(/^r.jsonl: the same, byte for byte: /);
    const recording = readFileSync(join(folder, "r.jsonl"), "utf8");
    expect(recording).not.toContain("hunter2");
    const { recorder } = await importRecording({
      recording,
      engine: new Uint8Array(readFileSync(modulePath("engine"))),
      createRecorder: (startMs, { yaml }) => new History({ startMs, yaml, readYaml, viewAt }),
    });
    const { tables, tracks } = recorder.book;
    expect(tracks.map(({ name }) => name)).toEqual(["indexed", "retries", "late"]);
    const { decision } = recorder.take().pods;
    const codes = [...decision].map((row) => tables.texts.at(tables.decisions.columns.code.at(row)));
    expect(codes).toEqual(Array(8).fill("Creating"));
    // The name of --save in earlier versions.
    await stint("import", "--everything", "-o", "whole.jsonl", "jobs.json", "pods.json");
    expect(readFileSync(join(folder, "whole.jsonl"), "utf8")).toContain("hunter2");
  });
});

describe("a flight recording", () => {
  async function record(count: number, maxBytes: number): Promise<string[]> {
    const controller = await startRecorded({ folder: join(folder, "fl"), maxBytes });
    for (let i = 0; i < count; i++) {
      controller.create(
        JOBS,
        job(`job-${i}`, { completions: 2, parallelism: 1, completionMode: "Indexed" }, { runMs: 3000 }),
      );
      await controller.advance(1_000);
    }
    await controller.advance(20_000);
    await controller.close();
    return readdirSync(join(folder, "fl")).sort();
  }

  test("of all segments explains each write, and becomes a recording", async () => {
    await record(2, 2 ** 24);
    const { out } = await stint("import", "--save", "r.jsonl", "fl");
    expect(out).toMatch(
      /\nfl: 0 Jobs and 0 pods at the beginning, \d+ changes, \d+ writes of the controller, all of them explained\n$/,
    );
    expect((await stint("replay", "r.jsonl")).out).toMatch(/^r.jsonl: the same, byte for byte: /);
  });

  test("of one segment in the middle explains what follows from what was known", async () => {
    const files = await record(20, 2 ** 20);
    expect(files.length).toBeGreaterThan(3);
    const { out } = await stint("import", join("fl", files[2]!));
    expect(out).toMatch(
      /: [1-9]\d* Jobs and [1-9]\d* pods? at the beginning, \d+ changes, [1-9]\d* writes of the controller, /,
    );
    expect(out).toContain("(the Job has ended with Complete: 2 succeeded, 0 failed)");
  });

  test("needs no other file", async () => {
    await record(1, 2 ** 24);
    writeLogs();
    expect((await stint("import", "jobs.json", "fl")).err).toBe(
      "stint: fl is a flight recording, and 2 files are given; allowed is it alone\n",
    );
  });
});

describe("refuses", () => {
  const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) });
  const pod = { kind: "Pod", metadata: { name: "p", uid: "u", resourceVersion: "1" } };
  test.each([
    [
      "another kind",
      [pod, { kind: "Node", metadata: {} }],
      'log.json:2:1: its kind is "Node"; allowed are Job and Pod',
    ],
    [
      "no version",
      [{ ...pod, metadata: { name: "p", uid: "u" } }],
      "log.json:1:1: a Pod without a metadata.resourceVersion in digits",
    ],
    ["no object", [{ type: "ADDED", object: {} }], 'log.json:1:1: its kind is ""; allowed are Job and Pod'],
    ["null", [{ type: "ADDED", object: null }], 'log.json:1:1: its kind is ""; allowed are Job and Pod'],
    ["a member of every object", [{ ...pod, kind: "constructor" }], 'log.json:1:1: its kind is "constructor"; allowed'],
    ["no status", [{ ...pod, status: null }], "log.json:1:1: the Pod has a status that is no object"],
    [
      "no list",
      [{ ...pod, status: { conditions: [null] } }],
      "log.json:1:1: the Pod has a status.conditions that is no list of objects",
    ],
    [
      "no texts",
      [{ ...pod, metadata: { ...pod.metadata, finalizers: [{}] } }],
      "log.json:1:1: the Pod has a metadata.finalizers that is no list of text",
    ],
    [
      "what is nested deeply",
      [{ ...pod, spec: nested(200) }],
      "log.json:1:1: the Pod is nested more than 100 levels deep",
    ],
    [
      "what no engine reads, too",
      [
        pod,
        { ...pod, kind: "Job", metadata: { ...pod.metadata, name: "p\u001b[2J", uid: "v" }, status: { active: "" } },
      ],
      "the jobs at the beginning cannot be read: a page is not JSON: expected an integer",
    ],
  ])("%s, with the line", async (_, lines, problem) => {
    writeLines("log.json", lines);
    const { exit, err } = await stint("import", "log.json");
    expect(exit).toBe(2);
    expect(err).toContain(`stint: ${problem}`);
  });

  test.each([
    ["", "log.json is empty: no JSON object is in it"],
    ["NAME   READY\n", 'log.json:1:1: "NAME   READY\\n" is no JSON object; allowed is what kubectl get --watch'],
    ["\n{a}\n", 'log.json:2:2: this is not JSON: here is "a"; allowed is a name in double quotes'],
    ['{}\n {"kind":\n1 2}\n', 'log.json:1:1: its kind is ""; allowed are Job and Pod'],
    [
      `${JSON.stringify(pod)}\n  {"kind":\n 1 2}`,
      'log.json:3:4: this is not JSON: here is "2"; allowed is a comma or }',
    ],
    [`${JSON.stringify(pod)} {"kind": "Node"}`, 'log.json:1:72: its kind is "Node"; allowed are Job and Pod'],
  ])("%j", async (text, problem) => {
    write("log.json", text);
    const { exit, err } = await stint("import", "log.json");
    expect(exit).toBe(2);
    expect(err).toContain(`stint: ${problem}`);
  });

  test("what is wrong in a file by its path as it was given", async () => {
    mkdirSync(join(folder, "logs"));
    write("logs/log.json", "no");
    expect((await stint("import", "./logs/log.json")).err).toMatch(/^stint: \.\/logs\/log\.json:1:1: "no" is no JSON/);
  });

  test("--save beside its name in earlier versions", async () => {
    expect(await stint("import", "--save", "a", "-o", "b", "none.json")).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--output is "b"; allowed is text or json, beside --save'),
    });
  });

  test("a file that is not there, and --force without --save", async () => {
    expect((await stint("import", "none.json")).err).toBe("stint: cannot read none.json: there is no such file\n");
    expect((await stint("import", "--force", "none.json")).err).toBe(
      "stint: --force is given without --save; it lets --save replace a file\n",
    );
  });
});
