/**
 * Checks that this Node is new enough. An older one would fail late, at the first function that it lacks.
 *
 * Invariant: this file uses nothing that Node 18 lacks.
 */

/**
 * `required` is `engines.node` of package.json: `>=22.19`. Returns the problem with `version` (`20.20.2`) and a remedy;
 * undefined: there is none.
 * @param newer the command with a newer Node, where there is one: `node_modules/.bin/node dist/stint.mjs`
 */
export function nodeVersionProblem(version: string, required: string, newer?: string): string | undefined {
  const oldest = required.replace(/^>=/, "");
  const [major = 0, minor = 0] = oldest.split(".").map(Number);
  const [thisMajor = 0, thisMinor = 0] = version.split(".").map(Number);
  if (thisMajor > major || (thisMajor === major && thisMinor >= minor)) return undefined;
  const advice = newer === undefined ? "Install a newer one: https://nodejs.org" : `A newer one is here: ${newer}`;
  return `stint needs Node ${oldest} or newer; this is v${version}. ${advice}`;
}
