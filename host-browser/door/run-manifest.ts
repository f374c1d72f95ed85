/**
 * The manifest of a run, from what is in the text: its Jobs as their users may have written them, and the objects
 * beside them that a run takes; and the same with a remedy.
 *
 * Invariant: a text that is a manifest already stays as it is, comments too, unless it has a Secret. The page's address
 * has all that is in its run, so no value of a Secret is in it, nor what may be secret in objects of a server.
 */
import { applyMergePatch } from "../../cluster/apiserver/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../cluster/apiserver/schema/schema.ts";
import { SIMULATE_ANNOTATION } from "../../cluster/kubelet/simulation-outcome.ts";
import type { Manifest } from "../../cluster/manifests/manifests.ts";
import { redact } from "../../cluster/observed/redact.ts";
import { withoutServerFields } from "../../cluster/manifests/server-fields.ts";
import { isObject } from "../../cluster/values/json.ts";
import type { Job } from "../../cluster/values/kinds.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Remedy } from "../../bindings/js/engine.ts";
import { yamlLines } from "../history/yaml-lines.ts";
import type { DiffLine } from "../door-answer.ts";
import type { FoundJob, FoundObjects } from "./found-objects.ts";
import { lineDiff } from "./line-diff.ts";

export interface RunManifest {
  readonly yaml: string;
  /** What a server had added to the objects, and is not in it. */
  readonly dropped: readonly string[];
}

/** @param text the whole */
export function runManifest({ jobs, surroundings }: FoundObjects, text: string): RunManifest {
  const manifests = [...surroundings, ...jobs.map(({ manifest }) => manifest)];
  const dropped = [...new Set(manifests.flatMap((manifest) => cleaned(manifest).dropped))];
  const isManifest =
    dropped.length === 0 && !jobs.some(({ isOfCronJob }) => isOfCronJob) && !surroundings.some(isSecret);
  const onlyThese =
    (text.match(/^[ -]*["']?kind["']?:/gm) ?? []).length === manifests.length && /^\s*[^{\s]/.test(text);
  return isManifest && onlyThese && !/^kind: *\w*List\b/m.test(text)
    ? { yaml: text, dropped }
    : { yaml: manifests.map((manifest) => yamlOf(cleaned(manifest).object)).join("---\n"), dropped };
}

export interface Repaired {
  readonly yaml: string;
  readonly diff: readonly DiffLine[];
}

/** Undefined: the remedy changes nothing that is in the text. */
export function repairedManifest(
  { jobs, surroundings }: FoundObjects,
  of: FoundJob,
  remedy: Remedy,
): Repaired | undefined {
  const { patch, kind } = remedy;
  if (patch === null) return undefined;
  const target =
    kind === "Job" || kind === "CronJob" ? of.manifest : surroundings.find(({ object }) => object.kind === kind);
  if (target === undefined) return undefined;
  const texts = [...surroundings, ...jobs.map(({ manifest }) => manifest)].map((manifest) => {
    const before = cleaned(manifest).object;
    return { before, after: manifest === target ? patched(before, patch as JsonObject, kind) : before };
  });
  const lines = (part: "before" | "after"): string[] =>
    texts.flatMap((each, i) => [...(i === 0 ? [] : ["---"]), ...linesOf(each[part])]);
  const [before, after] = [lines("before"), lines("after")];
  return { yaml: `${after.join("\n")}\n`, diff: lineDiff(before, after) };
}

function patched(object: JsonObject, patch: JsonObject, kind: string): JsonObject {
  if (kind === "Job") return patchedJob(object, patch);
  if (kind !== "CronJob") return applyMergePatch(object, patch) as JsonObject;
  const { jobTemplate = {} } = (patch["spec"] ?? {}) as { readonly jobTemplate?: JsonObject };
  return patchedJob(object, jobTemplate);
}

function patchedJob(job: JsonObject, patch: JsonObject): JsonObject {
  const isOfPods = (patch["spec"] as JsonObject | undefined)?.["template"] !== undefined;
  // Pods that are repaired do not end as an annotation says of those before.
  const asBefore = { spec: { template: { metadata: { annotations: { [SIMULATE_ANNOTATION]: null } } } } };
  const from = isOfPods && isSimulated(job) ? (applyMergePatch(job, asBefore) as JsonObject) : job;
  return applyStrategicMergePatch(from, patch, structType("Job"));
}

function isSimulated(job: object): boolean {
  return (job as Job).spec?.template?.metadata?.annotations?.[SIMULATE_ANNOTATION] !== undefined;
}

/** Without what a server adds, and without owners, which no run has. */
function cleaned({ object, dropped: before }: Manifest): {
  readonly object: JsonObject;
  readonly dropped: readonly string[];
} {
  const { object: rest, dropped } = withoutServerFields(object as unknown as JsonObject);
  const { ownerReferences, ...metadata } = (rest["metadata"] ?? {}) as JsonObject;
  const owners = ownerReferences === undefined ? [] : ["metadata.ownerReferences"];
  const run = structuredClone({ ...rest, metadata }) as JsonObject;
  const allDropped = [...before, ...dropped, ...owners];
  if (allDropped.length > 0) redact(run);
  return { object: run["kind"] === SECRET ? withoutValues(run) : run, dropped: allDropped };
}

const SECRET = "Secret";

export function isSecret({ object }: Manifest): boolean {
  return object.kind === SECRET;
}

/** A run needs the keys of a Secret, and no value. Types other than Opaque check their values. */
function withoutValues({ type, data, stringData, ...secret }: JsonObject): JsonObject {
  const keys = [data, stringData].flatMap((map) => (isObject(map) ? Object.keys(map) : []));
  return { ...secret, data: Object.fromEntries(keys.map((key) => [key, ""])) };
}

/** `apiVersion`, `kind`, `metadata` and `spec` in the order of kubectl, which is that of their names. */
function linesOf(object: JsonObject): string[] {
  return yamlLines(object, Infinity).map(({ text }) => text);
}

function yamlOf(object: JsonObject): string {
  return `${linesOf(object).join("\n")}\n`;
}
