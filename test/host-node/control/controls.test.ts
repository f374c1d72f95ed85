/** What a test does to a cluster: moving time, steering pods, draining nodes, crashing components, asking why. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { ControlError } from "../../../host-node/control/control-error.ts";
import { type ClusterCore, createCore, type TestClusterOptions } from "../../../host-node/testing/cluster-core.ts";
import { ClusterControls, type Controls } from "../../../host-node/control/controls.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const START_MS = Date.UTC(2026, 0, 1);
const cores: Core[] = [];

interface Core extends ClusterCore {
  readonly controls: Controls;
}

beforeAll(async () => {
  await buildModule("engine");
});
afterEach(() => cores.splice(0).forEach((core) => core.stop()));

async function start(options: TestClusterOptions = {}): Promise<Core> {
  const parts = await createCore(options);
  const core = { ...parts, controls: new ClusterControls(parts.options) };
  cores.push(core);
  await core.controls.settle();
  return core;
}

function send({ embedded }: Core, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object): any {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = embedded.cluster.handle(request);
  if (!("body" in response)) throw new Error("this is no stream");
  return JSON.parse(String(response.body));
}

const FAILS = { "stint.dev/simulate": '{"exitCode":1}' };
const FOREVER = { "stint.dev/simulate": '{"runMs":"forever"}' };
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

interface Spec {
  readonly annotations?: object;
  readonly [field: string]: unknown;
}

/** Creates a Job, and lets everything happen that is due. */
async function createJob(core: Core, name: string, { annotations, ...spec }: Spec = {}): Promise<void> {
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] },
  };
  const job = send(core, "POST", JOBS, { metadata: { name }, spec: { template, ...spec } });
  if (job.kind !== "Job") throw new Error(job.message);
  await core.controls.settle();
}

const jobOf = (core: Core, name: string): KubeObject => send(core, "GET", `${JOBS}/${name}`);
const endOf = (core: Core, name: string): string | undefined =>
  jobOf(core, name)["status"].conditions?.find(({ type }: any) => ["Complete", "Failed"].includes(type))?.type;

/** What the operation throws. */
async function errorOf(operation: () => unknown): Promise<ControlError> {
  try {
    await operation();
  } catch (error) {
    if (error instanceof ControlError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const INDEXED = { completions: 3, parallelism: 3, completionMode: "Indexed" };

describe("virtual time", () => {
  test("does not pass, but what is due now happens", async () => {
    const core = await start();
    send(core, "POST", JOBS, { metadata: { name: "pi" }, spec: { template: podTemplate() } });
    await turns();
    expect(core.controls.pods("job/pi").list()).toMatchObject([{ phase: "Running", node: "node-1" }]);
    expect(core.controls.now()).toBe(START_MS);
  });

  test("moves by a duration, and what comes until then happens", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"runMs":600000}' } });
    expect(await core.controls.advance("9m59s")).toBe(START_MS + 599_000);
    expect(endOf(core, "pi")).toBeUndefined();
    await core.controls.advance(1_500);
    expect(endOf(core, "pi")).toBe("Complete");
  });

  test("repeats exactly with the same seed, and not with another one", async () => {
    const run = async (seed: number): Promise<unknown> => {
      const core = await start({ seed });
      await createJob(core, "pi", INDEXED);
      const { now } = await core.controls.untilIdle();
      return [now, core.controls.pods("job/pi").list()];
    };
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
  });

  test.each([
    ["soon", 'the duration is "soon"; allowed is a duration such as 500ms'],
    ["", 'the duration is ""; allowed is'],
    [-1, "the duration is -1; allowed is a duration such as 30s or 1h30m, or whole milliseconds from 0"],
    [0.5, "the duration is 0.5"],
    [null, "the duration is null"],
  ])("is not moved by %j", async (duration, message) => {
    const { controls } = await start();
    const { code, message: said } = await errorOf(() => controls.advance(duration as never));
    expect(code).toBe(400);
    expect(said).toContain(message);
  });
});

describe("real time", () => {
  test("passes without calls", async () => {
    const core = await start({ clock: "real" });
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"runMs":1}' } });
    await core.controls.untilIdle({ limit: "20s" });
    expect(endOf(core, "pi")).toBe("Complete");
  });

  test("cannot be advanced", async () => {
    const { controls } = await start({ clock: "real" });
    expect(await errorOf(() => controls.advance("1s"))).toMatchObject({
      code: 409,
      message: expect.stringContaining("this cluster runs on real time"),
    });
  });
});

