/**
 * The Jobs of manifests, each with the surroundings that the manifests describe: Jobs that are objects, and those that
 * CronJobs will make. Other kinds are skipped, but for those of surroundings.ts.
 */
import type { Position } from "../../cluster/manifests/diagnostic.ts";
import type { Manifest } from "../../cluster/manifests/manifests.ts";
import { asWritten } from "../manifests/as-written.ts";
import { jobIn, type JobInObject, objectIn } from "../manifests/job-in.ts";
import { namespaceOf, surroundingsOf } from "../manifests/surroundings.ts";

/** A Job; its context is all that the manifests contain, and fields are those of the file's object. */
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
  const surroundings = surroundingsOf(manifests);
  const places = new Map<string, Position>();
  const texts = new Map([...new Set(manifests.map(({ text }) => text))].map((text) => [text, text.split("\n")]));
  return manifests.flatMap((manifest): LintTarget[] => {
    const namespace = namespaceOf(manifest);
    const found = jobIn(manifest.object, namespace);
    if (found === undefined) return [];
    const name = nameOf(manifest);
    const key = JSON.stringify([manifest.object.kind, namespace, name]);
    const earlier = isGiven(manifest) ? places.get(key) : undefined;
    if (earlier === undefined) places.set(key, manifest.valueAt(""));
    const context = {
      ...surroundings.get(namespace),
      ...(earlier === undefined ? {} : { earlier: `${earlier.file}:${earlier.line}` }),
      ...found.context,
    };
    const lines = texts.get(manifest.text)!;
    // Only a server sets it.
    const isLive = manifest.dropped.includes("metadata.uid");
    const job = isLive ? asWritten(found.job) : found.job;
    return [{ ...found, job, context, manifest, namespace, lines, kind: manifest.object.kind!, name }];
  });
}

/** A generated name differs each time. */
function isGiven({ object }: Manifest): boolean {
  return typeof objectIn(object.metadata)["name"] === "string";
}

function nameOf({ object }: Manifest): string {
  const { name, generateName } = objectIn(object.metadata);
  if (typeof name === "string") return name;
  return typeof generateName === "string" ? `${generateName}*` : "";
}
