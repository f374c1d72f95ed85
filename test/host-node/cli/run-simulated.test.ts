/**
 * `stint run --runtime simulated`: what a simulation takes for granted, with one note for each kind of thing, and what
 * it refuses with --strict; and what the summary says of a Job that never had a pod.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { CommandFolder } from "./command-folder.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

interface Parts {
  readonly spec?: object;
  readonly pod?: object;
  readonly container?: object;
}

const jobOf = (name: string, { spec = {}, pod = {}, container = {} }: Parts): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "team" },
  spec: {
    ...spec,
    template: { spec: { restartPolicy: "Never", ...pod, containers: [{ name: "c", image: "i", ...container }] } },
  },
});

/** The exit status, what is on standard error, and the lines about what is taken for granted without their places. */
async function run(
  objects: readonly object[],
  ...flags: readonly string[]
): Promise<{ exit: number; notes: readonly string[]; out: string; err: string }> {
  const file = folder.file("all.yaml", objects.map((object) => JSON.stringify(object)).join("\n---\n"));
  const { exit, out, err } = await folder.run("run", "--runtime", "simulated", ...flags, file);
  const notes = [...out.matchAll(/^ *[\d.ms]+ +all\.yaml:\d+:\d+: (.*)$/gm)].map(([, note]) => note!);
  return { exit, notes, out, err };
}

const secret = { secretKeyRef: { name: "db", key: "password" } };
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "pool", operator: "In", values: ["batch"] }] }],
    },
  },
};

describe("what the files do not have", () => {
  it.each<readonly [what: string, parts: Parts, note: RegExp, refusal: RegExp]>([
    [
      "a Secret in a variable",
      { container: { env: [{ name: "P", valueFrom: secret }] } },
      /env\[0\]\.valueFrom: secret "db" not found; the simulation assumes that the object exists$/,
      /env\[0\]\.valueFrom: secret "db" not found; add it to the files of this run/,
    ],
    [
      "a ConfigMap with all its keys",
      { container: { envFrom: [{ configMapRef: { name: "settings" } }] } },
      /envFrom\[0\]: configmap "settings" not found; the simulation/,
      /configmap "settings" not found; add it/,
    ],
    [
      "a volume of a Secret",
      { pod: { volumes: [{ name: "v", secret: { secretName: "tls", items: [{ key: "k", path: "p" }] } }] } },
      /volumes\[0\]\.secret: secret "tls" not found; the simulation/,
      /secret "tls" not found; add it/,
    ],
    [
      "a label of a node",
      { pod: { nodeSelector: { disk: "ssd" } } },
      /nodeSelector: no node has that; .*; the simulation assumes that a node has these labels$/,
      /nodeSelector: no node has that/,
    ],
    [
      "an affinity to nodes",
      { pod: { affinity: AFFINITY } },
      /nodeAffinity\..*: no node has that; .*; the simulation assumes/,
      /nodeAffinity\..*: no node has that/,
    ],
    [
      "another scheduler",
      { pod: { schedulerName: "volcano" } },
      /schedulerName: "volcano" does not run here; .*; the simulation places the pods itself$/,
      /schedulerName: "volcano" does not run here/,
    ],
    [
      "a device",
      { container: { resources: { limits: { "nvidia.com/gpu": "1" } } } },
      /the pod requests 1 of nvidia\.com\/gpu; the only node has 0; the simulation assumes that the node has enough/,
      /the pod requests 1 of nvidia\.com\/gpu; the only node has 0$/m,
    ],
    [
      "a resumption",
      { spec: { suspend: true } },
      /spec\.suspend: true would wait until the Job is resumed; the simulation resumes it at once$/,
      /spec\.suspend: true would wait until/,
    ],
  ])("%s: a note, and a refusal with --strict", async (_, parts, note, refusal) => {
    const taken = await run([jobOf("j", parts)]);
    expect(taken).toMatchObject({ exit: 0, err: "", notes: [expect.stringMatching(note)] });
    const strict = await run([jobOf("j", parts)], "--strict");
    expect(strict).toMatchObject({ exit: 2, out: "", err: expect.stringMatching(refusal) });
  });

  it("is noted once for each kind of thing, however many Jobs lack it", async () => {
    const parts = { pod: { nodeSelector: { disk: "ssd" } }, container: { env: [{ name: "P", valueFrom: secret }] } };
    const other = { pod: { nodeSelector: { disk: "hdd" } }, spec: { suspend: true } };
    const { exit, notes } = await run([jobOf("a", parts), jobOf("b", parts), jobOf("c", other)]);
    expect(exit).toBe(0);
    expect(notes.map((note) => /\(and \d more places?\)$/.exec(note)?.[0] ?? "one")).toEqual([
      "one",
      "(and 1 more place)",
      "(and 2 more places)",
    ]);
  });

  it("still counts against a quota", async () => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "gpus", namespace: "team" },
      spec: { hard: { "requests.nvidia.com/gpu": "2" } },
    };
    const parts = {
      spec: { parallelism: 3, completions: 3 },
      container: { resources: { limits: { "nvidia.com/gpu": "1" } } },
    };
    const { exit, out } = await run([quota, jobOf("j", parts)]);
    expect([exit, out.includes("exceeded quota: gpus")]).toEqual([0, true]);
  });
});

