/**
 * Records of the engine have verbs: these fields are written by named operations alone, in the file of their record or
 * of what owns this part of it. Everybody may read them.
 */
import { describe, expect, test } from "vitest";
import { withoutComments } from "./scanner.ts";
import { files, placesOf, read } from "./sources.ts";

interface GuardedRecord {
  /** Where its operations are. */
  readonly file: string;
  /** What the others call a record of the kind; left out: no other record has fields with these names. */
  readonly variable?: string;
  /** The file that makes and frees the record, if it is another one. */
  readonly home?: string;
  /** Names, or patterns of names. */
  readonly fields: readonly string[];
}

/** A Job is made and freed in this file, with all of its parts. */
const JOB = "assembly/model/job.ts";

/** The fields of a Job, by the file in assembly/ whose operations write them. */
function partsOfJob(parts: Readonly<Record<string, readonly string[]>>): GuardedRecord[] {
  return Object.entries(parts).map(([file, fields]) => ({
    file: `assembly/${file}`,
    home: JOB,
    variable: "(?:job|owner|owned)",
    fields,
  }));
}

const RECORDS: readonly GuardedRecord[] = [
  {
    file: "assembly/model/sync.ts",
    variable: "sync",
    fields: ["phase", "handedOut", "isFailed", "isBroken", "isOutdated"],
  },
  // It is taken over whole, so that no code has to list its fields.
  { file: "assembly/model/job-spec.ts", variable: String.raw`job\.spec`, fields: [String.raw`\w+`] },
  {
    file: "assembly/model/pod-state.ts",
    fields: ["flags", "removedAtVersion", "deletionAskedMs"],
  },
  ...partsOfJob({
    "model/job.ts": [
      "gone",
      "pins",
      "podCount",
      "firstFinished",
      "lastFinished",
      "finishedCount",
      "active",
      "ready",
      "terminating",
      "holding",
      "restarts",
      "indexes",
      "terminatingIndexes",
      "delayed",
      "delayedCounted",
      "mayClaim",
    ],
    "model/sync.ts": ["sync"],
    "model/foreign-status.ts": ["foreignVersion", "foreignIsFirst", "awaitsForeignVersion", "foreignListsTaken"],
    "model/unclear-pods.ts": ["podsUnclear", "podsUnclearUntilVersion"],
    "model/stored-indexes.ts": [
      "completedText",
      "failedText",
      "comparedCount",
      "comparedEqual",
      "completedIsStale",
      "failedIsStale",
    ],
    "model/pod-template.ts": ["podTemplate"],
    "model/selecting-jobs.ts": ["isSelecting", "nextSelecting"],
    "metrics/observe.ts": ["createdMs", "countedSucceeded", "countedFailed", "countedFailedIndexes"],
    "queue/ready-queue.ts": ["inReadyQueue", "nextReady"],
    "queue/job-queue.ts": [
      "dueMs",
      "dueKind",
      "syncAgain",
      "syncTokens",
      "syncTokensAtMs",
      "requeues",
      "retryMs",
      "notBeforeMs",
    ],
    "events/event-correlator.ts": ["normalEventTokens", "warningEventTokens", "eventTokensAtMs", "eventGroups"],
    "lifecycle/judgement.ts": ["failJobMessage"],
    "ingest/unreadable-object.ts": ["unreadable", "unreadableUid", "unreadableEpoch"],
    "ingest/apply-pod.ts": ["waitMessage", "waitCode"],
    "ingest/apply-job.ts": [
      "resourceVersion",
      "generation",
      "deletionMs",
      "deleting",
      "selector",
      "selects",
      "startTimeMs",
      "completionTimeMs",
      "storedActive",
      "storedReady",
      "storedTerminating",
      "storedSucceeded",
      "storedFailed",
      "hasUncounted",
      "conditions",
      "finished",
      "managedBy",
      "template",
      "podFailurePolicy",
      "podFailurePolicyText",
      "successPolicy",
      "successPolicyText",
      "scheduling",
      "parent",
      "groupTemplate",
    ],
    "gang/ensure.ts": ["gangFallback"],
  }),
];

/** The places that write these fields. The code has no comments any more. */
function writesOf({ variable, fields }: GuardedRecord, file: string, code: string): string[] {
  const field = `${variable === undefined ? "" : `\\b${variable}!?`}\\.(${fields.join("|")})`;
  const write = new RegExp(`${field} ([|&^*/+-]|<<|>>)?= |(\\+\\+|--)[\\w.!]*${field}\\b|${field}(\\+\\+|--)`);
  return placesOf(write, file, code);
}

describe("records of the engine", () => {
  const codes = new Map(
    files.filter((file) => file.startsWith("assembly/")).map((file) => [file, withoutComments(read(file))]),
  );

  test.each(RECORDS)("are changed by their own operations: $file", (record) => {
    const own = codes.get(record.file)!;
    const isUnwritten = (field: string) => writesOf({ file: "", fields: [field] }, "", own).length === 0;
    expect(record.fields.filter(isUnwritten)).toEqual([]);
    const others = [...codes].filter(([file]) => file !== record.file && file !== record.home);
    expect(others.flatMap(([file, code]) => writesOf(record, file, code))).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    const sync: GuardedRecord = { file: "sync.ts", variable: "sync", fields: ["isFailed", "phase"] };
    expect(
      writesOf(sync, "a.ts", "  sync.isFailed = true;\n  job.sync!.phase = 1;\n  ++job.sync!.phase;"),
    ).toHaveLength(3);
    expect(writesOf(sync, "a.ts", "if (sync.phase == 1) sync.created = 2;\npod.phase = 1;")).toEqual([]);
    const pod: GuardedRecord = { file: "pod.ts", fields: ["flags"] };
    expect(
      writesOf(pod, "a.ts", "pod.flags |= A;\nfirst!.flags = A;\norphan.pod.flags ^= A;\npod.flags++;"),
    ).toHaveLength(4);
    expect(writesOf(pod, "a.ts", "const noted = pod.flags & A;\nif (pod.flags == A) f(pod.flags);")).toEqual([]);
  });
});
