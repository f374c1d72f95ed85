/**
 * The bundled playground, built at most once for one state of its sources: tests, benchmarks and `npm run playground`
 * share the folder and only read it.
 *
 * Invariant: a folder `build/playground-<hash>` is whole. A build is made under another name and then renamed, so that
 * two processes that build at once do no harm. The process that builds a new folder removes the older ones.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { buildPlayground } from "./build-playground.ts";

const root = path.resolve(import.meta.dirname, "..");
const BUILD = path.join(root, "build");
const PREFIX = "playground-";
/** A build of this age comes from an earlier edit: no test that still reads it runs as long. */
const MAX_AGE_MS = 60 * 60 * 1000;

/** What the bundles are made from: files and folders, relative to the root. */
const INPUTS = [
  "bindings/js",
  "build/core.wasm",
  "build/engine.wasm",
  "build/schema.json",
  "build/schema-served.json",
  "cluster",
  "docs/decisions.md",
  "examples",
  "host-browser",
  "package-lock.json",
  "scripts",
];

/**
 * Absolute path of the folder with the site's files; builds it unless it is there. Callers must not change the files.
 * @throws Error when the engine has not been built or a bundle does not build
 */
export async function builtPlayground(): Promise<string> {
  const folder = path.join(BUILD, PREFIX + hashOfInputs());
  if (existsSync(folder)) return folder;
  const aside = mkdtempSync(path.join(BUILD, `${PREFIX}building-`));
  await buildPlayground(aside);
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    // Another process has built it first, with the same bytes.
    if (!existsSync(folder)) throw error;
  }
  removeOlderThan(folder);
  return folder;
}

function hashOfInputs(): string {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    for (const file of filesOf(input)) {
      const contents = readFileSync(path.join(root, file));
      hash.update(`${file}\0${contents.length}\0`).update(contents);
    }
  }
  return hash.digest("hex").slice(0, 16);
}

function filesOf(input: string): string[] {
  const inside = readdirSync(path.join(root, path.dirname(input)), { withFileTypes: true });
  const entry = inside.find(({ name }) => name === path.basename(input));
  if (entry === undefined)
    throw new Error(`${input}, which the playground is made from, is missing; run npm run build`);
  if (!entry.isDirectory()) return [input];
  return readdirSync(path.join(root, input), { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile())
    .map((file) => path.relative(root, path.join(file.parentPath, file.name)))
    .sort();
}

function removeOlderThan(newest: string): void {
  const { mtimeMs } = statSync(newest);
  for (const name of readdirSync(BUILD)) {
    const folder = path.join(BUILD, name);
    if (name.startsWith(PREFIX) && mtimeMs - statSync(folder).mtimeMs > MAX_AGE_MS)
      rmSync(folder, { recursive: true, force: true });
  }
}
