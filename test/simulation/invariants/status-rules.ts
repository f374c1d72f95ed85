/**
 * The API server's rules for a status, one line each, asked of every status that a controller sends before the server
 * sees it: a refused status hangs a Job for good. The server of the simulation asks the engine's own rules; these are
 * written again. Source: docs/spec/api.md 2.8.
 */
import { applyMergePatch } from "../../../cluster/apiserver/patch/merge-patch.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { firstOverlap, validateIntervals } from "../../naive/intervals.ts";
import type { ControllerProcess } from "../controller-process.ts";
import { isFinished, isTrue, type JobFacts, jobFacts } from "../facts.ts";
import type { Ledger } from "../ledger.ts";
import { type Check, violate } from "./check.ts";
import type { Sent } from "./requests.ts";

interface Rule {
  readonly name: string;
  isBroken(now: JobFacts, before: JobFacts): boolean;
}

const RULES: readonly Rule[] = [
  {
    name: "V77",
    isBroken: ({ active, succeeded, failed, ready, terminating }) =>
      Math.min(active, succeeded, failed, ready, terminating) < 0,
  },
  {
    name: "V78",
    isBroken: ({ uncountedSucceeded, uncountedFailed }) => hasEmptyOrTwice([...uncountedSucceeded, ...uncountedFailed]),
  },
  { name: "V79", isBroken: (now) => areTrue(now, "SuccessCriteriaMet", "Failed") },
  { name: "V80", isBroken: (now) => areTrue(now, "SuccessCriteriaMet", "FailureTarget") },
  {
    name: "V81",
    isBroken: (now) => now.successRules.length > 0 && isTrue(now, "Complete") && !isTrue(now, "SuccessCriteriaMet"),
  },
  {
    name: "V82",
    isBroken: (now, before) =>
      ["Failed", "Complete", "FailureTarget"].some((type) => isTrue(before, type) && !isTrue(now, type)),
  },
  {
    name: "V83",
    isBroken: (now, before) => isTrue(before, "SuccessCriteriaMet") && !isTrue(now, "SuccessCriteriaMet"),
  },
  {
    name: "V84",
    isBroken: (now, before) =>
      isTrue(before, "Complete") && !isTrue(before, "SuccessCriteriaMet") && isTrue(now, "SuccessCriteriaMet"),
  },
  { name: "V85", isBroken: (now, before) => now.failed < before.failed },
  {
    name: "V86",
    isBroken: (now, before) =>
      now.succeeded < before.succeeded && !(now.isIndexed && now.completions === now.parallelism),
  },
  {
    name: "V87",
    isBroken: (now, before) =>
      before.completionTimeMs !== undefined &&
      now.completionTimeMs !== undefined &&
      changes(now, before, "completionTimeMs"),
  },
  { name: "V88", isBroken: (now) => areTrue(now, "Complete", "Failed") },
  { name: "V89", isBroken: (now) => areTrue(now, "Complete", "FailureTarget") },
  {
    name: "V90",
    isBroken: (now, before) =>
      (turns(now, before, "Complete") || changes(now, before, "completionTimeMs")) &&
      isTrue(now, "Complete") !== (now.completionTimeMs !== undefined),
  },
  {
    name: "V91",
    isBroken: (now, before) =>
      changes(now, before, "startTimeMs", "completionTimeMs") && now.completionTimeMs! < now.startTimeMs!,
  },
  { name: "V92", isBroken: (now) => isTrue(now, "Failed") && !isTrue(now, "FailureTarget") },
  { name: "V93", isBroken: (now) => isTrue(now, "Complete") && !isTrue(now, "SuccessCriteriaMet") },
  { name: "V94", isBroken: (now) => isFinished(now) && now.active > 0 },
  {
    name: "V95",
    isBroken: (now) => isFinished(now) && now.startTimeMs === undefined && !(now.isSuspended && now.completions === 0),
  },
  { name: "V96", isBroken: (now) => isFinished(now) && now.uncountedSucceeded.length + now.uncountedFailed.length > 0 },
  { name: "V97", isBroken: (now) => isFinished(now) && now.terminating > 0 },
  { name: "V98", isBroken: (now, before) => changes(now, before, "ready", "active") && now.ready > now.active },
  {
    name: "V99",
    isBroken: (now, before) =>
      changes(now, before, "completedText") &&
      (now.isIndexed ? isBad(now.completedText, now) : now.completedText !== ""),
  },
  {
    name: "V100",
    isBroken: (now, before) =>
      changes(now, before, "failedText") &&
      now.failedText !== undefined &&
      (now.backoffLimitPerIndex === undefined || isBad(now.failedText, now)),
  },
  {
    name: "V101",
    isBroken: (now, before) =>
      changes(now, before, "completedText", "failedText") &&
      firstOverlap(now.completedText, now.failedText ?? "", now.completions ?? 0) !== undefined,
  },
  {
    name: "V102",
    isBroken: (now, before) =>
      changes(now, before, "startTimeMs") &&
      before.startTimeMs !== undefined &&
      !now.isSuspended &&
      !(isTrue(before, "Suspended") && isFalse(now, "Suspended")),
  },
];

export class StatusRules implements Check {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  // What was stored when it was worked out: to anything else the write is a conflict.
  sent(process: ControllerProcess, sent: Sent): void {
    if (sent.kind !== "status") return;
    const stored = this.#ledger.jobObjects.get(sent.version);
    if (stored === undefined) return;
    const before = jobFacts(stored, this.#ledger.role);
    const now = jobFacts(applyMergePatch(stored, { status: sent.status }) as KubeObject, this.#ledger.role);
    for (const { name, isBroken } of RULES) {
      if (isBroken(now, before))
        violate(
          "statuses are as the API demands",
          `${process.name} sends a status of Job ${sent.job} that breaks ${name}: ${JSON.stringify(sent.status)}`,
        );
    }
  }
}

function areTrue(job: JobFacts, ...types: readonly string[]): boolean {
  return types.every((type) => isTrue(job, type));
}

function isFalse({ conditions }: JobFacts, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === "False");
}

function turns(now: JobFacts, before: JobFacts, type: string): boolean {
  return isTrue(now, type) !== isTrue(before, type);
}

function changes(now: JobFacts, before: JobFacts, ...fields: readonly (keyof JobFacts)[]): boolean {
  return fields.some((field) => now[field] !== before[field]);
}

function isBad(text: string, { completions = Infinity }: JobFacts): boolean {
  return typeof validateIntervals(text, completions) === "string";
}

function hasEmptyOrTwice(uids: readonly string[]): boolean {
  return uids.includes("") || new Set(uids).size < uids.length;
}
