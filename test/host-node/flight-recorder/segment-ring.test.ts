/** The files of a flight recorder: their size, their rights, what each begins with, and what happens on a full disk. */
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SegmentRing } from "../../../host-node/flight-recorder/segment-ring.ts";
import type { ChangeLine, ChangeType, Resource, SegmentLine } from "../../../cluster/observed/segment-format.ts";

const MAX_BYTES = 80_000;
const SEGMENT_BYTES = 10_000;

let folder: string;
let rings: SegmentRing[];

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "stint-ring-")), "flight");
  rings = [];
});
afterEach(async () => {
  for (const ring of rings) await ring.close(true);
  rmSync(join(folder, ".."), { recursive: true });
});

function openRing(freeBytes = 1e12): SegmentRing {
  const ring = new SegmentRing({
    folder,
    maxBytes: MAX_BYTES,
    isRedacted: true,
    version: "1.2.3",
    wallTime: () => 5,
    freeBytes: () => freeBytes,
  });
  rings.push(ring);
  return ring;
}

function change(resource: Resource, uid: string, more: object = {}, type: ChangeType = "MODIFIED"): SegmentLine {
  const metadata = { name: uid, namespace: "ns", uid, resourceVersion: "1", creationTimestamp: "", ...more };
  const object = { metadata, padding: randomBytes(250).toString("hex"), ...more } as unknown as ChangeLine["object"];
  return { at: 5, resource, type, object };
}

function podOf(job: string, uid: string, status: object = {}): SegmentLine {
  return change("pods", uid, { ownerReferences: [{ uid: job, controller: true }], ...status });
}

async function write(ring: SegmentRing, lines: readonly SegmentLine[]): Promise<void> {
  for (const line of lines) await ring.append(line);
  await ring.flush();
}

function filler(count: number): SegmentLine[] {
  return Array.from({ length: count }, (_, i) => change("pods", "filler", { i }));
}

const textOf = (path: string): string =>
  path.endsWith(".gz") ? gunzipSync(readFileSync(path)).toString() : readFileSync(path, "utf8");
/** Without those that keep others out. */
const files = (): string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith("lock"))
    .sort();
const linesOf = (file: string): any[] =>
  textOf(join(folder, file))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
/** The UIDs that a segment begins with. */
const known = (file: string): string[] => {
  const lines = linesOf(file);
  const end = lines.findIndex(({ snapshot }) => snapshot !== undefined);
  return lines.slice(1, end).flatMap(({ object }) => object?.metadata.uid ?? []);
};

