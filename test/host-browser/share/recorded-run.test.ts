/** A recording in the place of a run: its records, and what the panels show of it at any instant. */
import { type View, viewAt } from "../../../host-browser/history/view.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { History } from "../../../host-browser/history/history.ts";
import type { Notice, Progress } from "../../../host-browser/messages.ts";
import { RecordedRun } from "../../../host-browser/share/recorded-run.ts";
import { main } from "../../../host-node/cli/program.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";

const root = path.resolve(import.meta.dirname, "../../..");
let scratch: string;
let recording: string;
let engineBytes: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  await buildModule("engine");
  engineBytes = new Uint8Array(readFileSync(modulePath("engine")));
  scratch = mkdtempSync(path.join(tmpdir(), "stint-recorded-"));
  const file = path.join(scratch, "run.jsonl");
  const example = path.join(root, "examples/one-fails.yaml");
  await main(["run", "--runtime", "simulated", "--record", file, example], "0", new RecordingConsole(root));
  recording = readFileSync(file, "utf8");
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function begin(): { readonly run: RecordedRun; readonly notices: Notice[] } {
  const notices: Notice[] = [];
  const createRecorder = (startMs: number, { yaml }: { readonly yaml: string }): History =>
    new History({ startMs, yaml, readYaml, viewAt });
  const run = new RecordedRun(7, { engineBytes, createRecorder, post: (notice) => notices.push(notice) });
  return { run, notices };
}

describe("a recorded run", () => {
  test("comes whole, as a run that is finished", async () => {
    const { run, notices } = begin();
    await run.play(recording);
    expect(notices).toHaveLength(1);
    const { kind, run: number, mode, nowMs, digest, chunk, scenario } = notices[0] as Progress;
    expect({ kind, number, mode }).toEqual({ kind: "progress", number: 7, mode: "finished" });
    // Index 4 fails twice, and waits for 10 and 20 s.
    expect(nowMs).toBeGreaterThan(30_000);
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(chunk.pods.names.split("\n")).toHaveLength(8);
    expect(chunk.jobs.map(({ name }) => name)).toEqual(["one-fails"]);
    expect([...chunk.pods.index].sort()).toEqual([0, 1, 2, 3, 4, 4, 4, 5]);
    expect(scenario?.yaml).toContain("name: one-fails");
  });

  test("shows any instant of it", async () => {
    const { run, notices } = begin();
    await run.play(recording);
    const { nowMs } = notices[0] as Progress;
    const look = (atMs: number): View => {
      run.obey({ kind: "look", look: 1, query: { atMs, job: 0 } });
      return (notices.at(-1) as Extract<Notice, { kind: "view" }>).view as View;
    };
    const end = look(nowMs);
    expect(end.status.map(({ text }) => text).join("\n")).toContain("succeeded: 6");
    expect(end.conditions.map(({ type }) => type)).toEqual(["SuccessCriteriaMet", "Complete"]);
    expect(end.podCount).toBe(8);
    expect(end.requests.some(({ method, path: target }) => method === "POST" && target.endsWith("/pods"))).toBe(true);
    const early = look(1_000);
    expect(early.podCount).toBe(3);
    expect(early.conditions).toEqual([]);
    expect(look(nowMs).status).toEqual(end.status);
  });

  test("that is refused says why, and one that was ended says nothing", async () => {
    const { run, notices } = begin();
    await run.play("kind: Job");
    expect(notices).toMatchObject([
      { kind: "refused", run: 7, problems: [{ message: expect.stringContaining("no header") }] },
    ]);
    const other = begin();
    const played = other.run.play(recording);
    other.run.end();
    await played;
    expect(other.notices).toEqual([]);
  });
});
