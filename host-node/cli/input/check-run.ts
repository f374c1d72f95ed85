/**
 * Everything that is wrong with the input of a run, in one list: what cannot be read, what the API server refuses, and
 * what would never start.
 *
 * Invariant: nothing is said that may be a mere consequence of another mistake: an object that could not be read is not
 * called missing, and of a field that the API server refuses nothing else is said.
 */
import { JOBS } from "../../../cluster/client.ts";
import { type Diagnostic, inOrder } from "../../../cluster/manifests/diagnostic.ts";
import type { LoadedAndRefused, Refusal } from "../../../cluster/manifests/load-objects.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { neverStarting, type Surroundings } from "../../../cluster/manifests/never-starting.ts";
import type { ReadInputs } from "../../../cluster/manifests/run-inputs.ts";
import type { KubeObject } from "../../../cluster/types.ts";

export interface RunCheck {
  readonly read: ReadInputs;
  readonly loaded: LoadedAndRefused;
  readonly surroundings: Surroundings;
  /** What else is wrong with a Job. */
  check(manifest: Manifest): readonly Diagnostic[];
}

type Judge = (job: KubeObject, manifest: Manifest) => readonly Diagnostic[];

/** Whether the cluster holds all objects but Jobs that the run was given. */
export function hasAllObjects(read: ReadInputs, refusals: readonly Refusal[]): boolean {
  return read.hasAllObjects && refusals.every(({ input }) => input.resource === JOBS);
}

export function runMistakes({ read, loaded, surroundings, check }: RunCheck): Diagnostic[] {
  const ofJob: Judge = (job, manifest) => [...neverStarting(job, manifest, surroundings), ...check(manifest)];
  return inOrder([
    ...read.mistakes,
    ...loaded.refusals.flatMap((refusal) => [...refusal.diagnostics, ...otherMistakes(refusal, ofJob)]),
    ...loaded.jobs.flatMap(({ job, input }) => ofJob(job, input.manifest)),
  ]);
}

/** Of a Job that was refused, what is wrong with its other fields. */
function otherMistakes({ input, diagnostics, isReadable }: Refusal, mistakesOf: Judge): readonly Diagnostic[] {
  const { manifest, resource } = input;
  if (resource !== JOBS || !isReadable) return [];
  const metadata = { namespace: "default", ...manifest.object.metadata };
  const refused = diagnostics.map(pathOf);
  try {
    const mistakes = mistakesOf({ ...manifest.object, metadata } as KubeObject, manifest);
    return mistakes.filter((mistake) => !refused.some((path) => areRelated(path, pathOf(mistake))));
  } catch {
    // Without what the API server found missing it cannot be judged; why it was refused is told anyway.
    return [];
  }
}

/** The field that a message begins with. */
function pathOf({ message }: Diagnostic): string {
  return /^[^\s:]*/.exec(message)![0];
}

/** One is the other, or lies in it. */
function areRelated(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.startsWith(short) && (long.length === short.length || ".[".includes(long[short.length]!));
}
