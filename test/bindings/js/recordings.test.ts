/**
 * The recordings of a real cluster (test/vectors/recordings/), as far as this engine runs their Jobs: it asks for the
 * same as upstream's controller did, in an order that the recording allows.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { replay } from "./recording-replay.ts";
import { newEngine } from "./vector-files.ts";

const folder = path.resolve(import.meta.dirname, "../../vectors/recordings");
const COVERED = [
  "pi",
  "pi-fails-twice",
  "fixed-count",
  "indexed",
  "work-queue",
  "onfailure",
  "deadline",
  "elastic",
  "delete-foreground",
  "delete-orphan",
  "suspend-resume",
  "failure-policy",
  "limit-per-index",
  "replacement-failed",
  "ttl",
];

function read(name: string): string {
  return readFileSync(path.join(folder, `${name}.jsonl`), "utf8");
}

/**
 * Not comparable as a whole: of ten creations, three of them sent at once, the tenth to be answered becomes the
 * combined event, and which one that is was chance.
 */
const LEFT_OUT = ["success-policy"];

test("every recording is covered, or left out by name", () => {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".jsonl"))
    .map((file) => file.slice(0, -".jsonl".length));
  expect([...COVERED, ...LEFT_OUT].sort()).toEqual(names.sort());
});

test.each(COVERED)("%s", async (name) => {
  await expect(replay(read(name), newEngine)).resolves.toBeUndefined();
});

test("a recording with a request too many, too few, or another one does not match", async () => {
  const lines = read("pi").trim().split("\n");
  const without = (reason: string): string => lines.filter((line) => !line.includes(reason)).join("\n");
  await expect(replay(without('"reason":"SuccessfulCreate"'), newEngine)).rejects.toThrow(
    /upstream does not ask for POST .*events/,
  );
  await expect(replay([...lines, lines.at(-1)].join("\n"), newEngine)).rejects.toThrow(
    /never asked for: POST .*Job completed/,
  );
  await expect(replay(lines.join("\n").replaceAll('"active":1', '"active":2'), newEngine)).rejects.toThrow(
    /the status is/,
  );
});
