/**
 * Which Job or which pods a test means: `job/pi`, `pod/web` or a label selector. A namespace may precede the first two;
 * without one it is `default`. A label selector is for the pods of all namespaces.
 */
import { parseLabelSelector } from "../../cluster/apiserver/verbs/selectors.ts";
import { JOBS, PODS, resourcePath } from "../../cluster/client/client.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import { similarNames } from "../../cluster/values/similar-names.ts";
import { similarJobs } from "../words/similar-names.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";

const MAX_TARGET_LENGTH = 1_000;
const NAMED = /^(?:([a-z0-9-]+)\/)?(job|pod)\/([a-z0-9.-]+)$/;
const JOB = /^(?:([a-z0-9-]+)\/)?(?:job\/)?([a-z0-9.-]+)$/;
const ALLOWED = "job/NAME, pod/NAME, NAMESPACE/job/NAME, NAMESPACE/pod/NAME, or a label selector such as app=web";
const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const JOB_NAME = "batch.kubernetes.io/job-name";
const MAX_NAMES = 5;

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The selected pods. The test also matches pods that do not exist yet. */
export interface PodTarget {
  /** As given. */
  readonly text: string;
  readonly job?: ObjectName;
  readonly pod?: ObjectName;
  readonly isMeant: (pod: Pod) => boolean;
}

/** @throws ControlError 400 */
export function podTarget(text: unknown): PodTarget {
  if (typeof text !== "string" || text === "" || text.length > MAX_TARGET_LENGTH) throw notAllowed(text);
  const [, namespace = "default", kind, name = ""] = NAMED.exec(text) ?? [];
  if (kind === "job") {
    const isMeant = ({ metadata }: TypedObject): boolean =>
      metadata.namespace === namespace && metadata.labels?.[JOB_NAME] === name;
    return { text, job: { namespace, name }, isMeant };
  }
  if (kind === "pod") {
    const isMeant = ({ metadata }: TypedObject): boolean => metadata.namespace === namespace && metadata.name === name;
    return { text, pod: { namespace, name }, isMeant };
  }
  try {
    // A word alone would be a label selector, but the user means a name.
    if (/^[^=!\s(,]+$/.test(text)) throw notAllowed(text);
    const test = parseLabelSelector(text) ?? (() => true);
    return { text, isMeant: ({ metadata }) => test(metadata.labels ?? {}) };
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw new ControlError(400, `${notAllowed(text).message}: ${(error as Error).message}`);
  }
}

function notAllowed(text: unknown): ControlError {
  return new ControlError(400, `the pods are given as ${JSON.stringify(text)}; allowed is ${ALLOWED}`);
}

/** `pi`, `job/pi`, `team-a/pi`, `team-a/job/pi`. @throws ControlError 400 */
export function jobName(text: unknown): ObjectName {
  const [, namespace = "default", name] = typeof text === "string" ? (JOB.exec(text) ?? []) : [];
  if (name === undefined)
    throw new ControlError(
      400,
      `the Job is given as ${JSON.stringify(text)}; allowed is NAME, job/NAME, NAMESPACE/NAME or NAMESPACE/job/NAME`,
    );
  return namespace === "job" ? { namespace: "default", name } : { namespace, name };
}

/** @throws ControlError 404, with similar names */
export function findJob(api: ClusterApi, { namespace, name }: ObjectName): Job {
  const job = api.find(resourcePath(JOBS, namespace, name));
  if (job !== undefined) return job;
  const names = api
    .list(resourcePath(JOBS))
    .map(({ metadata }) => ({ namespace: metadata.namespace!, name: metadata.name }));
  const similar = similarJobs({ namespace, name }, names);
  throw missing(`Job ${name} in namespace ${namespace}`, similar.map(qualified), names.map(qualified), "Jobs");
}

/** The selected pods, in the order of their names. @throws ControlError 404 when a named object does not exist */
export function findPods(api: ClusterApi, target: PodTarget): Pod[] {
  const pods = api.list(resourcePath(PODS, (target.job ?? target.pod)?.namespace));
  const found = pods.filter(target.isMeant);
  if (found.length === 0 && target.job !== undefined) findJob(api, target.job);
  if (found.length === 0 && target.pod !== undefined) {
    const names = pods.map(({ metadata }) => metadata.name);
    const { namespace, name } = target.pod;
    throw missing(`pod ${name} in namespace ${namespace}`, similarNames(name, names), names, "pods");
  }
  return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** @throws ControlError 404 */
export function missing(what: string, similar: readonly string[], all: readonly string[], kinds: string): ControlError {
  const shown = similar.length > 0 ? similar : all;
  const others = shown.length > MAX_NAMES ? `, and ${shown.length - MAX_NAMES} more` : "";
  const names = `${shown.slice(0, MAX_NAMES).join(", ")}${others}`;
  const hint =
    similar.length > 0
      ? `; did you mean ${names}?`
      : all.length > 0
        ? `; there are ${names}`
        : `; there are no ${kinds}`;
  return new ControlError(404, `there is no ${what}${hint}`);
}

export function qualified({ namespace, name }: ObjectName): string {
  return namespace === "default" ? name : `${namespace}/${name}`;
}

/** Undefined: the pod has none. */
export function indexOf({ metadata }: TypedObject): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text === undefined ? undefined : Number(text);
}
