/** Follows the links of a built site, as files: where they lead nowhere, to a page or to an anchor. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const LINK = /<(?:a|link|img|script|iframe|source)\b[^>]*?\s(?:href|src|srcset)="([^"]*)"/g;
const ID = /\sid="([^"]+)"/g;

export interface Crawl {
  readonly pages: readonly string[];
  readonly links: number;
  readonly broken: readonly string[];
}

/** @param base the path of the address, `/stint/`; a link that does not begin so leaves the site */
export function crawl(folder: string, base: string): Crawl {
  // The playground is a program: the browser opens it.
  const pages = globSync("**/*.html", { cwd: folder })
    .map((page) => page.split(path.sep).join("/"))
    .filter((page) => !page.startsWith("playground/"));
  const files = new Set(globSync("**/*", { cwd: folder }).map((file) => file.split(path.sep).join("/")));
  const texts = new Map(pages.map((page) => [page, readFileSync(path.join(folder, page), "utf8")]));
  const ids = new Map([...texts].map(([page, text]) => [page, idsOf(text)]));
  const links = pages.flatMap((page) => linksOf(texts.get(page)!).map((link) => [page, link] as const));
  const broken = links.filter(([page, link]) => !leadsSomewhere(page, link, base, files, ids));
  return { pages, links: links.length, broken: broken.map(([page, link]) => `${page}: ${link}`) };
}

function linksOf(html: string): string[] {
  return [...html.matchAll(LINK)].map(([, link]) => link!.replaceAll("&amp;", "&"));
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(ID)].map(([, id]) => id!));
}

function leadsSomewhere(
  page: string,
  link: string,
  base: string,
  files: ReadonlySet<string>,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const url = new URL(link, `http://site${base}${page}`);
  if (url.host !== "site") return url.protocol === "https:" || url.protocol === "http:" || url.protocol === "data:";
  if (!url.pathname.startsWith(base)) return false;
  const inside = decodeURIComponent(url.pathname.slice(base.length));
  const file = inside === "" || inside.endsWith("/") ? `${inside}index.html` : inside;
  if (!files.has(file)) return false;
  const anchor = decodeURIComponent(url.hash.slice(1));
  // Of the playground the fragment is its state.
  return anchor === "" || file.startsWith("playground/") || (ids.get(file)?.has(anchor) ?? false);
}