describe("what contradicts itself is refused anyway", () => {
  it("a key that a given Secret does not have", async () => {
    const given = { apiVersion: "v1", kind: "Secret", metadata: { name: "db", namespace: "team" } };
    const { exit, err } = await run([given, jobOf("j", { container: { env: [{ name: "P", valueFrom: secret }] } })]);
    expect([exit, err]).toEqual([2, expect.stringContaining("couldn't find key password in Secret team/db")]);
  });

  it("a value of another type, and another controller", async () => {
    expect((await run([jobOf("j", { spec: { suspend: "yes" } })])).exit).toBe(2);
    const { exit, err } = await run([jobOf("j", { spec: { suspend: true, managedBy: "example.com/queue" } })]);
    expect([exit, err]).toEqual([2, expect.stringContaining("spec.managedBy")]);
  });
});

it("--strict is for simulations", async () => {
  const { exit, err } = await folder.run("run", "--strict", folder.file("j.yaml", JSON.stringify(jobOf("j", {}))));
  expect([exit, err]).toEqual([2, expect.stringContaining("--strict is given with --runtime process")]);
});

describe("a Job that never had a pod", () => {
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q", namespace: "team" },
    spec: { hard: { "limits.memory": "1Gi" } },
  };
  const refusal = /is forbidden: failed quota: q: must specify limits\.memory for: c/;

  it("says so in the summary, with the refusal", async () => {
    const { exit, out } = await run([quota, jobOf("j", { spec: { activeDeadlineSeconds: 100 } })]);
    const line = /^ {2}the Job never had a pod; the last one was refused: pods "j-\w+" (.*)$/m.exec(out)?.[1];
    expect([exit, line]).toEqual([1, expect.stringMatching(refusal)]);
  });

  it("says so when the time-out comes first", async () => {
    const { exit, out } = await run([quota, jobOf("j", {})], "--timeout", "60s");
    expect([exit, out]).toEqual([124, expect.stringMatching(/^ {2}the Job never had a pod$/m)]);
  });

  it("says so in the other formats", async () => {
    const objects = [quota, jobOf("j", { spec: { activeDeadlineSeconds: 100 } })];
    const json = (await run(objects, "-o", "json")).out.trim().split("\n").at(-1)!;
    expect((JSON.parse(json) as { jobs: { withoutPods: string }[] }).jobs[0]!.withoutPods).toMatch(refusal);
    expect((await run(objects, "-o", "junit")).out).toMatch(refusal);
  });

  it("says nothing of one that had a pod", async () => {
    const parts = { spec: { backoffLimit: 0 }, pod: {} };
    const job = jobOf("j", parts) as { spec: { template: Record<string, unknown> } };
    job.spec.template["metadata"] = { annotations: { "stint.dev/simulate": '{"exitCode": 1}' } };
    const { exit, out } = await run([job]);
    expect([exit, out.includes("never had a pod")]).toEqual([1, false]);
  });
});
