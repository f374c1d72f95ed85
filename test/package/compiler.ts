/** What the compiler says of a program of a user. It looks into the types of packages, too. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRoot, run } from "../../scripts/release/artefact.ts";

/** @param folder has the packages @param types are those of the repository @returns nothing when all is well */
export function complaintsOfCompiler(
  folder: string,
  source: string,
  lib: readonly string[],
  types: readonly string[],
): string {
  writeFileSync(join(folder, "user.ts"), source);
  // These alone: a package finds the others beside itself.
  const typeRoot = join(folder, "types");
  rmSync(typeRoot, { recursive: true, force: true });
  mkdirSync(typeRoot);
  for (const name of types) symlinkSync(inRoot(`node_modules/@types/${name}`), join(typeRoot, name));
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    lib,
    types,
    typeRoots: [typeRoot],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["user.ts"] }));
  try {
    return run(inRoot("node_modules/.bin/tsc"), ["-p", "tsconfig.json"], { cwd: folder });
  } catch (error) {
    return (error as Error).message;
  }
}
