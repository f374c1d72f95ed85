/**
 * A divergence: something that the built-in controller wrote and Stint would not have, or the other way round; with
 * both sides, and with why Stint decides as it does.
 */
import type { Pod } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";

/** The kinds of divergences. docs/shadow.md explains each. */
export const DIVERGENCE_KINDS = [
  "creation",
  "deletion",
  "finalizer",
  "status",
  "condition",
  "end",
  "back-off",
  "timing",
] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

export interface Divergence {
  readonly kind: DivergenceKind;
  readonly namespace: string;
  readonly job: string;
  readonly uid: string;
  /** When the built-in controller wrote it, or should have. */
  readonly atMs: number;
  /** One English sentence. */
  readonly sentence: string;
  /** What each controller has written, or would have; null: nothing. */
  readonly builtIn: unknown;
  readonly stint: unknown;
  /** The reasons for Stint's decision: docs/decisions.md has the codes. */
  readonly decisions: readonly { readonly code: string; readonly message: string }[];
  /** The row of docs/differences.md that names it, if one does. */
  readonly known?: string;
}

export type Finding = Omit<Divergence, "namespace" | "job" | "uid">;

export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

/** Undefined: the pod has none. */
export function indexOf(pod: TypedObject): string | undefined {
  return pod.metadata.annotations?.[INDEX_ANNOTATION];
}

export function isTracked(pod: TypedObject): boolean {
  return pod.metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** Neither ended nor being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}
