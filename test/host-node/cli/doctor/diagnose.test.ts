/**
 * What `stint doctor` finds, and what it leaves alone: on an API server in memory, whose clock the test moves. That the
 * commands fix is tried on a real one (test/kubernetes/doctor.test.ts).
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEngine } from "../../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import type { Account, Engine } from "../../../../bindings/js/engine.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { Cluster } from "../../../../cluster/cluster.ts";
import { PODS as CLUSTER_PODS } from "../../../../cluster/client/client.ts";
import type { Job } from "../../../../cluster/values/kinds.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { type Asked, ClusterReader } from "../../../../host-node/cli/doctor/cluster-reader.ts";
import { Commands } from "../../../../host-node/cli/doctor/commands.ts";
import { diagnose } from "../../../../host-node/cli/doctor/diagnose.ts";
import type { Diagnosis, Finding } from "../../../../host-node/cli/doctor/finding.ts";
import { readJobAccount } from "../../../../host-node/cli/doctor/job-account.ts";
import { refusedStatus } from "../../../../host-node/cli/doctor/jobs.ts";
import { accountBy } from "../../../../cluster/observed/offline-engine.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BUILT_IN = "batch.kubernetes.io/job-tracking";
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } };

let engine: Engine;
beforeAll(async () => {
  await buildModule("engine");
  engine = await createEngine(await loadEngineModule());
});

let clock: VirtualClock;
let cluster: Cluster;
beforeEach(() => {
  clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  let seed = 1;
  const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
  cluster = new Cluster({
    clock,
    random,
    admission: (review) => engine.review(review),
    moreResources,
    assignsServiceAccount: false,
  });
  send("POST", "/api/v1/namespaces", { metadata: { name: "team" } });
});

const JOBS = "/apis/batch/v1/namespaces/team/jobs";
const PODS = "/api/v1/namespaces/team/pods";
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

function send<Body = KubeObject>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object): Body {
  const answer = ask(method, path, body);
  if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${String(answer.body)}`);
  return JSON.parse(String(answer.body)) as Body;
}

function ask(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object, accept = "application/json") {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = cluster.handle({
    method,
    path,
    headers: { accept, "content-type": type, "user-agent": "test" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!("body" in answer)) throw new Error("a stream");
  return answer;
}

describe("a server that always has another page", () => {
  it("is not asked for ever", async () => {
    let asked = 0;
    const body = JSON.stringify({ items: [], metadata: { continue: "more" } });
    const unused = async (): Promise<never> => expect.fail("it was asked for more than a list");
    const get: Asked["get"] = async () => {
      asked++;
      return { status: 200, headers: {}, body };
    };
    const reader = new ClusterReader({ origin: "https://server", now: () => 0, get, dryRun: unused }, undefined);
    const refused = await reader.all(CLUSTER_PODS, "pods").catch((error: Error) => error.message);
    expect(refused).toBe(
      "https://server lists pods on more than 2000 pages, which are too many; name a namespace with -n",
    );
    expect(asked).toBe(2_000);
  });
});

/** @param forbidden what the path of a question has that may not be asked; `missing`: that the server does not know */
async function examine({ forbidden = "///", missing = "///", refusal = "the quota is full" } = {}) {
  const asked: Asked = {
    origin: "https://server",
    now: () => clock.now(),
    get: async (path, accept) =>
      path.includes(forbidden)
        ? { status: 403, headers: {}, body: JSON.stringify({ kind: "Status", message: "not for you" }) }
        : path.includes(missing)
          ? { status: 404, headers: {}, body: "nothing here" }
          : ask("GET", path, undefined, accept),
    dryRun: async () => ({ status: 403, headers: {}, body: JSON.stringify({ kind: "Status", message: "denied" }) }),
  };
  const questions = { engine, commands: new Commands([]), olderThanMs: 300_000, triesPatches: true };
  const reader = new ClusterReader(asked, undefined);
  const askAccount = accountBy(engine, () => clock.now());
  const accountOf = (job: Job): Promise<Account | undefined> =>
    readJobAccount({ get: withRefusal(asked.get, job, refusal) }, job, askAccount);
  return diagnose({ ...questions, reader, accountOf });
}

