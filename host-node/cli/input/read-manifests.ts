/**
 * The objects of the files that `stint lint`, `stint forecast` and `stint upgrade-check` look at, and what is to be
 * said of the input as a whole. A run has its own reading (read-run.ts), because it makes objects of them.
 *
 * Invariant: no object is passed over in silence: it is named, or counted.
 */
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import { type InputText, type Manifest, parseManifests } from "../../../cluster/manifests/manifests.ts";
import { serverFieldsNote } from "../../../cluster/manifests/server-fields.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { Console } from "../console.ts";
import { counted } from "../../words/counted.ts";
import { printable } from "../../words/printable.ts";
import { inputFiles } from "./input-files.ts";
import { readInput } from "../../manifests/read-input.ts";

/** Kinds that are named of those that are passed over. */
const MAX_KINDS = 10;

export interface ReadManifests {
  readonly inputs: readonly InputText[];
  /** In the order of the files. */
  readonly manifests: readonly Manifest[];
  /** What is wrong with the texts, wrong versions of kinds among it. */
  readonly mistakes: readonly Diagnostic[];
}

/** @param paths files, folders, and - for standard input. @throws UsageError for what cannot be opened */
export function readManifests(paths: readonly string[], isRecursive: boolean): ReadManifests {
  const inputs = inputFiles(paths, isRecursive).map(readInput);
  const parsed = inputs.map((input) => parseManifests(input, readYaml));
  return {
    inputs,
    manifests: parsed.flatMap(({ manifests }) => manifests),
    mistakes: parsed.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Says on standard error what was taken out of the objects, if anything was. */
export function noteServerFields(manifests: readonly Manifest[], console: Console): void {
  const note = serverFieldsNote(manifests);
  if (note !== undefined) console.writeError(`note: ${printable(note)}\n`);
}

/** Says on standard error that there is no Job in the input. @returns whether that is a mistake */
export function isJobMissing(requiresJobs: boolean, console: Console): boolean {
  const what = "there is no Job and no CronJob in the input";
  console.writeError(requiresJobs ? `stint: ${what}\n` : `warning: ${what}; --require-jobs makes this an error\n`);
  return requiresJobs;
}

/**
 * `2 Deployments, 1 Service`: the objects of which nothing is said, by their kinds; empty: there are none.
 * @param used the manifests of which something may be said
 */
export function passedOver(manifests: readonly Manifest[], used: ReadonlySet<Manifest>): string {
  const kinds = Map.groupBy(
    manifests.filter((manifest) => !used.has(manifest)),
    ({ object }) => object.kind!,
  );
  const named = [...kinds].slice(0, MAX_KINDS).map(([kind, of]) => countedKind(of.length, printable(kind)));
  const others = [...kinds.values()].slice(MAX_KINDS).reduce((sum, of) => sum + of.length, 0);
  return [...named, ...(others === 0 ? [] : [counted(others, "other object")])].join(", ");
}

/** `2 NetworkPolicies`, `1 Ingress`. */
function countedKind(amount: number, kind: string): string {
  if (amount === 1) return `1 ${kind}`;
  return `${amount} ${/[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : kind.endsWith("s") ? `${kind}es` : `${kind}s`}`;
}
