/** Which stages of CI run at the same time, and how their output is printed. */
import { describe, expect, test } from "vitest";
import { beginning, type Placed, runTogether, withNeeded } from "../../../scripts/ci/together.ts";
import { Turns } from "../../../scripts/ci/turns.ts";

const stage = (name: string, cores: number, ...after: readonly string[]): Placed => ({ name, cores, after });
const names = (stages: readonly Placed[]): string => stages.map(({ name }) => name).join(" ");

describe("the stages that may begin", () => {
  test.each<[what: string, left: readonly Placed[], running: readonly Placed[], expected: string]>([
    ["fill the processors in their order", [stage("a", 1), stage("b", 0.5), stage("c", 0.5)], [], "a b c"],
    ["do not overtake one that does not fit", [stage("a", 1.5), stage("b", 1), stage("c", 0.5)], [], "a"],
    ["overtake one that waits for others", [stage("a", 1), stage("b", 1, "a"), stage("c", 0.5)], [], "a c"],
    ["fit beside those that run", [stage("a", 1), stage("b", 0.5)], [stage("r", 1)], "a"],
    ["are one alone that needs more than there is", [stage("a", Infinity), stage("b", 0.1)], [], "a"],
    ["are none beside one that runs alone", [stage("a", 0)], [stage("r", Infinity)], ""],
    ["do not come before those that they need", [stage("a", 1), stage("b", 0.1, "a")], [], "a"],
    ["wait for those that run and that they need", [stage("b", 0.1, "a")], [stage("a", 1)], ""],
    ["come when all that they need have ended", [stage("b", 0.1, "a"), stage("c", 0.1, "b")], [], "b"],
  ])("%s", (_what, left, running, expected) => {
    expect(names(beginning(left, running, 2))).toBe(expected);
  });
});

test("all stages run, each once, and never more than the processors bear", async () => {
  const stages = [
    stage("a", Infinity),
    stage("b", 1),
    stage("c", 0.5, "b"),
    stage("d", 1),
    stage("e", 1.5),
    stage("f", 2),
  ];
  const running = new Set<Placed>();
  const ended: string[] = [];
  await runTogether(stages, 2, async (each) => {
    running.add(each);
    const busy = [...running].reduce((sum, { cores }) => sum + cores, 0);
    expect(running.size === 1 || busy <= 2, names([...running])).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(each);
    ended.push(each.name);
  });
  expect(ended.toSorted().join(" ")).toBe("a b c d e f");
  expect(ended.indexOf("c")).toBeGreaterThan(ended.indexOf("b"));
});

test("stages that need each other are an error, and not a wait without end", async () => {
  await expect(runTogether([stage("a", 1, "b"), stage("b", 1, "a")], 2, async () => {})).rejects.toThrow(
    "nothing can begin: a (after b), b (after a)",
  );
});

test("stages that are chosen bring those that they need, in the order of the list", () => {
  const stages = [stage("a", 1), stage("b", 1, "a"), stage("c", 1), stage("d", 1, "b"), stage("e", 1)];
  const names = (chosen: readonly string[]): string[] => withNeeded(stages, chosen).map(({ name }) => name);
  expect(names(["e", "d"])).toEqual(["a", "b", "d", "e"]);
  expect(names(["c"])).toEqual(["c"]);
  expect(names([])).toEqual(["a", "b", "c", "d", "e"]);
});

test("the output of stages that run at the same time is printed one stage after the other", () => {
  let printed = "";
  const turns = new Turns((text) => (printed += text));
  const [a, b, c] = [turns.begin(), turns.begin(), turns.begin()];
  a.print("a1 ");
  b.print("b1 ");
  c.print("c1 ");
  expect(printed).toBe("a1 ");
  b.print("b2 ");
  b.end();
  a.print("a2 ");
  expect(printed).toBe("a1 a2 ");
  a.end();
  expect(printed).toBe("a1 a2 b1 b2 c1 ");
  c.print("c2");
  c.end();
  expect(printed).toBe("a1 a2 b1 b2 c1 c2");
});
