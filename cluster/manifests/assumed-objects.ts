/**
 * Creates the ConfigMaps and Secrets that the Jobs of a simulation refer to and that its files lack. Invariant:
 * existing objects are not changed, so a key that one lacks stays a mistake; a created one has every key that a Job
 * names, without a value. Leaves out optional references: no pod waits for these.
 */
import { resourcePath } from "../client/client.ts";
import type { BareCluster } from "../bare-cluster.ts";
import type { EnvSource } from "../kubelet/env.ts";
import { ENV_SOURCE_RESOURCES } from "../kubelet/env-sources.ts";
import type { KubeObject } from "../values/types.ts";

type Loose = Readonly<Record<string, any>>;

/** The object that a reference names, and the keys that it asks for. */
interface Reference extends EnvSource {
  readonly namespace: string;
  readonly keys: readonly string[];
}

/** @param jobs as stored */
export function makeAssumedObjects(cluster: BareCluster, jobs: readonly KubeObject[]): void {
  const all = Map.groupBy(jobs.flatMap(referencesOf), ({ kind, namespace, name }) => `${kind}/${namespace}/${name}`);
  for (const references of all.values()) {
    const { kind, namespace, name } = references[0]!;
    const data = Object.fromEntries(references.flatMap(({ keys }) => keys.map((key) => [key, ""])));
    // The server refuses an existing one as a conflict, and it stays as it is.
    cluster.handle({
      method: "POST",
      path: resourcePath(ENV_SOURCE_RESOURCES[kind], namespace),
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "stint" },
      body: JSON.stringify({ apiVersion: "v1", kind, metadata: { name, namespace }, data }),
    });
  }
}

function referencesOf(job: KubeObject): Reference[] {
  const namespace = job.metadata.namespace!;
  const { containers = [], initContainers = [], volumes = [] } = job["spec"].template.spec as Loose;
  const found: Reference[] = [];
  const add = (kind: EnvSource["kind"], reference: Loose | undefined, keys: readonly string[]): void => {
    const name: unknown = reference?.["name"] ?? reference?.["secretName"];
    if (typeof name === "string" && reference?.["optional"] !== true) found.push({ kind, name, namespace, keys });
  };
  for (const { env = [], envFrom = [] } of [...initContainers, ...containers] as Loose[]) {
    for (const { configMapRef, secretRef } of envFrom as Loose[]) {
      add("ConfigMap", configMapRef, []);
      add("Secret", secretRef, []);
    }
    for (const { valueFrom = {} } of env as Loose[]) {
      add("ConfigMap", valueFrom.configMapKeyRef, [valueFrom.configMapKeyRef?.key]);
      add("Secret", valueFrom.secretKeyRef, [valueFrom.secretKeyRef?.key]);
    }
  }
  const sources = (volumes as Loose[]).flatMap((volume) => [
    volume,
    ...((volume["projected"]?.sources ?? []) as Loose[]),
  ]);
  for (const { configMap, secret } of sources) {
    const keysOf = ({ items = [] }: Loose = {}): string[] => (items as Loose[]).map((item) => item["key"] as string);
    add("ConfigMap", configMap, keysOf(configMap));
    add("Secret", secret, keysOf(secret));
  }
  return found;
}
