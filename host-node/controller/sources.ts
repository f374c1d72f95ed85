/**
 * What a Job controller lists and watches: Jobs and pods of all namespaces, or of each one that is named.
 *
 * Pods are those that carry the label that the API server gives to the pods of every Job whose selector it made; a Job
 * with a selector of its own (spec.manualSelector) has pods without it, and they are seen only when all pods are
 * watched.
 */
import type { EngineSource } from "../../bindings/js/engine.ts";

export interface JobControllerSource {
  /** As in the engine's configuration. */
  readonly id: number;
  readonly resource: EngineSource["resource"];
  /** Undefined: all. */
  readonly namespace?: string;
  /** The path has a label selector. */
  readonly isSelection?: boolean;
  /** Collection path with its selectors. */
  readonly path: string;
}

/** The engine takes 64 sources: of each namespace two, or four with gang scheduling. */
export const MAX_NAMESPACES = 16;
const JOB_POD_LABEL = "batch.kubernetes.io/controller-uid";
const SCHEDULING = "/apis/scheduling.k8s.io/v1alpha2";

export interface WatchedObjects {
  /** Empty: all of them. At most MAX_NAMESPACES. */
  readonly namespaces: readonly string[];
  /** Pods without the label of Job pods are watched too. */
  readonly allPods: boolean;
  readonly gangScheduling: boolean;
}

export function sourcesOf({ namespaces, allPods, gangScheduling }: WatchedObjects): JobControllerSource[] {
  const pods = allPods ? "pods" : `pods?labelSelector=${encodeURIComponent(JOB_POD_LABEL)}`;
  const collections = [
    { resource: "jobs", group: "/apis/batch/v1", collection: "jobs" },
    { resource: "pods", group: "/api/v1", collection: pods, isSelection: !allPods },
    ...(gangScheduling
      ? ([
          { resource: "workloads", group: SCHEDULING, collection: "workloads" },
          { resource: "podgroups", group: SCHEDULING, collection: "podgroups" },
        ] as const)
      : []),
  ] as const;
  const scopes =
    namespaces.length === 0
      ? [{ prefix: "" }]
      : namespaces.map((namespace) => ({ namespace, prefix: `/namespaces/${namespace}` }));
  let id = 0;
  return scopes.flatMap(({ prefix, ...scope }) =>
    collections.map(({ group, collection, ...source }) => ({
      id: ++id,
      ...source,
      ...scope,
      path: `${group}${prefix}/${collection}`,
    })),
  );
}
