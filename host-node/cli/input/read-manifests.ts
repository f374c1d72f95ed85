/**
 * The objects of the files that `stint lint`, `stint forecast` and `stint upgrade-check` look at, and the messages
 * about the input as a whole. A run reads its files separately (read-run.ts), because it makes objects of them.
 *
 * Invariant: no object is skipped silently: it is named, or counted.
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

/** The most kinds that are named in the message about skipped objects. */
const MAX_KINDS = 10;

export interface ReadManifests {
  readonly inputs: readonly InputText[];
  /** In the order of the files. */
  readonly manifests: readonly Manifest[];
  /** The errors in the texts, including wrong versions of kinds. */
  readonly mistakes: readonly Diagnostic[];
  /** How many documents are no Kubernetes objects and were skipped. */
  readonly others: number;
}

/** Files, folders, and - for standard input; or texts that the caller has. Of those no file is opened. */
export type ManifestSources = readonly string[] | readonly InputText[];

/**
 * @param skipsOthers documents that are no Kubernetes objects are counted, and are no mistakes
 * @throws UsageError for what cannot be opened, and when there is no source
 */
export function readManifests(sources: ManifestSources, isRecursive: boolean, skipsOthers = false): ReadManifests {
  const inputs = areTexts(sources) ? sources : inputFiles(sources, isRecursive).map(readInput);
  const parsed = inputs.map((input) => parseManifests(input, readYaml, { skipsOthers }));
  return {
    inputs,
    manifests: parsed.flatMap(({ manifests }) => manifests),
    mistakes: parsed.flatMap(({ diagnostics }) => diagnostics),
    others: parsed.reduce((sum, { others }) => sum + others, 0),
  };
}

function areTexts(sources: ManifestSources): sources is readonly InputText[] {
  return typeof sources[0] === "object";
}

/** Reports on standard error which server fields were removed from the objects, if any. */
export function noteServerFields(manifests: readonly Manifest[], console: Console): void {
  const note = serverFieldsNote(manifests);
  if (note !== undefined) console.writeError(`note: ${printable(note)}\n`);
}

/** Reports on standard error that there is no Job in the input. @returns whether that is a mistake */
export function isJobMissing(requiresJobs: boolean, console: Console): boolean {
  const what = "there is no Job and no CronJob in the input";
  console.writeError(requiresJobs ? `stint: ${what}\n` : `warning: ${what}; --require-jobs makes this an error\n`);
  return requiresJobs;
}

/**
 * `2 Deployments, 1 Service`: the objects without findings, by their kinds; empty: there are none.
 * @param used the manifests that may have findings
 * @param otherDocuments how many were skipped
 */
export function passedOver(manifests: readonly Manifest[], used: ReadonlySet<Manifest>, otherDocuments = 0): string {
  const kinds = Map.groupBy(
    manifests.filter((manifest) => !used.has(manifest)),
    ({ object }) => object.kind!,
  );
  const named = [...kinds].slice(0, MAX_KINDS).map(([kind, of]) => countedKind(of.length, printable(kind)));
  const others = [...kinds.values()].slice(MAX_KINDS).reduce((sum, of) => sum + of.length, 0);
  return [
    ...named,
    ...(others === 0 ? [] : [counted(others, "other object")]),
    ...(otherDocuments === 0 ? [] : [counted(otherDocuments, "other document")]),
  ].join(", ");
}

/** `2 NetworkPolicies`, `1 Ingress`. */
function countedKind(amount: number, kind: string): string {
  if (amount === 1) return `1 ${kind}`;
  return `${amount} ${/[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : kind.endsWith("s") ? `${kind}es` : `${kind}s`}`;
}
