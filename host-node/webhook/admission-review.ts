/** The parts of AdmissionReviews that are read and written here. */
import type { Loose } from "../manifests/job-in.ts";

export interface AdmissionRequest {
  readonly kind?: { readonly group?: string; readonly kind?: string };
  readonly operation?: string;
  readonly subResource?: string;
  readonly namespace?: string;
  readonly object?: Loose | null;
  readonly oldObject?: Loose | null;
}

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly details?: {
      readonly kind?: string;
      readonly name?: string;
      readonly group?: string;
      readonly causes?: readonly StatusCause[];
    };
    readonly [member: string]: unknown;
  };
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}
