/**
 * How many pods a Job gets, how many containers start, how many pods there are at once (docs/spec/controller.md 3.3,
 * 3.6, 3.7). Assumes that every pod ends or is evicted while it runs, and that no client changes the Job.
 *
 * The controller creates a pod only while the failures do not exceed the limit, and only for an open completion. So the
 * number of pods is the first pods, plus one for each failure that is followed by another pod: no other pods exist.
 */
import { TRUNCATED_MS } from "../model/backoff";
import { Amount, capped } from "./amount";
import { Plan } from "./plan";
import { podWaitMs, podWaitsMs } from "./waits";

/** The most pods that one sync creates. */
const PODS_A_SYNC: f64 = 500;
/** The longest that controller, scheduler and kubelet are assumed to take for a pod. */
const STEP_MS: f64 = 2000;
const MAX_LEVELS: f64 = 8;

/** How many pods the first sync creates. */
export function firstPods(plan: Plan): f64 {
  return plan.deadlineMs == 0 ? 0 : min(plan.width, PODS_A_SYNC);
}

/** The fewest pods, of all ways that the Job can end. */
export function leastPods(plan: Plan): Amount {
  if (plan.width == 0) return new Amount(0, true);
  const first = firstPods(plan);
  const undisturbed = min(successPods(plan), failurePods(plan));
  // The Job can end while its first pods run.
  const least = endsEarly(plan) ? first : max(first, undisturbed);
  const isSure = isNaN(plan.deadlineMs) || isNaN(plan.podMostMs) || least == undisturbed;
  return new Amount(least, isSure && plan.width <= PODS_A_SYNC);
}

/** The fewest pods of a Job that succeeds. */
export function successPods(plan: Plan): f64 {
  return plan.isQueue ? firstPods(plan) : max(firstPods(plan), plan.goal.least);
}

// How many pods must have failed before the Job fails.
function failurePods(plan: Plan): f64 {
  if (!plan.hasLimitPerIndex || !isFinite(plan.maxFailedIndexes)) return plan.backoffLimit + 1;
  const each = plan.failsIndexAtOnce ? 0 : plan.limitPerIndex;
  const indexes = plan.maxFailedIndexes + 1;
  return min(plan.backoffLimit + 1, max(firstPods(plan), indexes) + each * indexes);
}

function endsEarly(plan: Plan): bool {
  return plan.failsAtOnce || plan.failsByRestarts || !isNaN(plan.deadlineMs);
}

/** The most pods. */
export function mostPods(plan: Plan): Amount {
  const slots = slotPods(plan);
  if (plan.width == 0 || plan.deadlineMs == 0) return new Amount(0, true);
  if (plan.ignoring.length > 0 && isNaN(plan.disruptions))
    return isNaN(slots) ? Amount.none(plan.ignoring) : new Amount(slots, false);
  const base = plan.isQueue ? plan.parallelism : plan.goal.most;
  const replaced = replacedPods(plan, base);
  const most = new Amount(
    base + replaced,
    plan.goal.rules <= (plan.restartsContainers ? 0 : 1) && !plan.maySpareIgnoring,
  );
  if (isNaN(plan.deadlineMs)) return most;
  // The longest time that one path through the Job takes.
  const neededMs =
    podWaitsMs(replaced) + (replaced + plan.rounds) * (STEP_MS + (plan.podLeastMs > 0 ? plan.podLeastMs : 0));
  if (neededMs < plan.deadlineMs) return most;
  most.isExact = false;
  return capped(capped(most, base + replacedBefore(plan)), slots);
}

// How many pods fail, and are followed by another.
function replacedPods(plan: Plan, indexes: f64): f64 {
  let failures = plan.backoffLimit;
  if (plan.hasLimitPerIndex) failures = min(failures, plan.limitPerIndex * indexes);
  if (plan.restartsContainers && plan.disruptions < failures) failures = plan.disruptions;
  return plan.ignoring.length > 0 ? failures + plan.disruptions : failures;
}

