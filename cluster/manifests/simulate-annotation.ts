/**
 * Mistakes in the outcomes that a Job gives its pods by the annotation `stint.dev/simulate`. In the cluster such a pod
 * would never start, and its Job would wait for ever.
 */
import { OutcomeError, parseOutcomeText, SIMULATE_ANNOTATION } from "../kubelet/simulation-outcome.ts";
import type { OutcomePlan } from "../kubelet/simulation-outcome.ts";
import { similarNames } from "../values/similar-names.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import type { Manifest } from "./manifests.ts";

const ANNOTATIONS = "spec.template.metadata.annotations";
const OWN_PREFIX = "stint.dev/";

export function simulateMistakes(manifest: Manifest): Diagnostic[] {
  const template: unknown = manifest.object["spec"]?.template;
  const { metadata, spec } = (template ?? {}) as { metadata?: { annotations?: unknown }; spec?: unknown };
  const annotations = metadata?.annotations;
  if (manifest.object.kind !== "Job" || typeof annotations !== "object" || annotations === null) return [];
  return Object.entries(annotations).flatMap(([key, value]) => {
    const path = `${ANNOTATIONS}[${key}]`;
    if (key !== SIMULATE_ANNOTATION) return misspelt(manifest, key, path);
    return typeof value === "string" ? outcomeMistakes(manifest, path, value, containersOf(spec)) : [];
  });
}

function misspelt(manifest: Manifest, key: string, path: string): Diagnostic[] {
  if (!key.startsWith(OWN_PREFIX) || similarNames(key, [SIMULATE_ANNOTATION]).length === 0) return [];
  return [
    { position: manifest.nameAt(path), message: `${path}: nothing reads it; did you mean ${SIMULATE_ANNOTATION}?` },
  ];
}

function outcomeMistakes(
  manifest: Manifest,
  path: string,
  value: string,
  containers: readonly string[] | undefined,
): Diagnostic[] {
  const at = manifest.valueAt(path);
  return outcomeFaults(value, containers).map(({ field, message }) => ({
    position: placeOf(manifest.text, at, field),
    message: `${path}: ${message}`,
  }));
}

/**
 * What is wrong with the text of an outcome. `field` is the name that is wrong; "": it is about no name.
 * @param containers those of the pod; undefined: they are not known
 */
export function outcomeFaults(
  text: string,
  containers: readonly string[] | undefined,
): { readonly field: string; readonly message: string }[] {
  try {
    return strangers(parseOutcomeText(text), containers).map((name) => ({
      field: name,
      message: `byContainer.${name} is no container of the pod; it has ${containers!.join(", ")}${meant(name, containers!)}`,
    }));
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    const { field = "", fields = [] } = error;
    return [{ field, message: `${error.message}${meant(field, fields)}` }];
  }
}

/** Names in byContainer that no container has. */
function strangers(plan: OutcomePlan, containers: readonly string[] | undefined): string[] {
  if (containers === undefined) return [];
  const inner = [...plan.byIndex.values(), ...plan.byContainer.values()];
  const own = [...plan.byContainer.keys()].filter((name) => !containers.includes(name));
  return [...new Set([...own, ...inner.flatMap((of) => strangers(of, containers))])];
}

/** The names of the containers of a pod. Undefined: the list cannot be read, and the API server says why. */
export function containersOf(spec: unknown): readonly string[] | undefined {
  const { initContainers = [], containers } = (spec ?? {}) as { initContainers?: unknown; containers?: unknown };
  if (!Array.isArray(containers) || !Array.isArray(initContainers)) return undefined;
  return [...initContainers, ...containers].flatMap((container: { name?: unknown } | null) =>
    typeof container?.name === "string" ? [container.name] : [],
  );
}

function meant(name: string, names: readonly string[]): string {
  const [near] = name === "" ? [] : similarNames(name, names);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The first place of a member from a position on; the position itself if there is none. */
function placeOf(text: string, from: Position, member: string): Position {
  if (member === "") return from;
  const lines = text.split("\n");
  for (let line = from.line; line <= lines.length; line++) {
    const start = line === from.line ? from.column - 1 : 0;
    const at = lines[line - 1]!.indexOf(`"${member}"`, start);
    if (at >= 0) return { file: from.file, line, column: at + 1 };
    // The text of the annotation ends where the indent falls back to that of its key.
    if (line > from.line && /^\S/.test(lines[line - 1]!)) break;
  }
  return from;
}