describe("untilIdle", () => {
  test("ends with the last Job, before its time to live is over", async () => {
    const core = await start();
    await createJob(core, "pi", { ttlSecondsAfterFinished: 60 });
    await createJob(core, "retried", {
      annotations: { "stint.dev/simulate": '{"exitCodes":[1,1,0]}' },
      ttlSecondsAfterFinished: 3600,
    });
    const { waiting } = await core.controls.untilIdle();
    expect(waiting).toEqual([]);
    expect(endOf(core, "pi")).toBe("Complete");
    expect(jobOf(core, "retried")["status"]).toMatchObject({ succeeded: 1, failed: 2 });
  });

  test("leaves suspended Jobs, and those of other controllers", async () => {
    const core = await start();
    await createJob(core, "suspended", { suspend: true });
    await createJob(core, "foreign", { managedBy: "example.com/other" });
    expect(await core.controls.untilIdle()).toEqual({ now: START_MS, waiting: [] });
  });

  test("names the Jobs that wait for a user's action", async () => {
    const core = await start();
    await createJob(core, "stuck");
    await core.controls.pods("job/stuck").hang();
    const { now, waiting } = await core.controls.untilIdle();
    expect(waiting).toEqual([{ job: "stuck", why: expect.stringContaining("waiting for pods: 1 active") }]);
    expect(now - START_MS).toBeLessThan(3_600_000);
  });

  test("does not wait for a controller that this cluster does not have", async () => {
    const core = await start({ controller: false });
    await createJob(core, "pi");
    const { waiting } = await core.controls.untilIdle();
    expect(waiting).toEqual([{ job: "pi", why: "no controller of this cluster runs it" }]);
  });

  test("waits for a deadline, however far it is", async () => {
    const core = await start();
    await createJob(core, "late", {
      activeDeadlineSeconds: 40_000,
      annotations: { "stint.dev/simulate": '{"runMs":"forever"}' },
    });
    await core.controls.untilIdle();
    expect(endOf(core, "late")).toBe("Failed");
    expect(core.controls.now() - START_MS).toBeGreaterThanOrEqual(40_000_000);
  });

  test("gives up at its limit, with the reason of each Job", async () => {
    const core = await start();
    await createJob(core, "unlucky", { backoffLimit: 1000, annotations: { "stint.dev/simulate": '{"exitCode":1}' } });
    const { code, message } = await errorOf(() => core.controls.untilIdle({ limit: "1h" }));
    expect(code).toBe(409);
    expect(message).toMatch(/^the cluster is not idle after 1h\n {2}job unlucky: .*back-off/s);
    expect(core.controls.now()).toBeLessThanOrEqual(START_MS + 3_600_000);
  });
});

