/**
 * A recording of the controller of a cluster, with answers that come after the watch has shown what was done, on a
 * clock that is not wall time: imported, every panel shows it, and what the controller did has its decision.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Recorder } from "../../../bindings/js/recorder.ts";
import { Sealer } from "../../../bindings/js/recording.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { History } from "../../../host-browser/history/history.ts";
import { viewAt } from "../../../host-browser/history/view.ts";
import { NONE, PodState } from "../../../host-browser/records.ts";
import { importRecording, type ImportedRun } from "../../../host-browser/share/import-recording.ts";
import { sha256 } from "../../../host-browser/share/sha256.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { ask } from "../history/run.ts";
import { job, JOBS, START_MS, startControlled } from "../../host-node/controlled-cluster.ts";

const AHEAD_MS = 3_600_000;
/** Every other answer comes so late that the watch has shown before what was done. */
const LATE_MS = 50;

const OBJECTS = [
  job("expires", { completions: 2, parallelism: 2, ttlSecondsAfterFinished: 10 }, { runMs: 3_000 }),
  job(
    "fails",
    { completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimit: 0 },
    { runMs: 60_000, byIndex: { "1": { runMs: 2_000, exitCode: 3 } } },
  ),
];

/** @param aheadMs the wall time of the controller, ahead of the clock of the API server */
async function record(aheadMs = AHEAD_MS): Promise<string> {
  const clock = new VirtualClock(START_MS);
  const lines: string[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(`${line}\n`), sha256 });
  let sent = 0;
  const { create, stop } = await startControlled({
    clock,
    recorder,
    wallTime: () => clock.now() + aheadMs,
    through: (transport) => ({
      send: (request, done) => {
        const isLate = ++sent % 2 === 0;
        transport.send(request, isLate ? (answer) => void clock.setTimer(LATE_MS, () => done(answer)) : done);
      },
      stream: (request, sink) => transport.stream(request, sink),
    }),
  });
  for (const object of OBJECTS) create(JOBS, object);
  clock.advance(120_000);
  stop();
  recorder.end();
  return lines.join("");
}

let engine: Uint8Array<ArrayBuffer>;
let recording: string;
let imported: ImportedRun<History>;

beforeAll(async () => {
  await buildModule("engine");
  engine = new Uint8Array(readFileSync(path.resolve(modulePath("engine"))));
  recording = await record();
  imported = await importText(recording);
}, 60_000);

function importText(text: string): Promise<ImportedRun<History>> {
  const createRecorder = (startMs: number, { yaml }: { readonly yaml: string }): History =>
    new History({ startMs, yaml, readYaml, viewAt });
  return importRecording({ recording: text, engine, createRecorder });
}

/** The codes of the decisions behind the rows of a table, for the rows that are meant; NONE: there is none. */
function codes(run: ImportedRun<History>, decisions: ArrayLike<number>, isMeant: (row: number) => boolean): string[] {
  const { tables } = run.recorder.book;
  const rows = Array.from({ length: decisions.length }, (_, row) => row).filter(isMeant);
  return rows.map((row) => {
    const decision = decisions[row]!;
    return decision === NONE ? "NONE" : tables.texts.at(tables.decisions.columns.code.at(decision));
  });
}

test("pods, deletions and status writes have the decisions that they come from", () => {
  const chunk = imported.recorder.take();
  expect(codes(imported, chunk.pods.decision, () => true)).toEqual(Array(5).fill("Creating"));
  const { transitions, versions } = chunk;
  const inState = (state: PodState) => (row: number) => transitions.state[row] === state;
  expect(codes(imported, transitions.decision, inState(PodState.PENDING))).toEqual(Array(5).fill("Creating"));
  expect(codes(imported, transitions.decision, inState(PodState.TERMINATING))).toEqual(
    Array(2).fill("TooManyFailures"),
  );
  const ofJob = (name: string) =>
    codes(imported, versions.decision, (row) => chunk.jobs[versions.job[row]!]!.name === name);
  // The first version is the Job as its user created it; the controller's first decision takes it into account.
  expect(ofJob("fails")).toEqual(["Creating", "Creating", "TooManyFailures", "Ended"]);
  expect(ofJob("expires")).toEqual([
    ...["Creating", "Creating", "CompletionsReached", "Ended", "Removing", "Removing"],
  ]);
});