/** As if the controller of the Job had told in an Event why its pods are refused. */
function withRefusal(get: Asked["get"], { metadata: { name, uid } }: Job, refusal: string): Asked["get"] {
  const involvedObject = { kind: "Job", name, uid };
  const lastTimestamp = new Date(clock.now()).toISOString();
  const event = { involvedObject, reason: "FailedCreate", message: `Error creating: ${refusal}`, lastTimestamp };
  const body = JSON.stringify({ kind: "EventList", items: refusal === "" ? [] : [event] });
  return async (path) => (path.includes("/events?") ? { status: 200, headers: {}, body } : get(path));
}

const idsOf = ({ findings }: Diagnosis): string[] => findings.map(({ id, kind, name }) => `${id} ${kind}/${name}`);

function job(name: string, spec: object = {}, status?: object): KubeObject {
  const made = send("POST", JOBS, { metadata: { name }, spec: { template, ...spec } });
  return status === undefined ? made : send("PATCH", `${JOBS}/${name}/status`, { status });
}

/** A pod of a Job as a controller makes it. */
function pod(owner: KubeObject | undefined, name: string, metadata: object = {}, status?: object): KubeObject {
  const uid = owner?.metadata.uid;
  const ownerReferences =
    owner === undefined
      ? []
      : [{ apiVersion: "batch/v1", kind: "Job", name: owner.metadata.name, uid, controller: true }];
  const labels = uid === undefined ? {} : { [UID_LABEL]: uid, "controller-uid": uid };
  const object = { metadata: { name, labels, ownerReferences, finalizers: [BUILT_IN], ...metadata }, ...template };
  const made = send("POST", PODS, object);
  return status === undefined ? made : send("PATCH", `${PODS}/${name}/status`, { status });
}

const running = (): object => ({
  startTime: new Date(clock.now()).toISOString().replace(".000", ""),
  active: 1,
  ready: 0,
});

