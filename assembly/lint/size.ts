/**
 * Rules about how many pods a Job has, and how large its status gets: docs/spec/controller.md 3.4 (text of indexes) and
 * 3.6 (M2: how many are active, M8: which indexes are next). Source of the limit: etcd's default for one request.
 */
import { Quantity } from "../admission/quantity";
import { decimal } from "../json/text";
import { ABSENT, after, firstOf, JsonNode, memberOf, noteMismatch, objectOf } from "../json/tree";
import { advise } from "./advice";
import { Rule, rule } from "./rule";
import { LIMITS, REQUESTS, Subject } from "./subject";

const PARALLELISM_UNUSED = rule(
  "ParallelismUnused",
  "parallelism,completions",
  "parallelism {parallelism} is never reached: with completions {completions} no more pods than that run at once",
  "set parallelism to completions or less",
  "warn",
);
const GANG_NEVER_WHOLE = rule(
  "GangNeverWhole",
  "parallelism,completions",
  "the pods belong to a gang of parallelism {parallelism}, and no more than completions {completions} exist at once: a scheduler that waits for the whole gang starts none of them",
  "set completions to parallelism or more",
  "warn",
);
const PARALLELISM_ABOVE_QUOTA = rule(
  "ParallelismAboveQuota",
  "pods,room",
  "{pods} pod{pods:s} are to run at once, and the quota has room for {room}: {text}",
  "lower parallelism or the requests, or raise the quota",
  "warn",
);
const NO_PODS_WANTED = rule(
  "NoPodsWanted",
  "",
  "parallelism is 0: the controller creates no pod, and the Job never ends",
  "set parallelism to 1 or more; to start the Job later, set suspend to true",
  "warn",
);
const NO_COMPLETIONS_WANTED = rule(
  "NoCompletionsWanted",
  "",
  "completions is 0: the Job succeeds at once, without a pod",
  "set completions to 1 or more",
  "warn",
);
const STATUS_TOO_LARGE = rule(
  "StatusTooLarge",
  "bytes,completions",
  "completedIndexes of {completions} indexes may need {bytes} bytes, and etcd takes at most 1572864 for the whole Job: the controller could no longer store the status",
  "lower parallelism, so that indexes end in fewer ranges, or divide the work among several Jobs",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const SIZE_RULES: StaticArray<Rule> = [
  PARALLELISM_UNUSED,
  GANG_NEVER_WHOLE,
  PARALLELISM_ABOVE_QUOTA,
  NO_PODS_WANTED,
  NO_COMPLETIONS_WANTED,
  STATUS_TOO_LARGE,
];

/** etcd's default limit of one request (--max-request-bytes). */
const MAX_STORED_BYTES: f64 = 1572864;

export function lintSize(subject: Subject): void {
  const parallelism = subject.parallelism;
  const completions = subject.completions;
  const spec = subject.spec;
  if (completions > 0 && parallelism > completions) {
    const rule = isGang(subject) ? GANG_NEVER_WHOLE : PARALLELISM_UNUSED;
    advise(rule, spec, "parallelism", "", f64(parallelism), f64(completions));
  }
  const quota = subject.context.object("quota");
  if (quota !== null) lintQuota(subject, quota);
  if (parallelism == 0 && completions != 0 && !spec.boolean("suspend")) advise(NO_PODS_WANTED, spec, "parallelism");
  if (completions == 0) advise(NO_COMPLETIONS_WANTED, spec, "completions");
  if (!subject.isIndexed || spec.has("backoffLimitPerIndex")) return;
  const bytes = indexTextBytes(completions, parallelism);
  if (bytes > MAX_STORED_BYTES) advise(STATUS_TOO_LARGE, spec, "parallelism", "", bytes, f64(completions));
}

// Whether spec.scheduling asks for a gang of more pods than there are at once. Without a minCount it is as large as
// parallelism. The Jobs of a CronJob get none.
function asksForTooMany(subject: Subject): bool {
  const gang = objectOf(objectOf(subject.spec.object("scheduling"), "schedulingPolicy"), "gang");
  if (gang === null || subject.cronJob !== null) return false;
  return !gang.has("minCount") || gang.integer("minCount") > subject.completions;
}

// Whether the Job asks a scheduler to start its pods together: upstream's, coscheduling of scheduler-plugins, or
// Volcano.
function isGang(subject: Subject): bool {
  if (subject.podSpec.has("schedulingGroup") || asksForTooMany(subject)) return true;
  const metadata = objectOf(subject.spec.object("template"), "metadata");
  return (
    memberOf(objectOf(metadata, "labels"), "scheduling.x-k8s.io/pod-group") !== null ||
    memberOf(objectOf(metadata, "annotations"), "scheduling.k8s.io/group-name") !== null
  );
}

// Reports the resource whose quota allows the fewest pods.
function lintQuota(subject: Subject, quota: JsonNode): void {
  const pods = f64(subject.podsAtOnce);
  let room = pods;
  let scarce = "";
  for (let entry = quota.first; entry !== null; entry = after(entry)) {
    const each = neededByPod(subject, entry.key);
    const fitting = Math.floor(thousandths(entry) / each);
    if (!(each > 0) || fitting >= room) continue;
    room = fitting;
    scarce = entry.key;
  }
  if (scarce.length > 0) advise(PARALLELISM_ABOVE_QUOTA, subject.spec, "parallelism", scarce, pods, max(0, room));
}

// What each pod takes of a resource of a quota at least, in thousandths; 0: nothing that is known.
function neededByPod(subject: Subject, resource: string): f64 {
  if (resource == "pods" || resource == "count/pods") return 1000;
  const isLimit = resource.startsWith(LIMITS);
  const name = isLimit
    ? resource.substring(LIMITS.length)
    : resource.startsWith(REQUESTS)
      ? resource.substring(REQUESTS.length)
      : resource;
  const containers = subject.podSpec.list("containers");
  let sum: f64 = 0;
  for (let container = firstOf(containers); container !== null; container = after(container)) {
    const resources = container.object("resources");
    const limit = amountOf(resources, "limits", name);
    const request = amountOf(resources, "requests", name);
    // What has a limit and no request requests its limit.
    sum += thousandths(isLimit || request === null ? limit : request);
  }
  return sum;
}

function amountOf(resources: JsonNode | null, kind: string, name: string): JsonNode | null {
  return memberOf(objectOf(resources, kind), name);
}

// The quantity in thousandths, which is a whole number; 0 if there is none.
function thousandths(node: JsonNode | null): f64 {
  if (node === null) return 0;
  const quantity = Quantity.parse(node.text);
  if (quantity === null) {
    noteMismatch(node, "a quantity");
    return 0;
  }
  let value = f64(quantity.digits);
  for (let scale = -3; scale < quantity.scale; ++scale) value *= 10;
  return quantity.negative ? -value : value;
}

/**
 * How long completedIndexes may get. Indexes are given out in ascending order, so that each gap is an index at work:
 * there is at most one more interval than pods. Two numbers an interval are the most that they need.
 */
export function indexTextBytes(completions: i64, parallelism: i64): f64 {
  let numbers = min(2 * (parallelism + 1), (completions / 3) * 2);
  let bytes: f64 = 0;
  let top = completions;
  // The highest indexes have most digits.
  for (let digits = decimal(completions).length; digits > 0 && numbers > 0; --digits) {
    let bottom: i64 = 1;
    for (let i = 1; i < digits; ++i) bottom *= 10;
    if (top <= bottom) continue;
    const here = min(numbers, ((top - bottom) / 3) * 2);
    bytes += f64(here) * f64(digits + 1);
    numbers -= here;
    top = bottom;
  }
  return bytes;
}
