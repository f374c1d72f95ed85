/** A segment that a controller has recorded, opened in the page: the Jobs end in it as they did in the cluster. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { History } from "../../../host-browser/history/history.ts";
import { viewAt } from "../../../host-browser/history/view.ts";
import { importRecording, type ImportedRun } from "../../../host-browser/share/import-recording.ts";
import { unpackedText } from "../../../host-browser/share/squeeze.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import { job, JOBS } from "../../host-node/controlled-cluster.ts";
import { startRecorded } from "../../host-node/flight-recorder/recorded-controller.ts";

const folder = mkdtempSync(path.join(tmpdir(), "stint-segment-"));
let engine: Uint8Array<ArrayBuffer>;
let segment: string;
beforeAll(async () => {
  await buildModule("engine");
  engine = new Uint8Array(readFileSync(path.resolve(modulePath("engine"))));
  const recorded = await startRecorded({ folder });
  recorded.create(JOBS, job("succeeds", { completions: 2, parallelism: 2 }, { runMs: 3_000 }));
  recorded.create(JOBS, job("fails", { backoffLimit: 1 }, { runMs: 2_000, exitCode: 3 }));
  await recorded.advance(60_000);
  await recorded.close();
  segment = readFileSync(
    path.join(
      folder,
      readdirSync(folder).find((name) => name.startsWith("flight-"))!,
    ),
    "utf8",
  );
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function opened(recording: string): Promise<ImportedRun<History>> {
  const createRecorder = (startMs: number, { yaml }: { readonly yaml: string }): History =>
    new History({ startMs, yaml, readYaml, viewAt });
  return importRecording({ recording, engine, createRecorder });
}

test("is opened, and its Jobs end as they did", async () => {
  const { recorder, nowMs, scenario } = await opened(segment);
  const ends = recorder.book.tracks.map(({ name }, track) => {
    const { conditions, podTable } = viewAt(recorder, { atMs: nowMs, job: track });
    return `${name} ${conditions.at(-1)?.type} ${podTable.rows.length}`;
  });
  expect(ends.sort()).toEqual(["fails Failed 2", "succeeds Complete 2"]);
  expect(scenario.yaml).toContain("name: fails");
});

test("may be cut off in its last line, and compressed", async () => {
  const cut = segment.slice(0, segment.lastIndexOf("\n") - 20);
  expect((await opened(cut)).recorder.book.tracks).toHaveLength(2);
  const packed = new Blob([new Uint8Array(gzipSync(segment))]);
  expect(await unpackedText(packed, segment.length)).toBe(segment);
  await expect(unpackedText(packed, 100)).rejects.toThrow("the file unpacks to more than 100 bytes");
});

test("that is damaged is refused with its line", async () => {
  const lines = segment.split("\n");
  const damaged = [...lines.slice(0, 2), "{", ...lines.slice(3)].join("\n");
  await expect(opened(damaged)).rejects.toThrow("the segment:3: it is no JSON object");
});
