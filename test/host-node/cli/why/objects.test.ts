/**
 * `stint why` of Jobs whose controller explains nothing: an API server in memory, in which nothing moves, without
 * /debug/jobs.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse } from "../../../../bindings/js/host.ts";
import { Cluster } from "../../../../cluster/cluster.ts";
import { textOf } from "../../../../cluster/values/text.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { RealClock } from "../../../../host-node/clock.ts";
import { main } from "../checked-main.ts";
import { createEngine } from "../../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { statusResponse } from "../../../../host-node/server/guard.ts";
import { type RunningServer, startServer } from "../../../../host-node/server/https-server.ts";
import { kubeconfigText } from "../../../../host-node/server/kubeconfig.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { withoutFoundNote } from "../found-note.ts";
import { RecordingConsole } from "../recording-console.ts";

const TOKEN = "secret-token";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const EVENTS = "/api/v1/namespaces/default/events";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/stint-system/leases";

const clock = new RealClock();
let directory: string;
let cluster: Cluster;
let server: RunningServer;
/** What `why` has asked for since the last test. */
let asked: ApiRequest[] = [];
/** Answers in place of the API server's own; undefined: its own. */
let answer: (path: string) => ApiResponse | undefined = () => undefined;
/** Added to each answer. */
let headers: Record<string, string> = {};

beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-why-objects-"));
  const admission = await createEngine(await loadEngineModule());
  cluster = new Cluster({ clock, random: Math.random, admission: (review) => admission.review(review) });
  const handle = (request: ApiRequest): ReturnType<Cluster["handle"]> => {
    asked.push(request);
    const response =
      answer(request.path) ??
      (request.path.startsWith("/debug/")
        ? statusResponse(403, "Forbidden", "debug is forbidden")
        : cluster.handle(request));
    return { ...response, headers: { ...response.headers, ...headers } };
  };
  server = await startServer({
    handler: { handle },
    port: 0,
    token: TOKEN,
    clock: new RealClock(),
    onCrowded: () => {},
    onError: (error) => expect.unreachable(error.message),
  });
  writeFileSync(
    join(directory, "stint.kubeconfig"),
    kubeconfigText({ server: server.url, authority: server.authority, token: TOKEN }),
    { mode: 0o600 },
  );
});
afterAll(async () => {
  await server.close();
  clock.stop();
  rmSync(directory, { recursive: true });
});
afterEach(() => {
  expect(asked.filter(({ method }) => method !== "GET")).toEqual([]);
  asked = [];
  answer = () => undefined;
  headers = {};
});

function write(method: "POST" | "PUT" | "PATCH", path: string, body: object): KubeObject {
  const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = cluster.handle({
    method,
    path,
    headers: { accept: "application/json", "content-type": contentType },
    body: JSON.stringify(body),
  }) as ApiResponse;
  const text = textOf(response.body);
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text);
}

function makeJob(name: string, spec: object = {}): KubeObject {
  return write("POST", JOBS, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } }, ...spec },
  });
}

interface PodParts {
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly status?: object;
}

/** A pod that the Job owns, as its controller would have made it. */
function makePod(
  job: KubeObject,
  name: string,
  {
    finalizers = ["batch.kubernetes.io/job-tracking"],
    labels = job["spec"].selector.matchLabels,
    status,
  }: PodParts = {},
): void {
  const ownerReferences = [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      name: job.metadata.name,
      uid: job.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ];
  write("POST", PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels, finalizers, ownerReferences },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
  });
  if (status !== undefined) write("PATCH", `${PODS}/${name}/status`, { status });
}

function makeWarning(
  name: string,
  about: { readonly kind: string; readonly name: string; readonly uid?: string },
  reason: string,
  message: string,
  agoMs: number,
  count = 1,
): void {
  const lastTimestamp = seconds(Date.now() - agoMs);
  write("POST", EVENTS, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name },
    involvedObject: { ...about, namespace: "default" },
    type: "Warning",
    reason,
    message,
    count,
    firstTimestamp: lastTimestamp,
    lastTimestamp,
  });
}

function seconds(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+/, "");
}

function failedAt(timeMs: number): object {
  return {
    phase: "Failed",
    containerStatuses: [
      {
        name: "main",
        image: "none",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode: 3, reason: "Error", message: "no disk", finishedAt: seconds(timeMs) } },
      },
    ],
  };
}