test("all segments together never take more than allowed, and the oldest go first", async () => {
  const ring = openRing();
  for (let i = 0; i < 400; i++) {
    await write(ring, filler(1));
    const sizes = files().map((file) => statSync(join(folder, file)).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(SEGMENT_BYTES);
    expect(files().filter((file) => !file.endsWith(".gz")).length).toBe(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_BYTES);
  }
  expect(files().length).toBeGreaterThan(5);
  expect(files()[0]).not.toMatch(/^flight-00000001/);
  expect(ring.bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test("folder and files are for their owner alone", async () => {
  await write(openRing(), filler(1));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, files()[0]!)).mode & 0o777).toBe(0o600);
});

test("a folder that others may write to is refused", () => {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  expect(() => openRing()).toThrow(/^the folder of recordings .*flight has mode 0777, so other users could replace/);
});

test("a folder is for one recorder at a time", async () => {
  const first = openRing();
  await write(first, filler(1));
  expect(() => openRing()).toThrow(
    `${folder} is in use by another stint controller (process ${process.pid} on ${hostname()}); end that one, or name another with --record`,
  );
  await first.close(true);
  await write(openRing(), filler(1));
  expect(files()).toEqual(["flight-00000001.jsonl", "flight-00000002.jsonl"]);
});

test("each segment begins with the latest state of what matters, and the engine that runs", async () => {
  const ring = openRing();
  const complete = { status: { conditions: [{ type: "Complete", status: "True" }] } };
  await write(ring, [
    { at: 5, engine: { instance: "i", sources: [] } },
    change("jobs", "runs", { is: "old" }),
    change("jobs", "runs", { is: "new" }),
    change("jobs", "ended", complete),
    podOf("runs", "active"),
    podOf("runs", "uncounted", { finalizers: ["f"], status: { phase: "Failed" } }),
    podOf("runs", "counted", { status: { phase: "Failed" } }),
    podOf("ended", "of-ended"),
    podOf("runs", "gone"),
    { ...podOf("runs", "gone"), type: "DELETED" } as SegmentLine,
    ...filler(40),
  ]);
  const last = files().at(-1)!;
  expect(files().length).toBeGreaterThan(2);
  expect(known(last)).toEqual(["runs", "ended", "active", "uncounted", "filler"]);
  const lines = linesOf(last);
  expect(lines[0]).toEqual({
    format: "stint.flight",
    version: 1,
    segment: files().length,
    at: 5,
    stint: "1.2.3",
    isRedacted: true,
  });
  expect(lines[1].object.is).toBe("new");
  expect(lines[6].engine).toEqual({ instance: "i", sources: [] });
  expect(lines[7]).toEqual({ at: 5, snapshot: { objects: 5, leftOut: 0 } });
  expect(linesOf(files().at(-2)!).at(-1)).toEqual({ at: 5, end: "continued" });
});

test("what a list no longer names is gone, in the namespace of its source", async () => {
  const ring = openRing();
  const list = (is: "begin" | "end", namespace: string): SegmentLine => {
    return { at: 5, list: is, source: 1, resource: "jobs", namespace };
  };
  await write(ring, [
    ...[change("jobs", "named"), change("jobs", "unnamed"), change("jobs", "elsewhere", { namespace: "other" })],
    ...[list("begin", "ns"), change("jobs", "named"), list("end", "ns")],
    ...filler(20),
  ]);
  expect(known(files().at(-1)!)).toEqual(["elsewhere", "named", "filler"]);
});

test("what finds no room at the beginning of a segment is said; the latest is kept", async () => {
  const ring = openRing();
  await write(ring, [...Array.from({ length: 30 }, (_, i) => change("jobs", `job-${i}`))]);
  const last = files().at(-1)!;
  const { snapshot } = linesOf(last).find((line) => line.snapshot !== undefined);
  expect(snapshot.leftOut).toBeGreaterThan(0);
  expect(known(last)).toHaveLength(snapshot.objects);
  const numbers = known(last).map((uid) => Number(uid.slice(4)));
  const newest = numbers.at(-1)!;
  expect(numbers).toEqual(numbers.map((_, i) => newest - numbers.length + 1 + i));
});

test("a recorder that starts again keeps the segments, and continues with the next number", async () => {
  const first = openRing();
  await write(first, filler(1));
  await first.close(true);
  expect(linesOf(files()[0]!).at(-1)).toEqual({ at: 5, end: "ended" });
  await write(openRing(), filler(1));
  expect(files()).toEqual(["flight-00000001.jsonl", "flight-00000002.jsonl"]);
  expect(known(files()[1]!)).toEqual([]);
});

test("what a process left when it was killed while it compressed a segment is removed", async () => {
  mkdirSync(folder);
  const left = ["flight-00000003.jsonl", "flight-00000003.jsonl.gz", "flight-00000004.jsonl"];
  for (const file of [...left, "flight-00000004.jsonl.part", "notes.txt"]) writeFileSync(join(folder, file), "");
  await write(openRing(), filler(1));
  expect(files()).toEqual([
    ...["flight-00000003.jsonl.gz", "flight-00000004.jsonl", "flight-00000005.jsonl", "notes.txt"],
  ]);
});

test("a line that is too long for a segment is left out", async () => {
  const ring = openRing();
  expect(await ring.append(change("jobs", "long", { text: "x".repeat(SEGMENT_BYTES / 2) }))).toBe(false);
  expect(await ring.append(change("jobs", "short"))).toBe(true);
});

test("when the disk is nearly full nothing more is written", async () => {
  const ring = openRing(32 * 1024 * 1024);
  await ring.append(change("jobs", "a"));
  await expect(ring.flush()).rejects.toThrow(/^the disk of .* has 33554432 bytes left, and 33554432 stay free$/);
  await ring.close(false);
  expect(readFileSync(join(folder, files()[0]!), "utf8")).toBe("");
});
