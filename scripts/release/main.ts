/**
 * `npm run release`: makes everything that a release publishes, and tries each in an empty folder as a user would.
 *
 * Invariant: it publishes nothing and changes nothing in the repository: the workflow of a tag uploads what it made.
 * What was made stays in the folder only if every part of it works.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, existsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Artefact, inRoot, type Release, run } from "./artefact.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { chart } from "./chart.ts";
import { executables } from "./executables.ts";
import { goModule } from "./go.ts";
import { imageContext } from "./image.ts";
import { npmPackage } from "./npm.ts";
import { pythonPackage } from "./python.ts";
import { checkTag, commonVersion, releaseNotes, type VersionPlace } from "./versions.ts";

const ARTEFACTS: readonly Artefact[] = [
  npmPackage,
  pythonPackage,
  goModule,
  chart,
  imageContext,
  executables,
  billOfMaterials,
];
const INTERRUPTS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const CHECKSUMS = "SHA256SUMS";
const NOTES = "NOTES.md";

const HELP = `Makes all artefacts of a release, and tries each in an empty folder.

Usage: npm run release -- [--dry-run] [--out DIR] [--tag TAG] [--repository URL]

  --out DIR         takes the artefacts; must not exist yet (default: build/release)
  --tag TAG         the tag of this release; it must be that of the version
  --repository URL  where this repository is: links in the npm package lead there,
                    and its provenance names it (default: nowhere)
  --dry-run         for a version that is not ready: takes the section [Unreleased]
                    of CHANGELOG.md, and a tree with changes that are not committed
  --help            this text

It publishes nothing. It needs Go and Python beside Node, and the registries.
`;

const places = (): readonly VersionPlace[] =>
  (
    [
      ["package.json", /"version": "([^"]+)"/],
      ["bindings/python/src/stint/__init__.py", /^__version__ = "([^"]+)"/m],
      ["deploy/chart/Chart.yaml", /^version: (\S+)$/m],
      ["deploy/chart/Chart.yaml", /^appVersion: (\S+)$/m],
    ] as const
  ).map(([file, pattern]) => ({ file, pattern, text: readFileSync(inRoot(file), "utf8") }));

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean", default: false },
      out: { type: "string", default: inRoot("build/release") },
      tag: { type: "string" },
      repository: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return void process.stdout.write(HELP);
  const out = resolve(values.out);
  if (existsSync(out)) throw new Error(`${out} exists; remove it, or name another folder with --out`);
  const { repository } = values;
  if (repository !== undefined && !/^https:\/\/[^\s?#]+[^\s?#/]$/.test(repository))
    throw new Error(
      `--repository is ${repository}; allowed is an address without / at its end: https://example.com/stint`,
    );
  const version = commonVersion(places());
  if (values.tag !== undefined) checkTag(values.tag, version);
  const isDry = values["dry-run"];
  const notes = releaseNotes(readFileSync(inRoot("CHANGELOG.md"), "utf8"), isDry ? "Unreleased" : version);
  const changes = run("git", ["status", "--porcelain"]).trim();
  if (!isDry && changes !== "") throw new Error(`commit these changes first, or give --dry-run:\n${changes}`);

  // Without a listener such a signal would end this process before the folder is removed.
  let isInterrupted = false;
  for (const signal of INTERRUPTS) process.on(signal, () => (isInterrupted = true));
  const scratch = mkdtempSync(join(tmpdir(), "stint-release-"));
  try {
    const release: Release = { version, repository, out: join(scratch, "out"), scratch };
    mkdirSync(release.out);
    const files: string[] = [];
    for (const [at, artefact] of ARTEFACTS.entries()) {
      files.push(...(await produce(artefact, release, at)));
      await turn(); // A signal is reported now.
      if (isInterrupted) throw new Error("interrupted; nothing was made");
    }
    writeFileSync(join(release.out, NOTES), notes);
    writeFileSync(
      join(release.out, CHECKSUMS),
      files.map((file) => `${sha256(join(release.out, file))}  ${file}\n`).join(""),
    );
    mkdirSync(resolve(out, ".."), { recursive: true });
    run("cp", ["-R", release.out, `${out}.part`]);
    renameSync(`${out}.part`, out);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(`version ${version}${isDry ? ", a dry run" : ""}: ${relative(process.cwd(), out)}/ has all of it`);
}

/** Makes and tries an artefact, and prints a line about it. @returns its files */
async function produce(artefact: Artefact, release: Release, at: number): Promise<readonly string[]> {
  const count = `${at + 1} of ${ARTEFACTS.length}`;
  try {
    const files = await artefact.make(release);
    const folder = join(release.scratch, `try-${at}`);
    mkdirSync(folder);
    const tried = await artefact.tryOut(release, folder);
    for (const file of files) console.log(`${count}  ${file}  ${statSync(join(release.out, file)).size} bytes`);
    console.log(`        ${tried}`);
    return files;
  } catch (error) {
    throw new Error(`${artefact.name}: ${(error as Error).message}`, { cause: error });
  }
}

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
