/**
 * Records of the engine have verbs: these fields are written by named operations alone, in the file of their record or
 * of what owns this part of it. Everybody may read them.
 */
import { describe, expect, test } from "vitest";
import { files, placesOf, read, withoutComments } from "./sources.ts";

interface GuardedRecord {
  /** Where its operations are. */
  readonly file: string;
  /** What the others call a record of the kind; left out: no other record has fields with these names. */
  readonly variable?: string;
  /** Names, or patterns of names. */
  readonly fields: readonly string[];
}

const RECORDS: readonly GuardedRecord[] = [
  {
    file: "assembly/model/sync.ts",
    variable: "sync",
    fields: ["phase", "handedOut", "isFailed", "isBroken", "isOutdated"],
  },
  // It is taken over whole, so that nobody has to list its fields.
  { file: "assembly/model/job-spec.ts", variable: String.raw`job\.spec`, fields: [String.raw`\w+`] },
  {
    file: "assembly/model/pod-state.ts",
    fields: ["flags", "removedAtVersion", "deletionAskedMs"],
  },
];

function writesOf({ variable, fields }: GuardedRecord, file: string, source: string): string[] {
  const field = `${variable === undefined ? "" : `\\b${variable}!?`}\\.(${fields.join("|")})`;
  const write = new RegExp(`${field} ([|&^*/+-]|<<|>>)?= |(\\+\\+|--)[\\w.!]*${field}\\b|${field}(\\+\\+|--)`);
  return placesOf(write, file, withoutComments(source));
}

describe("records of the engine", () => {
  const sources = files.filter((file) => file.startsWith("assembly/"));

  test.each(RECORDS)("are changed by their own operations: $file", (record) => {
    const own = read(record.file);
    const isUnwritten = (field: string) => writesOf({ file: "", fields: [field] }, "", own).length === 0;
    expect(record.fields.filter(isUnwritten)).toEqual([]);
    const others = sources.filter((file) => file !== record.file);
    expect(others.flatMap((file) => writesOf(record, file, read(file)))).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    const sync: GuardedRecord = { file: "sync.ts", variable: "sync", fields: ["isFailed", "phase"] };
    expect(
      writesOf(sync, "a.ts", "  sync.isFailed = true;\n  job.sync!.phase = 1;\n  ++job.sync!.phase;"),
    ).toHaveLength(3);
    expect(writesOf(sync, "a.ts", "if (sync.phase == 1) sync.created = 2; // sync.phase = 2\npod.phase = 1;")).toEqual(
      [],
    );
    const pod: GuardedRecord = { file: "pod.ts", fields: ["flags"] };
    expect(
      writesOf(pod, "a.ts", "pod.flags |= A;\nfirst!.flags = A;\norphan.pod.flags ^= A;\npod.flags++;"),
    ).toHaveLength(4);
    expect(writesOf(pod, "a.ts", "const noted = pod.flags & A;\nif (pod.flags == A) f(pod.flags);")).toEqual([]);
  });
});
