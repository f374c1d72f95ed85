/** Which version of a group clients should use when it has several. */

/** Orders versions, the preferred one first. */
export function byPriority(a: string, b: string): number {
  const [first, second] = [priority(a), priority(b)];
  for (let place = 0; place < first.length; place++) {
    const difference = second[place]! - first[place]!;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : 1;
}

/** Stability, major and minor number: the higher ones are preferred. */
function priority(version: string): readonly [number, number, number] {
  const [, major, stability, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stability === undefined ? 3 : stability === "beta" ? 2 : 1, Number(major), Number(minor ?? 0)];
}
