/** The package for Node and browsers: the command `stint`, the bindings, the cluster. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artefact, expectText, inRoot, type Release, run, npm } from "./artefact.ts";
import { NAMES, npmTarball } from "./names.ts";
import { writeNpmTree } from "./npm-tree.ts";

const tarball = ({ version }: Release): string => npmTarball(version);

const PROGRAM = `
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
const parts = ["", "/cluster", "/node"].map((part) => "${NAMES.npm}" + part);
const [{ Engine }] = await Promise.all(parts.map((part) => import(part)));
const bytes = readFileSync(fileURLToPath(import.meta.resolve("${NAMES.npm}/engine.wasm")));
const engine = await Engine.create(bytes);
console.log("jobs", engine.metrics().jobs);
`;

export const npmPackage: Artefact = {
  name: "npm package",
  async make(release) {
    const folder = join(release.scratch, "npm-package");
    writeNpmTree(folder, release.repository);
    npm(["pack", "--pack-destination", release.out], { cwd: folder });
    return [tarball(release)];
  },
  async tryOut(release, folder) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
    npm(["install", "--no-audit", "--no-fund", join(release.out, tarball(release))], { cwd: folder });
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    expectText("the program", run("node", ["program.mjs"], { cwd: folder }), "jobs 0");
    const hello = inRoot("examples/hello.yaml");
    const ran = run("node_modules/.bin/stint", ["run", "--runtime", "simulated", hello], { cwd: folder });
    expectText("stint run", ran, "exit status 0");
    return "stint ran a Job, and a program imported all of its parts";
  },
};
