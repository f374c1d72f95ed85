/**
 * Links of documents that leave the repository: a page in the npm package must not point to what is not there. A link
 * to a file that comes along is kept, at its place in the package. Every other one leads to the repository, or is text
 * where nobody said where that is. What stands in code is left alone.
 */
import { posix } from "node:path";

/** A document, and what is known where it goes. */
export interface MovedDocument {
  readonly markdown: string;
  /** Path in the repository, and in the package. */
  readonly from: string;
  readonly to: string;
  /** Paths in the package of all files that come along, by their paths in the repository. */
  readonly packed: ReadonlyMap<string, string>;
  /** `https://example.com/stint/blob/v1.2.3`: where the files of the repository are. */
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

/** Links of a document in a package that lead to nothing in it. @param paths all files of the package */
export function deadLinks(document: string, markdown: string, paths: ReadonlySet<string>): string[] {
  return [...markdown.matchAll(CODE_OR_LINK)]
    .map((match) => match[4])
    .filter((link) => link !== undefined && !ABSOLUTE.test(link))
    .filter((link) => !paths.has(posix.join(posix.dirname(document), link!.split("#")[0]!)))
    .map((link) => `${document}: ${link}`);
}
