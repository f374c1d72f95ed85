/** The nodes of a simulated cluster that has more than one: how many, and their names. */
export const MAX_NODES = 1000;

export function nodeNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `node-${i + 1}`);
}
