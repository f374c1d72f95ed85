/**
 * Which documents of the repository the site has, at which address, and in which order: the sidebar is docs/README.md.
 *
 * Invariant: a document stays where it is, because it is read in the repository too; the site takes it from there, and
 * the links between documents lead to their pages.
 */
import { globSync } from "node:fs";
import { posix } from "node:path";
import { pageOf } from "../../host-node/words/document.ts";

/** Beside those below docs/. */
const OTHERS = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bindings/ABI.md",
  "bindings/*/README.md",
  "deploy/README.md",
  "examples/README.md",
  "examples/incidents/README.md",
  "examples/rust-host/README.md",
  "examples/testing/*/README.md",
];
export const INDEX = "docs/README.md";
/** README.md says the same as the home page, in the repository. */
const HOME = ["README.md", "index.md"] as const;

/** The path of each document in the site, by its path in the repository. @param root of the repository */
export function sitePages(root: string): ReadonlyMap<string, string> {
  const files = [...globSync("docs/**/*.md", { cwd: root }), ...OTHERS.flatMap((one) => globSync(one, { cwd: root }))];
  return new Map([
    HOME,
    ...files.map((file) => posix.join(...file.split("\\"))).map((file) => [file, pageOf(file)] as const),
  ]);
}

export interface SidebarItem {
  readonly text: string;
  readonly link: string;
}
export interface SidebarGroup {
  readonly text: string;
  readonly items: readonly SidebarItem[];
}

/** By the beginning of the paths of pages. */
export type Sidebars = Readonly<Record<string, readonly SidebarGroup[]>>;

const HEADING = /^## (.*)$/;
const LINK = /\[([^\]]+)\]\(([^)\s]+\.md)\)/g;

/** A group for each heading of the index, with the links below it. @throws Error for a link to what is no page */
export function sidebarOf(index: string, pages: ReadonlyMap<string, string>): SidebarGroup[] {
  const groups: { text: string; items: SidebarItem[] }[] = [];
  for (const line of index.split("\n")) {
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    for (const [, text, link] of line.matchAll(LINK)) {
      const page = pages.get(posix.join(posix.dirname(INDEX), link!));
      if (page === undefined) throw new Error(`${INDEX} links to ${link}, which is no page of the site`);
      groups.at(-1)?.items.push({ text: upperFirst(text!), link: `/${page}` });
    }
  }
  return groups;
}

/** `of the API around it`, in the second half of a line. */
function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
