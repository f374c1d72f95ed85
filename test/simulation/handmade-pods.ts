/**
 * Pods that a user makes by hand for a Job: with the reference and the labels of the Job's own pods, and an index
 * that may be taken, out of range, no number or missing. A controller counts those that it must, and removes those that
 * it may not keep.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import type { Chance } from "./chance.ts";
import { FAILURES_ANNOTATION, IGNORED_FAILURES_ANNOTATION, INDEX_ANNOTATION, type JobFacts } from "./facts.ts";
import type { Role } from "./role.ts";

interface Maker {
  readonly role: Role;
  readonly chance: Chance;
}

/**
 * A pod without a controller, with labels that the Job selects. Some are another kind of controller's.
 * @param owner of that kind, or undefined
 */
export function orphan(stored: KubeObject, name: string, owner: object | undefined, { role, chance }: Maker): object {
  const { template } = stored["spec"] as { template: { metadata: { labels: Record<string, string> }; spec: object } };
  const annotations = chance.isHit(0.7) ? { [INDEX_ANNOTATION]: String(chance.integer(0, 3)) } : {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: template.metadata.labels,
      annotations,
      ownerReferences: owner === undefined ? [] : [owner],
      finalizers: finalizersOf(role, chance),
    },
    spec: template.spec,
  };
}

function finalizersOf({ finalizer, othersFinalizer }: Role, chance: Chance): string[] {
  return [...(chance.isHit(0.7) ? [finalizer] : []), ...(chance.isHit(0.05) ? [othersFinalizer] : [])];
}

/** @param stored the Job as the API server has it @param name of the pod */
export function handmadePod(stored: KubeObject, job: JobFacts, name: string, { role, chance }: Maker): object {
  const { template } = stored["spec"] as { template: { metadata: { labels: Record<string, string> }; spec: object } };
  const annotations = Object.fromEntries([
    ...(job.isIndexed ? maybe(INDEX_ANNOTATION, oddIndex(job, chance)) : []),
    ...(chance.isHit(0.3) ? [[FAILURES_ANNOTATION, chance.pick(["1", "5", "-1", "many"])]] : []),
    ...(chance.isHit(0.2) ? [[IGNORED_FAILURES_ANNOTATION, "2"]] : []),
  ]);
  const owner = {
    apiVersion: "batch/v1",
    kind: "Job",
    name: job.name,
    uid: job.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const finalizers = finalizersOf(role, chance);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: template.metadata.labels, annotations, ownerReferences: [owner], finalizers },
    spec: template.spec,
  };
}

/** An index for a pod of this Job, right or wrong. Undefined: none at all. */
export function oddIndex({ completions = 0 }: JobFacts, chance: Chance): string | undefined {
  return chance.pick([
    String(chance.integer(0, completions)),
    String(chance.integer(0, completions)),
    String(completions + 7),
    "-1",
    "1x",
    "",
    undefined,
  ]);
}

function maybe(key: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[key, value]];
}
