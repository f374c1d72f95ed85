/**
 * Why a Job is as it is: the rule with its numbers, and the lines of the text that prove it. Codes and sentences come
 * from the engine's account; here they meet the fields of the text.
 *
 * Invariant: a line is one of the text that was pasted, and a number one of its objects.
 */
import type { Account, Hold } from "../../bindings/js/engine.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";
import { isObject } from "../../cluster/values/json.ts";
import { parseFieldPath } from "../../cluster/manifests/field-path.ts";
import type { Manifest } from "../../cluster/manifests/manifests.ts";
import { spanText } from "../../cluster/values/time-span.ts";
import type { Evidence, Why } from "../door-answer.ts";
import type { FoundJob } from "./found-objects.ts";

interface Rule {
  readonly fields: readonly string[];
  say(job: Job): string;
}

const DEFAULT_BACKOFF_LIMIT = 6;
const LIMIT_PER_INDEX = "spec.backoffLimitPerIndex";

/** By the reason of a Job's end. */
const ENDS: Readonly<Record<string, Rule>> = {
  BackoffLimitExceeded: {
    fields: ["spec.backoffLimit"],
    say: ({ spec, status = {} }) => {
      const { backoffLimit, template } = spec;
      const limit = `backoffLimit is ${backoffLimit ?? `${DEFAULT_BACKOFF_LIMIT} by default`}`;
      const failed = `${status.failed ?? 0} ${status.failed === 1 ? "pod has" : "pods have"} failed`;
      return template?.spec?.restartPolicy === "OnFailure"
        ? `${limit}, restarts of containers count too, and ${failed}`
        : `${limit}, and ${failed}`;
    },
  },
  DeadlineExceeded: {
    fields: ["spec.activeDeadlineSeconds", "status.startTime"],
    say: (job) => {
      const ms = endMs(job) - Date.parse(String(job.status?.startTime));
      const ran = Number.isFinite(ms) ? `, and it was ended ${spanText(ms)} after its start` : "";
      return `activeDeadlineSeconds is ${job.spec.activeDeadlineSeconds}${ran}`;
    },
  },
  PodFailurePolicy: { fields: ["spec.podFailurePolicy.rules"], say: (job) => messageOf(job) },
  FailedIndexes: {
    fields: [LIMIT_PER_INDEX, "status.failedIndexes"],
    say: ({ spec, status = {} }) =>
      `backoffLimitPerIndex is ${spec.backoffLimitPerIndex}, and these indexes have used it up: ${status.failedIndexes}`,
  },
  MaxFailedIndexesExceeded: {
    fields: ["spec.maxFailedIndexes", LIMIT_PER_INDEX, "status.failedIndexes"],
    say: ({ spec, status = {} }) =>
      `maxFailedIndexes is ${spec.maxFailedIndexes}, and these indexes have failed: ${status.failedIndexes}`,
  },
  SuccessPolicy: { fields: ["spec.successPolicy", "status.completedIndexes"], say: (job) => messageOf(job) },
  CompletionsReached: {
    fields: ["spec.completions"],
    say: ({ spec, status = {} }) =>
      `completions is ${spec.completions ?? spec.parallelism ?? 1}, and ${status.succeeded ?? 0} have succeeded`,
  },
};

/** By what holds a Job. */
const HOLDS: Readonly<Partial<Record<Hold["code"], readonly string[]>>> = {
  Deleting: ["metadata.deletionTimestamp", "metadata.finalizers"],
  NoController: ["spec.managedBy"],
  Suspended: ["spec.suspend"],
  ParallelismIsZero: ["spec.parallelism"],
  Unschedulable: ["spec.template.spec.nodeSelector", "spec.template.spec.affinity", "spec.template.spec.tolerations"],
  NoScheduler: ["spec.template.spec.schedulerName"],
  SchedulingGated: ["spec.template.spec.schedulingGates"],
  Terminating: ["spec.template.spec.terminationGracePeriodSeconds"],
  Backoff: ["spec.backoffLimit"],
};
const MAX_EVIDENCE = 6;