interface Told {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

async function why(...args: readonly string[]): Promise<Told> {
  const console = new RecordingConsole(directory);
  const exit = await main(["why", ...args], "0.0.0", console);
  expect(console.out + console.err).not.toContain(TOKEN);
  return { exit, out: console.out, err: withoutFoundNote(console.err) };
}

async function whyAsJson(job: string): Promise<Record<string, any>> {
  const { exit, out, err } = await why(job, "--output", "json");
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  return JSON.parse(out);
}

const log = (text: string): ApiResponse => ({ status: 200, headers: { "content-type": "text/plain" }, body: text });

/** Of a Job whose pods all run. */
const WELL = { code: "WaitingForPods", failed: 0, active: 1, ready: 1, parallelism: 1 };

describe("why, from objects", () => {
  it("prints a backoff from when the counted pods failed, and how the last of them did, with the end of its log", async () => {
    answer = (path) => (path.includes("/log?") ? log("reading\nno disk\n") : undefined);
    const job = makeJob("retry");
    write("PATCH", `${JOBS}/retry/status`, { status: { startTime: seconds(Date.now() - 60_000), failed: 3 } });
    // The first and the last in time are neither first nor last by name.
    for (const [name, agoMs] of [
      ["retry-a", 20_000],
      ["retry-b", 4000],
      ["retry-c", 30_000],
    ] as const)
      makePod(job, name, { finalizers: [], status: failedAt(Date.now() - agoMs) });
    const { exit, out } = await why("retry");
    expect(exit).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toBe("job retry  Waiting");
    expect(lines[1]).toMatch(
      /^ {2}waiting \d+ s before the next pod is created: 3 failures in a row, back-off 40 s since /,
    );
    expect(lines[3]).toMatch(/^ {2}next: in \d+ s, at .* UTC$/);
    expect(lines.slice(4)).toEqual([
      "  last failure: pod retry-b: container main exited (exit code 3, Error): no disk",
      "  │ reading",
      "  │ no disk",
      "  from its objects: no controller that explains it was found",
      "  run by the built-in controller",
      "  more: stint explain Backoff",
    ]);
    expect(asked.map(({ path }) => path).filter((path) => path.includes("/log?"))).toEqual([
      `${PODS}/retry-b/log?container=main&tailLines=10&limitBytes=16384`,
    ]);
    expect(await whyAsJson("retry")).toMatchObject({
      found: true,
      code: "Backoff",
      source: "objects",
      failed: 3,
      decisions: [],
      lastFailure: {
        pod: "retry-b",
        failure: "container main exited (exit code 3, Error): no disk",
        log: ["reading", "no disk"],
      },
    });
  });

  it("prints the last failure of a pod that restarts its containers, from the log of the attempt that failed", async () => {
    const job = makeJob("crash");
    const crashed = { terminated: { exitCode: 4, reason: "Error", finishedAt: seconds(Date.now() - 3000) } };
    const status = (state: object, restartCount: number): object => ({
      phase: "Running",
      containerStatuses: [
        { name: "main", image: "none", imageID: "", ready: false, restartCount, state, lastState: crashed },
      ],
    });
    makePod(job, "crash-a", { status: status({ waiting: { reason: "CrashLoopBackOff" } }, 0) });
    answer = (path) =>
      path.includes("/log?") ? log(path.includes("previous=true") ? "before\n" : "now\n") : undefined;
    expect((await whyAsJson("crash"))["lastFailure"]).toEqual({
      pod: "crash-a",
      failure: "container main exited (exit code 4, Error)",
      endedBy: "Exited",
      log: ["now"],
    });
    write("PATCH", `${PODS}/crash-a/status`, {
      status: status({ running: { startedAt: seconds(Date.now()) }, waiting: null }, 1),
    });
    expect((await whyAsJson("crash"))["lastFailure"]).toMatchObject({ log: ["before"] });
  });

  it("lists pods that cannot run, with Warnings of the oldest one", async () => {
    const job = makeJob("stuck", { parallelism: 2, completions: 2 });
    const waiting = {
      phase: "Pending",
      conditions: [
        { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
      ],
    };
    makePod(job, "stuck-a");
    makePod(job, "stuck-b", { status: waiting });
    makeWarning("a", { kind: "Pod", name: "stuck-a" }, "FailedScheduling", "of another pod", 60_000);
    makeWarning(
      "b",
      { kind: "Pod", name: "stuck-b" },
      "FailedScheduling",
      "0/3 nodes are available: 3 Insufficient cpu.",
      180_000,
      4,
    );
    makeWarning(
      "c",
      { kind: "Pod", name: "stuck-b" },
      "UnsupportedField",
      "spec.containers[0].image has no effect on this node: processes run no images",
      60_000,
    );
    const { out } = await why("stuck");
    expect(out).toMatch(
      /^job stuck {2}Running\n {2}1 of 2 active pods cannot run, 0 succeeded of 2; 1 Unschedulable \(stuck-b since \S+: 0\/3 nodes are available\), 1 Pending \(stuck-a since \S+\)\n/,
    );
    expect(out).toContain("\n  next: it goes on when a pod ends\n");
    expect(out).toMatch(
      /\n {2}PODS {2}STATE OR REASON {2}THE OLDEST {2}SINCE \(UTC\)\n {5}1 {2}Unschedulable {4}stuck-b /,
    );
    expect(out).toMatch(
      /\n {2}LAST SEEN +WARNING\n {2}\d min( \d+ s)? ago, 4 times {2}pod\/stuck-b FailedScheduling: 0\/3 nodes are available: 3 Insufficient cpu\.\n$/,
    );
  });
});

describe("why, from objects, of Jobs that another controller may run", () => {
  it("says what is due, and why the API server refused it: refusals that differ in names are one", async () => {
    const { metadata } = makeJob("full");
    const about = { kind: "Job", name: "full", uid: metadata.uid };
    for (const [i, pod] of ["x", "y", "z"].entries())
      makeWarning(
        `full-${i}`,
        about,
        "FailedCreate",
        `Error creating: pods "full-${pod}" is forbidden: exceeded quota: small`,
        30_000 - i * 1000,
        i + 1,
      );
    makeWarning(
      "full-old",
      { ...about, uid: "of-an-earlier-one" },
      "FailedCreate",
      "of an earlier Job of this name",
      1000,
    );
    const { out } = await why("full");
    expect(out).toMatch(
      /^job full {2}Waiting\n {2}its controller is to act: creating 1 pod: 0 of 1 wanted active, 0 succeeded\n {2}the API server refuses new pods: pods "full-z" is forbidden: exceeded quota: small\n/,
    );
    expect(out).toContain("\n  next: when its controller acts\n");
    expect(out).toMatch(
      /\n {2}\d+ s ago, 6 times {2}job\/full FailedCreate: Error creating: pods "full-z" is forbidden: exceeded quota: small\n$/,
    );
  });

  it("takes a Job of another manager as that one's, with the finalizer that its pods have", async () => {
    const job = makeJob("foreign", { managedBy: "example.com/x", completions: 2 });
    makePod(job, "foreign-a", { finalizers: ["example.com/tracking"], status: { phase: "Succeeded" } });
    const told = await whyAsJson("foreign");
    expect(told).toMatchObject({
      state: "Waiting",
      code: "Creating",
      numbers: { pods: 1, succeeded: 1 },
      remarks: [
        expect.anything(),
        expect.stringMatching(
          /^spec\.managedBy says example\.com\/x: whether that controller runs is not known here; its status is empty, \d+ s after it was created$/,
        ),
      ],
    });
    write("PATCH", `${JOBS}/foreign/status`, { status: { startTime: seconds(Date.now()), active: 1 } });
    expect((await whyAsJson("foreign"))["remarks"]).toContain(
      "spec.managedBy says example.com/x: whether that controller runs is not known here",
    );
  });

  const served = (body: object): ApiResponse => ({
    status: 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

  it("continues without the rules of a manager that no controller can be", async () => {
    const job = makeJob("odd");
    makePod(job, "odd-a", { status: failedAt(Date.now()) });
    const spec = { ...job["spec"], managedBy: "evil\u001b]52;c;aGk=\u0007" };
    answer = (path) => (path === `${JOBS}/odd` ? served({ ...job, spec }) : undefined);
    const { exit, out, err } = await why("odd");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toContain("\n  what its controller does next could not be worked out (managedBy: must be a domain, ");
    expect(out).toContain("last failure: pod odd-a: ");
    expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  it("does not take data that no Job can have for a bug", async () => {
    const job = makeJob("typed");
    answer = (path) =>
      path === `${JOBS}/typed` ? served({ ...job, spec: { ...job["spec"], managedBy: 5 } }) : undefined;
    const { exit, err } = await why("typed");
    expect(exit).toBe(2);
    expect(err).toMatch(/^stint: the Job typed that https:\S+ serves cannot be read: .*expected a string/);
    const pod = { metadata: { name: 5 } };
    answer = (path) =>
      path.startsWith(`${PODS}?`)
        ? served({ kind: "PodList", metadata: { resourceVersion: "1" }, items: [pod] })
        : undefined;
    expect((await whyAsJson("typed"))["remarks"]).toContainEqual(
      expect.stringMatching(/^its pods could not be read \(.*expected a string/),
    );
  });

  it("asks for the pods that the Job selects", async () => {
    const labels = { app: "mine", tier: "b" };
    const matchExpressions = [
      { key: "tier", operator: "In", values: ["a", "b"] },
      { key: "old", operator: "DoesNotExist" },
    ];
    const job = makeJob("manual", {
      manualSelector: true,
      selector: { matchLabels: { app: "mine" }, matchExpressions },
      template: {
        metadata: { labels },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
      },
    });
    makePod(job, "manual-a", { labels });
    expect(await whyAsJson("manual")).toMatchObject({
      state: "Running",
      active: 1,
      pods: [{ reason: "Pending", pod: "manual-a" }],
    });
    const [query] = asked.map(({ path }) => path).filter((path) => path.startsWith(`${PODS}?`));
    expect(new URLSearchParams(query!.split("?")[1]).get("labelSelector")).toBe("app=mine,tier in (a,b),!old");
  });

  it("reads the pods page by page", async () => {
    const job = makeJob("many", { parallelism: 1001, completions: 1001 });
    for (let i = 0; i < 1001; i++) makePod(job, `many-${i}`, { status: { phase: "Running" } });
    expect(await whyAsJson("many")).toMatchObject({ active: 1001, pods: [{ reason: "Running", count: 1001 }] });
    expect(asked.filter(({ path }) => path.startsWith(`${PODS}?`))).toHaveLength(3);
  });

  it("explains a suspended Job and one that has ended without their pods", async () => {
    makeJob("paused", { suspend: true });
    expect((await why("paused")).out).toMatch(
      /^job paused {2}Suspended\n {2}the Job is suspended: no pod is created until spec\.suspend is false\n/,
    );
    makeJob("over", { suspend: true, ttlSecondsAfterFinished: 100 });
    const condition = (type: string): object => ({
      type,
      status: "True",
      reason: "DeadlineExceeded",
      message: "too late",
      lastTransitionTime: seconds(Date.now() - 40_000),
      lastProbeTime: seconds(Date.now() - 40_000),
    });
    write("PATCH", `${JOBS}/over/status`, {
      status: {
        startTime: seconds(Date.now() - 90_000),
        conditions: [condition("FailureTarget"), condition("Failed")],
      },
    });
    answer = (path) =>
      path.startsWith(`${PODS}?`) ? statusResponse(403, "Forbidden", "pods is forbidden") : undefined;
    const { out } = await why("over");
    expect(out).toMatch(
      /^job over {2}Failed\n {2}the Job failed at (\d{4}-\d\d-\d\d )?\S+: too late \(DeadlineExceeded\); it is deleted in \d+ s, 100 s after its end\n/,
    );
    expect(out).toContain(
      "\n  was run by the built-in controller\n  its pods could not be read (403: pods is forbidden)\n",
    );
  });
});

describe("why, with less than it would like", () => {
  it("says what it may not read, and tells the rest", async () => {
    const job = makeJob("closed", { parallelism: 3, completions: 3 });
    write("PATCH", `${JOBS}/closed/status`, { status: { startTime: seconds(Date.now()), active: 3, ready: 1 } });
    makePod(job, "closed-a");
    answer = (path) =>
      path.startsWith(`${PODS}?`) || path.startsWith(EVENTS)
        ? statusResponse(
            403,
            "Forbidden",
            `User "ci" cannot list resource "${path.startsWith(EVENTS) ? "events" : "pods"}"`,
          )
        : undefined;
    const { exit, out } = await why("closed");
    expect(exit).toBe(0);
    expect(out.split("\n").slice(0, 3)).toEqual([
      "job closed  Running",
      "  its status counts 3 active pods, 1 of them ready; only the pods themselves say what they wait for",
      "  succeeded 0/3   failed 0 (backoffLimit 6)   active 3   ready 1   terminating 0   parallelism 3",
    ]);
    expect(out).toContain(
      '\n  its pods could not be read (403: User "ci" cannot list resource "pods")\n  Events could not be read (403: User "ci" cannot list resource "events")\n',
    );
    // The sentence is the status's, and not that of a rule.
    expect(out).not.toContain("  more: ");
    write("PATCH", `${JOBS}/closed`, { spec: { suspend: true } });
    expect(await whyAsJson("closed")).toMatchObject({
      state: "Suspended",
      sentence: "the Job is suspended: no pod is created until spec.suspend is false",
    });
  });

  it("prints how a pod failed without its log, and says that it may not be read", async () => {
    answer = (path) =>
      path.includes("/log?") ? statusResponse(403, "Forbidden", 'User "ci" cannot get resource "pods/log"') : undefined;
    const { out } = await why("retry");
    expect(out).toContain(
      "\n  last failure: pod retry-b: container main exited (exit code 3, Error): no disk\n  to do: read what container main printed last\n    kubectl logs retry-b -c main -n ",
    );
    expect(out).toContain(
      '\n  the log of pod retry-b could not be read (403: User "ci" cannot get resource "pods/log")\n',
    );
  });

  it("gives up on a list of pods that breaks off", async () => {
    answer = (path) =>
      path.startsWith(`${PODS}?`) && path.includes("continue=") ? statusResponse(410, "Expired", "too old") : undefined;
    expect(await whyAsJson("many")).toMatchObject({
      code: "NotListed",
      active: 0,
      remarks: expect.arrayContaining(["its pods could not be read (410: too old)"]),
    });
  });

  it("ends with 2 when it may not read the Job, and names the role that may", async () => {
    answer = (path) =>
      path.startsWith(JOBS) ? statusResponse(403, "Forbidden", 'User "ci" cannot get resource "jobs"') : undefined;
    expect(await why("retry")).toEqual({
      exit: 2,
      out: "",
      err: 'stint: the Job retry in namespace default may not be read with these credentials (403: User "ci" cannot get resource "jobs").\nAsk for get on jobs, and list on pods and events, in that namespace: the role `view` has them.\n',
    });
  });

  it("suggests names of the namespace when it may not see the others", async () => {
    answer = (path) => (path.startsWith("/apis/batch/v1/jobs") ? statusResponse(403, "Forbidden", "no") : undefined);
    expect(await why("rerty")).toEqual({
      exit: 2,
      out: "",
      err: `stint: there is no Job rerty in namespace default of ${server.url}.\nDid you mean this?\n  stint why retry\n`,
    });
  });

  it("counts in the server's time where the clock of this machine is another one", async () => {
    const job = makeJob("skewed");
    const serverMs = Date.now() + 128 * 86_400_000;
    headers = { date: new Date(serverMs).toUTCString() };
    for (const name of ["a", "b", "c"])
      makePod(job, `skewed-${name}`, { finalizers: [], status: failedAt(serverMs - 3000) });
    expect((await why("skewed")).out).toMatch(
      /^job skewed {2}Waiting\n {2}waiting \d+ s before the next pod is created: 3 failures in a row, back-off 40 s since .*\n.*\n {2}next: in \d+ s, at /,
    );
  });

  it("shows what comes from the API without its control characters", async () => {
    const { metadata } = makeJob("rude");
    makeWarning(
      "rude",
      { kind: "Job", name: "rude", uid: metadata.uid },
      "FailedCreate",
      "Error creating: \u001b[2J\u0007",
      1000,
    );
    expect((await why("rude")).out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

const explanation = {
  namespace: "default",
  job: "retry",
  found: true,
  state: "Running",
  sentence: "told by its controller",
  nextMs: null,
  succeeded: 0,
  completions: 1,
  decisions: [],
};
const proxyPath = (pod: string): string =>
  `/api/v1/namespaces/stint-system/pods/${pod}%3A8080/proxy/debug/jobs/default/retry`;
const json = (status: number, body: object): ApiResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const leases = (...holders: readonly (readonly [name: string, holder: string])[]): ApiResponse =>
  json(200, {
    kind: "LeaseList",
    items: holders.map(([name, holderIdentity]) => ({ metadata: { name }, spec: { holderIdentity } })),
  });
const withAnswers = (answers: Readonly<Record<string, ApiResponse>>): void => {
  answer = (path) => answers[path.split("?", 1)[0]!];
};

describe("why, with a controller in the cluster", () => {
  it("asks the replica that leads, through the API server", async () => {
    withAnswers({
      [LEASES]: leases(
        ["kube-scheduler", "node-1_a"],
        ["prod-stint-job-controller", "stint-job-controller-7d9f-abc_0123456789abcdef"],
      ),
      [proxyPath("stint-job-controller-7d9f-abc")]: json(200, explanation),
    });
    expect((await why("retry")).out.split("\n").slice(0, 5)).toEqual([
      "job retry  Running",
      "  told by its controller",
      "  succeeded 0/1",
      "  next: when the Job or a pod changes",
      "  as the controller in pod stint-job-controller-7d9f-abc sees it",
    ]);
    expect(await whyAsJson("retry")).toMatchObject({ ...explanation, source: "controller", events: [] });
    expect(asked.some(({ path }) => path.startsWith(JOBS))).toBe(false);
  });

  it("reads the last failure itself: a controller explains the Job, not its pods", async () => {
    const uid = write("PATCH", `${JOBS}/retry`, {}).metadata.uid;
    const told = { ...explanation, state: "Waiting", code: "Backoff", failed: 3, uid };
    const answers = (more: Readonly<Record<string, ApiResponse>>): void =>
      withAnswers({
        [LEASES]: leases(["stint-job-controller", "leader_a"]),
        [proxyPath("leader")]: json(200, told),
        ...more,
      });
    answers({ [`${PODS}/retry-b/log`]: { status: 200, headers: { "content-type": "text/plain" }, body: "no disk\n" } });
    expect(await whyAsJson("retry")).toMatchObject({
      source: "controller",
      lastFailure: { pod: "retry-b", log: ["no disk"] },
      remarks: ["as the controller in pod leader sees it"],
    });
    answers({ [PODS]: statusResponse(403, "Forbidden", "pods is forbidden") });
    expect((await whyAsJson("retry"))["remarks"]).toEqual([
      "as the controller in pod leader sees it",
      "its pods could not be read (403: pods is forbidden)",
    ]);
    answers({ [PODS]: statusResponse(401, "Unauthorized", "Unauthorized") });
    expect((await whyAsJson("retry"))["remarks"][1]).toMatch(
      /^its pods could not be read: https:\S+ refuses the credentials of /,
    );
    answers({ [proxyPath("leader")]: json(200, { ...told, ...WELL }) });
    asked = [];
    expect(await whyAsJson("retry")).not.toHaveProperty("lastFailure");
    expect(asked.some(({ path }) => path.startsWith(PODS))).toBe(false);
  });

  it("names the container that keeps a pod from ending, whose pods are active and not ready", async () => {
    const uid = write("PATCH", `${JOBS}/retry`, {}).metadata.uid;
    const told = { ...explanation, code: "WaitingForPods", failed: 0, active: 1, ready: 0, uid };
    const ended = { terminated: { exitCode: 0, finishedAt: "2026-01-01T00:00:00Z" } };
    const pod = {
      metadata: { name: "retry-c", uid: "c", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { restartPolicy: "Never", containers: [{ name: "main" }, { name: "metrics", restartPolicy: "Always" }] },
      status: {
        phase: "Running",
        containerStatuses: [
          { name: "main", state: ended },
          { name: "metrics", state: { running: {} } },
        ],
      },
    };
    withAnswers({
      [LEASES]: leases(["stint-job-controller", "leader_a"]),
      [proxyPath("leader")]: json(200, told),
      [PODS]: json(200, { kind: "PodList", items: [pod] }),
    });
    const { holds } = await whyAsJson("retry");
    expect(holds).toMatchObject([{ code: "KeptByContainer", by: "metrics", pod: "retry-c" }]);
  });

  it("asks each leader of several controllers, and says why none of them explains the Job", async () => {
    withAnswers({
      [LEASES]: leases(
        ["stint-job-controller", "foreign_a"],
        ["stint-job-controller-1", "unknown_b"],
        ["stint-job-controller-2", ""],
        ["stint-job-controller-3", "../../secrets_c"],
        ["stint-job-controller-4", "hidden_d"],
        ["stint-job-controller-5", "gone_e"],
        ["stint-job-controller-6", "waiting_f"],
      ),
      [proxyPath("foreign")]: json(200, { ...explanation, state: "Foreign" }),
      [proxyPath("unknown")]: json(404, { ...explanation, found: false }),
      [proxyPath("hidden")]: statusResponse(403, "Forbidden", "a long story"),
      [proxyPath("gone")]: statusResponse(503, "ServiceUnavailable", "error trying to reach service: no route to host"),
      [proxyPath("waiting")]: statusResponse(
        503,
        "ServiceUnavailable",
        "this replica does not lead, so it knows no Jobs; it knows of no leader",
      ),
    });
    const reasons = [
      "foreign leaves it to another controller",
      "unknown does not know it",
      "no replica holds the Lease stint-system/stint-job-controller-2",
      "no replica holds the Lease stint-system/stint-job-controller-3",
      "hidden may not be asked with these credentials",
      "gone could not be asked (503: error trying to reach service: no route to host)",
      "waiting says: this replica does not lead, so it knows no Jobs; it knows of no leader",
    ];
    expect((await whyAsJson("retry"))["remarks"][0]).toBe(
      `from its objects: no controller that explains it was found (${reasons.join("; ")})`,
    );
  });

  it("looks in the namespace that is named, and says when it may not", async () => {
    answer = (path) => (path.includes("/leases") ? statusResponse(403, "Forbidden", "a long story") : undefined);
    expect((await why("retry", "--controller-namespace", "jobs")).out).toContain(
      "\n  from its objects: no controller that explains it was found (the Leases in namespace jobs may not be read with these credentials)\n",
    );
    expect(asked.some(({ path }) => path.startsWith("/apis/coordination.k8s.io/v1/namespaces/jobs/leases?"))).toBe(
      true,
    );
    expect((await why("retry", "--controller-namespace", "A/b")).err).toContain(
      '--controller-namespace is "A/b"; allowed are',
    );
  });
});

describe("why, with a controller that remembers pods", () => {
  it("tells of pods that are gone, as their controller remembers them", async () => {
    const uid = write("PATCH", `${JOBS}/retry`, {}).metadata.uid;
    const cause = "it was evicted through the API, as kubectl drain does it";
    const attempts = Array.from({ length: 6 }, (_, i) => ({
      pod: `gone-${i}`,
      uid: `u${i}`,
      endedBy: "ApiEviction",
      cause,
    }));
    const there = { ...attempts[0], pod: "retry-b", uid: write("PATCH", `${PODS}/retry-b`, {}).metadata.uid };
    const hostile = [null, 7, { pod: "x" }, { ...attempts[0], cause: "" }, { ...attempts[0], endedBy: null }];
    const lastFailure = { pod: "gone-5", failure: cause, endedBy: "ApiEviction", log: [] };
    const account = { attempts: [...hostile, there, ...attempts] };
    const told = { ...explanation, state: "Waiting", code: "Backoff", failed: 6, uid, lastFailure, account };
    withAnswers({
      [LEASES]: leases(["stint-job-controller", "leader_a"]),
      [proxyPath("leader")]: json(200, told),
    });
    expect((await why("retry")).out.split("\n")).toEqual(
      expect.arrayContaining([
        `  last failure: pod gone-5: ${cause}`,
        `  before: pod gone-4: ${cause}`,
        `  before: pod gone-2: ${cause}`,
        "  before: 2 other pods, which --output json names",
      ]),
    );
    const { endedPods, lastFailure: shown } = await whyAsJson("retry");
    expect(shown).toEqual(lastFailure);
    expect(endedPods).toEqual([4, 3, 2, 1, 0].map((i) => ({ pod: `gone-${i}`, endedBy: "ApiEviction", cause })));
    withAnswers({
      [LEASES]: leases(["stint-job-controller", "leader_a"]),
      [proxyPath("leader")]: json(200, { ...told, account: { attempts: "all" } }),
    });
    expect(await whyAsJson("retry")).not.toHaveProperty("endedPods");
  });
});
