/**
 * The fields of a Job because of which it would never end without a user's edit or another controller. A Job with one
 * of them is refused before anything runs, because ignoring the field would do something else than the user asked for.
 */
import type { Diagnostic } from "./diagnostic.ts";
import type { Manifest } from "./manifests.ts";

/** Whether a value of the field (not null) needs an unimplemented feature. */
type Asks = (value: unknown) => boolean;

const is =
  (wanted: unknown): Asks =>
  (value) =>
    value === wanted;

interface Field {
  readonly asks: Asks;
  readonly why: string;
}

const FIELDS: Readonly<Record<"suspend" | "managedBy", Field>> = {
  suspend: {
    asks: is(true),
    why: "would wait until the Job is resumed, and no command here can resume it; remove it to run this Job",
  },
  managedBy: {
    asks: (value) => value !== "kubernetes.io/job-controller",
    why: "would wait for that controller, which is not here; remove it to run this Job",
  },
};

/** A diagnostic for each such field of a Job. @param names the fields to check; all unless given */
export function unimplementedFields(
  manifest: Manifest,
  names: readonly (keyof typeof FIELDS)[] = ["suspend", "managedBy"],
): Diagnostic[] {
  const { kind, apiVersion } = manifest.object;
  const spec: unknown = manifest.object["spec"];
  if (kind !== "Job" || apiVersion !== "batch/v1" || typeof spec !== "object" || spec === null) return [];
  return names
    .filter((field) => {
      const value = (spec as Record<string, unknown>)[field];
      return value !== undefined && value !== null && FIELDS[field].asks(value);
    })
    .map((field) => {
      const { why } = FIELDS[field];
      const value = (spec as Record<string, unknown>)[field];
      const shown = typeof value === "object" ? "" : `: ${JSON.stringify(value)}`;
      return { position: manifest.nameAt(`spec.${field}`), message: `spec.${field}${shown} ${why}` };
    });
}
