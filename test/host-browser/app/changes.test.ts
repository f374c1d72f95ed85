/** Changing the past, and the break-it menu that does it. */
import { describe, expect, test } from "vitest";
import { actionText } from "../../../host-browser/app/action-text.ts";
import { menuFor } from "../../../host-browser/app/break-it.ts";
import { forkedAt, withoutInput } from "../../../host-browser/app/fork.ts";
import { problemOfNodes } from "../../../host-browser/app/node-groups.ts";
import { targetOf } from "../../../host-browser/app/target.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import { type Action, DEFAULT_NODES, MAX_INPUTS } from "../../../cluster/simulation/scenario.ts";
import { chunk, SCENARIO } from "./chunks.ts";

const DRAIN: Action = { kind: "drain", node: "node-1" };
const SUSPEND: Action = { kind: "suspend", namespace: "default", name: "pi" };

describe("a fork", () => {
  const inputs = [
    { atMs: 100, action: SUSPEND },
    { atMs: 200, action: DRAIN },
  ];
  const scenario = { ...SCENARIO, inputs };

  test("keeps what was done until then, and drops what came later", () => {
    expect(forkedAt(scenario, 150, DRAIN).inputs).toEqual([
      { atMs: 100, action: SUSPEND },
      { atMs: 150, action: DRAIN },
    ]);
    expect(forkedAt(scenario, 200, SUSPEND).inputs).toHaveLength(3);
    expect(forkedAt(scenario, 99.2, DRAIN).inputs.map(({ atMs }) => atMs)).toEqual([100, 100]);
    expect(scenario.inputs).toHaveLength(2);
  });

  test("has a limit", () => {
    const full = { ...SCENARIO, inputs: Array.from({ length: MAX_INPUTS }, () => ({ atMs: 0, action: DRAIN })) };
    expect(() => forkedAt(full, 1, DRAIN)).toThrow(/at most 1000 are allowed/);
  });

  test("can lose one of its inputs", () => {
    expect(withoutInput(scenario, 0).inputs).toEqual([{ atMs: 200, action: DRAIN }]);
  });
});

describe("the break-it menu", () => {
  const timeline = new Timeline();
  timeline.append(chunk([], [], true), 50);
  const picked = { job: 0, pod: 0, node: undefined };

  test("of a pod offers what can be done to it, its node, its Job and the control plane", () => {
    const target = targetOf(timeline, picked, 10);
    expect(target).toMatchObject({ pod: "pi-0-a", node: "node-1", job: "pi", parallelism: 4, isElastic: true });
    const groups = menuFor(target);
    expect(groups.map(({ title }) => title)).toEqual(["Pod pi-0-a", "Node node-1", "Job pi", "Control plane"]);
    const actions = groups.flatMap(({ entries }) => entries.map(({ action }) => action));
    const kinds = actions.map(({ kind }) => kind);
    for (const kind of ["delete-pod", "evict-pod", "drain", "lose-node", "stop-scheduler", "restart-controller"])
      expect(kinds).toContain(kind);
    expect(kinds).toContain("suspend");
    expect(actions.filter(({ kind }) => kind === "scale")).toMatchObject([
      { parallelism: 8, completions: 8 },
      { parallelism: 2, completions: 2 },
    ]);
    expect(actions.filter((action) => actionText(action) === "")).toEqual([]);
  });

  test("before the pod was there offers nothing to do to it", () => {
    expect(menuFor(targetOf(timeline, picked, -1)).map(({ title }) => title)).not.toContain("Pod pi-0-a");
  });

  test("of a node or of the controller has what fits it, and nothing else", () => {
    const target = targetOf(timeline, { job: 0, pod: undefined, node: "node-2" }, 10);
    const kindsOf = (thing: "node" | "controller") =>
      menuFor(target, thing).flatMap(({ entries }) => entries.map(({ action }) => action.kind));
    expect(kindsOf("node")).toEqual(["drain", "cordon", "uncordon", "lose-node"]);
    expect(kindsOf("controller")).toEqual(["restart-controller", "api-errors", "api-errors", "slow-api"]);
    expect(menuFor(target, "node")[0]!.title).toBe("Node node-2");
  });

  test("never schedules a pod from the instant of its creation", () => {
    const [group] = menuFor(targetOf(timeline, picked, 10));
    expect(group!.entries.find(({ action }) => action.kind === "never-schedule")).toMatchObject({
      atMs: 0,
      action: { namespace: "default", name: "pi-0-a" },
    });
  });

  test("of a suspended Job offers to resume it", () => {
    const [group] = menuFor({ namespace: "default", job: "pi", isSuspended: true });
    expect(group!.entries[0]!.action.kind).toBe("resume");
  });
});

describe("groups of nodes", () => {
  const group = DEFAULT_NODES[0]!;
  test("that are right have no problem", () => expect(problemOfNodes(DEFAULT_NODES)).toBeUndefined());
  test.each([
    [[], /no node/],
    [
      [
        { ...group, count: 600 },
        { ...group, name: "b", count: 600 },
      ],
      /1200 nodes/,
    ],
    [[group, group], /Two groups are named node/],
    [[{ ...group, name: "Node" }], /lower-case/],
    [[{ ...group, count: 0 }], /from 1/],
    [[{ ...group, pods: 1.5 }], /from 1/],
    [[{ ...group, cpu: "four" }], /write 4/],
    [[{ ...group, memory: "" }], /16Gi/],
  ])("%j: %s", (nodes, problem) => expect(problemOfNodes(nodes)).toMatch(problem));
});
