/** Everything that a scenario can do to a world: what it does there, its flag, and what it says when it fails. */
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { type Action, MAX_INPUTS, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { START_MS } from "../../../cluster/simulation/world.ts";
import { create, jobYaml, run, runTo, scenarioOf, type Ran } from "./harness.ts";

const INDEXED = jobYaml(
  "completions: 4\nparallelism: 4\ncompletionMode: Indexed\nbackoffLimit: 10",
  '{ "runMs": 60000 }',
);

/** Runs to ten seconds, where all four pods run, and does something there. */
function acted(action: (pods: readonly KubeObject[]) => Action, rest: Partial<Scenario> = {}): Ran {
  const ran = create(scenarioOf(INDEXED, rest));
  runTo(ran.world, 10_000);
  ran.world.advanceTo(10_000);
  ran.world.act(action(ran.recorder.pods()));
  runTo(ran.world, 10_000);
  return ran;
}

const JOB = { namespace: "default", name: "pi" };
const podNamed = (pods: readonly KubeObject[], index: number): string => nameOf(pods, index);

function nameOf(pods: readonly KubeObject[], index: number): string {
  return pods.find(({ metadata: { name } }) => name.startsWith(`pi-${index}-`))!.metadata.name;
}

test("an action beyond the limit is a flag with its problem, and the run continues", () => {
  const cordon: Action = { kind: "cordon", node: "node-1" };
  const inputs = Array.from({ length: MAX_INPUTS }, () => ({ atMs: 5, action: cordon }));
  const { recorder, world } = acted(() => cordon, { inputs });
  expect(world.scenario.inputs).toHaveLength(MAX_INPUTS);
  expect(recorder.flags.at(-1)).toEqual({
    atMs: 10_000,
    kind: "cordon",
    label: "cordon",
    problem: "a run has at most 1000 inputs; this one was not done",
  });
  runTo(world, Infinity);
  expect(recorder.condition()).toMatch(/^Complete/);
});

describe("on a pod", () => {
  test("delete asks it to end, and another one comes", () => {
    const { world, recorder } = acted((pods) => ({
      kind: "delete-pod",
      namespace: "default",
      name: podNamed(pods, 2),
    }));
    expect(recorder.flags[0]).toMatchObject({ atMs: 10_000, kind: "delete-pod" });
    expect(recorder.flags[0]!.problem).toBeUndefined();
    const deleted = recorder.pods().filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(deleted.map(({ metadata }) => metadata.name)).toEqual([nameOf(recorder.pods(), 2)]);
    runTo(world, 60_000);
    expect(recorder.pods().filter(({ metadata: { name } }) => name.startsWith("pi-2-"))).toHaveLength(1);
  });

  test("evict gives it the condition DisruptionTarget", () => {
    const { recorder } = acted((pods) => ({ kind: "evict-pod", namespace: "default", name: podNamed(pods, 1) }));
    const evicted = recorder.objects.get(`pods/${nameOf(recorder.pods(), 1)}`)!;
    expect(evicted["status"].conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", reason: "EvictionByEvictionAPI" }),
    );
    expect(evicted.metadata.deletionTimestamp).toBeDefined();
  });

  test("never schedule keeps it without a node, from the instant of its creation", () => {
    const name = podNamed(run(INDEXED).recorder.pods(), 2);
    const { world, recorder } = create(
      scenarioOf(INDEXED, { inputs: [{ atMs: 0, action: { kind: "never-schedule", namespace: "default", name } }] }),
    );
    runTo(world, Infinity);
    expect(recorder.flags).toEqual([{ atMs: 0, kind: "never-schedule", label: `never schedule pod ${name}` }]);
    expect(recorder.objects.get(`pods/${name}`)!["spec"].nodeName).toBeUndefined();
    const started = recorder.phases.filter(({ phase }) => phase === "Running").map(({ pod }) => pod);
    expect(started).toHaveLength(3);
    expect(started).not.toContain(name);
    expect(world.endNote()).toContain(`pod ${name} has no node`);
  });

  test("never schedule of one that is there changes nothing, and says so", () => {
    const { recorder, world } = acted((pods) => ({
      kind: "never-schedule",
      namespace: "default",
      name: podNamed(pods, 2),
    }));
    expect(recorder.flags[0]!.problem).toMatch(/^pod pi-2-.* is there already/);
    expect(world.scenario.inputs).toEqual([]);
    const name = podNamed(recorder.pods(), 2);
    const late = run(INDEXED, [{ atMs: 9, action: { kind: "never-schedule", namespace: "default", name } }]);
    expect(late.recorder.flags[0]!.problem).toMatch(/is there already/);
    expect(late.recorder.condition()).toMatch(/^Complete/);
  });

  test("that is not there says so, and everything continues", () => {
    const { world, recorder } = acted(() => ({ kind: "delete-pod", namespace: "default", name: "none" }));
    expect(recorder.flags).toEqual([
      { atMs: 10_000, kind: "delete-pod", label: "delete pod none", problem: 'pods "none" not found' },
    ]);
    runTo(world, Infinity);
    expect(recorder.condition()).toMatch(/^Complete/);
  });
});

describe("on a node", () => {
  test("cordon keeps new pods away, uncordon lets them in again", () => {
    const nodes = [{ name: "only", count: 1, cpu: "8", memory: "8Gi", pods: 10 }];
    const { recorder } = run(
      INDEXED,
      [
        { atMs: 0, action: { kind: "cordon", node: "only-1" } },
        { atMs: 20_000, action: { kind: "scale", ...JOB, parallelism: 6, completions: 6 } },
        { atMs: 40_000, action: { kind: "uncordon", node: "only-1" } },
      ],
      { nodes },
    );
    expect(recorder.flags.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(recorder.condition()).toMatch(/^Complete/);
    const late = recorder.phases.filter(({ pod, phase }) => /^pi-[45]-/.test(pod) && phase === "Running");
    expect(late.map(({ atMs }) => atMs >= 40_000)).toEqual([true, true]);
  });

  test("drain cordons it and evicts all of its pods", () => {
    const before = acted(() => ({ kind: "cordon", node: "node-1" })).recorder.pods();
    const node = before[0]!["spec"].nodeName as string;
    const { recorder } = acted(() => ({ kind: "drain", node }));
    expect(recorder.objects.get(`nodes/${node}`)!["spec"].unschedulable).toBe(true);
    for (const pod of recorder.pods()) {
      const isThere = pod["spec"].nodeName === node;
      expect(pod.metadata.deletionTimestamp !== undefined, pod.metadata.name).toBe(isThere);
    }
    expect(recorder.flags[0]).toMatchObject({ kind: "drain", label: `drain ${node}` });
  });

  test("lose ends what runs there; 40 s later its pods have failed of a disruption, and others come elsewhere", () => {
    const node = acted(() => ({ kind: "cordon", node: "node-1" })).recorder.pods()[0]!["spec"].nodeName as string;
    const { recorder, world } = acted(() => ({ kind: "lose-node", node }));
    expect(recorder.objects.has(`nodes/${node}`)).toBe(false);
    const lost = recorder.pods().filter(({ spec }) => spec.nodeName === node);
    expect(lost.length).toBeGreaterThan(0);
    runTo(world, 49_999);
    expect(recorder.phases.filter(({ atMs }) => atMs >= 10_000)).toEqual([]);
    const ends = new Map<string, KubeObject>();
    const { onWrite } = recorder;
    recorder.onWrite = (write, nowMs) => {
      if (write.type === "DELETED" && write.resource === "pods") ends.set(write.object.metadata.name, write.object);
      onWrite.call(recorder, write, nowMs);
    };
    runTo(world, Infinity);
    expect([...ends.keys()].sort()).toEqual(lost.map(({ metadata }) => metadata.name).sort());
    for (const { status } of ends.values()) {
      expect(status.phase).toBe("Failed");
      expect(status.conditions.at(-1)).toMatchObject({ type: "DisruptionTarget", reason: "DeletionByPodGC" });
    }
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(recorder.pods().some(({ spec }) => spec.nodeName === node)).toBe(false);
    expect(recorder.flags).toEqual([{ atMs: 10_000, kind: "lose-node", label: `lose ${node}` }]);
  });

  test("of a name that no node has, drain and lose say so", () => {
    const { recorder } = acted(() => ({ kind: "drain", node: "node-9" }));
    expect(recorder.flags[0]!.problem).toBe('nodes "node-9" not found');
    const lost = acted(() => ({ kind: "lose-node", node: "node-9" }));
    expect(lost.recorder.flags[0]!.problem).toBe('nodes "node-9" not found');
  });
});

describe("on a Job", () => {
  test("suspend ends its pods, resume starts them again", () => {
    const { recorder } = run(INDEXED, [
      { atMs: 10_000, action: { kind: "suspend", ...JOB } },
      { atMs: 100_000, action: { kind: "resume", ...JOB } },
    ]);
    expect(recorder.condition()).toMatch(/^Complete/);
    const started = recorder.phases.filter(({ phase }) => phase === "Running").map(({ atMs }) => atMs);
    expect(started).toHaveLength(8);
    expect(started.filter((atMs) => atMs >= 100_000)).toHaveLength(4);
  });

  test("scale changes parallelism, and completions of an elastic one", () => {
    const { recorder } = acted(() => ({ kind: "scale", ...JOB, parallelism: 2, completions: 2 }));
    expect(recorder.job()["spec"]).toMatchObject({ parallelism: 2, completions: 2 });
    expect(recorder.pods().filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(2);
  });

  test("a scale that the API server refuses shows the server's message", () => {
    const { recorder } = acted(() => ({ kind: "scale", ...JOB, parallelism: 4, completions: 9 }));
    expect(recorder.flags[0]!.problem).toContain("spec.completions: Invalid value: 9");
  });

  test("delete takes its pods along", () => {
    const { world, recorder } = acted(() => ({ kind: "delete-job", ...JOB }));
    runTo(world, Infinity);
    expect(recorder.objects.has("jobs/pi")).toBe(false);
    expect(recorder.pods()).toEqual([]);
  });

  test("apply changes what the text says, and creates what is not there", () => {
    const fewer = INDEXED.replace("parallelism: 4", "parallelism: 1");
    const { world, recorder } = acted(() => ({ kind: "apply", yaml: `${fewer}---\n${jobYaml("", "{}", "second")}` }));
    expect(recorder.flags[0]!.problem).toBeUndefined();
    expect(recorder.job()["spec"]).toMatchObject({ parallelism: 1, completions: 4 });
    runTo(world, Infinity);
    expect(recorder.condition("second")).toMatch(/^Complete/);
  });

  test("apply of a quota limits what is created from then on, and repeats so", () => {
    const quota = 'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: "4"}}\n';
    const { world, recorder } = acted(() => ({ kind: "apply", yaml: `${quota}---\n${jobYaml("", "{}", "second")}` }));
    expect(recorder.flags[0]!.problem).toBeUndefined();
    runTo(world, 40_000);
    expect(recorder.objects.get("resourcequotas/q")!["status"].used).toEqual({ pods: "4" });
    expect(recorder.pods()).toHaveLength(4);
    runTo(world, Infinity);
    expect(recorder.condition("second")).toMatch(/^Complete/);
    const again = create(world.scenario);
    runTo(again.world, Infinity);
    expect(again.world.digest).toBe(world.digest);
  });

  test("apply of a field that cannot change is refused", () => {
    const { recorder } = acted(() => ({ kind: "apply", yaml: INDEXED.replace("example.com/main", "example.com/new") }));
    expect(recorder.flags[0]!.problem).toContain("field is immutable");
  });

  test("apply of a text that is no YAML says where", () => {
    const { recorder } = acted(() => ({ kind: "apply", yaml: "apiVersion: [" }));
    expect(recorder.flags[0]!.problem).toMatch(/^line 1: /);
  });
});

describe("on the control plane", () => {
  test("a restarted controller is away, and continues with an empty memory", () => {
    const { recorder } = run(INDEXED, [{ atMs: 10_000, action: { kind: "restart-controller", downMs: 70_000 } }]);
    expect(recorder.flags).toEqual([
      { atMs: 10_000, untilMs: 80_000, kind: "restart-controller", label: "restart the controller" },
    ]);
    const during = recorder.requests.filter(({ atMs }) => atMs > 10_000 && atMs < 80_000);
    expect(during).toEqual([]);
    const lists = recorder.requests.filter(
      ({ request: { path, method }, atMs }) => atMs === 80_000 && method === "GET" && path.includes("limit="),
    );
    expect(lists).toHaveLength(2);
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(recorder.pods()).toHaveLength(4);
  });

  test("there are no words of a controller that is away", () => {
    const { world } = acted(() => ({ kind: "restart-controller", downMs: 5_000 }));
    expect(world.explain("default", "pi")).toBeUndefined();
    runTo(world, 15_000);
    expect(world.explain("default", "pi")?.found).toBe(true);
  });

  test("API errors answer every request of the controller for a while", () => {
    const { recorder } = run(jobYaml("completions: 2"), [
      { atMs: 1_000, action: { kind: "api-errors", status: 500, forMs: 30_000 } },
    ]);
    const during = recorder.requests.filter(({ atMs }) => atMs > 1_000 && atMs < 31_000);
    expect(during.length).toBeGreaterThan(0);
    expect(new Set(during.map(({ status }) => status))).toEqual(new Set([500]));
    expect(recorder.flags[0]).toMatchObject({ untilMs: 31_000, label: "API server answers 500" });
    expect(recorder.condition()).toMatch(/^Complete/);
  });

  test("a slow API server carries requests out at once, and answers late", () => {
    const { recorder, world } = run(jobYaml("completions: 1"), [
      { atMs: 500, action: { kind: "slow-api", delayMs: 4_000, forMs: 60_000 } },
    ]);
    expect(recorder.condition()).toMatch(/^Complete/);
    expect(world.now()).toBeGreaterThan(10_000);
    expect(recorder.flags[0]).toMatchObject({ untilMs: 60_500, label: "API server answers 4000 ms later" });
  });

  test("of times that overlap, a shorter one does not end a longer one", () => {
    const { recorder } = run(jobYaml("completions: 1"), [
      { atMs: 100, action: { kind: "api-errors", status: 500, forMs: 60_000 } },
      { atMs: 200, action: { kind: "api-errors", status: 503, forMs: 1_000 } },
      { atMs: 70_000, action: { kind: "slow-api", delayMs: 4_000, forMs: 60_000 } },
      { atMs: 70_100, action: { kind: "slow-api", delayMs: 10, forMs: 100 } },
      { atMs: 75_000, action: { kind: "apply", yaml: jobYaml("", '{ "runMs": 500 }', "second") } },
    ]);
    const statuses = recorder.requests.filter(({ atMs }) => atMs > 1_200 && atMs < 60_100).map(({ status }) => status);
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([500]));
    // The Job's end is written after the late answer to its pod's creation.
    const endedMs = Date.parse(recorder.job("second")["status"].completionTime) - START_MS;
    expect(endedMs).toBeGreaterThanOrEqual(79_000);
  });

  test("without a scheduler pods stay Pending for a while", () => {
    const { recorder } = run(jobYaml("completions: 1"), [
      { atMs: 0, action: { kind: "stop-scheduler", forMs: 30_000 } },
      { atMs: 0, action: { kind: "apply", yaml: jobYaml("", "{}", "second") } },
    ]);
    const started = recorder.phases.find(({ pod, phase }) => pod.startsWith("second-") && phase === "Running")!;
    expect(started.atMs).toBeGreaterThanOrEqual(30_000);
    expect(recorder.condition("second")).toMatch(/^Complete/);
  });
});
