/**
 * Before the tests of the package: packs it, and installs it in an empty folder as a user does, with the programs of
 * its documents beside it, so that what they say is what is run.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { inRoot, npm } from "../../scripts/release/artefact.ts";
import { npmTarball } from "../../scripts/release/names.ts";
import { writeNpmTree } from "../../scripts/release/npm-tree.ts";
import { findOrFetch } from "./runtimes.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Has node_modules/@stint-dev/stint, and the programs. */
    readonly userFolder: string;
  }
}

/** One index fails once: a retry, and its back-off on virtual time. */
const JOB = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "three", namespace: "default" },
  spec: {
    completions: 3,
    completionMode: "Indexed",
    template: {
      metadata: { annotations: { "stint.dev/simulate": JSON.stringify({ byIndex: { 1: { exitCodes: [1, 0] } } }) } },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] },
    },
  },
};

/** What every platform does with the engine. */
const PROGRAM = `
import { advise, review } from "./readme.mjs";
import { runJob } from "./cluster.mjs";
import { Engine } from "@stint-dev/stint";

const job = ${JSON.stringify(JOB)};

export async function program(engineModule) {
  const refused = review(await Engine.create(engineModule), { ...job, spec: { ...job.spec, parallelism: -1 } });
  const { status } = await runJob(engineModule, job);
  return JSON.stringify({
    refused: refused.status.message,
    advice: (await advise(engineModule, job)).map((line) => line.split(/[:.]/)[0]),
    end: status.conditions.at(-1).type,
    succeeded: status.succeeded,
    failed: status.failed,
  });
}
`;

/** @returns the only fence of this language in a document. @throws Error when there is none, or another one */
function programIn(document: string): string {
  const fences = [...readFileSync(inRoot(document), "utf8").matchAll(/^```js\n([\s\S]*?)^```/gm)];
  if (fences.length !== 1) throw new Error(`${document} has ${fences.length} programs; it should have one`);
  return fences[0]![1]!;
}

export default function install(project: TestProject): () => void {
  const scratch = mkdtempSync(join(tmpdir(), "stint-package-"));
  const tree = join(scratch, "tree");
  const folder = join(scratch, "user");
  writeNpmTree(tree, undefined);
  npm(["pack", "--pack-destination", scratch], { cwd: tree });
  const { version } = JSON.parse(readFileSync(join(tree, "package.json"), "utf8")) as { readonly version: string };
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", join(scratch, npmTarball(version))], { cwd: folder });
  writeFileSync(join(folder, "readme.mjs"), programIn("bindings/js/README.md"));
  writeFileSync(join(folder, "cluster.mjs"), programIn("docs/cluster.md"));
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
  // Now, so that no two tests fetch them at once.
  for (const runtime of ["deno", "bun"] as const) findOrFetch(runtime);
  project.provide("userFolder", folder);
  return () => rmSync(scratch, { recursive: true, force: true });
}
