/**
 * When a Job ends at the earliest and at the latest, counted from its creation, for pods that take a known time
 * (docs/spec/controller.md 3.2 to 3.5).
 *
 * The latest end is the sum of two parts. Each failure that is followed by another pod costs a backoff and the time of
 * a pod, and the completions take `rounds` times that of a pod. The backoffs are longest if no success comes between
 * the failures, so that they form one series.
 */
import { TRUNCATED_MS } from "../model/backoff";
import { Amount } from "./amount";
import { replacements } from "./counts";
import { Plan } from "./plan";
import { podWaitsMs, restartWaitsMs } from "./waits";

const MISSING = "assumptions.podMs";

export class End {
  earliest: Amount;
  latest: Amount = Amount.none(MISSING);
  /** How many pods run one after the other until the latest end. */
  private chain: f64 = 1;

  constructor(plan: Plan, pods: Amount) {
    this.earliest = earliestEnd(plan);
    this.latest = this.latestEnd(plan, pods);
  }

  /** The tolerance for batched syncs (later) and for times in whole seconds (earlier). */
  get toleranceMs(): f64 {
    return (this.chain + 1) * TRUNCATED_MS;
  }

  private latestEnd(plan: Plan, pods: Amount): Amount {
    if (plan.completions == 0) return new Amount(0, true);
    const open = this.openEnd(plan, pods);
    if (isNaN(plan.deadlineMs) || open.value <= plan.deadlineMs) return open;
    // Pods that run at the deadline get their grace period.
    const leavesMs = plan.width == 0 ? 0 : plan.graceMs;
    return new Amount(plan.deadlineMs + (plan.podMostMs < leavesMs ? plan.podMostMs : leavesMs), plan.width == 0);
  }

  // Without a deadline.
  private openEnd(plan: Plan, pods: Amount): Amount {
    if (plan.width == 0) return Amount.none("spec.parallelism");
    if (isNaN(plan.podMostMs)) return Amount.none(MISSING);
    if (!pods.isKnown) return pods;
    const extra = replacements(plan);
    const tryMs = longestPodMs(plan);
    // With limits per index, each index uses all its tries, one after the other, in each round.
    if (plan.hasLimitPerIndex && !plan.restartsContainers && plan.ignoring.length == 0) {
      const indexMs = (plan.limitPerIndex + 1) * tryMs + podWaitsMs(plan.limitPerIndex);
      this.chain = plan.rounds * (plan.limitPerIndex + 1);
      return new Amount(plan.rounds * indexMs, replacementsAreFree(plan));
    }
    this.chain = plan.rounds + extra;
    const isExact =
      plan.width == 1 &&
      !plan.hasLimitPerIndex &&
      !plan.restartsContainers &&
      plan.goal.rules == 0 &&
      !plan.maySpareIgnoring;
    return new Amount(this.chain * tryMs + podWaitsMs(extra), isExact);
  }
}

/** The longest that a pod takes, restarts of its containers included; NaN: not known. */
export function longestPodMs(plan: Plan): f64 {
  if (!plan.restartsContainers) return plan.podMostMs;
  return (plan.restartLimit + 1) * plan.podMostMs + restartWaitsMs(plan.restartLimit);
}

// Whether each index may fail as often as its own limit says.
function replacementsAreFree(plan: Plan): bool {
  return plan.limitPerIndex * plan.completions <= plan.backoffLimit && plan.goal.rules == 0;
}

function earliestEnd(plan: Plan): Amount {
  if (plan.completions == 0) return new Amount(0, true);
  const deadline = new Amount(plan.deadlineMs, true);
  if (plan.width == 0) return deadline.isKnown ? deadline : Amount.none("spec.parallelism");
  if (isNaN(plan.podLeastMs)) return plan.deadlineMs == 0 ? deadline : Amount.none(MISSING);
  const success = (plan.isQueue ? 1 : Math.ceil(plan.goal.least / plan.width)) * plan.podLeastMs;
  const failure = earliestFailure(plan);
  const earliest = new Amount(min(success, failure), success <= failure || failure == plan.podLeastMs);
  return earliest.value <= plan.deadlineMs || isNaN(plan.deadlineMs) ? earliest : deadline;
}

function earliestFailure(plan: Plan): f64 {
  const tryMs = plan.podLeastMs;
  if (plan.failsAtOnce || plan.failsByRestarts) return tryMs;
  const failure = Math.ceil((plan.backoffLimit + 1) / plan.width) * tryMs;
  if (!plan.hasLimitPerIndex || !isFinite(plan.maxFailedIndexes)) return failure;
  const waits = plan.failsIndexAtOnce ? 0 : plan.limitPerIndex;
  const ofIndexes = Math.ceil((plan.maxFailedIndexes + 1) / plan.width);
  return min(failure, max(ofIndexes, waits + 1) * tryMs + podWaitsMs(waits));
}
