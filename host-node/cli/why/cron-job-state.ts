/**
 * Judges a CronJob: whether it makes Jobs, and what keeps it from that. A pure function of what was read. Whether it
 * is frozen or piles up is judged as `stint doctor` does.
 */
import type { Remedy } from "../../../bindings/js/engine.ts";
import type { CronJob } from "../../../cluster/values/kinds.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import { Commands } from "../doctor/commands.ts";
import { findingOf } from "../doctor/cron-jobs.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { type MissedStarts, type Starts, setterOf } from "./cron-job-starts.ts";

/** Its controller starts a Job within a moment. If it has not done so after this time, perhaps none runs. */
const LATE_MS = 10_000;
const CREATION_REFUSED = "FailedCreate";

export type CronJobState =
  | "Deleting"
  | "Suspended"
  | "NeverStarts"
  | "Frozen"
  | "PilesUp"
  | "Blocked"
  | "Late"
  | "Running"
  | "Waiting";

/** A Job that has not ended. */
export interface OpenJob {
  readonly uid: string;
  readonly name: string;
  readonly createdMs: number;
}

export interface CronJobFacts {
  readonly cronJob: CronJob;
  readonly nowMs: number;
  readonly starts: Starts;
  /** Its Jobs that have not ended, the oldest first. Undefined: they could not be read. */
  readonly open: readonly OpenJob[] | undefined;
  /** The oldest of them does not end unless a user acts. */
  readonly isHeld: boolean;
  /** Warnings about the CronJob, the newest last. */
  readonly warnings: readonly WarningEvent[];
}

export interface CronJobVerdict {
  readonly state: CronJobState;
  readonly sentence: string;
  /** What comes next, where it is not the next time of the schedule. */
  readonly next: string | undefined;
  /** What became of starts that were due and not made, as a sentence. */
  readonly missed: string | undefined;
  /** What to do about the CronJob itself. */
  readonly remedies: readonly Pick<Remedy, "sentence" | "command">[];
}

type Judged = Pick<CronJobVerdict, "state" | "sentence"> & Partial<CronJobVerdict>;

export function judgeCronJob(facts: CronJobFacts): CronJobVerdict {
  const { cronJob, starts } = facts;
  const judged =
    deletion(cronJob) ??
    suspension(facts) ??
    (starts.problem === undefined ? undefined : neverStarts(cronJob, starts.problem)) ??
    ofOpenJobs(facts) ??
    lateness(facts) ??
    goingOn(facts);
  return { next: undefined, remedies: [], missed: missedText(facts, judged.state), ...judged };
}

function deletion({ metadata }: CronJob): Judged | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const { finalizers = [] } = metadata;
  const kept =
    finalizers.length === 0 ? "" : `, and stays until these finalizers are removed: ${finalizers.join(", ")}`;
  return { state: "Deleting", sentence: `the CronJob is being deleted${kept}`, next: "nothing but its removal" };
}

function suspension({ cronJob, nowMs }: CronJobFacts): Judged | undefined {
  const { metadata, spec } = cronJob;
  if (spec.suspend !== true) return undefined;
  const setter = setterOf(cronJob, "f:suspend");
  const wrote =
    setter === undefined || Number.isNaN(setter.atMs) ? "" : ` (it wrote last ${ageText(nowMs - setter.atMs)} ago)`;
  const by = setter === undefined ? "" : `, which ${setter.manager} has set${wrote}`;
  const { namespace, name } = metadata;
  return {
    state: "Suspended",
    sentence: `spec.suspend is true${by}: it makes no Job`,
    next: "nothing until spec.suspend is false",
    remedies: [
      {
        sentence: "resume the CronJob",
        command: commands.merge("cronjob", namespace, name, { spec: { suspend: false } }),
      },
    ],
  };
}

/** The options that choose the cluster are added where a command is shown. */
const commands = new Commands([]);

function neverStarts({ metadata: { namespace, name } }: CronJob, problem: string): Judged {
  return {
    state: "NeverStarts",
    sentence: `${problem}: it makes no Job`,
    next: "nothing until spec.schedule is changed",
    remedies: [{ sentence: "correct its schedule", command: commands.kubectl(namespace, "edit", "cronjob", name) }],
  };
}

