/**
 * Leaves modules out of a bundle that never calls them: what they export is undefined there.
 *
 * Invariant: only the named files import them; the build fails if another file does, because that one may call them.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "esbuild";

const EXPORT = /^export (?:async )?(?:function|const|class) (\w+)/gm;

/**
 * @param files absolute paths, as are those of the importers, which call none of them in this bundle
 * @throws Error naming missing files: a file that was moved would no longer be left out
 */
export function leaveOut(files: readonly string[], importers: readonly string[]): Plugin {
  const missing = [...files, ...importers].filter((file) => !existsSync(file));
  if (missing.length > 0) throw new Error(`there is no ${missing.join(", ")}, which is to be left out of a bundle`);
  return {
    name: "leave-out",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /\.ts$/ }, ({ path: asked, resolveDir, importer }) => {
        const file = path.resolve(resolveDir, asked);
        if (!files.includes(file) || importers.includes(importer) || files.includes(importer)) return undefined;
        return { errors: [{ text: `${importer} imports ${file}, which is left out of this bundle` }] };
      });
      onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        if (!files.includes(path.resolve(file))) return undefined;
        const names = [...readFileSync(file, "utf8").matchAll(EXPORT)].map(([, name]) => name!);
        return { contents: names.map((name) => `export const ${name} = undefined;`).join("\n"), loader: "js" };
      });
    },
  };
}
