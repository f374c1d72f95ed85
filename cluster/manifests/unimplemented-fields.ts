/**
 * The fields of a Job that the engine does not act on yet. A Job that uses one is refused before anything runs: to run it
 * as if the field were not there would be to do something else than was asked for.
 */
import type { Diagnostic } from "./diagnostic.ts";
import type { Manifest } from "./manifests.ts";

/** Whether a value of the field (not null) asks for what is not implemented. */
type Asks = (value: unknown) => boolean;

const always: Asks = () => true;
const is =
  (wanted: unknown): Asks =>
  (value) =>
    value === wanted;

const FIELDS: Readonly<Record<string, Asks>> = {
  suspend: is(true),
  podFailurePolicy: always,
  successPolicy: always,
  backoffLimitPerIndex: always,
  maxFailedIndexes: always,
  manualSelector: is(true),
  ttlSecondsAfterFinished: always,
  podReplacementPolicy: is("Failed"),
  managedBy: (value) => value !== "kubernetes.io/job-controller",
};

export function unimplementedFields(manifest: Manifest): Diagnostic[] {
  const { kind, apiVersion } = manifest.object;
  const spec: unknown = manifest.object["spec"];
  if (kind !== "Job" || apiVersion !== "batch/v1" || typeof spec !== "object" || spec === null) return [];
  return Object.entries(FIELDS)
    .filter(([field, asks]) => {
      const value = (spec as Record<string, unknown>)[field];
      return value !== undefined && value !== null && asks(value);
    })
    .map(([field]) => {
      const value = (spec as Record<string, unknown>)[field];
      const shown = typeof value === "object" ? "" : `: ${JSON.stringify(value)}`;
      return { position: manifest.nameAt(`spec.${field}`), message: `spec.${field}${shown} is not implemented yet; remove it to run this Job` };
    });
}
