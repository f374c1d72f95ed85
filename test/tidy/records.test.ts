/**
 * Records of the engine have verbs: these fields are written by operations of their record alone, in the file that the
 * record stands in. Everybody may read them.
 */
import { describe, expect, test } from "vitest";
import { files, placesOf, read, withoutComments } from "./sources.ts";

interface GuardedRecord {
  /** Where its operations are. */
  readonly file: string;
  /** What the others call a record of the kind. */
  readonly variable: string;
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
];

const writesOf = ({ variable, fields }: GuardedRecord, file: string, source: string): string[] =>
  placesOf(new RegExp(`\\b${variable}!?\\.(${fields.join("|")}) (=|[|&+-]=) `), file, withoutComments(source));

describe("records of the engine", () => {
  const sources = files.filter((file) => file.startsWith("assembly/"));

  test.each(RECORDS)("$variable is changed by its own operations", (record) => {
    expect(read(record.file)).toMatch(new RegExp(`^ {2}${record.fields[0]!}: `, "m"));
    const others = sources.filter((file) => file !== record.file);
    expect(others.flatMap((file) => writesOf(record, file, read(file)))).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    const record = RECORDS[0]!;
    expect(writesOf(record, "a.ts", "  sync.isFailed = true;\n  job.sync!.phase = 1;")).toHaveLength(2);
    expect(writesOf(record, "a.ts", "if (sync.phase == 1) sync.created = 2; // sync.phase = 2")).toEqual([]);
  });
});
