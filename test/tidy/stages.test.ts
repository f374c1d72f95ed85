/**
 * Tests that need kubectl, bubblewrap or Chromium are skipped where these are missing, and searches try a part, but not
 * in `.ci/run`: each of them is run by a stage whose variable makes a skipped one fail, or a search try all. Leaves out
 * test/kubernetes and test/package, which have stages of their own.
 */
import { expect, test } from "vitest";
import { type CiStage, stagesOn } from "../../scripts/ci/stages.ts";
import { files, importsOf } from "./sources.ts";

/** The helpers that skip or shorten, and the variable that forbids it. */
const SKIPS: Readonly<Record<string, string>> = {
  "test/host-node/kubectl.ts": "STINT_REQUIRE_KUBECTL",
  "test/host-node/runtime/bubblewrap-here.ts": "STINT_REQUIRE_BUBBLEWRAP",
  "test/host-node/runtime/control-groups/control-groups-here.ts": "STINT_REQUIRE_CONTROL_GROUPS",
  "test/host-browser/browser/chromium.ts": "STINT_REQUIRE_CHROMIUM",
  "test/tries.ts": "STINT_REQUIRE_ALL_TRIES",
};
const ALL_TESTS = "test/";
const stages = stagesOn({ isRoot: true, hasControlGroups: true }).flat();

/** Parts of the paths of tests that a stage hands to vitest; all, if it hands none. Undefined: it runs none of them. */
function testsOf({ command }: CiStage): readonly string[] | undefined {
  if (command[0] !== "npm" || command[1] !== "test") return undefined;
  return command.length === 2 ? [ALL_TESTS] : command.slice(3);
}

function requiredBy(variable: string, list: readonly CiStage[]): readonly string[] {
  return list.filter(({ env = {} }) => env[variable] === "1").flatMap((stage) => testsOf(stage) ?? []);
}

/** The helpers of `SKIPS` that a file imports, by itself or through others. */
function skipsOf(file: string): readonly string[] {
  let skips = known.get(file);
  if (skips === undefined) known.set(file, (skips = findSkips(file, new Set())));
  return skips;
}

const known = new Map<string, readonly string[]>();

function findSkips(file: string, seen: Set<string>): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const targets = importsOf(file).flatMap(({ target, isTypeOnly }) =>
    target?.startsWith("test/") && !isTypeOnly && files.includes(target) ? [target] : [],
  );
  return [...targets.filter((target) => target in SKIPS), ...targets.flatMap((target) => findSkips(target, seen))];
}

function unrequired(list: readonly CiStage[]): string[] {
  const tests = files.filter((file) => file.endsWith(".test.ts") && !/^test\/(kubernetes|package)\//.test(file));
  return tests.flatMap((file) =>
    [...new Set(skipsOf(file))]
      .filter((helper) => !requiredBy(SKIPS[helper]!, list).some((part) => file.includes(part)))
      .map((helper) => `${file} may be skipped: no stage of CI with ${SKIPS[helper]} runs it`),
  );
}

test("the helpers that skip are found through other helpers", () => {
  expect(skipsOf("test/host-node/kubectl.test.ts")).toContain("test/host-node/kubectl.ts");
  expect(skipsOf("test/host-node/runtime/red-team/attempts.ts")).toContain("test/host-node/runtime/bubblewrap-here.ts");
});

test("every test that may be skipped is run where it must not be", () => {
  expect(unrequired(stages)).toEqual([]);
});

test("the rule catches a test that a stage forgot, and a stage that lets tests be skipped", () => {
  const changed = (name: string, change: Partial<CiStage>): CiStage[] =>
    stages.map((stage) => (stage.name === name ? { ...stage, ...change } : stage));
  const forgetful = changed("tests with Chromium", { command: ["npm", "test", "--", "test/host-browser/browser/a"] });
  expect(unrequired(forgetful)).toContain(
    "test/host-browser/browser/looks.test.ts may be skipped: no stage of CI with STINT_REQUIRE_CHROMIUM runs it",
  );
  expect(unrequired(changed("npm test", { env: {} }))).toContain(
    "test/host-node/access.test.ts may be skipped: no stage of CI with STINT_REQUIRE_KUBECTL runs it",
  );
});

test("each stage of CI has a unique name, and a limit", () => {
  const names = stages.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(stages.filter(({ limitSeconds }) => !(limitSeconds > 0))).toEqual([]);
});

test("a machine without root or control groups leaves out what it cannot do", () => {
  const here = stagesOn({ isRoot: false, hasControlGroups: false }).flat();
  expect(here.map(({ name }) => name)).toEqual(
    stages.map(({ name }) => name).filter((name) => name !== "tests on Docker and Podman"),
  );
  expect(here.filter(({ env = {} }) => "STINT_REQUIRE_CONTROL_GROUPS" in env)).toEqual([]);
});