describe("until", () => {
  test("a condition of a Job", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"runMs":5000}' } });
    const now = await core.controls.until({ job: "job/pi", condition: "Complete" });
    expect(endOf(core, "pi")).toBe("Complete");
    expect(now - START_MS).toBeLessThan(10_000);
  });

  test("a function returns something true", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"exitCodes":[1,0]}' } });
    await core.controls.until(async () => jobOf(core, "pi")["status"].failed === 1);
    expect(endOf(core, "pi")).toBeUndefined();
  });

  test("gives up at its limit", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: FOREVER });
    const { code, message } = await errorOf(() =>
      core.controls.until({ job: "pi", condition: "Failed" }, { limit: "1m" }),
    );
    expect(code).toBe(409);
    expect(message).toMatch(/^Failed of the Job pi has not come after 1m\n {2}job pi: waiting for pods/);
  });

  test.each([
    ["Complete", { backoffLimit: 0, annotations: FAILS }, "Failed (BackoffLimitExceeded)"],
    ["SuccessCriteriaMet", { backoffLimit: 0, annotations: FAILS }, "Failed (BackoffLimitExceeded)"],
    ["Failed", {}, "Complete (CompletionsReached)"],
    ["FailureTarget", {}, "Complete (CompletionsReached)"],
    ["Suspended", {}, "Complete (CompletionsReached)"],
  ])("ends at once when %s can no longer come, and says why", async (condition, spec, end) => {
    const core = await start();
    await createJob(core, "pi", spec);
    await core.controls.untilIdle();
    const before = core.controls.now();
    const { code, message } = await errorOf(() => core.controls.until({ job: "pi", condition }));
    expect(code).toBe(409);
    expect(message.split("\n")[0]).toBe(`the Job pi is ${end}, so ${condition} cannot come`);
    expect(message).toContain(core.controls.why("pi"));
    expect(core.controls.now()).toBe(before);
  });

  test("ends as soon as the end of the Job is decided otherwise, while its pods still end", async () => {
    const core = await start();
    const hangs = { "stint.dev/simulate": '{"runMs":"forever","sigterm":{"exitCode":0,"afterMs":20000}}' };
    await createJob(core, "late", { activeDeadlineSeconds: 100, annotations: hangs });
    const { message } = await errorOf(() => core.controls.until({ job: "late", condition: "Complete" }));
    expect(message.split("\n")[0]).toBe(
      "the Job late is about to end: it has FailureTarget (DeadlineExceeded), so Complete cannot come",
    );
    expect(endOf(core, "late")).toBeUndefined();
    await core.controls.until({ job: "late", condition: "Failed" });
    expect(endOf(core, "late")).toBe("Failed");
  });

  test("ends when the Job is deleted", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: FOREVER });
    const wait = errorOf(() => core.controls.until({ job: "pi", condition: "Complete" }));
    send(core, "DELETE", `${JOBS}/pi`, { propagationPolicy: "Background" });
    expect(await wait).toMatchObject({ code: 404, message: "the Job pi was deleted, so Complete cannot come" });
  });

  test("sees the condition of a Job that was deleted as soon as it had it", async () => {
    const core = await start();
    await createJob(core, "brief", { ttlSecondsAfterFinished: 0 });
    await core.controls.until({ job: "brief", condition: "Complete" });
    await createJob(core, "unlucky", { ttlSecondsAfterFinished: 0, backoffLimit: 0, annotations: FAILS });
    expect((await errorOf(() => core.controls.until({ job: "unlucky", condition: "Complete" }))).message).toBe(
      "the Job unlucky was deleted (it was Failed (BackoffLimitExceeded)), so Complete cannot come",
    );
  });

  test("waits for a Job that is suspended, which a client may resume", async () => {
    const core = await start();
    await createJob(core, "paused", { suspend: true });
    const wait = core.controls.until({ job: "paused", condition: "Complete" }, { limit: "2h" });
    send(core, "PATCH", `${JOBS}/paused`, { spec: { suspend: false } });
    await wait;
    expect(endOf(core, "paused")).toBe("Complete");
  });

  test("takes no Job that is not there, and no condition that none can have", async () => {
    const { controls } = await start();
    expect((await errorOf(() => controls.until({ job: "pi", condition: "Complete" }))).code).toBe(404);
    const allowed = "allowed are those of a Job: Complete, Failed, Suspended, FailureTarget, SuccessCriteriaMet";
    const refusalOf = (condition: string): Promise<ControlError> =>
      errorOf(() => controls.until({ job: "pi", condition }));
    expect(await refusalOf("Succeeded")).toMatchObject({
      code: 400,
      message: `the condition is "Succeeded"; ${allowed}`,
    });
    expect((await refusalOf("")).message).toBe(`the condition is ""; ${allowed}`);
    expect((await refusalOf("complete")).message).toBe(`the condition is "complete"; ${allowed}`);
  });
});