/** What Jobs that have not ended mean for the next one. */
function ofOpenJobs({ cronJob, nowMs, starts, open = [], isHeld }: CronJobFacts): Judged | undefined {
  const [oldest] = open;
  if (oldest === undefined) return undefined;
  const held = new Set(isHeld && starts.missed !== undefined ? [oldest.uid] : []);
  const next = `nothing until Job ${oldest.name} has ended`;
  const finding = findingOf(cronJob, open, { nowMs, commands, held });
  if (finding?.id === "CronJobFrozen")
    return {
      state: "Frozen",
      sentence: finding.sentence,
      next,
      remedies: [{ sentence: "give its Jobs a deadline, so that none holds the next ones", command: finding.fix }],
    };
  if (finding !== undefined)
    return {
      state: "PilesUp",
      sentence: finding.sentence,
      remedies: [{ sentence: "let each run wait for the end of the one before it", command: finding.fix }],
    };
  if (cronJob.spec.concurrencyPolicy !== "Forbid" || starts.missed === undefined) return undefined;
  const age = ageText(nowMs - oldest.createdMs);
  return {
    state: "Blocked",
    sentence: `concurrencyPolicy is Forbid, and its Job ${oldest.name}, created ${age} ago, has not ended: the next one waits for that`,
    next,
  };
}

/** A start is due, and nothing is known that keeps it from being made. */
function lateness({ cronJob, nowMs, starts, open, warnings }: CronJobFacts): Judged | undefined {
  const { missed } = starts;
  if (missed === undefined || missed.isTooLate || open === undefined || nowMs - missed.lastMs < LATE_MS)
    return undefined;
  // A new schedule counts from its change on.
  const changed = setterOf(cronJob, "f:schedule");
  if (changed !== undefined && changed.atMs > missed.lastMs) return undefined;
  const due = `the start of ${timeOf(missed.lastMs)} is due for ${ageText(nowMs - missed.lastMs)}, and no Job was made`;
  const refusal = warnings.findLast(
    ({ reason, lastMs }) => reason === CREATION_REFUSED && (lastMs ?? 0) >= missed.lastMs,
  );
  const why =
    refusal === undefined
      ? ": does the CronJob controller of kube-controller-manager run?"
      : `: ${refusal.message.replace(/^Error creating job: /, "")}`;
  return { state: "Late", sentence: `${due}${why}`, next: "when its controller acts" };
}

function goingOn({ cronJob, nowMs, open }: CronJobFacts): Judged {
  if (open === undefined) return { state: "Waiting", sentence: "it makes a Job at the next time of its schedule" };
  const [oldest] = open;
  if (oldest === undefined)
    return { state: "Waiting", sentence: "none of its Jobs runs; it makes one at the next time of its schedule" };
  const age = ageText(nowMs - oldest.createdMs);
  const isOne = open.length === 1;
  const which = isOne ? `its Job ${oldest.name} has` : `${open.length} of its Jobs, the oldest ${oldest.name}, have`;
  const waits = cronJob.spec.concurrencyPolicy === "Forbid" ? "; by Forbid the next one waits for that" : "";
  return {
    state: "Running",
    sentence: `${which} not ended, ${age} after ${isOne ? "it was" : "that one was"} created${waits}`,
  };
}

function missedText({ cronJob, starts: { missed }, open = [] }: CronJobFacts, state: CronJobState): string | undefined {
  if (missed === undefined || state === "Late" || state === "Deleting") return undefined;
  const what = whatWasMissed(missed);
  if (missed.isTooLate)
    return `${what}: startingDeadlineSeconds (${cronJob.spec.startingDeadlineSeconds}) are over since`;
  const [oldest] = open;
  if (state === "Suspended") return `${what}; that one is made up for at once when spec.suspend is false`;
  if (state === "Frozen" || state === "Blocked")
    return `${what}; that one is made up for when Job ${oldest!.name} has ended`;
  return undefined;
}

function whatWasMissed({ count, lastMs }: MissedStarts): string {
  const time = timeOf(lastMs);
  return count === 1 ? `the start of ${time} was not made` : `${count} starts were not made, the last one of ${time}`;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, "2026-01-01T00:00:00".length).replace("T", " ") + " UTC";
}
