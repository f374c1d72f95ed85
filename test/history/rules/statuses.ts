/**
 * What the API server asks of every status (docs/spec/api.md 2.8), asked again of what it has stored; and that it
 * refused none. The server holds most of this itself. The rules are here so that a history which breaks them is known
 * for what it is, and because a refused status leaves a Job hanging.
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

const law = (says: string, isBroken: Law["isBroken"]): Law => ({ says, isBroken });

const INVALID = 422;
const INDEX_FIELDS = ["completedIndexes", "failedIndexes"] as const;
const LASTING = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"];

export const STATUSES: readonly Rule[] = [
  ruleOf("counters never go back", [
    law("failed is lower than it was (V85)", (is, was) => counted(is, "failed") < counted(was, "failed")),
    law(
      "succeeded is lower than it was (V86)",
      (is, was) => counted(is, "succeeded") < counted(was, "succeeded") && !isElastic(is),
    ),
    law("an index is done no more", (is, was) => INDEX_FIELDS.some((field) => loses(is, was, field))),
  ]),
  ruleOf(
    "conditions are never taken back",
    LASTING.map((type) =>
      law(`${type} is true no more (V82, V83)`, (is, was) => isTrue(was, type) && !isTrue(is, type)),
    ),
  ),
  ruleOf("a terminal condition follows its interim one", [
    law("Failed without FailureTarget (V92)", (is) => isTrue(is, "Failed") && !isTrue(is, "FailureTarget")),
    law(
      "Complete without SuccessCriteriaMet (V93)",
      (is) => isTrue(is, "Complete") && !isTrue(is, "SuccessCriteriaMet"),
    ),
    law(
      "SuccessCriteriaMet after Complete (V84)",
      (is, was) => isTrue(was, "Complete") && !isTrue(was, "SuccessCriteriaMet") && isTrue(is, "SuccessCriteriaMet"),
    ),
  ]),
  ruleOf("a Job succeeds or fails, and not both", [
    law(
      "success and failure (V79, V80, V88, V89)",
      (is) =>
        ["Complete", "SuccessCriteriaMet"].some((type) => isTrue(is, type)) &&
        ["Failed", "FailureTarget"].some((type) => isTrue(is, type)),
    ),
  ]),
  ruleOf("a Job that has ended is at rest", [
    law("it has active pods (V94)", (is) => hasFinished(is) && (is.status?.active ?? 0) > 0),
    law(
      "it has pods that are not counted (V96)",
      (is) => hasFinished(is) && OUTCOMES.some((outcome) => uncounted(is, outcome).length > 0),
    ),
    law("it has terminating pods (V97)", (is) => hasFinished(is) && (is.status?.terminating ?? 0) > 0),
    law(
      "its status is another than at its end",
      (is, was) => hasFinished(was) && JSON.stringify(is.status) !== JSON.stringify(was.status),
    ),
  ]),
  ruleOf("a status makes sense", [
    law("a number is negative (V77)", ({ status = {} }) =>
      [status.active, status.ready, status.terminating, status.succeeded, status.failed].some((count = 0) => count < 0),
    ),
    law("a pod is uncounted twice (V78)", (is) =>
      hasTwice([...uncounted(is, "succeeded"), ...uncounted(is, "failed")]),
    ),
    law("more pods are ready than active (V98)", ({ status = {} }) => (status.ready ?? 0) > (status.active ?? 0)),
    law(
      "completedIndexes is no set of indexes (V99)",
      (is) =>
        readIndexes(is.status?.completedIndexes ?? "") === undefined ||
        (!isIndexed(is) && is.status?.completedIndexes !== undefined),
    ),
    law(
      "failedIndexes is no set of indexes (V100)",
      (is) =>
        readIndexes(is.status?.failedIndexes ?? "") === undefined ||
        (is.spec.backoffLimitPerIndex === undefined && is.status?.failedIndexes !== undefined),
    ),
    law(
      "an index is written that the Job does not have (V99, V100)",
      (is, was) =>
        is.spec.completions === was.spec.completions && INDEX_FIELDS.some((field) => gainsWhatIsNot(is, was, field)),
    ),
    law("an index has succeeded and failed (V101)", (is) =>
      [...indexesIn(is, "completedIndexes")].some((index) => indexesIn(is, "failedIndexes").has(index)),
    ),
    law(
      "it completes without a time, or has a time without that (V90)",
      (is) => isTrue(is, "Complete") !== (is.status?.completionTime !== undefined),
    ),
    law(
      "its time of completion changes (V87)",
      (is, was) => was.status?.completionTime !== undefined && is.status?.completionTime !== was.status.completionTime,
    ),
    law(
      "it completed before it started (V91)",
      ({ status = {} }) => Date.parse(status.completionTime ?? "") < Date.parse(status.startTime ?? ""),
    ),
    law(
      "it has ended and never started (V95)",
      (is) => hasFinished(is) && is.status?.startTime === undefined && !(isSuspended(is) && is.spec.completions === 0),
    ),
    law(
      "its start changes while it runs (V102)",
      (is, was) =>
        was.status?.startTime !== undefined &&
        is.status?.startTime !== was.status.startTime &&
        !isSuspended(is) &&
        !(isTrue(was, "Suspended") && !isTrue(is, "Suspended")),
    ),
  ]),
  {
    name: "no status is refused as invalid",
    *breaches(history) {
      for (const { user, resource, subresource, namespace, name, status, message } of history.writes) {
        if (status === INVALID && resource === "jobs" && subresource === "status" && history.isController(user))
          yield `the status that ${user} wrote of Job ${namespace}/${name} was refused: ${message}`;
      }
    },
  },
];

/**
 * A rule about every status that a controller has written, and that is another than the one before. What others write
 * is theirs to answer for.
 */
function ruleOf(name: string, laws: readonly Law[]): Rule {
  return {
    name,
    *breaches(history: History) {
      for (const job of history.jobs.values()) {
        for (const { before, object, at, isLast, write } of job.versions) {
          if (write !== undefined && !history.isController(write.user)) continue;
          if (before === undefined || isLast || JSON.stringify(object.status) === JSON.stringify(before.object.status))
            continue;
          for (const { says, isBroken } of laws)
            if (isBroken(object, before.object)) yield `Job ${job.name} at version ${at}: ${says}`;
        }
      }
    },
  };
}

const isElastic = (job: Job): boolean => isIndexed(job) && job.spec.completions === job.spec.parallelism;

type Field = (typeof INDEX_FIELDS)[number];

/** An index that the Job still has and had before. */
function loses(is: Job, was: Job, field: Field): boolean {
  const now = indexesIn(is, field);
  return is.spec.completions === was.spec.completions && [...indexesIn(was, field)].some((index) => !now.has(index));
}

function gainsWhatIsNot(is: Job, was: Job, field: Field): boolean {
  const before = readIndexes(was.status?.[field] ?? "");
  return [...(readIndexes(is.status?.[field] ?? "") ?? [])].some(
    (index) => index >= (is.spec.completions ?? 0) && before?.has(index) !== true,
  );
}

const hasTwice = (uids: readonly string[]): boolean => new Set(uids).size < uids.length || uids.includes("");