describe("pods", () => {
  test("fail with the exit code and the reason that are asked for, one index alone", async () => {
    const core = await start();
    await createJob(core, "three", INDEXED);
    const failed = await core.controls.pods("job/three").fail({ exitCode: 3, index: 2, reason: "OOMKilled" });
    expect(failed).toMatchObject([{ name: expect.stringMatching(/^three-2-/), index: 2, phase: "Running" }]);
    const pods: KubeObject[] = send(core, "GET", "/api/v1/pods").items;
    const { containerStatuses } = pods.find(({ metadata }) => metadata.name === failed[0]!.name)!["status"];
    expect(containerStatuses[0].state.terminated).toMatchObject({ exitCode: 3, reason: "OOMKilled" });
    expect(core.controls.pods("job/three", { index: 0 }).list()).toMatchObject([{ phase: "Running" }]);
    await core.controls.untilIdle();
    expect(jobOf(core, "three")["status"]).toMatchObject({ succeeded: 3, failed: 1 });
  });

  test("succeed before their time", async () => {
    const core = await start();
    await createJob(core, "long", { annotations: { "stint.dev/simulate": '{"runMs":"forever"}' } });
    await core.controls.pods("job/long").succeed();
    expect(core.controls.pods("job/long").list()).toMatchObject([{ phase: "Succeeded" }]);
  });

  test("end as soon as they start, when they have not started yet", async () => {
    const core = await start();
    await core.controls.cordon("node-1");
    await createJob(core, "waiting", { backoffLimit: 0 });
    await core.controls.pods("job/waiting").fail({ exitCode: 7 });
    expect(core.controls.pods("job/waiting").list()).toMatchObject([{ phase: "Pending", node: null }]);
    await core.controls.uncordon("node-1");
    await core.controls.until({ job: "waiting", condition: "Failed" });
    expect(core.controls.why("waiting")).toContain("exit code 7");
  });

  test("hang, and still obey SIGTERM", async () => {
    const core = await start();
    await createJob(core, "hung", { activeDeadlineSeconds: 100 });
    await core.controls.pods("job/hung").hang();
    await core.controls.advance("99s");
    expect(core.controls.pods("job/hung").list()).toMatchObject([{ phase: "Running" }]);
    await core.controls.untilIdle();
    expect(endOf(core, "hung")).toBe("Failed");
    expect(core.controls.now() - START_MS).toBeLessThan(110_000);
  });

  test("are evicted and deleted, and replaced", async () => {
    const core = await start();
    await createJob(core, "three", INDEXED);
    const [evicted] = await core.controls.pods("job/three").evict({ index: 1 });
    const [deleted] = await core.controls.pods("job/three", { index: 2 }).delete();
    await core.controls.untilIdle();
    const names = core.controls
      .pods("job/three")
      .list()
      .map(({ name }) => name);
    expect(names).not.toContain(evicted!.name);
    expect(names).not.toContain(deleted!.name);
    expect(endOf(core, "three")).toBe("Complete");
  });

  test("are found by name and by labels", async () => {
    const core = await start();
    await createJob(core, "three", INDEXED);
    const all = core.controls.pods("job/three").list();
    expect(core.controls.pods("default/job/three").list()).toEqual(all);
    expect(core.controls.pods("batch.kubernetes.io/job-name=three").list()).toEqual(all);
    expect(core.controls.pods(`pod/${all[1]!.name}`).list()).toEqual([all[1]]);
  });

  test("a container that is not theirs does not fail", async () => {
    const core = await start();
    await createJob(core, "pi");
    expect(await errorOf(() => core.controls.pods("job/pi").fail({ container: "mian" }))).toMatchObject({
      code: 404,
      message: expect.stringMatching(/^pod pi-\w+ has no container mian; it has main$/),
    });
  });

  test.each<[string, (core: Core) => unknown, number, string | RegExp]>([
    [
      "an unknown Job",
      ({ controls }) => controls.pods("job/po").list(),
      404,
      "there is no Job po in namespace default; did you mean pi?",
    ],
    [
      "an unknown pod",
      ({ controls }) => controls.pods("pod/x").fail(),
      404,
      /^there is no pod x in namespace default; there are pi-\w+$/,
    ],
    [
      "an index that is not there",
      ({ controls }) => controls.pods("job/pi").fail({ index: 4 }),
      409,
      /^no pod of job\/pi with completion index 4 is there that has not ended; there are pi-\w+ \(Running\)$/,
    ],
    ["a word", ({ controls }) => controls.pods("pi"), 400, 'the pods are given as "pi"; allowed is job/NAME, pod/NAME'],
    [
      "a selector with a mistake",
      ({ controls }) => controls.pods("a in (b"),
      400,
      'the pods are given as "a in (b"; allowed is',
    ],
    [
      "an exit code that is none",
      ({ controls }) => controls.pods("job/pi").fail({ exitCode: 0 }),
      400,
      "exitCode is 0; allowed is an integer from 1 to 255",
    ],
    [
      "a field that is none",
      ({ controls }) => controls.pods("job/pi").fail({ exitcode: 1 } as never),
      400,
      "the options of fail have the field exitcode; allowed are exitCode, reason",
    ],
  ])("%s is refused", async (_what, act, code, message) => {
    const core = await start();
    await createJob(core, "pi");
    const error = await errorOf(() => act(core));
    expect(error.code).toBe(code);
    if (typeof message === "string") expect(error.message).toContain(message);
    else expect(error.message).toMatch(message);
  });
});

