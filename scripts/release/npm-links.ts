/**
 * Links of documents that leave the repository: a page in the npm package must not point to missing files. A link to a
 * file of the package is kept, at its place in the package. Every other link leads to the repository, or becomes text
 * where the repository's address is unknown. Text in code is left alone.
 */
import { posix } from "node:path";

/** A document, and the known facts about its new place. */
export interface MovedDocument {
  readonly markdown: string;
  /** Path in the repository, and in the package. */
  readonly from: string;
  readonly to: string;
  /** Paths in the package of all its files, by their paths in the repository. */
  readonly packed: ReadonlyMap<string, string>;
  /** `https://example.com/stint/blob/v1.2.3`: the address of the repository's files. */
  readonly files: string | undefined;
}

const CODE_OR_LINK = /^(`{3,}|~{3,})[\s\S]*?^\1|`[^`\n]*`|(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(<?([^)\s>]+)>?\)/gm;
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:|#)/;

export function withMovedLinks({ markdown, from, to, packed, files }: MovedDocument): string {
  return markdown.replace(CODE_OR_LINK, (whole, _fence, mark: string, text: string, link: string | undefined) => {
    if (link === undefined || ABSOLUTE.test(link)) return whole;
    const [path, anchor] = link.split("#") as [string, string?];
    const target = posix.join(posix.dirname(from), path);
    const there = packed.get(target);
    const end = anchor === undefined ? "" : `#${anchor}`;
    if (there !== undefined) return `${mark}[${text}](${posix.relative(posix.dirname(to), there)}${end})`;
    return files === undefined ? text : `${mark}[${text}](${files}/${target}${end})`;
  });
}

/** Links of a document in a package to files that it lacks. @param paths all files of the package */
export function deadLinks(document: string, markdown: string, paths: ReadonlySet<string>): string[] {
  return [...markdown.matchAll(CODE_OR_LINK)]
    .map((match) => match[4])
    .filter((link) => link !== undefined && !ABSOLUTE.test(link))
    .filter((link) => !paths.has(posix.join(posix.dirname(document), link!.split("#")[0]!)))
    .map((link) => `${document}: ${link}`);
}