describe("pods", () => {
  it("of a Job that runs are left alone", async () => {
    pod(job("well", {}, running()), "well-1", {}, { phase: "Running" });
    clock.advance(DAY);
    expect(await examine()).toMatchObject({ findings: [], skipped: [], jobs: 1, pods: 1 });
  });

  it("keep a finalizer when their Job is gone and they have no owner", async () => {
    pod(undefined, "stray");
    expect(idsOf(await examine())).toEqual([]); // Its controller may be about to remove it.
    clock.advance(HOUR);
    const { findings } = await examine();
    expect(findings).toEqual([
      {
        id: "FinalizerLeft",
        kind: "pod",
        namespace: "team",
        name: "stray",
        sentence: "it has the finalizer batch.kubernetes.io/job-tracking, and it has no owner",
        fix: `kubectl -n team patch pod stray --type json -p '[{"op":"test","path":"/metadata/finalizers/0","value":"batch.kubernetes.io/job-tracking"},{"op":"remove","path":"/metadata/finalizers/0"}]'`,
      },
    ]);
  });

  it("of a Job that is gone are the garbage collector's until they are deleted", async () => {
    const gone = job("gone");
    pod(gone, "gone-1");
    send("PATCH", `${JOBS}/gone`, { metadata: { finalizers: null } });
    send("DELETE", `${JOBS}/gone?propagationPolicy=Background`);
    clock.advance(HOUR);
    expect(idsOf(await examine())).toEqual([]);
    send("DELETE", `${PODS}/gone-1`);
    clock.advance(HOUR);
    expect(idsOf(await examine())).toEqual(["FinalizerLeft pod/gone-1"]);
  });

  it("lost a label by which their Job selects them", async () => {
    const owner = job("lost", {}, running());
    pod(owner, "lost-1", { labels: { app: "x" } });
    clock.advance(HOUR);
    expect((await examine()).findings).toMatchObject([
      {
        id: "LabelLost",
        name: "lost-1",
        fix: `kubectl -n team label pod lost-1 --overwrite '${UID_LABEL}=${owner.metadata.uid}'`,
      },
    ]);
  });

  it("are tracked for another controller than that of their Job", async () => {
    pod(job("own", {}, running()), "own-1", { finalizers: ["stint.dev/job-tracking"] });
    pod(job("other", { managedBy: "example.com/x" }, running()), "other-1", { finalizers: ["stint.dev/job-tracking"] });
    pod(job("stint", { managedBy: "stint.dev/job-controller" }, running()), "stint-1");
    clock.advance(HOUR);
    expect(idsOf(await examine())).toEqual(["ForeignFinalizer pod/own-1", "ForeignFinalizer pod/stint-1"]);
  });

  it("have ended and are not counted: one finding a Job, and whether the finalizer may go", async () => {
    const owner = job("ended", { parallelism: 2, completions: 2 }, { ...running(), active: 2 });
    for (const name of ["ended-1", "ended-2"]) pod(owner, name, {}, { phase: "Succeeded" });
    clock.advance(HOUR);
    const { findings } = await examine();
    expect(findings.map(({ sentence }) => sentence)).toEqual([
      "2 pods have ended up to 60 min ago, and the built-in controller does not count them, and no Lease of it is known",
      "the removal of its finalizer batch.kubernetes.io/job-tracking is refused: denied",
      "the removal of its finalizer batch.kubernetes.io/job-tracking is refused: denied",
    ]);
    expect(findings[0]).toMatchObject({ id: "NotCounted", fix: "stint controller --default-controller" });
    expect(findings[1]).toMatchObject({ id: "PatchDenied", kind: "pod", name: "ended-1" });
  });

  it("do not end: on a node that is lost, or kept by others", async () => {
    const owner = job("slow", { parallelism: 2, completions: 2 }, { ...running(), active: 2 });
    pod(owner, "slow-1", {}, { phase: "Running" });
    pod(owner, "slow-2", { finalizers: [BUILT_IN, "example.com/keep"] }, { phase: "Succeeded" });
    for (const name of ["slow-1", "slow-2"]) send("DELETE", `${PODS}/${name}`);
    clock.advance(HOUR);
    const { findings } = await examine();
    expect(findings).toMatchObject([
      {
        id: "PodNotEnding",
        name: "slow-1",
        sentence: "1 pod is being ended, and should have ended 60 min ago: pod slow-1 is on no node",
        fix: "kubectl -n team delete pod slow-1 --force --grace-period 0",
      },
      {
        id: "KeptByOthers",
        name: "slow-2",
        sentence: "it is deleted, and the finalizer example.com/keep keeps it",
        fix: expect.stringMatching(/^kubectl -n team patch pod slow-2 --type json/),
      },
    ]);
    expect(findings[1]!.fix).toContain('"remove","path":"/metadata/finalizers/1"');
  });
});