describe("outcomes", () => {
  test("are those of pods that start later, above their annotation, by attempt", async () => {
    const core = await start();
    core.controls.outcomes("job/pi", { exitCodes: [9, 0] });
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"exitCode":1}' } });
    await core.controls.untilIdle();
    expect(jobOf(core, "pi")["status"]).toMatchObject({ succeeded: 1, failed: 1 });
  });

  test("say how containers answer their probes, also in a pod that hangs", async () => {
    const core = await start();
    core.controls.outcomes("job/pi", { runMs: "forever", readyAfterMs: 20_000, hangsAfterMs: 60_000 });
    const probe = { exec: { command: ["true"] }, periodSeconds: 5 };
    const container = { name: "main", image: "busybox", readinessProbe: probe, livenessProbe: probe };
    const spec = { template: { spec: { restartPolicy: "Never", containers: [container] } }, backoffLimit: 0 };
    send(core, "POST", JOBS, { metadata: { name: "pi" }, spec });
    await core.controls.advance("15s");
    expect(jobOf(core, "pi")["status"]).toMatchObject({ active: 1, ready: 0 });
    await core.controls.pods("job/pi").hang();
    await core.controls.advance("10s");
    expect(jobOf(core, "pi")["status"]).toMatchObject({ active: 1, ready: 1 });
    await core.controls.untilIdle();
    expect(endOf(core, "pi")).toBe("Failed");
    expect(core.controls.now() - START_MS).toBeLessThan(80_000);
  });

  test("the last that were said count first, and null takes them back", async () => {
    const core = await start();
    core.controls.outcomes("app!=x", { exitCode: 1 });
    core.controls.outcomes("job/pi", { exitCode: 1 });
    core.controls.outcomes("app!=x", { exitCode: 0 });
    await createJob(core, "pi", { backoffLimit: 0 });
    await core.controls.untilIdle();
    expect(endOf(core, "pi")).toBe("Complete");
    core.controls.outcomes("app!=x", null);
    await createJob(core, "other", { backoffLimit: 0 });
    send(core, "DELETE", `${JOBS}/pi`, { propagationPolicy: "Background" });
    await core.controls.untilIdle();
    await createJob(core, "pi", { backoffLimit: 0 });
    await core.controls.untilIdle();
    expect([endOf(core, "other"), endOf(core, "pi")]).toEqual(["Complete", "Failed"]);
  });

  test("with a mistake are refused", async () => {
    const { controls } = await start();
    expect((await errorOf(() => controls.outcomes("job/pi", { exitcode: 1 }))).message).toMatch(
      /^the outcome is not one of stint\.dev\/simulate: exitcode is not a field .*; did you mean exitCode\?$/,
    );
  });
});

