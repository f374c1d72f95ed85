/**
 * What happens if every pod fails: when which try begins, when the Job gives up, and by which rule
 * (docs/spec/controller.md 3.2, 3.3). The pods of one round fail together, each `podMostMs` after it was created; if
 * that is not known, at once. Rules of a podFailurePolicy match none of them.
 *
 * Invariant: the time and the count of the n-th try have a closed form, so that a Job with 2^31 tries costs no more
 * than one with two.
 */
import { Plan } from "./plan";
import { podWaitsMs, restartWaitsMs } from "./waits";

/** More tries than any Job has. A larger number times a number of milliseconds may be infinite. */
const MANY_TRIES: f64 = 1e200;

export class Retries {
  private plan: Plan;
  private tryMs: f64 = 0;
  /** How many tries an index has before the next ones begin. */
  private each: f64 = MANY_TRIES;
  /** Tries; 0: no pod is created. Infinity: the Job never gives up. */
  count: f64 = 0;
  /** How many pods fail; the tries of a restarted container are one pod. */
  pods: f64 = 0;
  /** NaN: never. */
  givesUpMs: f64 = NaN;
  /** The field whose rule ends the Job; "": none does. */
  by: string = "";

  constructor(plan: Plan) {
    this.plan = plan;
    this.tryMs = isNaN(plan.podMostMs) ? 0 : plan.podMostMs;
    if (plan.hasLimitPerIndex && !plan.restartsContainers) this.each = plan.limitPerIndex + 1;
    this.count = plan.width == 0 ? 0 : this.countTries();
    if (this.count > 0) this.givesUpMs = this.endMs(this.count - 1);
    if (plan.deadlineMs < this.givesUpMs || (this.count == 0 && plan.deadlineMs >= 0 && plan.completions > 0)) {
      this.givesUpMs = plan.deadlineMs;
      this.by = "spec.activeDeadlineSeconds";
      this.count = this.countBefore(plan.deadlineMs);
    }
    this.pods = this.podsBefore(this.count);
  }

  /** When this try begins; 0 is the first. */
  atMs(index: f64): f64 {
    const plan = this.plan;
    if (plan.restartsContainers) return index * this.tryMs + restartWaitsMs(index);
    const each = this.each;
    const wave = Math.floor(index / each);
    const inWave = index - wave * each;
    const waitsMs = wave * podWaitsMs(each - 1) + podWaitsMs(inWave, plan.hasLimitPerIndex ? 1 : plan.width);
    return index * this.tryMs + waitsMs;
  }

  /** How many pods, or containers that restart, this try has. */
  podsAt(index: f64): f64 {
    const width = this.plan.width;
    return min(width, this.plan.completions - Math.floor(index / this.each) * width);
  }

  // When the pods of this try have failed. A container that restarts ends its Job when it begins again.
  private endMs(index: f64): f64 {
    return this.atMs(index) + (this.plan.restartsContainers ? 0 : this.tryMs);
  }

  private countTries(): f64 {
    const plan = this.plan;
    this.by = "spec.backoffLimit";
    if (plan.restartsContainers) return Math.ceil(plan.restartLimit / plan.width) + 1;
    const each = this.each;
    const wave = Math.floor(plan.backoffLimit / (each * plan.width));
    const inWave = plan.backoffLimit - wave * each * plan.width;
    const byLimit = wave * each + Math.floor(inWave / this.podsAt(wave * each)) + 1;
    const waves = Math.ceil(plan.completions / plan.width);
    const failing = Math.floor(plan.maxFailedIndexes / plan.width) + 1;
    const byIndexes = min(waves, failing) * each;
    if (byLimit <= byIndexes && byLimit > 0) return byLimit;
    this.by =
      failing <= waves && plan.maxFailedIndexes < plan.completions
        ? "spec.maxFailedIndexes"
        : "spec.backoffLimitPerIndex";
    return byIndexes;
  }

  // How many tries begin before this time: a binary search, because tries begin in order.
  private countBefore(ms: f64): f64 {
    let low: f64 = 0;
    let high = this.count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.atMs(middle) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private podsBefore(index: f64): f64 {
    const plan = this.plan;
    if (plan.restartsContainers) return min(index, 1) * plan.width;
    const each = this.each;
    const wave = Math.floor(index / each);
    return min(plan.completions, wave * plan.width) * each + (index - wave * each) * this.podsAt(index);
  }
}
