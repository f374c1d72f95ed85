/**
 * Hooks of Helm, which `helm template` prints among the other objects: which of them an installation would run, and the
 * notes about them. Leaves out their weights and the policies by which Helm deletes them.
 */
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { objectIn } from "../../manifests/job-in.ts";
import { objectNames } from "../../../cluster/manifests/object-names.ts";

const HOOK = "helm.sh/hook";
const OF_AN_INSTALLATION = ["pre-install", "post-install"];

/** The names of its hooks; undefined: it is none. */
function hooksOf({ object }: Manifest): readonly string[] | undefined {
  const value: unknown = objectIn(objectIn(object.metadata)["annotations"])[HOOK];
  return typeof value === "string" ? value.split(",").map((name) => name.trim().toLowerCase()) : undefined;
}

/** A test, or a hook of an upgrade, for example. */
export function isOfNoInstallation(manifest: Manifest): boolean {
  return hooksOf(manifest)?.every((name) => !OF_AN_INSTALLATION.includes(name)) ?? false;
}

/** @param leftOut hooks that no installation runs @param jobs all that run @returns a sentence for each fact */
export function hookWarnings(leftOut: readonly Manifest[], jobs: readonly Manifest[]): string[] {
  const hooks = jobs.filter((job) => hooksOf(job) !== undefined);
  return [
    ...(leftOut.length === 0
      ? []
      : [`left out, because helm install does not run these hooks: ${objectNames(leftOut, withHooks)}`]),
    ...(hooks.length === 0 || jobs.length === 1
      ? []
      : [`helm would run these hooks in their order; a run starts all Jobs at once: ${objectNames(hooks, withHooks)}`]),
  ];
}

function withHooks(manifest: Manifest, name: string): string {
  return `${name} (${hooksOf(manifest)!.join(", ")})`;
}
