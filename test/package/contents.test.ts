/** What is in the package: no document with a link to nothing, types without other packages, nothing to install. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, test } from "vitest";
import { inRoot, run } from "../../scripts/release/artefact.ts";
import { deadLinks } from "../../scripts/release/npm-links.ts";
import { documentsIn } from "../../scripts/release/npm-tree.ts";
import { complaintsOfCompiler } from "./compiler.ts";

const folder = inject("userFolder");
const installed = join(folder, "node_modules/@stint-dev/stint");

test("the package has its README, and no document with a dead link", () => {
  const paths = new Set(globSync("**/*", { cwd: installed }));
  const documents = documentsIn(installed);
  expect(documents.get("README.md")).toMatch(/^# Stint for JavaScript\n/);
  expect([...documents.keys()].toSorted()).toEqual([
    "README.md",
    "docs/account.md",
    "docs/cluster.md",
    "docs/decisions.md",
    "docs/forecast.md",
    "docs/json.md",
    "docs/lint.md",
    "docs/testing-jobs.md",
  ]);
  expect([...documents].flatMap(([path, text]) => deadLinks(path, text, paths))).toEqual([]);
});

test("the package brings no other package along", () => {
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages)).toEqual(["", "node_modules/@stint-dev/stint"]);
});

test("the package lists its programs", () => {
  const { version } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
  for (const name of ["stint", "kubectl-stint"]) {
    const said = run(`node_modules/.bin/${name}`, ["--version", "--output", "json"], { cwd: folder });
    expect(JSON.parse(said)).toMatchObject({ stint: version });
  }
});

test("the package plays incidents", () => {
  const out = run("node_modules/.bin/stint", ["incident", "memory-limit"], { cwd: folder });
  expect(out).toContain("cause:   OutOfMemory");
});

test("the package has the schema of what its programs print", () => {
  const printed = run("node_modules/.bin/stint", ["schema"], { cwd: folder });
  const program = `console.log(import.meta.resolve("@stint-dev/stint/schema.json"))`;
  const file = run("node", ["--input-type=module", "--eval", program], { cwd: folder }).trim();
  expect(readFileSync(fileURLToPath(file), "utf8")).toBe(printed);
});

test("the package serves agents, with the pages of codes", () => {
  const call = { name: "explain", arguments: { code: "NoDeadline" } };
  const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  const { stdout } = spawnSync("node_modules/.bin/stint", ["mcp"], { cwd: folder, input, encoding: "utf8" });
  expect(JSON.parse(stdout).result.content[0].text).toMatch(/^NoDeadline\n\n/);
});

describe("types", () => {
  const PORTABLE = `import { Engine, type EngineRequest, LintCode, type Transport } from "@stint-dev/stint";
    import { Cluster, type ContainerRuntime, VirtualClock } from "@stint-dev/stint/cluster";
    export const requests = (engine: Engine): readonly EngineRequest[] => engine.poll(0, 10).requests;
    export const code: string = LintCode.NoDeadline;
    export const clock: VirtualClock = new VirtualClock(0);
    export const transport = (cluster: Cluster): Transport => cluster.transport;
    export const name = (runtime: ContainerRuntime): string => runtime.name;
    // @ts-expect-error a clock takes milliseconds
    new VirtualClock("now");`;
  const OF_NODE = `import { connect, type Connection, JobController, RealClock } from "@stint-dev/stint/node";
    export const connection: Connection = connect({ clock: new RealClock(), environment: process.env });
    export const restarts = (controller: JobController): number => controller.restarts;`;

  const OF_TESTING = `import { type JobMatchers, matchers, startCluster, type TestCluster } from "@stint-dev/stint/testing";
    export const start = (): Promise<TestCluster> => startCluster({ clock: "virtual", nodes: 2 });
    class BatchApi { constructor(readonly configuration: object) {} }
    export const batch = (cluster: TestCluster): BatchApi => cluster.client(BatchApi);
    export const fail = async (cluster: TestCluster): Promise<string> =>
      (await cluster.pods("job/pi").fail({ exitCode: 3, index: 2 })).map(({ name }) => name).join();
    export const judge = (expect: { extend(all: object): (job: string) => JobMatchers<void> }): void =>
      expect.extend(matchers)("pi").toHaveFailed({ reason: "BackoffLimitExceeded" });
    // @ts-expect-error a duration is a text or a number
    startCluster().then((cluster) => cluster.advance({}));`;

  const complaints = (source: string, lib: readonly string[], types: readonly string[]): string =>
    complaintsOfCompiler(folder, source, lib, types);

  test("of the engine and the cluster need no types of Node", () => {
    expect(complaints(PORTABLE, ["es2024", "dom"], [])).toBe("");
  });

  test("of the parts for Node need those of Node alone", () => {
    expect(complaints(OF_NODE, ["es2024", "dom"], ["node"])).toBe("");
    expect(complaints(OF_TESTING, ["es2024", "dom"], ["node"])).toBe("");
  });

  test("find mistakes", () => {
    expect(complaints(PORTABLE.replace("LintCode.NoDeadline", "1"), ["es2024", "dom"], [])).toContain("user.ts(4");
  });
});
