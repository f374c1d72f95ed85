/**
 * The command as one file for each platform, which needs no Node, in archives with the licences; and the manifest by
 * which krew installs it as `kubectl stint`.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artefact, expectText, inRoot, type Release, run } from "./artefact.ts";
import { EmptyRoot } from "./executable/empty-root.ts";
import { fileOfNode } from "./executable/node-package.ts";
import { executableName, makeExecutableArgs, ownPlatform, type Platform, PLATFORMS } from "./executable/platforms.ts";
import { NAMES } from "./names.ts";

const KREW_TEMPLATE = "deploy/krew/stint.yaml";
const archive = (platform: Platform, version: string): string => `stint-${version}-${platform}.tar.gz`;
const krewManifestName = (version: string): string => `krew-${version}.yaml`;

/** @param sha256 of the archive of a platform */
export function krewManifest(template: string, version: string, sha256: (platform: Platform) => string): string {
  return PLATFORMS.reduce(
    (text, platform) =>
      text
        .replace(`URI-${platform}`, `${NAMES.repository}/releases/download/v${version}/${archive(platform, version)}`)
        .replace(`SHA256-${platform}`, sha256(platform)),
    template.replace("VERSION", version),
  );
}

function makeArchive(platform: Platform, release: Release): string {
  const folder = join(release.scratch, executableName(platform));
  mkdirSync(folder);
  const scratch = join(release.scratch, `${executableName(platform)}-parts`);
  run(process.execPath, makeExecutableArgs(platform, scratch, join(folder, "stint")));
  for (const file of ["LICENSE", "NOTICE"]) copyFileSync(inRoot(file), join(folder, file));
  // It has the licences of all that is in Node, and is the same for each platform.
  copyFileSync(fileOfNode(PLATFORMS[0], "LICENSE", release.scratch), join(folder, "LICENSE.node"));
  const name = archive(platform, release.version);
  const options = ["--owner=0", "--group=0", "--sort=name"];
  run("tar", ["-czf", join(release.out, name), ...options, "-C", folder, "."]);
  return name;
}

export const executables: Artefact = {
  name: "executables",
  async make(release) {
    const archives = PLATFORMS.map((platform) => makeArchive(platform, release));
    const sha256 = (platform: Platform): string =>
      createHash("sha256")
        .update(readFileSync(join(release.out, archive(platform, release.version))))
        .digest("hex");
    const manifest = krewManifest(readFileSync(inRoot(KREW_TEMPLATE), "utf8"), release.version, sha256);
    writeFileSync(join(release.out, krewManifestName(release.version)), manifest);
    return [...archives, krewManifestName(release.version)];
  },
  async tryOut(release, folder) {
    const own = ownPlatform();
    if (own === undefined) return "none was tried: they run on Linux";
    run("tar", ["-xzf", join(release.out, archive(own, release.version)), "-C", folder]);
    const rootFolder = join(folder, "root");
    mkdirSync(rootFolder);
    const root = new EmptyRoot(join(folder, "stint"), rootFolder);
    copyFileSync(inRoot("examples/hello.yaml"), join(rootFolder, "hello.yaml"));
    expectText("the executable", root.stint("version"), release.version);
    expectText("stint run", root.stint("run", "--runtime", "simulated", "/hello.yaml"), "exit status 0");
    expectText("stint lint", root.stint("lint", "/hello.yaml"), "1 Job");
    expectText("stint explain", root.stint("explain", "Backoff"), "Backoff");
    const others = PLATFORMS.filter((platform) => platform !== own).join(", ");
    return `that of ${own} ran in an empty root with ${root.libraries.length} libraries; not tried: ${others}`;
  },
};