describe("Jobs", () => {
  it("that no controller manages, with the last sign of life of their controller", async () => {
    job("new", { managedBy: "example.com/x" });
    expect(idsOf(await examine())).toEqual([]);
    job("plain");
    const spec = { holderIdentity: "a", renewTime: "2026-01-01T00:30:00.000000Z" };
    send("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", {
      metadata: { name: "kube-controller-manager" },
      spec,
    });
    clock.advance(HOUR);
    expect((await examine()).findings).toMatchObject([
      {
        id: "NobodyManages",
        name: "new",
        fix: "stint controller --managed-by example.com/x",
        sentence:
          "no controller runs the Job: example.com/x, which spec.managedBy names, has written no status, 60 min after the Job was created, and no Lease of it is known",
      },
      {
        id: "NobodyManages",
        name: "plain",
        fix: "stint controller --default-controller",
        sentence:
          "no controller runs the Job: kube-controller-manager has written no status, 60 min after the Job was created, and its Lease kube-system/kube-controller-manager was renewed 30 min ago",
      },
    ]);
  });

  it("whose pods the API server refuses, in its words", async () => {
    job("refused", {}, { ...running(), active: 0 });
    clock.advance(HOUR);
    expect((await examine()).findings).toMatchObject([
      {
        id: "PodsRefused",
        name: "refused",
        fix: "stint why -n team refused",
        sentence: "the API server refuses new pods: the quota is full",
      },
    ]);
  });

  it("get room in the quota that the API server names, but no words of an Event as options of kubectl", async () => {
    job("refused", { parallelism: 3 }, { ...running(), active: 0 });
    clock.advance(HOUR);
    const fixFor = async (quota: string): Promise<string> => {
      const refusal = `pods "a" is forbidden: exceeded quota: ${quota}, requested: pods=1, used: pods=2, limited: pods=2`;
      return (await examine({ refusal })).findings[0]!.fix;
    };
    expect(await fixFor("few.pods")).toBe(
      `kubectl -n team patch resourcequota few.pods --type merge -p '{"spec":{"hard":{"pods":"5"}}}'`,
    );
    for (const name of ["--server=http://192.0.2.1", "-h", "a b", "a\u001b[2K", "$(id)"])
      expect(await fixFor(name)).toBe("stint why -n team refused");
  });

  it("are not said to lack pods that went while the cluster was read, or that have no label", async () => {
    job("ends", {}, running());
    const own = { manualSelector: true, selector: { matchLabels: { app: "own" } } };
    const labelled = { ...template, metadata: { labels: { app: "own" } } };
    const owner = job("own", { ...own, template: labelled }, running());
    pod(owner, "own-1", { labels: { app: "own" } }, { phase: "Running" });
    clock.advance(HOUR);
    expect(idsOf(await examine({ refusal: "" }))).toEqual([]);
    expect(idsOf(await examine())).toEqual(["PodsRefused job/ends"]);
  });

  it("without a deadline whose pods cannot run; with one they are waited for", async () => {
    const waiting = {
      phase: "Pending",
      containerStatuses: [
        {
          name: "main",
          image: "none",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
        },
      ],
    };
    pod(job("endless", {}, running()), "endless-1", {}, waiting);
    pod(job("limited", { activeDeadlineSeconds: 7200 }, running()), "limited-1", {}, waiting);
    clock.advance(HOUR);
    const { findings } = await examine();
    expect(findings).toMatchObject([{ id: "WaitsForever", name: "endless" }]);
    expect(findings[0]!.sentence).toMatch(/no such image.*; it has no activeDeadlineSeconds$/);
    expect(findings[0]!.fix).toBe(
      `kubectl -n team patch job endless --type merge -p '{"spec":{"activeDeadlineSeconds":4200}}'`,
    );
  });

  it("that may have no pod, or are suspended for a week without a queue", async () => {
    const suspended = {
      conditions: [{ type: "Suspended", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    };
    job("none", { parallelism: 0, completions: 1 }, { ...running(), active: 0 });
    job("paused", { suspend: true }, suspended);
    job("queued", { suspend: true }, suspended);
    send("PATCH", `${JOBS}/queued`, { metadata: { labels: { "kueue.x-k8s.io/queue-name": "q" } } });
    clock.advance(DAY);
    expect(idsOf(await examine())).toEqual(["ParallelismZero job/none"]);
    clock.advance(7 * DAY);
    const diagnosis = await examine();
    expect(idsOf(diagnosis)).toEqual(["ParallelismZero job/none", "SuspendedLong job/paused"]);
    expect(diagnosis.findings.map(({ sentence }) => sentence)).toEqual([
      "spec.parallelism is 0, so no pod is created, for 192 h",
      "spec.suspend is true, for 192 h",
    ]);
  });

  it("that have ended and stay: many of one namespace, without owner and time to live", async () => {
    const at = "2026-01-01T00:00:00Z";
    const condition = (type: string): object => ({ type, status: "True", lastTransitionTime: at });
    const complete = {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    };
    for (let i = 0; i < 99; i++) job(`done-${i}`, {}, complete);
    job("limited", { ttlSecondsAfterFinished: 100_000 }, complete);
    expect(idsOf(await examine())).toEqual([]);
    job("done-99", {}, complete);
    expect(idsOf(await examine())).toEqual(["FinishedKept namespace/team"]);
  });
});

describe("statuses that the API server would refuse", () => {
  const at = "2026-01-01T00:00:00Z";
  const isTrue = (...types: string[]): object[] =>
    types.map((type) => ({ type, status: "True", lastTransitionTime: at }));
  const refused = (status: object): Finding[] =>
    refusedStatus({ ...sample(), status: { startTime: at, ...status } }, engine, new Commands([]));
  const sample = (): Job =>
    send("POST", `${JOBS}?dryRun=All`, { metadata: { name: "j" }, spec: { template } }) as unknown as Job;

  it("are fixed where counters are wrong", () => {
    const ended = { completionTime: at, conditions: isTrue("SuccessCriteriaMet", "Complete") };
    expect(refused({ ...ended, succeeded: 1 })).toEqual([]);
    expect(refused({ ...ended, active: 1, uncountedTerminatedPods: { succeeded: ["a"] } })).toMatchObject([
      {
        id: "StatusRefused",
        kind: "job",
        name: "j",
        sentence: expect.stringMatching(
          /^its status would be refused: status\.active: Invalid value: 1: active>0 is invalid for finished job, and 1 more$/,
        ),
        fix: `kubectl -n team patch job j --subresource status --type merge -p '{"status":{"active":0,"ready":0,"terminating":0,"uncountedTerminatedPods":null}}'`,
      },
    ]);
  });

  it("cannot be fixed where conditions contradict each other", () => {
    expect(refused({ active: 1, conditions: isTrue("SuccessCriteriaMet", "FailureTarget") })).toMatchObject([
      {
        sentence:
          "its status would be refused: status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
        fix: "kubectl -n team delete job j",
      },
    ]);
  });

  it("are those of older versions no more, once the Job has ended", () => {
    expect(refused({ completionTime: at, conditions: isTrue("Complete") })).toEqual([]);
    expect(refused({ conditions: isTrue("Failed") })).toEqual([]);
  });
});

describe("webhooks", () => {
  const rule = { operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
  const webhook = (name: string, more: object = {}): object => ({
    name,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [rule],
    clientConfig: { service: { namespace: "team", name: "guard" } },
    ...more,
  });

  it("that must be asked and do not answer", async () => {
    const webhooks = [
      webhook("others.example.com", { rules: [{ ...rule, resources: ["secrets", "pods/*"] }] }),
      webhook("ignored.example.com", { failurePolicy: "Ignore" }),
      webhook("guard.example.com"),
      webhook("status.example.com", { rules: [{ ...rule, apiGroups: ["*"], resources: ["jobs/*"] }] }),
    ];
    send("POST", WEBHOOKS, { metadata: { name: "guard" }, webhooks });
    const { findings } = await examine();
    const about = { id: "WebhookUnreachable", kind: "validatingwebhookconfiguration", name: "guard" };
    expect(findings).toMatchObject([
      {
        ...about,
        sentence:
          "guard.example.com must be asked about the removal of finalizers, and there is no Service guard in namespace team",
      },
      {
        ...about,
        sentence: expect.stringMatching(/^status\.example\.com must be asked about the status of Jobs, and /),
      },
    ]);
    expect(findings[0]!.fix).toBe(
      `kubectl patch validatingwebhookconfiguration guard --type json -p '[{"op":"test","path":"/webhooks/2/name","value":"guard.example.com"},{"op":"add","path":"/webhooks/2/failurePolicy","value":"Ignore"}]'`,
    );
    const spec = { selector: { app: "guard" }, ports: [{ port: 443 }] };
    send("POST", "/api/v1/namespaces/team/services", { metadata: { name: "guard" }, spec });
    expect((await examine()).findings[0]!.sentence).toMatch(/, and no pod of its Service team\/guard is ready$/);
    send("POST", "/apis/discovery.k8s.io/v1/namespaces/team/endpointslices", {
      metadata: { name: "guard-1", labels: { "kubernetes.io/service-name": "guard" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [],
    });
    expect(idsOf(await examine())).toEqual([]);
  });
});

describe("CronJobs", () => {
  const CRON_JOBS = "/apis/batch/v1/namespaces/team/cronjobs";
  const cronJob = (name: string, spec: object): KubeObject =>
    send("POST", CRON_JOBS, {
      metadata: { name },
      spec: { schedule: "0 * * * *", jobTemplate: { spec: { template } }, ...spec },
    });
  /** A Job of the CronJob whose only pod waits for its image. */
  const stuck = (owner: KubeObject, name: string): void => {
    const { uid } = owner.metadata;
    const reference = { apiVersion: "batch/v1", kind: "CronJob", name: owner.metadata.name, uid, controller: true };
    const made = send("POST", JOBS, { metadata: { name, ownerReferences: [reference] }, spec: { template } });
    send("PATCH", `${JOBS}/${name}/status`, { status: running() });
    const waiting = { reason: "ImagePullBackOff", message: "manifest unknown" };
    pod(made, `${name}-1`, {}, { phase: "Pending", containerStatuses: [{ name: "main", state: { waiting } }] });
  };

  it("that make no Job, because the last one does not end", async () => {
    stuck(cronJob("puller", { concurrencyPolicy: "Forbid" }), "puller-1");
    stuck(cronJob("paused", { concurrencyPolicy: "Forbid", suspend: true }), "paused-1");
    stuck(cronJob("allowed", {}), "allowed-1");
    expect(idsOf(await examine())).toEqual([]);
    clock.advance(HOUR);
    const { findings } = await examine();
    expect(findings.filter(({ kind }) => kind === "cronjob")).toEqual([
      {
        id: "CronJobFrozen",
        kind: "cronjob",
        namespace: "team",
        name: "puller",
        sentence: "concurrencyPolicy is Forbid, and its Job puller-1 does not end: it makes no other Job until then",
        fix: `kubectl -n team patch cronjob puller --type merge -p '{"spec":{"jobTemplate":{"spec":{"activeDeadlineSeconds":3600}}}}'`,
      },
    ]);
    expect(findings.filter(({ id }) => id === "WaitsForever")).toHaveLength(3);
  });

  it("whose Jobs do not end and become more", async () => {
    const backup = cronJob("backup", {});
    const two = cronJob("two", {});
    for (const number of [1, 2, 3]) {
      stuck(backup, `backup-${number}`);
      if (number < 3) stuck(two, `two-${number}`);
      clock.advance(HOUR);
    }
    const { findings } = await examine();
    expect(findings.filter(({ kind }) => kind === "cronjob")).toEqual([
      {
        id: "CronJobPilesUp",
        kind: "cronjob",
        namespace: "team",
        name: "backup",
        sentence: "3 of its Jobs have not ended, the oldest for 3 h, and each run adds one",
        fix: `kubectl -n team patch cronjob backup --type merge -p '{"spec":{"concurrencyPolicy":"Forbid"}}'`,
      },
    ]);
  });

  it("are not asked for while all Jobs of them continue, and may be forbidden", async () => {
    const own = cronJob("own", { concurrencyPolicy: "Forbid" });
    expect((await examine({ forbidden: "/cronjobs" })).skipped).toEqual([]);
    stuck(own, "own-1");
    clock.advance(HOUR);
    const { findings, skipped } = await examine({ forbidden: "/cronjobs" });
    expect(findings.map(({ id }) => id)).toEqual(["WaitsForever"]);
    expect(skipped).toEqual([{ what: "CronJobs", reason: "403: not for you" }]);
  });
});

describe("nodes", () => {
  it("that reject pod after pod", async () => {
    const owner = job("many", { parallelism: 9, completions: 9 }, running());
    const rejected = (name: string, nodeName: string, reason: string): void => {
      pod(owner, name, { finalizers: [] });
      send("POST", `${PODS}/${name}/binding`, { metadata: { name }, target: { kind: "Node", name: nodeName } });
      send("PATCH", `${PODS}/${name}/status`, { status: { phase: "Failed", reason, message: "no cpu left" } });
    };
    for (const number of [1, 2, 3, 4]) rejected(`a-${number}`, "full", "OutOfcpu");
    for (const number of [1, 2, 3, 4, 5]) rejected(`b-${number}`, "evicting", "Evicted");
    expect(idsOf(await examine())).toEqual([]);
    rejected("a-5", "full", "UnexpectedAdmissionError");
    const { findings } = await examine();
    expect(findings).toEqual([
      {
        id: "NodeRejectsPods",
        kind: "node",
        name: "full",
        sentence: "its kubelet has rejected 5 pods of Jobs, the last with UnexpectedAdmissionError: no cpu left",
        fix: "kubectl cordon full",
      },
    ]);
  });
});

describe("budgets", () => {
  const BUDGETS = "/apis/policy/v1/namespaces/team/poddisruptionbudgets";
  const budget = (name: string, app: string, disruptionsAllowed: number): void => {
    const selector = { matchLabels: { app } };
    send("POST", BUDGETS, { metadata: { name }, spec: { maxUnavailable: 1, selector } });
    const counts = { currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed };
    send("PATCH", `${BUDGETS}/${name}/status`, { status: { ...counts, observedGeneration: 1 } });
  };

  it("that let no running pod of a Job be evicted", async () => {
    const owner = job("import", { parallelism: 2, completions: 2 }, running());
    const labels = { [UID_LABEL]: owner.metadata.uid, "controller-uid": owner.metadata.uid, app: "import" };
    budget("keep", "import", 0);
    budget("allows", "import", 1);
    budget("others", "web", 0);
    pod(owner, "import-1", { labels }, { phase: "Pending" });
    expect(idsOf(await examine())).toEqual([]);
    pod(owner, "import-2", { labels }, { phase: "Running" });
    expect((await examine()).findings).toEqual([
      {
        id: "BudgetBlocksDrains",
        kind: "poddisruptionbudget",
        namespace: "team",
        name: "keep",
        sentence:
          "it allows no eviction and selects 1 running pod of Jobs: a drain of their nodes waits until they end",
        fix: `kubectl -n team patch poddisruptionbudget keep --type merge -p '{"spec":{"selector":{"matchExpressions":[{"key":"batch.kubernetes.io/job-name","operator":"DoesNotExist"}]}}}'`,
      },
    ]);
    expect((await examine({ forbidden: "poddisruptionbudgets" })).skipped).toEqual([
      { what: "PodDisruptionBudgets", reason: "403: not for you" },
    ]);
  });
});

describe("what may not be read", () => {
  it("is skipped and named, and the rest is diagnosed", async () => {
    pod(undefined, "stray");
    job("paused", { parallelism: 0 }, { ...running(), active: 0 });
    clock.advance(HOUR);
    const { findings, skipped } = await examine({ forbidden: "/pods" });
    expect(findings.map(({ id }) => id)).toEqual(["ParallelismZero"]);
    expect(skipped).toEqual([{ what: "pods", reason: "403: not for you" }]);
  });

  it("but without Jobs there is nothing to say", async () => {
    await expect(examine({ forbidden: "/jobs" })).rejects.toThrow(
      /^Jobs may not be listed with these credentials \(403: not for you\)/,
    );
  });

  it("nor on a server that has none, which is no API server", async () => {
    await expect(examine({ missing: "/jobs" })).rejects.toThrow(
      /^https:\/\/server has no list of Jobs \(404: .*\)\.\nIs it the address of an API server\?/,
    );
    expect(await examine({ missing: "admissionregistration" })).toMatchObject({ findings: [], skipped: [] });
  });
});
