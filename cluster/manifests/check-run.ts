/**
 * Everything that is wrong with the input of a run, in one list: what cannot be read, what the API server refuses, and
 * what would never start.
 *
 * Invariant: the list has no consequences of another mistake. An object that could not be read is not reported as
 * missing, and a field that the API server refuses is named once.
 */
import { JOBS } from "../client/client.ts";
import { type Diagnostic, inOrder } from "./diagnostic.ts";
import type { LoadedAndRefused, Refusal } from "./load-objects.ts";
import type { Manifest } from "./manifests.ts";
import { neverStarting, type Surroundings } from "./never-starting.ts";
import type { ReadInputs } from "./run-inputs.ts";
import type { Job } from "../values/kinds.ts";

/** What `runMistakes` looks at. */
export interface RunCheck {
  readonly read: ReadInputs;
  readonly loaded: LoadedAndRefused;
  readonly surroundings: Surroundings;
  /** What is wrong with a Job beyond what the API server refuses. */
  check(manifest: Manifest): readonly Diagnostic[];
}

type Judge = (job: Job, manifest: Manifest) => readonly Diagnostic[];

/** Whether the cluster now holds every object of the run that is not a Job. */
export function hasAllObjects(read: ReadInputs, refusals: readonly Refusal[]): boolean {
  return read.hasAllObjects && refusals.every(({ input }) => input.resource === JOBS);
}

/** All mistakes of a run, in the order of the files and of their lines. */
export function runMistakes({ read, loaded, surroundings, check }: RunCheck): Diagnostic[] {
  const ofJob: Judge = (job, manifest) => [...neverStarting(job, manifest, surroundings), ...check(manifest)];
  return inOrder([
    ...read.mistakes,
    ...loaded.refusals.flatMap((refusal) => [...refusal.diagnostics, ...otherMistakes(refusal, ofJob)]),
    ...loaded.jobs.flatMap(({ job, input }) => ofJob(job, input.manifest)),
  ]);
}

/** The mistakes in the other fields of a Job that the API server refused. */
function otherMistakes({ input, diagnostics, isReadable }: Refusal, mistakesOf: Judge): readonly Diagnostic[] {
  const { manifest, resource } = input;
  if (resource !== JOBS || !isReadable) return [];
  const metadata = { namespace: "default", ...manifest.object.metadata };
  const refused = diagnostics.map(pathOf);
  try {
    const mistakes = mistakesOf({ ...manifest.object, metadata } as unknown as Job, manifest);
    return mistakes.filter((mistake) => !refused.some((path) => areRelated(path, pathOf(mistake))));
  } catch {
    // Without the object that the API server found missing, the Job cannot be checked. The refusal is listed anyway.
    return [];
  }
}

/** The field that a message begins with. */
function pathOf({ message }: Diagnostic): string {
  return /^[^\s:]*/.exec(message)![0];
}

/** Whether the paths are the same, or one field is inside the other. */
function areRelated(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long.startsWith(short) && (long.length === short.length || ".[".includes(long[short.length]!));
}
