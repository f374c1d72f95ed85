/** Logs of kubectl and segments of the flight recorder: explained by their last states, and played as recordings. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openDoor } from "../../../host-browser/door/door.ts";
import { importRecording } from "../../../host-browser/share/import-recording.ts";
import { Witness } from "../catalogue/witness.ts";
import { job, JOBS } from "../../host-node/controlled-cluster.ts";
import { startRecorded } from "../../host-node/flight-recorder/recorded-controller.ts";
import { ENGINE_BYTES, newEngine, toolsOf } from "./played.ts";

const VECTORS = path.resolve(import.meta.dirname, "../../vectors/kubectl-logs");
const log = ["jobs.json", "pods.json"].map((name) => readFileSync(path.join(VECTORS, name), "utf8")).join("");
const folder = mkdtempSync(path.join(tmpdir(), "stint-door-"));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (text: string) => openDoor(text, toolsOf(newEngine(), Date.parse("2026-11-28T00:00:00Z")));

class Recorder extends Witness {
  startMs = 0;
  onRequest(): void {}
  onSent(): void {}
  onAnswer(): void {}
  onInstant(): void {}
}

async function jobsPlayed(recording: string): Promise<string> {
  const { scenario } = await importRecording({
    recording,
    engine: ENGINE_BYTES,
    createRecorder: () => new Recorder(),
  });
  return scenario.yaml;
}

describe("a log of kubectl", () => {
  test("says how its Jobs ended, and is a recording", async () => {
    const { kind, problem, jobs, notes, recording } = open(log);
    expect({ kind, problem }).toEqual({ kind: "log" });
    const verdicts = Object.fromEntries(jobs.map(({ name, verdict, what }) => [name, `${verdict}: ${what}`]));
    expect(verdicts["late"]).toMatch(/^Failed: .*DeadlineExceeded/);
    expect(verdicts["indexed"]).toMatch(/^Succeeded: /);
    expect(notes).toEqual(["45 changes, 33 writes of the Job controller, all of them explained"]);
    expect(await jobsPlayed(recording!)).toContain("name: late");
  });

  test("is taken though its last line is cut, and no value of its environment is kept", () => {
    expect(open(log.slice(0, -100)).problem).toBeUndefined();
    const secret = log.replaceAll('"containers":[{', '"containers":[{"env":[{"name":"A","value":"hunter2"}],');
    expect(secret).toContain("hunter2");
    const answer = open(secret);
    expect(answer.recording).toBeDefined();
    expect(JSON.stringify(answer)).not.toContain("hunter2");
  });

  test("of something else is refused with its place", () => {
    const text = '{"type":"ADDED","object":{"kind":"Node","metadata":{"name":"a","uid":"b","resourceVersion":"1"}}}\n';
    expect(open(text).problem).toBe('the text:1:1: its kind is "Node"; allowed are Job and Pod');
  });
});

test("a segment of the flight recorder is explained and played", async () => {
  const controller = await startRecorded({ folder });
  controller.create(JOBS, job("pi", { backoffLimit: 1 }, { runMs: 1000, exitCode: 3 }));
  await controller.advance(60_000);
  await controller.close();
  const [segment] = readdirSync(folder);
  const { kind, problem, jobs, recording } = open(readFileSync(path.join(folder, segment!), "utf8"));
  expect({ kind, problem }).toEqual({ kind: "flight" });
  expect(jobs.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(["pi Failed"]);
  expect(jobs[0]!.why.sentence).toBe("backoffLimit is 1, and 2 pods have failed");
  expect(await jobsPlayed(recording!)).toContain("name: pi");
});
