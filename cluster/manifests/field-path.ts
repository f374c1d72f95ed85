/**
 * Field paths as Kubernetes writes them in errors: `spec.template.spec.containers[0].image`, `metadata.labels[a.b/c]`.
 */

/**
 * Member names and list indexes, outermost first. A number in brackets is an index; any other text in brackets is the
 * key of a map.
 */
export function parseFieldPath(path: string): (string | number)[] {
  const segments: (string | number)[] = [];
  for (const [, member, bracketed] of path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (member !== undefined) segments.push(member);
    else if (/^\d+$/.test(bracketed!)) segments.push(Number(bracketed));
    else if (bracketed !== "") segments.push(bracketed!);
  }
  return segments;
}