/** How many pods are replaced at most. */
export function replacements(plan: Plan): f64 {
  return replacedPods(plan, plan.isQueue ? plan.parallelism : plan.goal.most);
}

/*
 * How many pods are replaced before the deadline. A success resets the backoff, and a failure that the same sync sees
 * before a success causes no wait.
 */
function replacedBefore(plan: Plan): f64 {
  const tryMs = plan.podLeastMs > 0 ? plan.podLeastMs : 0;
  const series = plan.isQueue ? 1 : plan.completions;
  let leftMs = plan.deadlineMs;
  let waits: f64 = 0;
  for (let level: f64 = 1; level <= MAX_LEVELS; level++) {
    const costMs = podWaitMs(level) - TRUNCATED_MS + tryMs;
    const fitting = Math.floor(leftMs / costMs);
    const taken = level == MAX_LEVELS ? fitting : min(series, fitting);
    waits += taken;
    leftMs -= taken * costMs;
  }
  return plan.width == 1 && !plan.hasLimitPerIndex ? waits : (waits + series) * plan.width;
}

// How many pods fit before the deadline one after the other, by the shortest that a pod takes; NaN: that is not known.
function slotPods(plan: Plan): f64 {
  return plan.podLeastMs > 0 ? plan.width * (1 + Math.floor(plan.deadlineMs / plan.podLeastMs)) : NaN;
}

/** The most pods that have not ended at once, those that are being deleted among them. */
export function peakPods(plan: Plan, most: Amount): Amount {
  if (plan.deadlineMs == 0) return new Amount(0, true);
  if (plan.replacesOnlyFailed || plan.disruptions == 0) return new Amount(plan.width, true);
  // An evicted pod is replaced while it terminates, after the backoff; another index starts at once.
  let leaving = plan.backoffLimit;
  if (plan.disruptions < leaving) leaving = plan.disruptions;
  if (plan.width == 1 && !plan.hasLimitPerIndex)
    leaving = min(leaving, Math.floor(plan.graceMs / (podWaitMs(1) - TRUNCATED_MS)));
  leaving = min(leaving, most.value - plan.width);
  return new Amount(plan.width + leaving, leaving == 0);
}

/** The fewest starts of containers, of all ways that the Job can end. */
export function leastStarts(plan: Plan, least: Amount): Amount {
  if (!isNaN(plan.deadlineMs) || plan.width == 0) return new Amount(0, plan.width == 0 || isNaN(plan.podMostMs));
  const all = plan.containers + plan.initContainers;
  // A pod that fails has started its containers, or the first of its init containers.
  const failed = plan.initContainers > 0 ? 1 : plan.containers;
  let success = plan.isQueue ? 1 : plan.goal.least;
  // Some of the indexes that a successPolicy does not need may hold their places without having started.
  if (plan.goal.rules > 0) success = max(1, success - plan.width + 1);
  let failures = plan.backoffLimit + 1;
  if (plan.failsAtOnce) failures = 1;
  else if (isFinite(plan.maxFailedIndexes) && plan.hasLimitPerIndex)
    failures = min(failures, (plan.maxFailedIndexes + 1) * (plan.failsIndexAtOnce ? 1 : plan.limitPerIndex + 1));
  const failure = plan.failsByRestarts ? failed + plan.restartLimit : failures * failed;
  return new Amount(
    min(success * all, min(failure, failures * failed)),
    all == 1 && least.isExact && !plan.isQueue && plan.goal.rules == 0,
  );
}

/** The most starts of containers. */
export function mostStarts(plan: Plan, most: Amount): Amount {
  if (!most.isKnown || most.value == 0) return most;
  const all = plan.containers + plan.initContainers;
  if (!plan.restartsContainers) return plan.restarting.length > 0 ? Amount.none(plan.restarting) : most.plus(0, all);
  // By the time the controller sees the last restart, each container of the pod may have restarted once more.
  const each = 2 * all + plan.restartLimit - 1;
  return new Amount(most.value * each, all == 1 && most.value == 1 && plan.failsByRestarts && isNaN(plan.deadlineMs));
}
