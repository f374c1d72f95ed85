/** Of measurements, the value that most of them do not exceed. */

/** By nearest rank: one of the values. @param values in any order, at least one @param share more than 0, at most 1 */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;
}
