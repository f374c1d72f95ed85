/**
 * What a Job controller lists and watches: Jobs and pods of all namespaces, or of each one that is named. The API
 * server puts a label on the pods of every Job whose selector it generated, and pods are selected by that label. The
 * pods of a Job with spec.manualSelector lack it, so they are seen only if all pods are watched.
 */
import type { EngineSource } from "../../bindings/js/engine.ts";
import { type Shard, shardSelectorOf } from "./shard.ts";

export interface JobControllerSource {
  /** The source's number in the engine's configuration. */
  readonly id: number;
  readonly resource: EngineSource["resource"];
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** The path has a label selector. */
  readonly isSelection?: boolean;
  /** The path of the collection with its selectors. */
  readonly path: string;
}

/** The engine accepts 64 sources. A namespace needs two, or four with gang scheduling. */
export const MAX_NAMESPACES = 16;
const JOB_POD_LABEL = "batch.kubernetes.io/controller-uid";
const SCHEDULING = "/apis/scheduling.k8s.io/v1beta1";

export interface WatchedObjects {
  /** Empty: all of them. At most MAX_NAMESPACES. */
  readonly namespaces: readonly string[];
  /** Pods without the label of Job pods are watched too. */
  readonly allPods: boolean;
  readonly gangScheduling: boolean;
  /** Those of its namespaces alone; undefined: all of them. */
  readonly shard?: Shard | undefined;
}

/** The sources for these objects, numbered from 0. */
export function sourcesOf({ namespaces, allPods, gangScheduling, shard }: WatchedObjects): JobControllerSource[] {
  const pods = allPods ? "pods" : `pods?labelSelector=${encodeURIComponent(JOB_POD_LABEL)}`;
  const selected = (path: string): string =>
    shard === undefined
      ? path
      : `${path}${path.includes("?") ? "&" : "?"}shardSelector=${encodeURIComponent(shardSelectorOf(shard))}`;
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
      path: selected(`${group}${prefix}/${collection}`),
    })),
  );
}
