/**
 * Findings of the same kind, which people read once: when there are many of a kind, only one is printed in full. Pure.
 */

/** Of a kind with more findings than this only one is shown. */
const MAX_OF_A_KIND = 3;

export interface Grouped<T> {
  /** Findings that are shown separately, in their order. */
  readonly single: readonly T[];
  /** Findings of the same kind, in the order of their first. */
  readonly groups: readonly (readonly T[])[];
}

/** @param kindOf what findings of a kind share; undefined: the finding is always shown */
export function grouped<T>(findings: readonly T[], kindOf: (finding: T) => string | undefined): Grouped<T> {
  const kinds = [...Map.groupBy(findings, kindOf)];
  const groups = kinds.flatMap(([kind, of]) => (kind !== undefined && of.length > MAX_OF_A_KIND ? [of] : []));
  const inGroups = new Set(groups.flat());
  return { single: findings.filter((finding) => !inGroups.has(finding)), groups };
}
