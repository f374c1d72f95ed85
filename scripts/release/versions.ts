/** The version of a release, and what CHANGELOG.md says of it. */

/** The position of the version; all must be the same. */
export interface VersionPlace {
  readonly file: string;
  readonly text: string;
  readonly pattern: RegExp;
}

/** @throws Error that names every file and its version when they differ, or a file that names none */
export function commonVersion(places: readonly VersionPlace[]): string {
  const found = places.map(({ file, text, pattern }) => {
    const version = pattern.exec(text)?.[1];
    if (version === undefined) throw new Error(`${file} names no version: there is no ${pattern.source} in it`);
    return { file, version };
  });
  const versions = new Set(found.map(({ version }) => version));
  if (versions.size === 1) return found[0]!.version;
  const list = found.map(({ file, version }) => `  ${file}: ${version}`).join("\n");
  throw new Error(`the versions differ; make them one before a release:\n${list}`);
}

/**
 * The section of a version, without its heading, as the notes of the release.
 * @throws Error when there is none, or it is empty
 */
export function releaseNotes(changelog: string, version: string): string {
  const heading = `## [${version}]`;
  const lines = changelog.split("\n");
  const begin = lines.findIndex((line) => line.startsWith(heading));
  if (begin === -1) throw new Error(`CHANGELOG.md has no section "${heading}"; name what is new, with its date`);
  const length = lines.slice(begin + 1).findIndex((line) => line.startsWith("## "));
  const notes = lines.slice(begin + 1, length === -1 ? undefined : begin + 1 + length);
  const text = notes.join("\n").trim();
  if (text === "") throw new Error(`the section "${heading}" of CHANGELOG.md is empty`);
  return `${text}\n`;
}

/** @throws Error when a tag does not match the version */
export function checkTag(tag: string, version: string): void {
  if (tag !== `v${version}`)
    throw new Error(`the tag is ${tag}, and the version in the files is ${version}; allowed is the tag v${version}`);
}
