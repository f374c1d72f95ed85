/**
 * Which test runs in which stage of CI. Tests that need kubectl, bubblewrap or Chromium are skipped where these are
 * missing, and searches try a part, but not in `.ci/run`: each of them is run by a stage whose variable makes a skipped
 * one fail, or a search try all. Leaves out test/engines, test/kubernetes and test/package, which have separate stages.
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
/** They use a helper that can start `stint`, but start nothing: the text of a transcript, the names of sides. */
const STARTING_NOTHING = ["test/host-node/cli/transcripts/transcript.test.ts", "test/parity/scenarios.test.ts"];
const stages = stagesOn({ isRoot: true, hasControlGroups: true });

/** Whether a stage that runs `npm test`, `npm run test:e2e` or `npm run test:long` runs this test. */
function runs({ command }: CiStage, file: string): boolean {
  const [script, ...given] = command.slice(1).filter((word) => word !== "run" && word !== "--");
  const kind = /\.(e2e|long)\.test\.ts$/.exec(file)?.[1];
  if (command[0] !== "npm" || script !== (kind === undefined ? "test" : `test:${kind}`)) return false;
  return given.length === 0 || given.some((part) => file.includes(part));
}

const tests = files.filter((file) => file.endsWith(".test.ts") && !/^test\/(engines|kubernetes|package)\//.test(file));

/** The files of `test/` that a file imports, directly or through others. */
function helpersOf(file: string): ReadonlySet<string> {
  let helpers = known.get(file);
  if (helpers === undefined) {
    known.set(file, (helpers = new Set()));
    collectHelpers(file, helpers);
  }
  return helpers;
}

const known = new Map<string, Set<string>>();

function collectHelpers(file: string, into: Set<string>): void {
  for (const { target, isTypeOnly } of importsOf(file)) {
    if (target === undefined || isTypeOnly || !files.includes(target) || into.has(target)) continue;
    if (!target.startsWith("test/")) continue;
    into.add(target);
    collectHelpers(target, into);
  }
}

/** The helpers of `SKIPS` among them. */
function skipsOf(file: string): readonly string[] {
  return Object.keys(SKIPS).filter((helper) => helpersOf(file).has(helper));
}

function unrequired(list: readonly CiStage[]): string[] {
  return tests.flatMap((file) =>
    skipsOf(file)
      .filter((helper) => !list.some((stage) => stage.env?.[SKIPS[helper]!] === "1" && runs(stage, file)))
      .map((helper) => `${file} may be skipped: no stage of CI with ${SKIPS[helper]} runs it`),
  );
}

test("the helpers that skip are found through other helpers", () => {
  expect(skipsOf("test/host-node/kubectl.e2e.test.ts")).toContain("test/host-node/kubectl.ts");
  expect(skipsOf("test/host-node/runtime/red-team/attempts.ts")).toContain("test/host-node/runtime/bubblewrap-here.ts");
});

test("short tests start no `stint`: those that do are end-to-end tests", () => {
  const starters = tests.filter((file) => helpersOf(file).has("test/host-node/serving.ts"));
  expect(starters).toContain("test/host-node/cli/transcripts/transcripts.e2e.test.ts");
  expect(starters.filter((file) => !file.endsWith(".e2e.test.ts"))).toEqual(STARTING_NOTHING);
});

test("every test that may be skipped is run where it must not be", () => {
  expect(unrequired(stages)).toEqual([]);
});

test("the rule catches a test that a stage forgot, and a stage that lets tests be skipped", () => {
  const changed = (name: string, change: Partial<CiStage>): CiStage[] =>
    stages.map((stage) => (stage.name === name ? { ...stage, ...change } : stage));
  const forgetful = changed("tests with Chromium", {
    command: ["npm", "run", "test:e2e", "--", "test/host-browser/browser/a"],
  });
  expect(unrequired(forgetful)).toContain(
    "test/host-browser/browser/looks.e2e.test.ts may be skipped: no stage of CI with STINT_REQUIRE_CHROMIUM runs it",
  );
  expect(unrequired(changed("end-to-end tests", { env: {} }))).toContain(
    "test/host-node/access.e2e.test.ts may be skipped: no stage of CI with STINT_REQUIRE_KUBECTL runs it",
  );
});

test("each stage of CI has a unique name, a limit and a share of the processors, and comes after those it needs", () => {
  const names = stages.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(stages.filter(({ limitSeconds, cores }) => !(limitSeconds > 0 && cores > 0))).toEqual([]);
  const unplaced = stages.filter(({ after = [] }, at) => after.some((name) => !names.slice(0, at).includes(name)));
  expect(unplaced).toEqual([]);
});

test("a machine without root or control groups leaves out what it cannot do", () => {
  const here = stagesOn({ isRoot: false, hasControlGroups: false });
  expect(here.map(({ name }) => name)).toEqual(
    stages.map(({ name }) => name).filter((name) => name !== "tests on Docker and Podman"),
  );
  expect(here.filter(({ env = {} }) => "STINT_REQUIRE_CONTROL_GROUPS" in env)).toEqual([]);
});
