/** What `stint why` says of an object that is not there, as a document. */
import { type Document, head } from "../json/document.ts";
import type { SubjectKind } from "./subject.ts";

/** There is no such object. */
export interface NotFound extends Document<"NotFound"> {
  /** The kind of the object. */
  readonly of: SubjectKind;
  readonly namespace: string;
  /** The name of a Job. */
  readonly job?: string;
  /** The name of another object. */
  readonly name?: string;
  readonly found: false;
  readonly state: "Unknown";
  readonly sentence: string;
  readonly nextMs: null;
  /** Of a Job: none. */
  readonly decisions?: readonly never[];
}

/** With the members that an account of such an object begins with. */
export function notFound(of: SubjectKind, namespace: string, name: string): NotFound {
  const known = { found: false, state: "Unknown", sentence: `no such ${of} is known`, nextMs: null } as const;
  return of === "Job"
    ? { ...head("NotFound"), of, namespace, job: name, ...known, decisions: [] }
    : { ...head("NotFound"), of, namespace, name, ...known };
}
