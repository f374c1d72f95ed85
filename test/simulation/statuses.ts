/**
 * Statuses that another client writes over a controller's: each is one that the API server may take, and wrong in what
 * it counts. Of such a Job only two things are promised: it ends, and the API server takes every status.
 */
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Chance } from "./chance.ts";
import type { JobFacts, PodFacts } from "./facts.ts";

type Status = JsonObject & {
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
  conditions?: JsonObject[];
};

interface Change {
  readonly name: string;
  readonly weight: number;
  change(status: Status, given: Given): Status;
}

interface Given {
  readonly job: JobFacts;
  readonly pods: readonly PodFacts[];
  readonly now: string;
  readonly chance: Chance;
}

const UNKNOWN_UID = "77777777-7777-4777-8777-777777777777";

const CHANGES: readonly Change[] = [
  {
    name: "a pod in an uncounted list",
    weight: 4,
    change: (status, { pods, chance }) => (pods.length === 0 ? status : inList(status, chance.pick(pods).uid, chance)),
  },
  {
    name: "a pod that never was in an uncounted list",
    weight: 1,
    change: (status, { chance }) => inList(status, UNKNOWN_UID, chance),
  },
  { name: "no uncounted pods", weight: 1, change: (status) => ({ ...status, uncountedTerminatedPods: {} }) },
  {
    name: "uncounted pods in the other list",
    weight: 2,
    change: (status) => ({
      ...status,
      uncountedTerminatedPods: {
        succeeded: status.uncountedTerminatedPods?.failed ?? [],
        failed: status.uncountedTerminatedPods?.succeeded ?? [],
      },
    }),
  },
  {
    name: "more failed",
    weight: 1,
    change: (status, { job, chance }) => ({ ...status, failed: job.failed + chance.integer(1, 2) }),
  },
  {
    name: "more succeeded",
    weight: 1,
    change: (status, { job, chance }) => ({ ...status, succeeded: job.succeeded + chance.integer(1, 2) }),
  },
  {
    name: "one index completed",
    weight: 1,
    change: (status, { job, chance }) =>
      job.isIndexed && job.completions! > 0
        ? { ...status, completedIndexes: String(chance.integer(0, job.completions! - 1)) }
        : status,
  },
  { name: "no index completed", weight: 0.5, change: ({ completedIndexes: _indexes, ...status }) => status },
  {
    name: "one index failed",
    weight: 1,
    change: (status, { job, chance }) =>
      job.backoffLimitPerIndex !== undefined && job.completions! > 0
        ? { ...status, failedIndexes: String(chance.integer(0, job.completions! - 1)) }
        : status,
  },
  {
    name: "other numbers of pods",
    weight: 1,
    change: (status, { chance }) => ({
      ...status,
      active: chance.integer(3, 9),
      ready: chance.integer(0, 3),
      terminating: chance.integer(0, 9),
    }),
  },
  {
    name: "FailureTarget",
    weight: 0.5,
    change: (status, { now }) =>
      withCondition(status, {
        type: "FailureTarget",
        status: "True",
        reason: "Enough",
        message: "a user says so",
        lastTransitionTime: now,
      }),
  },
  {
    name: "SuccessCriteriaMet",
    weight: 0.5,
    change: (status, { now }) =>
      withCondition(status, {
        type: "SuccessCriteriaMet",
        status: "True",
        reason: "Enough",
        message: "a user says so",
        lastTransitionTime: now,
      }),
  },
  {
    name: "Suspended",
    weight: 0.5,
    change: (status, { now, chance }) =>
      withCondition(status, {
        type: "Suspended",
        status: chance.pick(["True", "False"]),
        reason: "Enough",
        message: "",
        lastTransitionTime: now,
      }),
  },
  { name: "no conditions", weight: 0.5, change: (status) => ({ ...status, conditions: [] }) },
  { name: "another start time", weight: 0.5, change: (status, { now }) => ({ ...status, startTime: now }) },
  { name: "nothing in it", weight: 0.5, change: () => ({}) },
];

/** @returns the whole status, and what is wrong in it */
export function statusOfOthers(
  job: JobFacts,
  pods: readonly PodFacts[],
  stored: JsonObject,
  now: string,
  chance: Chance,
): { readonly name: string; readonly status: JsonObject } {
  const { name, change } = chance.weighted(CHANGES);
  return { name, status: change(stored as Status, { job, pods, now, chance }) };
}

function inList(status: Status, uid: string, chance: Chance): Status {
  const list = chance.pick(["succeeded", "failed"] as const);
  const { uncountedTerminatedPods = {} } = status;
  return {
    ...status,
    uncountedTerminatedPods: { ...uncountedTerminatedPods, [list]: [...(uncountedTerminatedPods[list] ?? []), uid] },
  };
}

function withCondition(status: Status, condition: JsonObject): Status {
  return {
    ...status,
    conditions: [...(status.conditions ?? []).filter(({ type }) => type !== condition["type"]), condition],
  };
}
