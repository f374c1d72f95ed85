/** Segments as they are read: whole, cut off, damaged, and none at all. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isFlight, readSegment, segmentsAt } from "../../../host-node/flight-recorder/read-segments.ts";

const HEADER = '{"format":"stint.flight","version":1,"segment":1,"at":1,"stint":"1","isRedacted":true}';
const JOB = '{"at":1,"resource":"jobs","type":"ADDED","object":{"metadata":{"name":"a","uid":"u"}}}';
const SNAPSHOT = '{"at":1,"snapshot":{"objects":1,"leftOut":0}}';
const LOST = '{"at":2,"lost":3}';
const END = '{"at":3,"end":"ended"}';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-segments-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(text: string, name = "flight-00000001.jsonl"): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const textOf = (...lines: string[]): string => `${lines.join("\n")}\n`;
const parts = (text: string): string[] =>
  [...readSegment(file(text))].map((part) => (part.is === "over" ? `over ${part.isWhole}` : part.is));

test("what was known comes before what happened", () => {
  expect(parts(textOf(HEADER, JOB, SNAPSHOT, JOB, LOST, END))).toEqual([
    ...["header", "known", "line", "line", "line", "line", "over true"],
  ]);
});

test("a segment that was cut off, wherever it was, is read up to there", () => {
  const whole = textOf(HEADER, JOB, SNAPSHOT, LOST, END);
  for (let length = 0; length < whole.length; length++) {
    const read = parts(whole.slice(0, length));
    expect(read.at(-1)).toBe("over false");
    expect(read).toHaveLength(whole.slice(0, length).split("\n").length);
  }
});

test.each([
  ["no header", textOf(JOB), '1: it is no header of a segment, which has "format":"stint.flight"'],
  ["a later version", textOf(HEADER.replace('"version":1', '"version":2')), "1: the segment is of version 2; this"],
  ["no JSON", textOf(HEADER, "{", SNAPSHOT), "2: it is no JSON object"],
  ["a list", textOf(HEADER, "[]"), "2: it is no JSON object"],
  ["no time", textOf(HEADER, '{"lost":1}'), '2: it is no line of a segment, which has "at" and one of object,'],
  ["another line", textOf(HEADER, '{"at":1}'), '2: it is no line of a segment, which has "at" and one of object,'],
  ["no object", textOf(HEADER, '{"at":1,"object":{}}'), "2: its object has no metadata.name"],
  ["a status", textOf(HEADER, JOB.replace("}}}", '},"status":1}}')), "2: its object has a status that is no object"],
  ["a time", textOf(HEADER, '{"at":1e300,"lost":1}'), '2: its member "at" is no time'],
  ["a count", textOf(HEADER, '{"at":1,"lost":"\\u001b[2J"}'), '2: its member "lost" must be a number'],
  ["a message", textOf(HEADER, '{"at":1,"answer":1,"message":{}}'), '2: its member "message" must be a string'],
  ["an engine", textOf(HEADER, '{"at":1,"engine":null}'), '2: its member "engine" must be an object'],
  ["a decision", textOf(HEADER, '{"at":1,"decisions":[{"job":"a"}]}'), "2: one of its decisions lacks a member"],
  ["no decisions", textOf(HEADER, '{"at":1,"decisions":1}'), '2: its member "decisions" must be an array'],
  ["more", textOf(HEADER, END, LOST), "3: it comes after the end of the segment"],
])("%s is refused with file and line", (_, text, problem) => {
  expect(() => parts(text)).toThrow(`flight-00000001.jsonl:${problem}`);
});

test("the segments of a folder are read in their order, and other files are not", () => {
  file("", "flight-00000010.jsonl");
  file("", "flight-00000009.jsonl");
  file("", "notes.txt");
  expect(segmentsAt(folder).map((path) => path.slice(-15))).toEqual(["-00000009.jsonl", "-00000010.jsonl"]);
  expect(() => segmentsAt(join(folder, "none"))).toThrow(/^cannot read .*none: there is no such file$/);
});

test("a compressed segment is read as the plain one that it replaces", () => {
  const text = textOf(HEADER, JOB, SNAPSHOT, LOST, END);
  const path = join(folder, "flight-00000001.jsonl.gz");
  writeFileSync(path, gzipSync(text));
  expect([...readSegment(path)]).toEqual([...readSegment(file(text))]);
  file("", "flight-00000002.jsonl");
  expect(segmentsAt(folder).map((name) => name.slice(-11))).toEqual(["01.jsonl.gz", "00002.jsonl"]);
  expect(isFlight(path)).toBe(true);
});

test("a compressed segment that is damaged is refused", () => {
  const path = join(folder, "flight-00000001.jsonl.gz");
  writeFileSync(path, gzipSync(HEADER).subarray(0, 30));
  expect(() => [...readSegment(path)]).toThrow(/^cannot read flight-00000001.jsonl.gz: unexpected end of file$/);
});

test("a folder without segments is refused", () => {
  expect(() => segmentsAt(folder)).toThrow(/ has no segment of a flight recorder, flight-….jsonl$/);
});

test("a folder and a segment are not taken for a recording", () => {
  expect(isFlight(folder)).toBe(true);
  expect(isFlight(file(HEADER, "copy.jsonl"))).toBe(true);
  expect(isFlight(file('{"format":"stint.recording"'))).toBe(false);
  expect(isFlight(join(folder, "none"))).toBe(false);
});