test("every panel shows it, at the wall time of the recording", () => {
  const { recorder, nowMs, scenario, note } = imported;
  expect(recorder.book.startMs).toBe(START_MS + AHEAD_MS);
  expect(note).toBe(`Recorded from ${new Date(START_MS + AHEAD_MS).toISOString()}.`);
  expect(scenario.yaml).toContain("name: fails");
  expect(nowMs).toBe(120_000);
  const fails = recorder.book.tracks.findIndex(({ name }) => name === "fails");
  const view = viewAt(recorder, { atMs: nowMs, job: fails, pod: recorder.book.tracks[fails]!.pods.at(1) });
  expect(view.sentence).toMatch(/^the Job failed at 01:00:02: /);
  expect(view.jobTable.rows).toEqual([expect.arrayContaining(["fails", "Failed", "0/3"])]);
  expect(view.podTable.rows).toEqual([expect.arrayContaining(["0/1", "Error"])]);
  expect(view.status.map(({ text }) => text)).toContain("failed: 3");
  expect(view.conditions.map(({ type }) => type)).toEqual(["FailureTarget", "Failed"]);
  expect(view.description).toContain("Created pod: fails-0-");
  expect(view.events.map(({ reason }) => reason).reverse()).toEqual([
    ...["SuccessfulCreate", "SuccessfulCreate", "SuccessfulCreate"],
    ...["SuccessfulDelete", "SuccessfulDelete", "BackoffLimitExceeded"],
  ]);
  expect(view.decisions.map(({ code }) => code).reverse()).toEqual([
    ...["Creating", "WaitingForPods", "TooManyFailures", "Ended"],
  ]);
  expect(view.requests).toHaveLength(17);
  expect(view.pod?.yaml).toContain("exitCode: 3");
  for (const { decision, path: target } of [...view.requests, ...view.events.map((event) => ({ ...event, path: "" }))])
    expect(decision, target).not.toBe(NONE);
});

test("an instant in the middle has what was known then, and says why", () => {
  const { recorder } = imported;
  const fails = recorder.book.tracks.findIndex(({ name }) => name === "fails");
  const pod = recorder.book.tracks[fails]!.pods.at(0);
  const view = viewAt(recorder, { atMs: 1_000, job: fails, pod, why: { of: "pod", id: pod } });
  expect(view.sentence).toContain("3 active");
  expect(view.podTable.rows.map((row) => row[2])).toEqual(["Running", "Running", "Running"]);
  expect(view.conditions).toEqual([]);
  expect(view.why?.decision?.code).toBe("Creating");
  expect(view.why?.text).toContain("Creating 3 pods");
});

test("who ended the pods is said as of a run of the page", async () => {
  // Times of both clocks say who deleted a pod at the end of its Job.
  const { recorder, nowMs } = await importText(await record(0));
  const rowsOf = (name: string) => {
    const id = recorder.book.tracks.findIndex((track) => track.name === name);
    return viewAt(recorder, { atMs: nowMs, job: id, panel: "account" }, ask).account!.rows;
  };
  const fails = rowsOf("fails").toSorted((a, b) => a.index! - b.index!);
  expect(fails.map(({ endedBy }) => endedBy)).toEqual(["JobEnd", "Exited", "JobEnd"]);
  expect(fails[1]!.sentence).toMatch(
    /^pod fails-1-\w+ \(index 1\) has failed: container main exited \(exit code 3, Error\)$/,
  );
  expect(fails[1]).toMatchObject({ startMs: 0, endMs: 2_000 });
  // Of these all that is left is the recording.
  expect(rowsOf("expires").map(({ endedBy }) => endedBy)).toEqual(["Completed", "Completed"]);
});

test("a recording without the numbers of decisions, as older ones are, shows the same", async () => {
  const sealer = new Sealer(sha256);
  const older = recording
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { check: _, ...entry } = JSON.parse(line);
      if (entry.requests !== undefined)
        entry.requests = entry.requests.map((request: unknown[]) => request.slice(0, 3));
      return `${sealer.seal(entry)}\n`;
    })
    .join("");
  expect(older).not.toBe(recording);
  const { recorder } = await importText(older);
  const { decision } = imported.recorder.book.tables.pods.columns;
  expect(recorder.take().pods.decision).toEqual(decision.data.subarray(0, decision.length));
});

test("a recording with another number is refused", async () => {
  const sealer = new Sealer(sha256);
  const changed = recording
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { check: _, ...entry } = JSON.parse(line);
      for (const request of entry.requests ?? []) if (request.length === 4) request[3]++;
      return sealer.seal(entry);
    })
    .join("\n");
  await expect(importText(changed)).rejects.toThrow(/carries out decision 1; recorded is 2$/);
});
