/** What was once wrong in Kubernetes, planted into cluster/: the tests of its number fail, and no others there. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { CLUSTER_PLANTS, type ClusterPlant } from "./plants.ts";

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: "passed" | "failed" }[];
  }[];
}

const root = path.resolve(import.meta.dirname, "../..");
const VITEST = path.join(root, "node_modules/vitest/vitest.mjs");

function resultsWith({ was }: ClusterPlant): Report["testResults"][number]["assertionResults"] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [VITEST, "run", "--config", path.join(import.meta.dirname, "vitest.config.ts"), "--mode", was],
    { cwd: root, encoding: "utf8" },
  );
  if (!stdout.startsWith("{")) throw new Error(`vitest printed no report: ${stdout}${stderr}`);
  return (JSON.parse(stdout) as Report).testResults.flatMap(({ assertionResults }) => assertionResults);
}

test.each(CLUSTER_PLANTS)("$was", (plant) => {
  const results = resultsWith(plant);
  const meant = plant.tests.map((start) => results.filter(({ fullName }) => fullName.startsWith(start)));
  expect(meant.map((found) => found.length)).not.toContain(0);
  const failed = results.filter(({ status }) => status === "failed");
  expect(failed.map(({ fullName }) => fullName)).toEqual(meant.flat().map(({ fullName }) => fullName));
});
