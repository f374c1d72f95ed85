/**
 * What a profile is asked about: the Job of a request, and for an update what it was before.
 *
 * Invariant: an update that changes no spec is not judged, and neither is one of a Job that has ended or is being
 * deleted: clients may always remove finalizers and add labels. A Job that is resumed starts, and is judged as if it
 * were new. Leaves out the findings about a Job.
 */
import { endOf } from "../../cluster/values/job-conditions.ts";
import { asWritten } from "../manifests/as-written.ts";
import { jobIn, type Loose, objectIn } from "../manifests/job-in.ts";
import type { AdmissionRequest } from "./admission-review.ts";

/** A Job in the form of questions to the engine. */
export interface JobQuestion {
  readonly job: Loose;
  readonly context: Loose;
}

export interface Subject extends JobQuestion {
  readonly kind: "Job" | "CronJob";
  readonly name: string;
  /** For an update: the Job before it. Undefined: the Job starts. */
  readonly before: JobQuestion | undefined;
  /** A controller has made the object: warnings about it would have no reader. */
  readonly isMade: boolean;
  /** Annotations of the object; undefined: it has none. */
  readonly annotations: Loose | undefined;
  /** The path in the object of a field of the Job. */
  fieldOf(path: string): string;
}

const KINDS = ["Job", "CronJob"] as const;

/** Undefined: profiles do not apply to it. */
export function subjectOf(request: AdmissionRequest): Subject | undefined {
  const { kind: of, operation, subResource, namespace = "" } = request;
  const kind = KINDS.find((known) => known === of?.kind);
  if (kind === undefined || of?.group !== "batch" || (subResource ?? "") !== "") return undefined;
  if (operation !== "CREATE" && operation !== "UPDATE") return undefined;
  const object = objectIn(request.object);
  const old = objectIn(request.oldObject);
  if (operation === "UPDATE" && !matters(object, old)) return undefined;
  const isStart = operation === "CREATE" || (isSuspended(old) && !isSuspended(object));
  const found = jobIn({ apiVersion: "batch/v1", ...object, kind }, namespace);
  const before = isStart ? undefined : jobIn({ apiVersion: "batch/v1", ...old, kind }, namespace);
  const { name, generateName, ownerReferences, annotations } = objectIn(object["metadata"]);
  return {
    ...found!,
    kind,
    job: asWritten(found!.job),
    name: String(name ?? generateName ?? ""),
    before: before && { job: asWritten(before.job), context: before.context },
    isMade: Array.isArray(ownerReferences) && ownerReferences.some((owner) => objectIn(owner)["controller"] === true),
    annotations: annotations === undefined || annotations === null ? undefined : objectIn(annotations),
  };
}

function matters(object: Loose, old: Loose): boolean {
  if (objectIn(object["metadata"])["deletionTimestamp"] !== undefined || endOf(object) !== undefined) return false;
  return JSON.stringify(object["spec"]) !== JSON.stringify(old["spec"]);
}

function isSuspended(object: Loose): boolean {
  return objectIn(object["spec"])["suspend"] === true;
}
