/**
 * Gang scheduling from the Job to its pods: engine, API server and scheduler together, and the switch of the command
 * line.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { main } from "../../host-node/cli/program.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { RecordingConsole } from "./cli/recording-console.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const WORKLOADS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/workloads";
const POD_GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-gang-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j" },
  spec: {
    parallelism: 4,
    completions: 4,
    completionMode: "Indexed",
    scheduling: { schedulingPolicy: { gang: {} } },
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
  },
};

/** A cluster with one node, and its API. */
async function start(podsOnNode: string) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const runtime = new SimulatedRuntime({ clock, random: () => 0.5 });
  const problems: string[] = [];
  const embedded = await EmbeddedCluster.create({
    clock,
    random: seeded(),
    gangScheduling: true,
    nodes: [{ nodeName: "n", runtime, capacity: { cpu: "8", memory: "8Gi", pods: podsOnNode } }],
    onProblem: (problem) => problems.push(problem),
    onFatal: (error) => {
      throw error;
    },
  });
  const ask = (method: "GET" | "POST" | "DELETE", path: string, body?: object): any => {
    const response = embedded.cluster.handle({
      method,
      path,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!("body" in response)) throw new Error(`${method} ${path} answers with a stream`);
    expect(response.status, String(response.body)).toBeLessThan(300);
    return JSON.parse(String(response.body));
  };
  embedded.start();
  return { clock, embedded, problems, ask };
}

