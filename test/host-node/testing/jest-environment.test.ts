/** What an environment of jest receives, and what the tests in it leave behind. test/package/jest.test.ts has jest. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect as ofJest } from "expect";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { withReports } from "../../../host-node/testing/jest-environment.ts";
import { startCluster } from "../../../host-node/testing/index.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

/** As jest-environment-node, as far as it matters: here the tests have the global object of this file. */
class Plain {
  readonly global = globalThis;
  readonly seen: string[] = [];

  handleTestEvent({ name }: { readonly name: string; readonly test?: object }, _state: unknown): void {
    this.seen.push(name);
  }
}

const folder = mkdtempSync(join(tmpdir(), "stint-jest-"));
const environment = new (withReports(Plain))();
const root = { name: "ROOT_DESCRIBE_BLOCK" };
const parent = { name: "reports", parent: root };

beforeAll(async () => {
  await buildModule("engine");
  vi.stubEnv("STINT_RECORDINGS", folder);
  vi.stubGlobal("expect", ofJest);
  await import("../../../host-node/testing/jest.ts");
});
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A test starts a cluster, ends it, and fails with these errors. @returns what it has printed */
async function run(name: string, ...errors: Error[]): Promise<string> {
  const print = vi.spyOn(console, "error").mockImplementation(() => {});
  const cluster = await startCluster();
  await cluster.stop();
  await environment.handleTestEvent({ name: "test_done", test: { name, errors, parent } }, {});
  const printed = print.mock.calls.join("\n");
  print.mockRestore();
  return printed;
}

test("a test that fails leaves its recording, by its name", async () => {
  expect(await run("fail", new Error("1 is not 2"))).toMatch(
    /^the cluster of the failed test "reports fail", at .*\n {2}0 Jobs, and none has failed or is unfinished\nrecording: .*reports-fail\.stint\.jsonl\n/,
  );
  expect(readdirSync(folder)).toEqual(["reports-fail.stint.jsonl"]);
});

test("a test that passes leaves nothing, and its cluster is of no later test", async () => {
  expect(await run("passes")).toBe("");
  expect((await run("fails next", new Error("no"))).match(/the cluster of the failed test/g)).toHaveLength(1);
});

test("what the environment does itself is done, too", async () => {
  await environment.handleTestEvent({ name: "setup" }, {});
  expect(environment.seen.at(-1)).toBe("setup");
});
