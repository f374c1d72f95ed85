/** The API groups of a server and their versions, the preferred ones first: for both forms of discovery. */
import type { ResourceDefinition } from "../contract/context.ts";

/** The named groups, in the order of the resources; without the core group. */
export function groupsOf(definitions: readonly ResourceDefinition[]): string[] {
  return [...new Set(definitions.map((definition) => definition.group))].filter((group) => group !== "");
}

/** The versions of a group, the preferred one first: v2, v1, v1beta2, v1beta1, v1alpha1, then others by name. */
export function versionsOf(definitions: readonly ResourceDefinition[], group: string): string[] {
  const versions = definitions.filter((definition) => definition.group === group).map(({ version }) => version);
  return [...new Set(versions)].toSorted(byPriority);
}

/** Orders versions, the preferred one first. */
function byPriority(a: string, b: string): number {
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
