/** The build context of the image: deploy/Dockerfile, and what it copies from the repository. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { VersionReport } from "../../host-node/cli/version/document.ts";
import { type Artefact, inRoot, type Release, run, npm } from "./artefact.ts";

const DOCKERFILE = "deploy/Dockerfile";
const archive = ({ version }: Release): string => `image-context-${version}.tar.gz`;

/** The paths that the Dockerfile copies from its context. */
export function copiedPaths(dockerfile: string): readonly string[] {
  return [...dockerfile.matchAll(/^COPY (?!--from=)(.+)$/gm)].flatMap(([, paths]) => paths!.split(" ").slice(0, -1));
}

export const imageContext: Artefact = {
  name: "image context",
  async make(release) {
    const paths = [DOCKERFILE, ...copiedPaths(readFileSync(inRoot(DOCKERFILE), "utf8"))];
    run("git", ["archive", "--format=tar.gz", "--output", join(release.out, archive(release)), "HEAD", ...paths]);
    return [archive(release)];
  },
  async tryOut(release, folder) {
    run("tar", ["-xzf", join(release.out, archive(release)), "-C", folder]);
    const dockerfile = readFileSync(join(folder, DOCKERFILE), "utf8");
    const missing = copiedPaths(dockerfile).filter((path) => !existsSync(join(folder, path)));
    if (missing.length > 0) throw new Error(`the context lacks ${missing.join(", ")}, which ${DOCKERFILE} copies`);
    npm(["ci", "--no-audit", "--no-fund"], { cwd: folder });
    npm(["run", "build"], { cwd: folder });
    const said = run("node", ["dist/stint.mjs", "version", "--output", "json"], { cwd: folder });
    const { stint } = JSON.parse(said) as VersionReport;
    if (stint !== release.version) throw new Error(`the command in it says version ${stint}`);
    return "the steps of its first stage were taken by hand, for want of Docker";
  },
};
