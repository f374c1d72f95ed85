/** Addresses: what comes back is what was written, in few characters; what a stranger wrote is read with care. */
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemOfNodes } from "../../../host-browser/app/node-groups.ts";
import {
  DEFAULT_NODES,
  type Input,
  MAX_PODS_PER_NODE,
  MAX_RUN_MS,
  MAX_SPAN_MS,
  type NodeGroup,
  type Scenario,
} from "../../../cluster/simulation/scenario.ts";
import { scenarioFaults } from "../../../cluster/simulation/scenario-limits.ts";
import { MAX_ADDRESS, readAddress, type SharedState, writeAddress } from "../../../host-browser/share/address.ts";
import { differenceOfRuns } from "../../../host-browser/share/same-run.ts";
import { MAX_UNPACKED_BYTES } from "../../../host-browser/share/squeeze.ts";

const LESSON: Scenario = {
  yaml: "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\nspec:\n  completions: 4\n  parallelism: 2\n",
  seed: 1,
  nodes: DEFAULT_NODES,
  outcomes: [],
  inputs: [],
};
const OTHER_NODES: readonly NodeGroup[] = [{ name: "a", count: 1, cpu: "500m", memory: "1Gi", pods: 2 }];
const find = (id: string): Promise<Scenario | undefined> => Promise.resolve(id === "pi" ? LESSON : undefined);

function state(changes: Partial<Scenario> = {}, lesson: string | undefined = "pi"): SharedState {
  return {
    scenario: { ...LESSON, ...changes },
    ...(lesson === undefined ? {} : { lesson }),
    atMs: 12_345,
    panel: "events",
    engineVersion: "0.1.0",
    digest: "0123456789abcdef",
  };
}

const addressOf = (content: unknown): string =>
  `#v1/${deflateRawSync(typeof content === "string" ? content : JSON.stringify(content)).toString("base64url")}`;
const plain = { l: "pi", t: 0, p: "", e: "", d: "" };

