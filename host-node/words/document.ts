/**
 * Where a document of this repository is read: on the site, if its address is known, else as a file. The one place of
 * that address is `homepage` of package.json.
 */
import packageJson from "../../package.json" with { type: "json" };

const { homepage } = packageJson as { homepage?: string };

/** @param path from the root of the repository, with an anchor or without: `docs/lint.md#rules` */
export function document(path: string, site: string | undefined = homepage): string {
  if (site === undefined) return path;
  const [file = "", anchor] = path.split("#", 2);
  const page = pageOf(file).replace(/\.md$/, ".html");
  return `${site.replace(/\/$/, "")}/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** The path in the site, as Markdown: `lint.md` of `docs/lint.md`. */
export function pageOf(file: string): string {
  return (
    file
      .replace(/^docs\/README\.md$/, "documents.md")
      // docs/security.md is another page.
      .replace(/^SECURITY\.md$/, "reporting.md")
      .replace(/^docs\//, "")
      .replace(/\/README\.md$/, ".md")
      .toLowerCase()
  );
}
