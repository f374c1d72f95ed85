/** A run of the page as a recording: the command line replays it, and the page imports it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allTools } from "../../cluster/simulation/tools.ts";
import type { Write } from "../../../cluster/apiserver/server.ts";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { importRecording } from "../../../host-browser/share/import-recording.ts";
import { recordRun } from "../../../host-browser/share/record-run.ts";
import { World } from "../../../cluster/simulation/world.ts";
import { main } from "../../../host-node/cli/program.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { runLesson } from "../catalogue/run-lesson.ts";
import { Witness } from "../catalogue/witness.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "stint-export-"));
let engineBytes: Uint8Array<ArrayBuffer>;
let engineModule: WebAssembly.Module;

beforeAll(async () => {
  await buildModule("engine");
  engineBytes = new Uint8Array(readFileSync(modulePath("engine")));
  engineModule = await WebAssembly.compile(engineBytes);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Also keeps what is reported of an object after it was gone. */
class Mourner extends Witness {
  readonly afterGone: string[] = [];
  readonly gone = new Set<string>();

  override onWrite(write: Write, nowMs: number): void {
    super.onWrite(write, nowMs);
    const { uid, name } = write.object.metadata;
    if (this.gone.has(uid)) this.afterGone.push(`${write.type} ${name}`);
    if (write.type === "DELETED") this.gone.add(uid);
  }
}

test("answers that come after a restart of the controller are not in the recording", async () => {
  const lesson = LESSONS.find(({ id }) => id === "restart")!;
  const scenario: Scenario = {
    ...lesson.scenario,
    inputs: [
      { atMs: 1, action: { kind: "slow-api", delayMs: 5_000, forMs: 60_000 } },
      { atMs: 6_000, action: { kind: "restart-controller", downMs: 100 } },
      { atMs: 12_000, action: { kind: "restart-controller", downMs: 100 } },
    ],
  };
  const recording = recordRun(
    engineBytes,
    (recorder, engineRecording) => new World(engineModule, scenario, recorder, allTools, engineRecording),
  );
  const file = path.join(scratch, "late.jsonl");
  writeFileSync(file, recording);
  const console = new RecordingConsole(scratch);
  expect(await main(["replay", file], "0", console), console.out).toBe(0);
  expect(console.err).toBe("");
});

test.each(["one-fails", "eviction", "restart"])("%s is replayed by the command line, and imported", async (id) => {
  const { scenario, ends } = LESSONS.find((lesson) => lesson.id === id)!;
  const recording = recordRun(
    engineBytes,
    (recorder, engineRecording) => new World(engineModule, scenario, recorder, allTools, engineRecording),
  );
  const file = path.join(scratch, `${id}.jsonl`);
  writeFileSync(file, recording);
  const console = new RecordingConsole(scratch);
  expect(await main(["replay", file], "0", console)).toBe(0);
  expect(console.err).toBe("");

  const nothing = (): void => {};
  const { recorder, note } = await importRecording({
    recording,
    engine: engineBytes,
    createRecorder: () =>
      Object.assign(new Mourner(), { onRequest: nothing, onSent: nothing, onAnswer: nothing, onInstant: nothing }),
  });
  expect(recorder.ends).toEqual(ends);
  expect(recorder.afterGone).toEqual([]);
  if (id === "eviction") expect(recorder.gone.size).toBeGreaterThan(0);
  expect(note).not.toContain("cut off");
  const ended = { decision: "Ended" };
  expect(recorder.find(ended)).toBe(runLesson(engineModule, scenario).find(ended));
});
