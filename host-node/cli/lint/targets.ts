/**
 * The Jobs of manifests, each with what the manifests tell of its surroundings: those that stand by themselves, and
 * those that CronJobs will make. Other kinds are passed over, but for ResourceQuotas.
 */
import type { Position } from "../../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { asWritten } from "./as-written.ts";
import { jobIn, type JobInObject, objectIn } from "./job-in.ts";

/** A Job; its context is all that the manifests tell, and fields are those of the file's object. */
export interface LintTarget extends JobInObject {
  readonly manifest: Manifest;
  /** Those of the file. */
  readonly lines: readonly string[];
  readonly kind: string;
  readonly namespace: string;
  /** Of the object in the file. With generateName, that and a star. */
  readonly name: string;
}

/** @returns the Jobs in the order of the manifests */
export function targetsOf(manifests: readonly Manifest[]): LintTarget[] {
  const quotas = quotasOf(manifests);
  const places = new Map<string, Position>();
  const texts = new Map([...new Set(manifests.map(({ text }) => text))].map((text) => [text, text.split("\n")]));
  return manifests.flatMap((manifest): LintTarget[] => {
    const namespace = namespaceOf(manifest);
    const found = jobIn(manifest.object, namespace);
    if (found === undefined) return [];
    const quota = quotas.get(namespace);
    const name = nameOf(manifest);
    const key = JSON.stringify([manifest.object.kind, namespace, name]);
    const earlier = isGiven(manifest) ? places.get(key) : undefined;
    if (earlier === undefined) places.set(key, manifest.valueAt(""));
    const context = {
      ...(quota === undefined ? {} : { quota }),
      ...(earlier === undefined ? {} : { earlier: `${earlier.file}:${earlier.line}` }),
      ...found.context,
    };
    const lines = texts.get(manifest.text)!;
    // Only a server gives it.
    const isLive = manifest.dropped.includes("metadata.uid");
    const job = isLive ? asWritten(found.job) : found.job;
    return [{ ...found, job, context, manifest, namespace, lines, kind: manifest.object.kind!, name }];
  });
}

/**
 * What quotas allow, by namespace. Those that count only some of the pods are left out, and of several quotas for one
 * resource all but the first.
 */
function quotasOf(manifests: readonly Manifest[]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const manifest of manifests) {
    if (!isQuota(manifest)) continue;
    const { hard, scopes, scopeSelector } = objectIn(manifest.object["spec"]);
    if (scopes !== undefined || scopeSelector !== undefined) continue;
    const amounts = Object.entries(objectIn(hard)).filter(([, amount]) => isQuantity(amount));
    const namespace = namespaceOf(manifest);
    found.set(namespace, {
      ...Object.fromEntries(amounts.map(([name, amount]) => [name, String(amount)])),
      ...found.get(namespace),
    });
  }
  return found;
}

/** Whether it is looked at for the sake of Jobs. */
export function isQuota({ object: { kind, apiVersion } }: Manifest): boolean {
  return kind === "ResourceQuota" && apiVersion === "v1";
}

function isQuantity(amount: unknown): boolean {
  return /^[+-]?[0-9.]+([eE][+-]?[0-9]{1,3}|[KMGTPE]i|[numkMGTPE])?$/.test(String(amount));
}

function namespaceOf({ object }: Manifest): string {
  const namespace: unknown = objectIn(object.metadata)["namespace"];
  return typeof namespace === "string" && namespace !== "" ? namespace : "default";
}

/** A name that is generated is another one each time. */
function isGiven({ object }: Manifest): boolean {
  return typeof objectIn(object.metadata)["name"] === "string";
}

function nameOf({ object }: Manifest): string {
  const { name, generateName } = objectIn(object.metadata);
  if (typeof name === "string") return name;
  return typeof generateName === "string" ? `${generateName}*` : "";
}
