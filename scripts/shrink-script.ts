/**
 * Makes a built script about 3 % smaller than esbuild does: terser joins statements and inlines what is
 * used once, several times over. It takes seconds, so it is for what is fetched before the first picture.
 *
 * Invariant: the source map still leads to the sources. Names of properties stay, so that a debugger shows them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { minify } from "terser";

/** After this many rounds hardly anything more is saved. */
const ROUNDS = 3;

/** @param file a module with its source map beside it; both are replaced. @throws Error when it is no JavaScript. */
export async function shrinkScript(file: string): Promise<void> {
  const map = `${file}.map`;
  const { code, map: shrunk } = await minify(readFileSync(file, "utf8"), {
    module: true,
    compress: { passes: ROUNDS },
    sourceMap: { content: readFileSync(map, "utf8"), url: path.basename(map) },
  });
  writeFileSync(file, code!);
  writeFileSync(map, shrunk as string);
}
