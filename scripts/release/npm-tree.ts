/**
 * The folder that is packed for npm: dist/, the documents that go with it, and a package.json that has only what
 * users of the package need.
 *
 * Invariant: the package depends on nothing, because the bundles contain what they import and the declarations name no
 * type of another package. The repository's own README stays behind: the package has that of bindings/js.
 */
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRoot, run } from "./artefact.ts";
import { withMovedLinks } from "./npm-links.ts";

const DIST = "dist";
/** What `stint incident` plays. */
const INCIDENTS = "examples/incidents";
/** Files by their paths in the repository, and where they are in the package. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["bindings/js/README.md", "README.md"],
  ...["LICENSE", "NOTICE"].map((file) => [file, file] as const),
  ...["account", "cluster", "decisions", "forecast", "json", "lint", "testing-jobs"].map(
    (name) => [`docs/${name}.md`, `docs/${name}.md`] as const,
  ),
  ...readdirSync(inRoot(INCIDENTS))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => [`${INCIDENTS}/${file}`, `${INCIDENTS}/${file}`] as const),
  ...["controller.mjs", "webhook.mjs"].map((name) => [`examples/js/${name}`, `examples/js/${name}`] as const),
]);
/** Of the repository's package.json. */
const FIELDS = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "engines",
  "bin",
  "exports",
  "peerDependencies",
  "peerDependenciesMeta",
] as const;

/**
 * @param folder is created, with everything in it
 * @param repository `https://example.com/stint`, if known: links lead there, and provenance names it
 */
export function writeNpmTree(folder: string, repository: string | undefined): void {
  run(...typesCommand(folder));
  copyIntoTree(folder, repository);
}

/** Writes the type declarations, which takes most of the time. */
export const typesCommand = (folder: string): readonly [command: string, args: readonly string[]] => [
  inRoot("node_modules/.bin/tsc"),
  ["-p", inRoot("tsconfig.types.json"), "--outDir", join(folder, DIST, "types")],
];

/** Everything but the type declarations. */
export function copyIntoTree(folder: string, repository: string | undefined): void {
  cpSync(inRoot(DIST), join(folder, DIST), { recursive: true });
  const manifest = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as Record<string, unknown>;
  const files = repository && `${repository}/blob/v${String(manifest["version"])}`;
  for (const [from, to] of FILES) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    const text = readFileSync(inRoot(from), "utf8");
    const isDocument = from.endsWith(".md");
    const moved = isDocument ? withMovedLinks({ markdown: text, from, to, packed: FILES, files }) : text;
    writeFileSync(join(folder, to), moved);
  }
  const own = {
    ...Object.fromEntries(FIELDS.map((field) => [field, manifest[field]])),
    ...(repository && { repository: { type: "git", url: `git+${repository}.git` }, homepage: repository }),
    // The site, once it has an address.
    ...("homepage" in manifest && { homepage: manifest["homepage"] }),
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
}

/** The documents of a folder that was written, by their paths in it. */
export function documentsIn(folder: string): ReadonlyMap<string, string> {
  const paths = globSync(["*.md", "docs/**/*.md"], { cwd: folder });
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
