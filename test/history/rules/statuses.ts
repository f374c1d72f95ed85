/**
 * What the API server asks of every status (docs/spec/api.md 2.8), asked again of what it has stored; and that it refused none. The server holds most of this
 * itself. The rules are here so that a history which breaks them is known for what it is, and because a refused status leaves a Job hanging.
 */
import { counted, hasFinished, indexesIn, isIndexed, isSuspended, isTrue, OUTCOMES, uncounted } from "../facts.ts";
import type { Job } from "../format.ts";
import type { History } from "../history.ts";
import { readIndexes } from "../indexes.ts";
import type { Rule } from "./rule.ts";

/** One of the API's rules: broken by what is, or by what it was before. */
interface Law {
  readonly says: string;
  isBroken(is: Job, was: Job): boolean;
}

const INVALID = 422;
const LASTING = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"];

export const STATUSES: readonly Rule[] = [
  ruleOf("counters never go back", [
    { says: "failed is lower than it was (V85)", isBroken: (is, was) => counted(is, "failed") < counted(was, "failed") },
    { says: "succeeded is lower than it was (V86)", isBroken: (is, was) => counted(is, "succeeded") < counted(was, "succeeded") && !isElastic(is) },
    { says: "an index is done no more", isBroken: (is, was) => (["completedIndexes", "failedIndexes"] as const).some((field) => loses(is, was, field)) },
  ]),
  ruleOf("conditions are never taken back", LASTING.map((type) => ({ says: `${type} is true no more (V82, V83)`, isBroken: (is, was) => isTrue(was, type) && !isTrue(is, type) }))),
  ruleOf("a terminal condition follows its interim one", [
    { says: "Failed without FailureTarget (V92)", isBroken: (is) => isTrue(is, "Failed") && !isTrue(is, "FailureTarget") },
    { says: "Complete without SuccessCriteriaMet (V93)", isBroken: (is) => isTrue(is, "Complete") && !isTrue(is, "SuccessCriteriaMet") },
    { says: "SuccessCriteriaMet after Complete (V84)", isBroken: (is, was) => isTrue(was, "Complete") && !isTrue(was, "SuccessCriteriaMet") && isTrue(is, "SuccessCriteriaMet") },
  ]),
  ruleOf("a Job succeeds or fails, and not both", [
    { says: "success and failure (V79, V80, V88, V89)", isBroken: (is) => ["Complete", "SuccessCriteriaMet"].some((type) => isTrue(is, type)) && ["Failed", "FailureTarget"].some((type) => isTrue(is, type)) },
  ]),
  ruleOf("a Job that has ended is at rest", [
    { says: "it has active pods (V94)", isBroken: (is) => hasFinished(is) && (is.status?.active ?? 0) > 0 },
    { says: "it has pods that are not counted (V96)", isBroken: (is) => hasFinished(is) && OUTCOMES.some((outcome) => uncounted(is, outcome).length > 0) },
    { says: "it has terminating pods (V97)", isBroken: (is) => hasFinished(is) && (is.status?.terminating ?? 0) > 0 },
    { says: "its status is another than at its end", isBroken: (is, was) => hasFinished(was) && JSON.stringify(is.status) !== JSON.stringify(was.status) },
  ]),
  ruleOf("a status makes sense", [
    { says: "a number is negative (V77)", isBroken: ({ status = {} }) => [status.active, status.ready, status.terminating, status.succeeded, status.failed].some((count = 0) => count < 0) },
    { says: "a pod is uncounted twice (V78)", isBroken: (is) => hasTwice([...uncounted(is, "succeeded"), ...uncounted(is, "failed")]) },
    { says: "more pods are ready than active (V98)", isBroken: ({ status = {} }) => (status.ready ?? 0) > (status.active ?? 0) },
    { says: "completedIndexes is no set of indexes (V99)", isBroken: (is) => readIndexes(is.status?.completedIndexes ?? "") === undefined || (!isIndexed(is) && is.status?.completedIndexes !== undefined) },
    { says: "failedIndexes is no set of indexes (V100)", isBroken: (is) => readIndexes(is.status?.failedIndexes ?? "") === undefined || (is.spec.backoffLimitPerIndex === undefined && is.status?.failedIndexes !== undefined) },
    { says: "an index is written that the Job does not have (V99, V100)", isBroken: (is, was) => is.spec.completions === was.spec.completions && (["completedIndexes", "failedIndexes"] as const).some((field) => gainsWhatIsNot(is, was, field)) },
    { says: "an index has succeeded and failed (V101)", isBroken: (is) => [...indexesIn(is, "completedIndexes")].some((index) => indexesIn(is, "failedIndexes").has(index)) },
    { says: "it completes without a time, or has a time without that (V90)", isBroken: (is) => isTrue(is, "Complete") !== (is.status?.completionTime !== undefined) },
    { says: "its time of completion changes (V87)", isBroken: (is, was) => was.status?.completionTime !== undefined && is.status?.completionTime !== was.status.completionTime },
    { says: "it completed before it started (V91)", isBroken: ({ status = {} }) => Date.parse(status.completionTime ?? "") < Date.parse(status.startTime ?? "") },
    { says: "it has ended and never started (V95)", isBroken: (is) => hasFinished(is) && is.status?.startTime === undefined && !(isSuspended(is) && is.spec.completions === 0) },
    { says: "its start changes while it runs (V102)", isBroken: (is, was) => was.status?.startTime !== undefined && is.status?.startTime !== was.status.startTime && !isSuspended(is) && !(isTrue(was, "Suspended") && !isTrue(is, "Suspended")) },
  ]),
  {
    name: "no status is refused as invalid",
    *breaches(history) {
      for (const { user, resource, subresource, namespace, name, status, message } of history.writes) {
        if (status === INVALID && resource === "jobs" && subresource === "status" && history.isController(user)) yield `the status that ${user} wrote of Job ${namespace}/${name} was refused: ${message}`;
      }
    },
  },
];

/** A rule about every status that a controller has written, and that is another than the one before. What others write is theirs to answer for. */
function ruleOf(name: string, laws: readonly Law[]): Rule {
  return {
    name,
    *breaches(history: History) {
      for (const job of history.jobs.values()) {
        for (const { before, object, at, isLast, write } of job.versions) {
          if (write !== undefined && !history.isController(write.user)) continue;
          if (before === undefined || isLast || JSON.stringify(object.status) === JSON.stringify(before.object.status)) continue;
          for (const { says, isBroken } of laws) if (isBroken(object, before.object)) yield `Job ${job.name} at version ${at}: ${says}`;
        }
      }
    },
  };
}

const isElastic = (job: Job): boolean => isIndexed(job) && job.spec.completions === job.spec.parallelism;

type Field = "completedIndexes" | "failedIndexes";

/** An index that the Job still has and had before. */
function loses(is: Job, was: Job, field: Field): boolean {
  const now = indexesIn(is, field);
  return is.spec.completions === was.spec.completions && [...indexesIn(was, field)].some((index) => !now.has(index));
}

function gainsWhatIsNot(is: Job, was: Job, field: Field): boolean {
  const before = readIndexes(was.status?.[field] ?? "");
  return [...(readIndexes(is.status?.[field] ?? "") ?? [])].some((index) => index >= (is.spec.completions ?? 0) && before?.has(index) !== true);
}

const hasTwice = (uids: readonly string[]): boolean => new Set(uids).size < uids.length || uids.includes("");
