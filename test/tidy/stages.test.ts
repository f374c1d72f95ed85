/**
 * Tests that need kubectl, bubblewrap or Chromium are skipped where these are missing, but not in `.ci/run`: each of
 * them is run by a stage after the line that requires the tools. Leaves out test/kubernetes and test/package, which
 * have stages of their own.
 */
import { expect, test } from "vitest";
import { files, importsOf, read } from "./sources.ts";

/** The helpers that skip, and the variable that forbids it. */
const SKIPS: Readonly<Record<string, string>> = {
  "test/host-node/kubectl.ts": "STINT_REQUIRE_KUBECTL",
  "test/host-node/runtime/bubblewrap-here.ts": "STINT_REQUIRE_BUBBLEWRAP",
  "test/host-node/runtime/control-groups/control-groups-here.ts": "STINT_REQUIRE_CONTROL_GROUPS",
  "test/host-browser/browser/chromium.ts": "STINT_REQUIRE_CHROMIUM",
};
const ci = read(".ci/run");

/** What the stages after the line that sets the variable hand to vitest: parts of the paths of tests. */
function requiredBy(variable: string, script: string): string[] {
  const after = script.slice(script.search(new RegExp(`^ *export .*\\b${variable}=1`, "m")));
  const commands = after.replaceAll("\\\n", " ").split("\n");
  return commands.flatMap((line) => line.split("vitest.mjs run ")[1]?.split(" ").filter(Boolean) ?? []);
}

/** The helpers of `SKIPS` that a file imports, by itself or through others. */
function skipsOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const targets = importsOf(file).flatMap(({ target, isTypeOnly }) =>
    target?.startsWith("test/") && !isTypeOnly && files.includes(target) ? [target] : [],
  );
  return [...targets.filter((target) => target in SKIPS), ...targets.flatMap((target) => skipsOf(target, seen))];
}

function unrequired(script: string): string[] {
  const tests = files.filter((file) => file.endsWith(".test.ts") && !/^test\/(kubernetes|package)\//.test(file));
  return tests.flatMap((file) =>
    [...new Set(skipsOf(file))]
      .filter((helper) => !requiredBy(SKIPS[helper]!, script).some((part) => file.includes(part)))
      .map((helper) => `${file} may be skipped: no stage of .ci/run with ${SKIPS[helper]} runs it`),
  );
}

test("the helpers that skip are found through other helpers", () => {
  expect(skipsOf("test/host-node/kubectl.test.ts")).toContain("test/host-node/kubectl.ts");
  expect(skipsOf("test/host-node/runtime/red-team/attempts.ts")).toContain("test/host-node/runtime/bubblewrap-here.ts");
});

test("every test that may be skipped is run where it must not be", () => {
  expect(unrequired(ci)).toEqual([]);
});

test("the rule catches a test that a stage forgot, and a stage before the variable is set", () => {
  expect(unrequired(ci.replace("test/host-node/access.test.ts", ""))).toEqual([
    "test/host-node/access.test.ts may be skipped: no stage of .ci/run with STINT_REQUIRE_KUBECTL runs it",
  ]);
  const early = `stage "a" 1 vitest.mjs run test/host-node\nexport STINT_REQUIRE_KUBECTL=1\n`;
  expect(requiredBy("STINT_REQUIRE_KUBECTL", early)).toEqual([]);
});