describe("a state", () => {
  const outcomes = [
    { match: { completionIndex: 3, attempt: 0 }, share: 0.05, outcome: { exitCode: 137 } },
    { outcome: {}, pod: { kind: "evicted", afterMs: [1, 2] } },
    { outcome: {}, pod: { kind: "never-scheduled" } },
  ] as const;
  const inputs = [
    { atMs: 5_000, action: { kind: "drain", node: "node-1" } },
    { atMs: 5_000, action: { kind: "never-schedule", namespace: "default", name: "pi-3-x7k2p" } },
    { atMs: 5_000, action: { kind: "lose-node", node: "node-2" } },
    { atMs: 9_000, action: { kind: "scale", namespace: "default", name: "pi", parallelism: 3 } },
  ] as const;
  test.each<[string, SharedState]>([
    ["an untouched lesson", state()],
    ["another seed, nodes, outcomes and inputs", state({ seed: 7, nodes: OTHER_NODES, outcomes, inputs })],
    ["an edited manifest", state({ yaml: LESSON.yaml.replace("4", "100 # 🙂") })],
    ["no lesson", state({ yaml: "a: 1" }, undefined)],
    ["a lesson on another version of Kubernetes", state({ kubernetes: "1.34" })],
    ["no lesson, on another version of Kubernetes", state({ yaml: "a: 1", kubernetes: "1.33" }, undefined)],
    ["a heat map of attempts", { ...state(), heatMode: "attempts" }],
    ["a heat map of the worst states", { ...state(), heatMode: "worst" }],
  ])("comes back as it was: %s", async (_, shared) => {
    const address = await writeAddress(shared, find);
    expect(address).toMatch(/^#v1\/[A-Za-z0-9_-]+$/);
    expect(await readAddress(address, find)).toEqual(shared);
  });

  test("comes back as it was, whatever the manifest became", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary", maxLength: 200 }),
        fc.nat(80),
        fc.nat(80),
        async (text, from, length) => {
          const yaml = LESSON.yaml.slice(0, from) + text + LESSON.yaml.slice(from + length);
          expect((await readAddress(await writeAddress(state({ yaml }), find), find))?.scenario.yaml).toBe(yaml);
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  describe("is judged by the editor of nodes, the Worker and the reader of addresses alike", () => {
    const [group] = DEFAULT_NODES;
    const isRead = async (changes: Partial<Scenario>): Promise<boolean> => {
      const address = await writeAddress(state(changes), find);
      return readAddress(address, find).then(
        (read) => read !== undefined,
        () => false,
      );
    };
    test.each<[boolean, Partial<NodeGroup>]>([
      [true, { name: "4xlarge" }],
      [true, { name: "a".repeat(52) }],
      [false, { name: "a".repeat(53) }],
      [true, { pods: MAX_PODS_PER_NODE }],
      [false, { pods: MAX_PODS_PER_NODE + 1 }],
      [true, { cpu: "0.5", memory: "1Ei" }],
      [false, { cpu: "4 cores" }],
    ])("%s: %j", async (isRight, change) => {
      const nodes = [{ ...group!, ...change }];
      expect(problemOfNodes(nodes) === undefined).toBe(isRight);
      expect(scenarioFaults(state({ nodes }).scenario).length === 0).toBe(isRight);
      expect(await isRead({ nodes })).toBe(isRight);
    });

    test("no node at all", async () => {
      expect(problemOfNodes([])).toMatch(/^There is no node/);
      expect(scenarioFaults(state({ nodes: [] }).scenario)).toHaveLength(1);
      expect(await isRead({ nodes: [] })).toBe(false);
    });

    const stop = (forMs: number, atMs = 0): Input => ({ atMs, action: { kind: "stop-scheduler", forMs } });
    test.each<[boolean, Input]>([
      [true, stop(MAX_SPAN_MS)],
      [true, stop(1, MAX_RUN_MS)],
      [false, stop(MAX_SPAN_MS + 1)],
      [false, stop(0)],
      [false, stop(1, MAX_RUN_MS + 1)],
    ])("%s: %j", async (isRight, input) => {
      expect(scenarioFaults(state({ inputs: [input] }).scenario).length === 0).toBe(isRight);
      expect(await isRead({ inputs: [input] })).toBe(isRight);
    });
  });

  test("of a lesson is short, also with an edit", async () => {
    expect((await writeAddress(state(), find)).length).toBeLessThanOrEqual(150);
    const yaml = LESSON.yaml.replace("completions: 4", "completions: 40");
    expect((await writeAddress(state({ yaml }), find)).length).toBeLessThanOrEqual(200);
  });

  test("is not in an empty fragment or in another program's", async () => {
    for (const fragment of ["", "#", "#top", "#v/1"]) expect(await readAddress(fragment, find)).toBeUndefined();
  });
});

describe("a fragment that is wrong says what is wrong", () => {
  test.each<[string, string, RegExp]>([
    ["a later version", "#v2/abc", /version v2, and this page reads v1/],
    ["other characters", "#v1/a b", /damaged or was cut off/],
    ["cut off", addressOf({ ...plain, e: "x".repeat(50) }).slice(0, -20), /damaged or was cut off/],
    ["no JSON", addressOf("{"), /does not hold what this page writes/],
    ["no object", addressOf("7"), /the address is 7; allowed is an object/],
    ["too long", `#v1/${"A".repeat(MAX_ADDRESS)}`, /characters long; allowed are 1000000/],
    ["a bomb", addressOf("0".repeat(MAX_UNPACKED_BYTES + 1)), /unpacks to more than/],
    ["an unknown field", addressOf({ ...plain, x: 1 }), /has a field "x"; allowed are l,/],
    ["an unknown lesson", addressOf({ ...plain, l: "nothing" }), /names the lesson nothing, which this page does not/],
    ["a lesson of the prototype", addressOf({ ...plain, l: "__proto__" }), /l is "__proto__"; allowed is the id/],
    ["a negative instant", addressOf({ ...plain, t: -1 }), /t is -1; allowed is an integer/],
    ["markup as panel", addressOf({ ...plain, p: "<b>" }), /p is "<b>"; allowed is the name of a panel/],
    [
      "a mode of maps that is none",
      addressOf({ ...plain, m: "difference" }),
      /m is "difference"; allowed is worst or a/,
    ],
    ["changes of another text", addressOf({ ...plain, f: "0", y: [0, 0, ""] }), /that lesson is another one now/],
    [
      "a seed that is none",
      addressOf({ ...plain, seed: 1.5 }),
      /seed is 1.5; allowed is an integer from 0 to 4294967295/,
    ],
    ["no manifest", addressOf({ t: 0, p: "", e: "", d: "", s: { yaml: 1 } }), /yaml is 1; allowed is a text/],
    [
      "too many nodes",
      addressOf({ ...plain, nodes: [{ name: "a", count: 1001, cpu: "1", memory: "1Gi", pods: 1 }] }),
      /nodes\[0\].count is 1001; allowed is an integer from 1 to 1000/,
    ],
    [
      "too many nodes together",
      addressOf({
        ...plain,
        nodes: ["a", "b"].map((name) => ({ name, count: 600, cpu: "1", memory: "1Gi", pods: 1 })),
      }),
      /nodes has 1200 nodes; allowed are 1 to 1000/,
    ],
    [
      "two groups of a name",
      addressOf({ ...plain, nodes: ["a", "a"].map((name) => ({ name, count: 1, cpu: "1", memory: "1Gi", pods: 1 })) }),
      /two groups named a/,
    ],
    [
      "a quantity that is none",
      addressOf({ ...plain, nodes: [{ name: "a", count: 1, cpu: "many", memory: "1Gi", pods: 1 }] }),
      /nodes\[0\].cpu is "many"; allowed is a quantity/,
    ],
    [
      "an unknown action",
      addressOf({ ...plain, i: [0, { atMs: 0, action: { kind: "constructor" } }] }),
      /inputs\[0\].action.kind is "constructor"; allowed are apply,/,
    ],
    ["no action", addressOf({ ...plain, i: [0, { atMs: 0, action: null }] }), /inputs\[0\].action.kind is absent/],
    [
      "an action without its field",
      addressOf({ ...plain, i: [0, { atMs: 0, action: { kind: "drain" } }] }),
      /inputs\[0\].action.node is absent; allowed is the name/,
    ],
    [
      "an action with a field too many",
      addressOf({ ...plain, i: [0, { atMs: 0, action: { kind: "drain", node: "a", force: true } }] }),
      /has a field "force"; allowed are kind, node/,
    ],
    [
      "more inputs kept than there are",
      addressOf({ ...plain, i: [1] }),
      /i\[0\] is 1; allowed is an integer from 0 to 0/,
    ],
    [
      "inputs out of order",
      addressOf({ ...plain, i: [0, ...[5, 4].map((atMs) => ({ atMs, action: { kind: "drain", node: "a" } }))] }),
      /inputs\[1\].atMs is 4, before/,
    ],
    [
      "a version of Kubernetes that is not served",
      addressOf({ ...plain, kubernetes: "1.12" }),
      /kubernetes is "1.12"; allowed is 1.33, 1.34, 1.35, 1.36, 1.37/,
    ],
    [
      "an outcome that is none",
      addressOf({ ...plain, outcomes: [{ outcome: { exitcode: 1 } }] }),
      /outcomes\[0\].outcome.exitcode is not a field/,
    ],
    [
      "a share above 1",
      addressOf({ ...plain, outcomes: [{ share: 2, outcome: {} }] }),
      /outcomes\[0\].share is 2; allowed is a number above 0/,
    ],
    [
      "an eviction that ends before it begins",
      addressOf({ ...plain, outcomes: [{ outcome: {}, pod: { kind: "evicted", afterMs: [2, 1] } }] }),
      /outcomes\[0\].pod.afterMs\[1\] is 1; allowed is an integer from 2/,
    ],
    [
      "a match that is none",
      addressOf({ ...plain, outcomes: [{ match: { completionIndex: "1" }, outcome: {} }] }),
      /match.completionIndex is "1"/,
    ],
  ])("%s", async (_, fragment, sentence) => {
    await expect(readAddress(fragment, find)).rejects.toThrow(sentence);
    await expect(readAddress(fragment, find)).rejects.toMatchObject({ name: "SharedDataError" });
  });
});

describe("a run that was shared", () => {
  const shared = { engineVersion: "0.1.0", digest: "ab" };
  test("is the same when its digest is", () => {
    expect(differenceOfRuns(shared, { engineVersion: "0.2.0", digest: "ab" })).toBeUndefined();
    expect(differenceOfRuns({ ...shared, digest: "" }, { engineVersion: "0.2.0", digest: "cd" })).toBeUndefined();
  });

  test("differs otherwise, and a sentence says why", () => {
    expect(differenceOfRuns(shared, { engineVersion: "0.2.0", digest: "cd" })).toBe(
      "This run differs from the one that was shared: it was made by engine 0.1.0, and this page has 0.2.0.",
    );
    expect(differenceOfRuns(shared, { engineVersion: "0.1.0", digest: "cd" })).toContain("or the page has changed");
  });
});
