/**
 * Rules about Jobs that are hooks of Helm or Argo CD: who deletes them, and how long the tool waits. Source: Helm's
 * documentation of chart hooks; a policy that is set replaces the default, before-hook-creation. Leaves out CronJobs,
 * whose Jobs are no hooks.
 */
import { ABSENT } from "../json/tree";
import { advise } from "./advice";
import { Rule, rule } from "./rule";
import { milliseconds, Subject } from "./subject";

const HOOK_FINDS_OLD_JOB = rule(
  "HookFindsOldJob",
  "",
  "the delete policy of the hook replaces the default before-hook-creation and leaves the Job in the cluster when it {text}: the next install or upgrade is refused because the Job already exists",
  "add before-hook-creation to helm.sh/hook-delete-policy",
  "warn",
);
const HOOK_FAILURE_DELETED = rule(
  "HookFailureDeleted",
  "",
  "the delete policy of the hook deletes a failed Job at once, with its pods and logs: what is left says only that the hook failed",
  "leave the policy on failure out, and let the tool delete the old Job before it creates the next one",
  "warn",
);
const HOOK_OUTLIVES_HELM = rule(
  "HookOutlivesHelm",
  "backoffLimit",
  "a failing hook is retried {backoffLimit} times, which takes more than 10 min, and helm waits 5 min by default: the release fails first, and the Job goes on retrying",
  "set backoffLimit to what the hook needs, for example 1, or activeDeadlineSeconds below the timeout of helm",
  "warn",
);
const HOOK_TIME_TO_LIVE = rule(
  "HookTimeToLive",
  "ttlMs",
  "the Job is deleted {ttlMs:span} after its end, and {text} may still wait for its end: it then finds no Job, or no logs",
  "leave ttlSecondsAfterFinished out: the delete policy of the hook deletes the Job",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const HOOK_RULES: StaticArray<Rule> = [
  HOOK_FINDS_OLD_JOB,
  HOOK_FAILURE_DELETED,
  HOOK_OUTLIVES_HELM,
  HOOK_TIME_TO_LIVE,
];

const ANNOTATIONS = "annotations";
const HELM_HOOK = "helm.sh/hook";
const HELM_POLICY = "helm.sh/hook-delete-policy";
const ARGO_HOOK = "argocd.argoproj.io/hook";
const ARGO_POLICY = "argocd.argoproj.io/hook-delete-policy";
const TTL = "ttlSecondsAfterFinished";
/** What `helm install` and `helm upgrade` wait for a hook, without --timeout. */
const HELM_TIMEOUT_MS: f64 = 300000;
/** The waits before as many retries take more than 10 min. */
const MANY_RETRIES: i64 = 6;
/** A tool that restarts or is busy may check a hook later than this. */
const SHORT_TTL_MS: f64 = 60000;

export function isHook(subject: Subject): bool {
  return subject.cronJob === null && (isHookOf(subject, HELM_HOOK) || isHookOf(subject, ARGO_HOOK));
}

export function lintHooks(subject: Subject): void {
  if (!isHook(subject)) return;
  const isHelm = isHookOf(subject, HELM_HOOK);
  if (isHelm) lintOldJob(subject);
  if (isHelm && subject.note(ANNOTATIONS, HELM_POLICY).includes("hook-failed")) lintEvidence(subject, HELM_POLICY);
  else if (subject.note(ANNOTATIONS, ARGO_POLICY).includes("HookFailed")) lintEvidence(subject, ARGO_POLICY);
  const isEnded = subject.deadlineMs <= HELM_TIMEOUT_MS || subject.podSpec.has("activeDeadlineSeconds");
  const retries = subject.spec.integer("backoffLimit");
  if (isHelm && !isEnded && retries >= MANY_RETRIES)
    advise(HOOK_OUTLIVES_HELM, subject.spec, "backoffLimit", "", f64(retries));
  const ttlMs = milliseconds(subject.spec, TTL);
  if (ttlMs < SHORT_TTL_MS) advise(HOOK_TIME_TO_LIVE, subject.spec, TTL, isHelm ? "Helm" : "Argo CD", ttlMs);
}

// The policy is set, and keeps the Job after success or after failure.
function lintOldJob(subject: Subject): void {
  const policy = subject.note(ANNOTATIONS, HELM_POLICY);
  const onSuccess = policy.includes("hook-succeeded");
  const onFailure = policy.includes("hook-failed");
  if (onSuccess == onFailure || policy.includes("before-hook-creation")) return;
  if (subject.spec.integer(TTL) != ABSENT || !hasFixedName(subject)) return;
  const left = onSuccess ? "has failed" : "has succeeded";
  advise(HOOK_FINDS_OLD_JOB, subject.metadata.object(ANNOTATIONS)!, "[" + HELM_POLICY + "]", left);
}

// A name that ends in a number is taken for one with the revision in it.
function hasFixedName(subject: Subject): bool {
  const name = subject.metadata.string("name");
  if (name.length == 0) return false;
  let at = name.length;
  while (at > 0 && u32(name.charCodeAt(at - 1) - 0x30) < 10) --at;
  return at == name.length || at == 0 || name.charCodeAt(at - 1) != 0x2d;
}

function lintEvidence(subject: Subject, policy: string): void {
  advise(HOOK_FAILURE_DELETED, subject.metadata.object(ANNOTATIONS)!, "[" + policy + "]");
}

function isHookOf(subject: Subject, annotation: string): bool {
  return subject.note(ANNOTATIONS, annotation).length > 0;
}