describe("EmbeddedCluster with gang scheduling", () => {
  it("runs a gang to its end, and the garbage collector takes both objects with the Job", async () => {
    const { clock, embedded, problems, ask } = await start("10");
    ask("POST", JOBS, job);
    clock.advance(60_000);
    expect(ask("GET", `${JOBS}/j`).status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
    const [workload] = ask("GET", WORKLOADS).items;
    const [group] = ask("GET", POD_GROUPS).items;
    expect(group.spec).toEqual({
      workloadRef: { workloadName: workload.metadata.name, templateName: "j-pgt-0" },
      schedulingPolicy: { gang: { minCount: 4 } },
      disruptionMode: { single: {} },
    });
    expect(group.status.conditions).toMatchObject([{ type: "PodGroupInitiallyScheduled", status: "True" }]);
    expect(ask("GET", PODS).items.map(({ spec }: any) => spec.schedulingGroup.podGroupName)).toEqual(
      Array(4).fill(group.metadata.name),
    );
    expect(ask("GET", "/api/v1/namespaces/default/events").items.map(({ reason }: any) => reason)).toEqual(
      expect.arrayContaining(["WorkloadCreated", "PodGroupCreated"]),
    );
    ask("DELETE", `${JOBS}/j?propagationPolicy=Background`);
    clock.advance(60_000);
    expect([ask("GET", WORKLOADS).items, ask("GET", POD_GROUPS).items, ask("GET", PODS).items]).toEqual([[], [], []]);
    expect(problems).toEqual([]);
    embedded.stop();
  });

  it("runs a gang whose Job has the longest name that there can be", async () => {
    const { clock, embedded, problems, ask } = await start("10");
    ask("POST", JOBS, { ...job, metadata: { name: "n".repeat(61) } });
    clock.advance(60_000);
    expect(ask("GET", `${JOBS}/${"n".repeat(61)}`).status).toMatchObject({ succeeded: 4, completedIndexes: "0-3" });
    expect(problems).toEqual([]);
    embedded.stop();
  });

  it("deletes a running gang in the foreground", async () => {
    const { clock, embedded, ask } = await start("2");
    ask("POST", JOBS, job);
    clock.advance(5_000);
    expect(ask("GET", PODS).items).toHaveLength(4);
    ask("DELETE", `${JOBS}/j?propagationPolicy=Foreground`);
    clock.advance(60_000);
    expect([
      ask("GET", JOBS).items,
      ask("GET", WORKLOADS).items,
      ask("GET", POD_GROUPS).items,
      ask("GET", PODS).items,
    ]).toEqual([[], [], [], []]);
    embedded.stop();
  });

  it("lets a namespace go in which a gang runs and others are started", async () => {
    const { clock, embedded, ask } = await start("10");
    ask("POST", "/api/v1/namespaces", { metadata: { name: "team" } });
    const jobs = JOBS.replace("default", "team");
    for (const name of ["a", "b"]) ask("POST", jobs, { ...job, metadata: { name } });
    clock.advance(1_500);
    ask("POST", jobs, { ...job, metadata: { name: "c" } });
    ask("DELETE", "/api/v1/namespaces/team");
    clock.advance(120_000);
    expect(ask("GET", "/api/v1/namespaces").items.map(({ metadata }: any) => metadata.name)).not.toContain("team");
    embedded.stop();
  });

  it("resizes a gang as its Job asks, and one that is suspended keeps both objects and starts again", async () => {
    const { clock, embedded, problems, ask } = await start("10");
    ask("POST", JOBS, { ...job, spec: { ...job.spec, suspend: true } });
    clock.advance(5_000);
    const names = () =>
      [...ask("GET", WORKLOADS).items, ...ask("GET", POD_GROUPS).items].map(({ metadata }: any) => metadata.uid);
    const before = names();
    expect(before).toHaveLength(2);
    const patch = (spec: object): void => {
      const { status } = embedded.cluster.handle({
        method: "PATCH",
        path: `${JOBS}/j`,
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ spec }),
      });
      expect(status).toBe(200);
      clock.advance(2_000);
    };
    const policies = () =>
      [ask("GET", WORKLOADS).items[0].spec.podGroupTemplates[0], ask("GET", POD_GROUPS).items[0].spec].map(
        ({ schedulingPolicy }) => schedulingPolicy.gang.minCount,
      );
    expect(policies()).toEqual([4, 4]);
    patch({ parallelism: 6, completions: 6 });
    expect(policies()).toEqual([6, 6]);
    patch({ scheduling: { schedulingPolicy: { gang: { minCount: 2 } } } });
    expect(policies()).toEqual([2, 2]);
    patch({ suspend: false });
    expect(ask("GET", PODS).items).toHaveLength(6);
    patch({ parallelism: 3, completions: 3 });
    expect(policies()).toEqual([2, 2]);
    clock.advance(60_000);
    expect(ask("GET", `${JOBS}/j`).status).toMatchObject({ succeeded: 3 });
    expect(names()).toEqual(before);
    expect(problems).toEqual([]);
    embedded.stop();
  });

  it("starts none of a gang for which there is no room", async () => {
    const { clock, embedded, ask } = await start("3");
    ask("POST", JOBS, job);
    clock.advance(60_000);
    const pods = ask("GET", PODS).items;
    expect(pods.map(({ spec }: any) => spec.nodeName)).toEqual(Array(4).fill(undefined));
    expect(pods[0].status.conditions[0].message).toMatch(
      /^4 pods of PodGroup default\/j-.* are scheduled together, and there is room for 3: 0\/1 nodes are available: 1 Too many pods\.$/,
    );
    embedded.stop();
  });
});

