/**
 * What the spec of a Job and the assumptions say, as numbers. A Job that admission would refuse is read leniently: no
 * count is negative. Invariant: `width` is how many pods run at once while none has succeeded.
 */
import { ABSENT, after, JsonNode, listOf, noteMismatch, NUMBER, objectOf, stringOf } from "../json/tree";
import { SuccessGoal } from "./success-goal";

const DEFAULT_GRACE_SECONDS: f64 = 30;
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";

export class Plan {
  isIndexed: bool = false;
  /** Infinity: a work queue, which has no completions. */
  completions: f64 = 0;
  parallelism: f64 = 0;
  width: f64 = 0;
  backoffLimit: f64 = 0;
  /** NaN: without limits of its indexes. */
  limitPerIndex: f64 = 0;
  /** Infinity: any number may fail. */
  maxFailedIndexes: f64 = 0;
  /** NaN: none. The same holds for the next. */
  deadlineMs: f64 = 0;
  ttlMs: f64 = 0;
  graceMs: f64 = DEFAULT_GRACE_SECONDS * 1000;
  restartsContainers: bool = false;
  replacesOnlyFailed: bool = false;
  isSuspended: bool = false;
  /** Which controller runs the Job instead of the built-in one; "": none. */
  manager: string = "";
  /** The path of the first rule that ignores failures; "": there is none. */
  ignoring: string = "";
  /** Whether an earlier rule may match all failures that this rule would ignore. */
  maySpareIgnoring: bool = false;
  failsAtOnce: bool = false;
  failsIndexAtOnce: bool = false;
  goal: SuccessGoal = new SuccessGoal();
  podSpec: JsonNode | null = null;
  containers: f64 = 0;
  initContainers: f64 = 0;
  /** The first container that may restart for ever; "": there is none. */
  restarting: string = "";
  /** How long a try of a pod takes; NaN: not known. */
  podLeastMs: f64 = NaN;
  podMostMs: f64 = NaN;
  /** How many pods end by what a rule ignores, or by an eviction; NaN: not known. */
  disruptions: f64 = NaN;

  constructor(job: JsonNode, assumptions: JsonNode | null) {
    const spec = job.object("spec")!;
    this.isIndexed = spec.string("completionMode") == "Indexed";
    this.completions = count(spec, "completions", Infinity);
    this.parallelism = count(spec, "parallelism", 1);
    this.width = min(this.parallelism, this.completions);
    this.backoffLimit = count(spec, "backoffLimit", 6);
    this.limitPerIndex = count(spec, "backoffLimitPerIndex", NaN);
    this.maxFailedIndexes = count(spec, "maxFailedIndexes", Infinity);
    this.deadlineMs = count(spec, "activeDeadlineSeconds", NaN) * 1000;
    this.ttlMs = count(spec, "ttlSecondsAfterFinished", NaN) * 1000;
    this.replacesOnlyFailed = spec.string("podReplacementPolicy") == "Failed";
    this.isSuspended = spec.boolean("suspend");
    const manager = spec.string("managedBy");
    this.manager = manager == BUILT_IN_MANAGER ? "" : manager;
    this.goal.read(spec, this.completions, this.width + this.mayFail());
    const podSpec = objectOf(spec.object("template"), "spec");
    this.podSpec = podSpec;
    if (podSpec !== null) this.graceMs = count(podSpec, "terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS) * 1000;
    this.restartsContainers = stringOf(this.podSpec, "restartPolicy") == "OnFailure";
    this.readRules(listOf(spec.object("podFailurePolicy"), "rules"));
    this.readContainers();
    if (assumptions !== null) this.readAssumptions(assumptions);
  }

  get isQueue(): bool {
    return !isFinite(this.completions);
  }

  get hasLimitPerIndex(): bool {
    return !isNaN(this.limitPerIndex);
  }

  /** Whether restarts of containers can fail the Job. */
  get failsByRestarts(): bool {
    return this.restartsContainers && this.backoffLimit < f64(i32.MAX_VALUE);
  }

  /** Restarts of containers that fail the Job, all together. */
  get restartLimit(): f64 {
    return max(this.backoffLimit, 1);
  }

  /** Pods that run one after the other until each completion has had one. */
  get rounds(): f64 {
    return this.isQueue || this.width == 0 ? 1 : Math.ceil(this.completions / this.width);
  }

  // How many indexes may fail for good without failing the Job.
  private mayFail(): f64 {
    return this.hasLimitPerIndex ? this.maxFailedIndexes : 0;
  }

  private readRules(rules: JsonNode | null): void {
    if (rules === null) return;
    for (let rule = rules.first; rule !== null; rule = after(rule)) {
      const action = rule.string("action");
      if (action == "Ignore" && this.ignoring.length == 0) {
        this.ignoring = fieldOf(rule, "action");
        this.maySpareIgnoring = rule.index > 0;
      }
      if (action == "FailJob") this.failsAtOnce = true;
      if (action == "FailIndex") this.failsIndexAtOnce = true;
    }
  }

  private readContainers(): void {
    const regular = listOf(this.podSpec, "containers");
    const inits = listOf(this.podSpec, "initContainers");
    if (regular !== null) this.containers = f64(regular.length);
    if (inits !== null) this.initContainers = f64(inits.length);
    this.findRestarting(regular);
    this.findRestarting(inits);
  }

  private findRestarting(containers: JsonNode | null): void {
    if (containers === null) return;
    for (let container = containers.first; container !== null; container = after(container)) {
      const policy = container.string("restartPolicy");
      if (policy.length > 0 && policy != "Never") this.restarting = fieldOf(container, "restartPolicy");
      else if (container.has("restartPolicyRules")) this.restarting = fieldOf(container, "restartPolicyRules");
      if (this.restarting.length > 0) return;
    }
  }

  private readAssumptions(assumptions: JsonNode): void {
    this.disruptions = count(assumptions, "disruptions", NaN, "a number of pods, 0 or more");
    const podMs = assumptions.get("podMs");
    if (podMs === null) return;
    if (podMs.kind == NUMBER) {
      this.podLeastMs = this.podMostMs = count(assumptions, "podMs", NaN, SPAN);
      return;
    }
    const range = assumptions.object("podMs");
    if (range === null) return;
    this.podLeastMs = count(range, "least", 0, SPAN);
    this.podMostMs = count(range, "most", NaN, SPAN);
    if (this.podLeastMs > this.podMostMs) noteMismatch(range, "a least that is not above the most");
  }
}

const SPAN = "milliseconds, 0 or more";

// The path of a field of the Job.
function fieldOf(node: JsonNode, key: string): string {
  return node.pathOf(key).substring("job.".length);
}

// A number that is not negative. `refusal` says what is expected of one that is; "": it reads as 0.
function count(object: JsonNode, name: string, absent: f64, refusal: string = ""): f64 {
  const value = object.integer(name);
  if (value == ABSENT) return absent;
  if (value < 0 && refusal.length > 0) noteMismatch(object.get(name)!, refusal);
  return f64(max<i64>(value, 0));
}
