/** Two watches for a shadow, of Jobs and of pods, for all namespaces or for each that is named. They only read. */
import type { Clock } from "../../bindings/js/host.ts";
import type { ApiClient, PathOf } from "../../cluster/client/client.ts";
import { Reflector } from "../../cluster/client/reflector.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import type { JobControllerSource } from "../controller/sources.ts";
import type { Shadow } from "./shadow.ts";

export interface WatchOptions {
  readonly shadow: Shadow;
  readonly client: ApiClient;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly sources: readonly JobControllerSource[];
  /** A watch that broke, in one sentence. It is tried again. */
  readonly onProblem: (problem: string) => void;
}

/** Watches from now on. @returns what ends it */
export function watchJobs({ shadow, client, clock, random, sources, onProblem }: WatchOptions): () => void {
  shadow.expect(sources.length);
  const reflectors = sources.map(({ resource, path, namespace }) => {
    const kind = resource === "jobs" ? "job" : "pod";
    const [collection, query] = path.split("?", 2) as [string, string | undefined];
    const labelSelector =
      query === undefined ? undefined : (new URLSearchParams(query).get("labelSelector") ?? undefined);
    const isInScope = ({ metadata }: TypedObject): boolean =>
      namespace === undefined || metadata.namespace === namespace;
    return new Reflector(
      {
        client,
        clock,
        random,
        path: collection as PathOf<Job | Pod>,
        ...(labelSelector === undefined ? {} : { labelSelector }),
      },
      {
        onSync: (objects) => shadow.list(path, kind, objects, isInScope),
        onEvent: (type, object) => shadow.event(kind, type, object),
        onProblem: ({ message }) => onProblem(`the watch of ${collection}: ${message}`),
      },
    );
  });
  for (const reflector of reflectors) reflector.start();
  return () => {
    for (const reflector of reflectors) reflector.stop();
  };
}