/** @param asked the pods of the question, which the account counts */
export function whyOf(found: FoundJob, account: Account, asked: readonly Pod[]): Why {
  const { verdict, holds, attempts, last, remedies } = account;
  const [hold] = holds;
  const rule = verdict.isFinished || verdict.decided !== null ? ENDS[verdict.reason] : undefined;
  const failure = attempts[last ?? -1];
  const container = failure?.container || hold?.by || "";
  const fields = [
    ...(rule?.fields ?? []),
    ...(hold === undefined ? [] : (HOLDS[hold.code] ?? [])),
    ...remedies.flatMap(({ kind, patch }) => (kind === "Job" && patch !== null ? leavesOf(patch, found.job) : [])),
    ...(hold?.code === "CannotStart" || hold?.code === "CrashLoopBackOff" ? containerFields(found.job, container) : []),
  ];
  const evidence = [
    ...fields.flatMap((path) => evidenceAt(found.manifest, path)),
    ...proofOf(found, asked, verdict.evidence),
  ].filter(({ line, field }, i, all) => all.findIndex((each) => each.line === line && each.field === field) === i);
  const said = rule?.say(found.job) ?? (hold === undefined ? "" : heldBy(hold));
  return { sentence: said, evidence: evidence.slice(0, MAX_EVIDENCE) };
}

function heldBy({ code, reason, message, by, node }: Hold): string {
  const parts = [code === reason ? code : [code, reason].filter((part) => part !== "").join(", ")];
  if (by !== "") parts.push(by);
  if (node !== "") parts.push(`node ${node}`);
  return message === "" ? parts.join(": ") : `${parts.join(", ")}: ${message}`;
}

/** The place that the engine's verdict names: `pods[0].status.conditions[0]`. */
function proofOf({ manifest, pods = [] }: FoundJob, asked: readonly Pod[], path: string): Evidence[] {
  const [, index, rest] = /^pods\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  if (index !== undefined) {
    const { uid } = asked[Number(index)]?.metadata ?? {};
    return evidenceAt(pods.find(({ pod }) => pod.metadata.uid === uid)?.manifest, rest!);
  }
  return path.startsWith("job.") ? evidenceAt(manifest, path.slice("job.".length)) : [];
}

function evidenceAt(manifest: Manifest | undefined, field: string): Evidence[] {
  if (manifest === undefined) return [];
  const value = valueAt(manifest.object, field);
  if (value === undefined || value === null) return [];
  return [{ field, value: shown(value), line: manifest.nameAt(field).line }];
}

function shown(value: unknown): string {
  if (!isObject(value)) return Array.isArray(value) ? "" : String(value);
  const { type, reason } = value;
  return [type, reason].filter((part) => typeof part === "string").join(" ");
}

function valueAt(object: unknown, path: string): unknown {
  return parseFieldPath(path).reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[step] : undefined,
    object,
  );
}

/** The fields of a Job that a patch changes; items of a list by their names. */
function leavesOf(patch: object, target: unknown, path = ""): string[] {
  return Object.entries(patch).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const there = isObject(target) ? target[name] : undefined;
    if (Array.isArray(value) && Array.isArray(there))
      return value.flatMap((item) => {
        const i = there.findIndex((each) => isObject(each) && isObject(item) && each["name"] === item["name"]);
        return i < 0 || !isObject(item) ? [] : leavesOf(item, there[i], `${at}[${i}]`);
      });
    if (isObject(value)) return leavesOf(value, there, at);
    return name === "name" ? [] : [at];
  });
}

function containerFields({ spec }: Job, name: string): string[] {
  return (["initContainers", "containers"] as const).flatMap((list) =>
    (spec.template?.spec?.[list] ?? []).flatMap((container, i) =>
      container.name === name ? [`spec.template.spec.${list}[${i}].image`] : [],
    ),
  );
}

function endMs({ status = {} }: Job): number {
  const { conditions = [] } = status;
  const decided =
    conditions.find(({ type }) => type === "FailureTarget") ?? conditions.find(({ type }) => type === "Failed");
  return Date.parse(String(decided?.lastTransitionTime));
}

function messageOf({ status = {} }: Job): string {
  return status.conditions?.find(({ status: is, message }) => is === "True" && message)?.message ?? "";
}