describe("EmbeddedCluster with gang scheduling, and Jobs that ask for no gang", () => {
  it("gives a Job that asks for no gang both objects, and starts as many of its pods as there is room for", async () => {
    const { clock, embedded, ask } = await start("3");
    ask("POST", JOBS, { ...job, spec: { ...job.spec, scheduling: undefined, completionMode: "NonIndexed" } });
    clock.advance(1_000);
    const [group] = ask("GET", POD_GROUPS).items;
    expect(group.spec.schedulingPolicy).toEqual({ basic: {} });
    expect(group.status.conditions).toMatchObject([{ type: "PodGroupInitiallyScheduled", status: "True" }]);
    const pods = ask("GET", PODS).items;
    expect(pods.map(({ spec }: any) => spec.schedulingGroup.podGroupName)).toEqual(Array(4).fill(group.metadata.name));
    expect(pods.filter(({ spec }: any) => spec.nodeName === "n")).toHaveLength(3);
    embedded.stop();
  });

  it("gives each Job that a controller has made a PodGroup of the template that it names", async () => {
    const { clock, embedded, problems, ask } = await start("10");
    const { uid } = ask("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "set" } }).metadata;
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "set", uid, controller: true };
    ask("POST", WORKLOADS, {
      metadata: { name: "set", ownerReferences: [owner] },
      spec: {
        controllerRef: { kind: "ConfigMap", name: "set" },
        podGroupTemplates: [
          { name: "one", schedulingPolicy: { basic: {} } },
          { name: "all", schedulingPolicy: { gang: { minCount: 4 } } },
        ],
      },
    });
    const annotations = { "scheduling.k8s.io/group-template-name": "all" };
    for (const name of ["a", "b"])
      ask("POST", JOBS, { ...job, metadata: { name, annotations, ownerReferences: [owner] } });
    ask("POST", JOBS, { ...job, metadata: { name: "c", ownerReferences: [owner] } });
    clock.advance(1_000);
    expect(ask("GET", WORKLOADS).items).toHaveLength(1);
    const groups = ask("GET", POD_GROUPS).items;
    expect(groups.map(({ metadata }: any) => metadata.ownerReferences.map(({ name }: any) => name))).toEqual(
      expect.arrayContaining([["a"], ["b"]]),
    );
    expect(groups.map(({ spec }: any) => spec.schedulingPolicy.gang.minCount)).toEqual([4, 4]);
    const named = ask("GET", PODS).items.map(({ spec }: any) => spec.schedulingGroup?.podGroupName);
    expect(new Set(named)).toEqual(new Set([undefined, ...groups.map(({ metadata }: any) => metadata.name)]));
    clock.advance(60_000);
    expect(ask("GET", JOBS).items.map(({ status }: any) => status.succeeded)).toEqual([4, 4, 4]);
    expect(problems).toEqual([]);
    embedded.stop();
  });
});

describe("--feature-gates", () => {
  const stint = async (...args: string[]): Promise<{ exit: number; console: RecordingConsole }> => {
    const console = new RecordingConsole(directory);
    return { exit: await main(args, "0.0.0", console), console };
  };
  const file = (): string => {
    const path = join(directory, "gang.json");
    writeFileSync(path, JSON.stringify(job));
    return path;
  };

  it("WorkloadWithJob=true gives a Job its Workload", async () => {
    const { exit, console } = await stint(
      "run",
      "--runtime",
      "simulated",
      "--explain",
      "--feature-gates",
      "WorkloadWithJob=true",
      file(),
    );
    expect(exit).toBe(0);
    expect(console.out).toMatch(/job j: created Workload j-\w+: a gang of at least 4 pods/);
  });

  it.each([
    ["is off unless asked for", []],
    [
      "is off where it is set to false, the last word counts",
      ["--feature-gates", "WorkloadWithJob=true", "--feature-gates", "WorkloadWithJob=false"],
    ],
  ])("%s", async (_, gates) => {
    const { exit, console } = await stint("run", "--runtime", "simulated", "--explain", ...gates, file());
    expect(exit).toBe(0);
    expect(console.out).not.toContain("Workload");
  });

  it.each([
    ["Zork=true", 'There is no gate "Zork"; known gates: WorkloadWithJob'],
    ["WorkloadWithJob", "Allowed are WorkloadWithJob=true and WorkloadWithJob=false"],
    ["WorkloadWithJob=yes", "Allowed are WorkloadWithJob=true and WorkloadWithJob=false"],
    ["WorkloadWithJob=true,", 'There is no gate ""; known gates: WorkloadWithJob'],
  ])("refuses %s", async (gates, message) => {
    for (const command of [["run", file()], ["serve"]]) {
      const { exit, console } = await stint(...command, "--feature-gates", gates);
      expect(exit).toBe(2);
      expect(console.err).toContain(`argument '${gates}' is invalid. ${message}`);
    }
  });
});

// The same numbers in [0, 1) in every run.
function seeded(): () => number {
  let state = 7;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
