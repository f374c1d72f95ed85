/** Rules about a Job after its end: which controller or tool deletes it, and which would recreate it. */
import { ABSENT, after, firstOf, JsonNode, objectOf } from "../json/tree";
import { advise } from "./advice";
import { isHook } from "./hooks";
import { Rule, rule } from "./rule";
import { milliseconds, Subject } from "./subject";

const NO_TIME_TO_LIVE = rule(
  "NoTimeToLive",
  "",
  "nothing deletes the Job after its end: it has neither ttlSecondsAfterFinished nor an owner",
  "set ttlSecondsAfterFinished, for example to 86400, which is a day",
  "warn",
);
const TIME_TO_LIVE_ZERO = rule(
  "TimeToLiveZero",
  "",
  "the Job is deleted as soon as it has ended, with its pods and logs: a program that waits for its end may find nothing",
  "set ttlSecondsAfterFinished to some minutes at least, for example to 600",
  "warn",
);
const TIME_TO_LIVE_UNDER_GIT_OPS = rule(
  "TimeToLiveUnderGitOps",
  "ttlMs",
  "the Job is deleted {ttlMs:span} after its end, and {text} may then create it again, so that it runs once more",
  "leave ttlSecondsAfterFinished out, or make the Job a hook, which the tool runs once for each of its syncs",
  "warn",
);
const TIME_TO_LIVE_IN_CRON_JOB = rule(
  "TimeToLiveInCronJob",
  "ttlMs",
  "a failed Job is deleted {ttlMs:span} after its end, with its logs, though failedJobsHistoryLimit is to keep it",
  "leave ttlSecondsAfterFinished out: the CronJob deletes its old Jobs, by its two history limits",
  "warn",
);

/** The rules of this file, in the order of the documents. */
export const AFTER_END_RULES: StaticArray<Rule> = [
  NO_TIME_TO_LIVE,
  TIME_TO_LIVE_ZERO,
  TIME_TO_LIVE_UNDER_GIT_OPS,
  TIME_TO_LIVE_IN_CRON_JOB,
];

const FIELD = "ttlSecondsAfterFinished";
const CRON_JOB = "CronJob";

export function lintAfterEnd(subject: Subject): void {
  const spec = subject.spec;
  const ttlMs = milliseconds(spec, FIELD);
  const tool = gitOpsOf(subject);
  if (isNaN(ttlMs)) {
    if (tool.length == 0 && !isOwned(subject)) advise(NO_TIME_TO_LIVE, spec, FIELD);
  } else if (tool.length > 0) {
    advise(TIME_TO_LIVE_UNDER_GIT_OPS, spec, FIELD, tool, ttlMs);
  } else if (keepsFailed(subject)) {
    advise(TIME_TO_LIVE_IN_CRON_JOB, spec, FIELD, "", ttlMs);
  } else if (ttlMs == 0 && !isHook(subject)) {
    advise(TIME_TO_LIVE_ZERO, spec, FIELD);
  }
}

// The GitOps tool that keeps the cluster in the state of a repository; "": none is known. It does not recreate hooks.
function gitOpsOf(subject: Subject): string {
  if (subject.cronJob !== null || subject.note("annotations", "argocd.argoproj.io/hook").length > 0) return "";
  const isArgo =
    subject.note("annotations", "argocd.argoproj.io/tracking-id").length > 0 ||
    subject.note("labels", "argocd.argoproj.io/instance").length > 0;
  if (isArgo) return "Argo CD";
  if (subject.note("labels", "kustomize.toolkit.fluxcd.io/name").length > 0) return "Flux";
  return subject.context.boolean("fromGitOps") ? "the GitOps tool" : "";
}

// Whether an owner or a tool is known that will delete the Job.
function isOwned(subject: Subject): bool {
  return (
    subject.cronJob !== null ||
    hasOwner(subject) ||
    isFilled(subject.context.list("ownerKinds")) ||
    subject.note("annotations", "argocd.argoproj.io/hook").length > 0 ||
    subject.note("annotations", "helm.sh/hook").length > 0 ||
    subject.note("labels", "app.kubernetes.io/managed-by") == "Helm"
  );
}

// Whether a CronJob owns the Job, and keeps failed Jobs.
function keepsFailed(subject: Subject): bool {
  const cronJob = subject.cronJob;
  if (cronJob === null) return isOfCronJob(subject);
  const spec = objectOf(cronJob, "spec");
  const kept = spec === null ? ABSENT : spec.integer("failedJobsHistoryLimit");
  return kept != 0;
}

// Whether an object owns the Job. A CronJob deletes by its history limits only the Jobs that it controls, and others
// when it is deleted: most are not for years.
function hasOwner(subject: Subject): bool {
  const owners = subject.metadata.list("ownerReferences");
  for (let owner = firstOf(owners); owner !== null; owner = after(owner)) {
    if (owner.string("kind") != CRON_JOB || owner.boolean("controller")) return true;
  }
  return false;
}

function isOfCronJob(subject: Subject): bool {
  const owners = subject.metadata.list("ownerReferences");
  const known = subject.context.list("ownerKinds");
  for (let owner = firstOf(owners); owner !== null; owner = after(owner)) {
    if (owner.string("kind") == CRON_JOB && owner.boolean("controller")) return true;
  }
  for (let owner = firstOf(known); owner !== null; owner = after(owner)) {
    if (owner.asString() == CRON_JOB) return true;
  }
  return false;
}

function isFilled(list: JsonNode | null): bool {
  return list !== null && list.length > 0;
}
