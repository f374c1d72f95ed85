/**
 * Checks that this Node is new enough. An older one would fail late, at the first function that it lacks.
 *
 * Invariant: this file uses nothing that Node 18 lacks.
 */

/**
 * `required` is `engines.node` of package.json: `>=22.19`. Returns what is wrong with `version` (`20.20.2`), and what
 * to do; undefined when nothing is.
 */
export function nodeVersionProblem(version: string, required: string): string | undefined {
  const oldest = required.replace(/^>=/, "");
  const [major = 0, minor = 0] = oldest.split(".").map(Number);
  const [thisMajor = 0, thisMinor = 0] = version.split(".").map(Number);
  if (thisMajor > major || (thisMajor === major && thisMinor >= minor)) return undefined;
  return `stint needs Node ${oldest} or newer; this is v${version}. In this repository: node_modules/.bin/node dist/stint.mjs`;
}