describe("nodes", () => {
  test("are drained: their pods go elsewhere", async () => {
    const core = await start({ nodes: ["a", "b"] });
    await createJob(core, "three", { ...INDEXED, annotations: { "stint.dev/simulate": '{"runMs":100000}' } });
    const on = (node: string): string[] =>
      core.controls
        .pods("job/three")
        .list()
        .filter((pod) => pod.node === node)
        .map(({ name }) => name);
    const before = on("a");
    expect(before.length).toBeGreaterThan(0);
    const { evicted, refused } = await core.controls.drain("a");
    expect(evicted.toSorted()).toEqual(before);
    expect(refused).toEqual([]);
    await core.controls.untilIdle();
    expect(on("a")).toEqual([]);
    expect(endOf(core, "three")).toBe("Complete");
  });

  test("a budget protects pods of a drained node", async () => {
    const core = await start();
    await createJob(core, "pi", { annotations: { "stint.dev/simulate": '{"runMs":100000}' } });
    send(core, "POST", "/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
      metadata: { name: "all" },
      spec: { maxUnavailable: 0, selector: { matchLabels: { "batch.kubernetes.io/job-name": "pi" } } },
    });
    await core.controls.settle();
    const { evicted, refused } = await core.controls.drain("node-1");
    expect(evicted).toEqual([]);
    expect(refused).toEqual([
      { pod: expect.stringMatching(/^pi-/), message: expect.stringContaining("disruption budget") },
    ]);
  });

  test("are lost: the cluster finds out, and the Job continues elsewhere", async () => {
    const core = await start({ nodes: 2 });
    await createJob(core, "pi", {
      podReplacementPolicy: "TerminatingOrFailed",
      annotations: { "stint.dev/simulate": '{"runMs":100000}' },
    });
    const [{ node }] = core.controls.pods("job/pi").list() as unknown as [{ node: string }];
    await core.controls.loseNode(node);
    await core.controls.advance("15m");
    const pods = core.controls.pods("job/pi").list();
    expect(pods.some((pod) => pod.node !== node && pod.phase === "Succeeded")).toBe(true);
  });

  test("of other names are not there", async () => {
    const { controls } = await start();
    expect((await errorOf(() => controls.drain("node-2"))).message).toBe(
      "there is no node node-2; did you mean node-1?",
    );
  });
});

describe("crash", () => {
  test("the controller begins again, and every Job still ends", async () => {
    const core = await start();
    await createJob(core, "three", { ...INDEXED, parallelism: 1 });
    const before = core.embedded.engine;
    await core.controls.crash("controller");
    expect(core.embedded.engine).not.toBe(before);
    await core.controls.advance("1500ms");
    await core.controls.crash("controller");
    await core.controls.untilIdle();
    expect(jobOf(core, "three")["status"]).toMatchObject({ succeeded: 3, conditions: expect.anything() });
  });

  test("a new controller knows nothing of the back-off that the old one waited for, as upstream's", async () => {
    const createdAfter = async (crash: boolean): Promise<string[]> => {
      const core = await start();
      await createJob(core, "pi", { ...INDEXED, completions: 2, parallelism: 2 });
      for (const index of [0, 1]) await core.controls.pods("job/pi", { index }).hang();
      for (const index of [0, 1]) await core.controls.pods("job/pi", { index }).evict();
      await core.controls.advance("2s");
      expect(core.controls.why("job/pi")).toContain("2 failures in a row, back-off 20 s since 00:00:00");
      if (crash) await core.controls.crash("controller");
      await core.controls.advance("1m");
      return send(core, "GET", "/api/v1/pods").items.map((pod: KubeObject) => pod.metadata.creationTimestamp);
    };
    expect(await createdAfter(false)).toEqual(["2026-01-01T00:00:20Z", "2026-01-01T00:00:20Z"]);
    expect(await createdAfter(true)).toEqual(["2026-01-01T00:00:02Z", "2026-01-01T00:00:02Z"]);
  });

  test("the scheduler begins again, and pods still get their node", async () => {
    const core = await start();
    await core.controls.crash("scheduler");
    await createJob(core, "pi");
    await core.controls.untilIdle();
    expect(endOf(core, "pi")).toBe("Complete");
  });

  test("only what is there", async () => {
    const core = await start({ controller: false, nodes: 0 });
    expect((await errorOf(() => core.controls.crash("kubelet" as never))).message).toBe(
      'the component is "kubelet"; allowed are controller, scheduler',
    );
    expect((await errorOf(() => core.controls.crash("controller"))).message).toContain("runs no controller");
    expect((await errorOf(() => core.controls.crash("scheduler"))).message).toContain("runs no scheduler");
  });
});

