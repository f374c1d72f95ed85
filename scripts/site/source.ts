/**
 * Writes what the generator reads: the documents with links to pages of the site, their pictures, a page for each
 * lesson, and the playground.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { withMovedLinks } from "../release/npm-links.ts";
import { lessonPages } from "./lessons.ts";
import { INDEX, type Sidebars, sidebarOf, sitePages } from "./pages.ts";

const root = path.resolve(import.meta.dirname, "../..");
const PICTURES = ["docs/pictures"];
/** Manifests that documents link to, for readers who have no clone. */
const MANIFESTS = "examples/**/*.yaml";

export interface SourceOptions {
  /** Is emptied and filled. */
  readonly folder: string;
  /** The bundled playground. */
  readonly playground: string;
  /** `https://example.com/stint/blob/main`: where files are that are no pages. Undefined: such links become text. */
  readonly files: string | undefined;
}

/** @returns the sidebars. @throws Error for a page that cannot be made */
export async function writeSource({ folder, playground, files }: SourceOptions): Promise<Sidebars> {
  rmSync(folder, { recursive: true, force: true });
  const pages = sitePages(root);
  const manifests = globSync(MANIFESTS, { cwd: root }).map((file) => file.split(path.sep).join("/"));
  const packed = new Map([
    ...pages,
    ...PICTURES.map((picture) => [picture, path.basename(picture)] as const),
    ...manifests.map((file) => [file, file] as const),
  ]);
  for (const [from, to] of pages) {
    // The home page is written for the site.
    if (to === "index.md") continue;
    const text = readFileSync(path.join(root, from), "utf8");
    write(path.join(folder, to), withoutComments(withMovedLinks({ markdown: text, from, to, packed, files })));
  }
  write(path.join(folder, "index.md"), readFileSync(path.join(root, "site/home.md"), "utf8"));
  for (const picture of PICTURES) copy(picture, path.join(folder, path.basename(picture)));
  // The home page names its picture in its data, which the generator does not follow.
  for (const picture of PICTURES) copy(picture, path.join(folder, "public", path.basename(picture)));
  for (const manifest of manifests) copy(manifest, path.join(folder, "public", manifest));
  cpSync(playground, path.join(folder, "public/playground"), { recursive: true });
  const { texts, groups } = await lessonPages();
  for (const [name, text] of texts) write(path.join(folder, name), text);
  return { "/": sidebarOf(readFileSync(path.join(root, INDEX), "utf8"), pages), "/lessons/": groups };
}

function copy(from: string, to: string): void {
  cpSync(path.join(root, from), to, { recursive: true });
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The generator shows HTML as text, comments too. */
function withoutComments(markdown: string): string {
  return markdown.replace(/^<!--[\s\S]*?-->\n?/gm, "");
}
