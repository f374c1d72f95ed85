/**
 * Lists the files that the arguments of a run name: files, standard input, and the manifests in folders, as
 * `kubectl -f` takes them. Leaves out reading them.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkFoundFile } from "../../found-file.ts";
import { readProblem, UsageError } from "../../usage-error.ts";

/** The limit for one folder; with --recursive it counts the folders in it too. */
export const MAX_FILES_PER_FOLDER = 1000;
const MANIFEST = /\.(ya?ml|json)$/;

/**
 * The files in the order of the arguments; those of a folder are sorted by name.
 * @throws UsageError when a folder has none, or too many, or a manifest in it is no regular file
 */
export function inputFiles(paths: readonly string[], recursive: boolean): string[] {
  if (paths.length === 0)
    throw new UsageError("no file is named; allowed are files and folders with manifests, and - for standard input");
  return paths.flatMap((path) => (isFolder(path) ? manifestsOf(path, recursive) : [path]));
}

/** A path that does not exist counts as a file: reading it reports the error. */
function isFolder(path: string): boolean {
  return path !== "-" && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function manifestsOf(folder: string, recursive: boolean): string[] {
  const found = walk(folder, recursive);
  if (found.length > MAX_FILES_PER_FOLDER)
    throw new UsageError(`${folder} has ${found.length} manifests; allowed are ${MAX_FILES_PER_FOLDER} a folder`);
  for (const path of found) checkFoundFile(path);
  if (found.length > 0) return found;
  throw new UsageError(
    `${folder} has no file that ends in .yaml, .yml or .json${recursive ? "" : "; --recursive looks into the folders in it, too"}`,
  );
}

/** Links to folders are not followed: they may form a cycle. */
function walk(folder: string, recursive: boolean): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return recursive ? walk(path, recursive) : [];
      return MANIFEST.test(entry.name) ? [path] : [];
    });
  } catch (error) {
    throw new UsageError(`cannot read ${folder}: ${readProblem(error)}`);
  }
}
