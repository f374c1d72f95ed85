/**
 * What a simulation assumes: objects, labels of nodes, schedulers and devices that the files of a run do not have, and
 * that a Job is resumed. No container runs, so none of them changes what the Jobs do. Invariant: each kind of thing is
 * noted once, with its first place. Leaves out contradictions, such as a key that a given ConfigMap lacks: these are
 * refused as in every run.
 */
import { JOBS } from "../../../cluster/client/client.ts";
import type { NodeOptions } from "../../../cluster/components.ts";
import { DEFAULT_CAPACITY } from "../../../cluster/kubelet/kubelet.ts";
import { type Diagnostic, diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import type { LoadedObjects } from "../../../cluster/manifests/load-objects.ts";
import type { Manifest } from "../../../cluster/manifests/manifests.ts";
import { type Assumption, neverStarting, type Surroundings } from "../../../cluster/manifests/never-starting.ts";
import type { ReadInputs } from "../../../cluster/manifests/run-inputs.ts";
import { objectIn } from "../../manifests/job-in.ts";

/** Each kind with its text for the note. */
const KINDS: Readonly<Record<Assumption, string>> = {
  objects: "the simulation assumes that the object exists",
  labels: "the simulation assumes that a node has these labels",
  schedulers: "the simulation places the pods itself",
  resources: "the simulation assumes that the node has enough of it",
};
export const ASSUMED: ReadonlySet<Assumption> = new Set(Object.keys(KINDS) as Assumption[]);
/** More than any pods request together. */
const PLENTY = "100Ti";
const EXTENDED = /^([a-z0-9.-]+\/[A-Za-z0-9._-]+|hugepages-[A-Za-z0-9]+)$/;
/** The most resources that the node gets; pods that request more of them are refused as without them. */
const MAX_RESOURCES = 100;

/** One note for each kind of thing that the accepted Jobs need and the run does not have. */
export function assumptionNotes({ jobs }: Pick<LoadedObjects, "jobs">, surroundings: Surroundings): string[] {
  const problems = jobs.flatMap(({ job, input }) => neverStarting(job, input.manifest, surroundings));
  return [...ASSUMED].flatMap((kind) => {
    const ofKind = problems.filter(({ lacks }) => lacks === kind);
    return ofKind.length === 0 ? [] : [noteOf(ofKind, KINDS[kind])];
  });
}

/** The note about Jobs that were resumed. */
export function resumedNotes(resumed: readonly Manifest[]): string[] {
  const places = resumed.map((manifest) => ({
    position: manifest.nameAt("spec.suspend"),
    message: "spec.suspend: true would wait until the Job is resumed",
  }));
  return places.length === 0 ? [] : [noteOf(places, "the simulation resumes it at once")];
}

/** The Job with `suspend: false`; undefined: it is not suspended. */
export function resumedJob(manifest: Manifest): Manifest | undefined {
  const { apiVersion, kind } = manifest.object;
  const spec = objectIn(manifest.object["spec"]);
  if (apiVersion !== JOBS.apiVersion || kind !== JOBS.kind || spec["suspend"] !== true) return undefined;
  return { ...manifest, object: { ...manifest.object, spec: { ...spec, suspend: false } } };
}

/** The node with every extended resource that a Job of the run names. */
export function withResources(node: NodeOptions, { inputs }: Pick<ReadInputs, "inputs">): NodeOptions {
  const named = new Set<string>();
  for (const { manifest, resource } of inputs) {
    if (resource !== JOBS) continue;
    const podSpec = objectIn(objectIn(objectIn(manifest.object["spec"])["template"])["spec"]);
    for (const list of ["containers", "initContainers"]) {
      const containers: unknown = podSpec[list];
      for (const container of Array.isArray(containers) ? containers : []) {
        const { requests, limits } = objectIn(objectIn(container)["resources"]);
        for (const name of Object.keys({ ...objectIn(requests), ...objectIn(limits) })) named.add(name);
      }
    }
  }
  const extended = [...named]
    .filter((name) => EXTENDED.test(name) && !(name in DEFAULT_CAPACITY))
    .slice(0, MAX_RESOURCES);
  return { ...node, capacity: { ...node.capacity, ...Object.fromEntries(extended.map((name) => [name, PLENTY])) } };
}

function noteOf([first, ...others]: readonly Diagnostic[], consequence: string): string {
  const places = others.length === 1 ? "place" : "places";
  const more = others.length === 0 ? "" : ` (and ${others.length} more ${places})`;
  return `${diagnosticText(first!).replace(/; add it to the files of this run.*/s, "")}; ${consequence}${more}`;
}
