/**
 * What the package for Node contains of other packages, as CycloneDX: those whose files are in its bundles, which is
 * fewer than it depends on. `npm sbom` goes by the lock file, and leaves out what a development dependency needs too.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artefact, inRoot, type Release } from "./artefact.ts";
import { NAMES } from "./names.ts";

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The folder of the package that a file belongs to: `node_modules/a/node_modules/@scope/b`. */
const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const fileName = ({ version }: Release): string => `stint-${version}.cdx.json`;

/** The folders of the packages that the files belong to, each once. */
export function packageFolders(files: readonly string[]): readonly string[] {
  return [...new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file) ?? []))].toSorted();
}

/** https://cyclonedx.org/docs/1.6/json/ */
export function cycloneDX(version: string, packages: readonly Package[]): object {
  const component = ({ name, version, license }: Package): object => ({
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { ...component({ name: NAMES.npm, version, license: "Apache-2.0" }), type: "application" } },
    components: packages.map(component),
  };
}

export const billOfMaterials: Artefact = {
  name: "SBOM",
  async make(release) {
    const files = JSON.parse(readFileSync(inRoot("build/bundled.json"), "utf8")) as readonly string[];
    const packages = packageFolders(files).map(
      (folder) => JSON.parse(readFileSync(inRoot(folder, "package.json"), "utf8")) as Package,
    );
    const text = `${JSON.stringify(cycloneDX(release.version, packages), null, 2)}\n`;
    writeFileSync(join(release.out, fileName(release)), text);
    return [fileName(release)];
  },
  async tryOut(release) {
    const { components } = JSON.parse(readFileSync(join(release.out, fileName(release)), "utf8")) as {
      readonly components: readonly Package[];
    };
    const names = components.map(({ name }) => name);
    for (const name of ["@kubernetes/client-node", "commander", "undici", "yaml"])
      if (!names.includes(name)) throw new Error(`the SBOM does not name ${name}, which the package contains`);
    return `it names ${names.length} packages`;
  },
};
