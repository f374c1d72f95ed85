/**
 * A recording that `stint run --record` wrote becomes a run of the page: the same pods, decisions and requests at the
 * same distances of time. A bad one is refused with its line.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { ApiRequest, ApiResponse } from "../../../bindings/js/host.ts";
import { importRecording } from "../../../host-browser/share/import-recording.ts";
import { sha256 } from "../../../host-browser/share/sha256.ts";
import { main } from "../../../host-node/cli/program.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { Witness } from "../catalogue/witness.ts";

const root = path.resolve(import.meta.dirname, "../../..");
let scratch: string;
let recording: string;
let engine: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  await buildModule("engine");
  engine = new Uint8Array(readFileSync(modulePath("engine")));
  scratch = mkdtempSync(path.join(tmpdir(), "stint-import-"));
  const file = path.join(scratch, "run.jsonl");
  const console = new RecordingConsole(root);
  await main(
    ["run", "--runtime", "simulated", "--record", file, path.join(root, "examples/one-fails.yaml")],
    "0",
    console,
  );
  expect(console.err).toBe("");
  recording = readFileSync(file, "utf8");
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

class Recorder extends Witness {
  readonly requests: string[] = [];
  readonly statuses = new Set<number>();
  readonly instants: number[] = [];
  startMs = 0;
  onRequest(id: number, { method, path: target }: ApiRequest): void {
    expect(id).toBe(this.requests.length);
    this.requests.push(`${method} ${target}`);
  }
  onSent(): void {}
  onAnswer(_id: number, { status }: ApiResponse): void {
    this.statuses.add(status);
  }
  onInstant(nowMs: number): void {
    this.instants.push(nowMs);
  }
}

function imported(text: string, module = engine) {
  return importRecording({
    recording: text,
    engine: module,
    createRecorder: (startMs) => Object.assign(new Recorder(), { startMs }),
  });
}

describe("a recording", () => {
  test("shows the run that was recorded", async () => {
    const { recorder, nowMs, note, explain } = await imported(recording);
    expect(recorder.ends).toEqual(["Complete (CompletionsReached), succeeded 6, failed 2"]);
    const failed = recorder.find({ pod: "FAILED" })!;
    const secondFailure = recorder.find({ pod: "FAILED", nth: 2 })!;
    expect(recorder.find({ decision: "Backoff" })).toBeGreaterThanOrEqual(failed);
    expect(secondFailure - failed).toBeGreaterThan(17_000);
    expect(nowMs).toBeGreaterThanOrEqual(recorder.find({ decision: "Ended" })!);
    expect(recorder.requests.filter((request) => request.endsWith("/pods"))).toHaveLength(8);
    expect([...recorder.statuses].sort()).toEqual([200, 201]);
    expect(recorder.instants).toEqual([...new Set(recorder.instants)].sort((a, b) => a - b));
    expect(note).toBe(`Recorded from ${new Date(recorder.startMs).toISOString()}.`);
    expect(explain("default", "one-fails")?.sentence).toContain("complete");
  });

  test("gives the Job as it was first seen, to simulate from", async () => {
    const { scenario } = await imported(recording);
    const manifest = parse(scenario.yaml);
    expect(manifest.metadata).toEqual({ name: "one-fails", namespace: "default" });
    expect(manifest.spec).toMatchObject({ completions: 6, parallelism: 3, backoffLimit: 4, completionMode: "Indexed" });
    expect(manifest.spec).not.toHaveProperty("selector");
    expect(manifest.status).toBeUndefined();
    const example = parse(readFileSync(path.join(root, "examples/one-fails.yaml"), "utf8"));
    expect(manifest.spec.template.metadata).toEqual(example.spec.template.metadata);
  });

  test("that was cut off is shown as far as it goes", async () => {
    const lines = recording.trimEnd().split("\n");
    const half = lines.slice(0, lines.length >> 1).join("\n");
    for (const text of [`${half}\n`, `${half}\n{"call":"poll","no`]) {
      const { recorder, note } = await imported(text);
      expect(note).toContain("cut off");
      expect(recorder.find({ pod: "SUCCEEDED" })).toBeDefined();
      expect(recorder.ends).toEqual([""]);
    }
  });

  test.each<[string, () => string, RegExp]>([
    [
      "a changed line",
      () => recording.replace('"call":"poll"', '"call":"pull"'),
      /^line \d+ of the recording: .*changed or damaged/,
    ],
    ["another file", () => "apiVersion: batch/v1\n", /^line 1 of the recording: it is no header/],
    ["an empty file", () => "", /no line/],
    [
      "another module",
      () => recording.replace(/"module":"[0-9a-f]+"/, `"module":"${"0".repeat(64)}"`),
      /^line 1 of the recording: .*module/,
    ],
  ])("with %s is refused with its line", async (_, text, sentence) => {
    await expect(imported(text())).rejects.toThrow(sentence);
    await expect(imported(text())).rejects.toMatchObject({ name: "SharedDataError" });
  });
});

test("SHA-256 is that of everybody else", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    expect(sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
  expect(sha256("a", "🙂", new Uint8Array([1]))).toBe(
    createHash("sha256")
      .update("a🙂")
      .update(new Uint8Array([1]))
      .digest("hex"),
  );
});
