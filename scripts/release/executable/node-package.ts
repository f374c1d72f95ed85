/** Files of the Node of a platform, from its npm package. Of a package that is installed only the program is left. */
import { copyFileSync, existsSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { inRoot, npm, run } from "../artefact.ts";
import type { Platform } from "./platforms.ts";

/**
 * A file of the Node that has the version of this one. It is fetched once, and kept in build/.
 * @param file its path in the package
 * @param folder takes what is fetched
 */
export function fileOfNode(platform: Platform, file: "bin/node" | "LICENSE", folder: string): string {
  const version = process.versions.node;
  const name = `node-${platform}`;
  const kept = inRoot("build", `${name}-${version}-${basename(file)}`);
  if (existsSync(kept)) return kept;
  npm(["pack", `${name}@${version}`, "--pack-destination", folder]);
  run("tar", ["-xzf", join(folder, `${name}-${version}.tgz`), "-C", folder, `package/${file}`]);
  // The folder may be on another file system, and what is kept is whole.
  copyFileSync(join(folder, "package", file), `${kept}.part`);
  renameSync(`${kept}.part`, kept);
  return kept;
}