describe("why", () => {
  test("names the container that keeps a pod from ending", async () => {
    const core = await start();
    const containers = [
      { name: "main", image: "busybox" },
      { name: "metrics", image: "push", restartPolicy: "Always" },
    ];
    const outcome = { byContainer: { main: { runMs: 2000 }, metrics: { runMs: "forever" } } };
    const template = {
      metadata: { annotations: { "stint.dev/simulate": JSON.stringify(outcome) } },
      spec: { restartPolicy: "Never", containers },
    };
    send(core, "POST", JOBS, { metadata: { name: "helper" }, spec: { template } });
    await core.controls.advance("1s");
    expect(core.controls.why("helper")).not.toContain("does not end");
    await core.controls.advance("1m");
    expect(core.controls.why("helper")).toMatch(/pod helper-\w+ does not end: .*container metrics/);
    const wanted = { job: "helper", condition: "Complete" } as const;
    const { message } = await errorOf(() => core.controls.until(wanted, { limit: "1m" }));
    expect(message).toMatch(
      /\n {2}job helper: the Job is running: .*; pod helper-\w+ does not end: .*container metrics/,
    );
  });

  test("says what holds a Job in the words of account, each hold once", async () => {
    const core = await start();
    const annotations = { "stint.dev/simulate": '{"failReason":"ErrImagePull","failMessage":"no such image"}' };
    send(core, "POST", "/api/v1/namespaces/default/resourcequotas", {
      metadata: { name: "small" },
      spec: { hard: { pods: "1" } },
    });
    await createJob(core, "held", { parallelism: 2, completions: 2, annotations });
    await core.controls.advance("2s");
    const text = core.controls.why("held");
    const [, sentence, other] = text.split("\n");
    expect(sentence).toMatch(/^ {2}the Job does not go on: the API server refuses new pods: .*exceeded quota: small/);
    expect(other).toMatch(
      /^ {2}1 pod cannot start: container main of pod held-\w+ waits with ImagePullBackOff: .*no such image$/,
    );
    expect(text.split("the API server refuses new pods")).toHaveLength(2);
  });

  test("of a Job that no controller of the cluster runs says so", async () => {
    const core = await start({ controller: false });
    await createJob(core, "pi");
    expect(core.controls.why("pi")).toBe("job pi  no controller of this cluster runs it");
    expect((await errorOf(async () => core.controls.explain("pi"))).message).toBe(
      "job pi is not explained: no controller of this cluster runs it",
    );
  });

  test("says the reason, how the last pod failed, and the last decisions", async () => {
    const core = await start();
    await createJob(core, "bad", {
      backoffLimit: 0,
      annotations: { "stint.dev/simulate": '{"exitCode":3,"logs":["no such table"]}' },
    });
    await core.controls.untilIdle();
    const text = core.controls.why("bad");
    expect(text).toMatch(/^job bad {2}Failed\n/);
    for (const part of ["backoffLimit", "exit code 3", "no such table", "DECISION"]) expect(text).toContain(part);
    expect(text.split("\n")[1]).toMatch(
      /^ {2}the Job has failed .*; the last failure: pod bad-\w+ has failed: container main exited \(exit code 3, Error\)$/,
    );
    expect(text).not.toContain("kubectl");
    expect(core.controls.explain("default/bad")).toMatchObject({ state: "Failed", found: true });
  });

  test("knows no other Jobs", async () => {
    const core = await start();
    await createJob(core, "good");
    expect((await errorOf(() => core.controls.why("god"))).message).toBe(
      "there is no Job god in namespace default; did you mean good?",
    );
  });
});

describe("a recording", () => {
  test("has the controller's whole input", async () => {
    const core = await start();
    await createJob(core, "pi");
    await core.controls.untilIdle();
    const lines = Buffer.from(core.controls.recording()).toString().trimEnd().split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ format: expect.any(String), version: expect.any(Number) });
    expect(lines.length).toBeGreaterThan(20);
  });

  test("is not there where nothing is recorded", async () => {
    const { controls } = await start({ record: false });
    expect((await errorOf(() => controls.recording())).code).toBe(409);
  });
});

describe("the options", () => {
  test.each([
    [{ clok: "virtual" }, "the options of a cluster have the field clok; allowed are clock, startTime"],
    [{ clock: "fake" }, 'clock is "fake"; allowed are "virtual" and "real"'],
    [{ startTime: "noon" }, 'startTime is "noon"; allowed is a Date'],
    [{ nodes: ["a", "a"] }, 'nodes is ["a","a"]; allowed are up to 1000 different names'],
    [{ nodes: 5_000 }, "nodes is 5000; allowed is an integer from 0 to 1000"],
    [{ seed: 0.5 }, "seed is 0.5; allowed is an integer from 0 to 4294967295"],
  ])("%j are refused", async (options, message) => {
    expect((await errorOf(() => start(options as TestClusterOptions))).message).toContain(message);
  });
});

function podTemplate(): object {
  return { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
}

/** Some turns of the process. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
