/**
 * The kubelet on the in-memory cluster: the ways of a pod from its node to its end (docs/spec/api.md 4.5, 5.4–5.6,
 * 5.10).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { failure, Harness } from "../component-harness.ts";

const simulate = (outcome: object) => ({ annotations: { "stint.dev/simulate": JSON.stringify(outcome) } });
const STRATEGIC_MERGE = "application/strategic-merge-patch+json";
const time = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().replace(".000", "");

let h: Harness;
beforeEach(() => {
  h = new Harness();
});

describe("node", () => {
  test("is registered, ready, and keeps its lease", () => {
    h.startKubelet("n1", [], { capacity: { cpu: "2" }, labels: { zone: "a" } });
    const node = h.api("GET", "/api/v1/nodes/n1");
    expect(node.metadata.labels).toMatchObject({ "kubernetes.io/hostname": "n1", zone: "a" });
    expect(node.status.allocatable).toEqual({ cpu: "2", memory: "32Gi", pods: "110" });
    expect(node.status.conditions.map(({ type, status }: any) => `${type}=${status}`)).toContain("Ready=True");
    const lease = () => h.api("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1").spec;
    expect(lease()).toMatchObject({
      holderIdentity: "n1",
      leaseDurationSeconds: 40,
      renewTime: "2026-01-01T00:00:00.000000Z",
    });
    h.clock.advance(60_000);
    expect(lease().renewTime).toBe("2026-01-01T00:01:00.000000Z");
  });

  test("reports its conditions again when its lease ran out", () => {
    h.startKubelet("n1");
    const ready = { type: "Ready", status: "Unknown" };
    const loseIt = () =>
      h.api("PATCH", "/api/v1/nodes/n1/status", { status: { conditions: [ready] } }, STRATEGIC_MERGE);
    const statuses = () => h.api("GET", "/api/v1/nodes/n1").status.conditions.map(({ status }: any) => status);
    loseIt();
    h.clock.advance(60_000);
    expect(statuses()).toContain("Unknown");
    h.fault = ({ path }) => (path.includes("leases") ? failure(500, "x") : undefined);
    h.clock.advance(50_000);
    h.fault = () => undefined;
    h.clock.advance(10_000);
    expect(statuses()).not.toContain("Unknown");
    loseIt();
    h.clock.advance(60_000);
    expect(statuses()).toContain("Unknown");
  });

  test("of an earlier process is taken over", () => {
    h.startKubelet("n1").stop();
    h.startKubelet("n1", [], { labels: { zone: "b" } });
    expect(h.api("GET", "/api/v1/nodes/n1").metadata.labels.zone).toBe("b");
  });
});

describe("a pod that succeeds", () => {
  beforeEach(() => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ startDelayMs: 2000, runMs: 5000, logs: ["one", "two"] }));
  });

  test("is Pending with its conditions while the container is created", () => {
    h.clock.advance(1000);
    const { status } = h.pod("p");
    expect(status).toMatchObject({
      phase: "Pending",
      hostIP: "10.0.0.1",
      hostIPs: [{ ip: "10.0.0.1" }],
      podIP: "10.244.0.1",
      podIPs: [{ ip: "10.244.0.1" }],
      startTime: time(0),
    });
    expect(status.containerStatuses[0]).toMatchObject({
      name: "c",
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: "ContainerCreating" } },
      lastState: {},
    });
    expect(status.conditions.map(({ type, status }: any) => `${type}=${status}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=False",
      "ContainersReady=False",
      "PodScheduled=True",
    ]);
  });

  test("is Running and ready", () => {
    h.clock.advance(3000);
    const { status } = h.pod("p");
    expect(status.phase).toBe("Running");
    expect(status.containerStatuses[0]).toMatchObject({
      ready: true,
      started: true,
      state: { running: { startedAt: time(2) } },
      image: "busybox:1",
    });
    const ready = status.conditions.find(({ type }: any) => type === "Ready");
    expect(ready).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: time(2),
    });
  });

  test("ends Succeeded with the times of its container, in three status writes", () => {
    h.clock.advance(10_000);
    const { status } = h.pod("p");
    expect(status.phase).toBe("Succeeded");
    const [container] = status.containerStatuses;
    expect(container.state.terminated).toMatchObject({
      exitCode: 0,
      reason: "Completed",
      startedAt: time(2),
      finishedAt: time(7),
      containerID: container.containerID,
    });
    expect(status.conditions.map(({ type, status, reason }: any) => [type, status, reason])).toEqual([
      ["PodReadyToStartContainers", "False", "PodSandboxNotReady"],
      ["Initialized", "True", "PodCompleted"],
      ["Ready", "False", "PodCompleted"],
      ["ContainersReady", "False", "PodCompleted"],
      ["PodScheduled", "True", undefined],
    ]);
    expect(h.sent("PATCH", "/pods/p/status")).toHaveLength(3);
    expect(h.events("p")).toEqual(["Normal Created: Created container: c", "Normal Started: Started container c"]);
  });

  test("gives its log, also after its end", () => {
    const log = (query = "") => h.follow(`/api/v1/namespaces/default/pods/p/log${query}`);
    h.clock.advance(1000);
    const early = h.answer("GET", "/api/v1/namespaces/default/pods/p/log");
    h.clock.advance(2000);
    const followed = log("?follow=true");
    h.clock.advance(1);
    expect(followed).toEqual({ text: "one\n", ended: false });
    h.clock.advance(10_000);
    expect(followed).toEqual({ text: "one\ntwo\n", ended: true });
    const late = log("?tailLines=1");
    h.clock.advance(1);
    expect(late).toEqual({ text: "two\n", ended: true });
    expect(early.status).toBe(400);
    expect(JSON.parse(early.body).message).toBe('container "c" in pod "p" is waiting to start: ContainerCreating');
  });
});

describe("restarts", () => {
  test("OnFailure: at once, then CrashLoopBackOff of 10 s and 20 s, then success", () => {
    h.startKubelet("n1");
    const { uid } = h.createPod(
      "p",
      { restartPolicy: "OnFailure" },
      simulate({ runMs: 1000, exitCodes: [1, 1, 1, 0] }),
    ).metadata;
    const container = () => h.pod("p").status.containerStatuses[0];
    h.clock.advance(1500);
    expect(container()).toMatchObject({
      restartCount: 1,
      state: { running: { startedAt: time(1) } },
      lastState: { terminated: { exitCode: 1, reason: "Error", finishedAt: time(1) } },
    });
    h.clock.advance(600);
    expect(container()).toMatchObject({
      restartCount: 1,
      ready: false,
      state: { terminated: { exitCode: 1, finishedAt: time(2) } },
    });
    h.clock.advance(400);
    expect(container()).toMatchObject({
      restartCount: 1,
      ready: false,
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: `back-off 10s restarting failed container=c pod=p_default(${uid})`,
        },
      },
      lastState: { terminated: { exitCode: 1, finishedAt: time(2) } },
    });
    expect(h.pod("p").status.phase).toBe("Running");
    h.clock.advance(10_000);
    expect(container()).toMatchObject({ restartCount: 2, state: { running: { startedAt: time(12) } } });
    h.clock.advance(1000);
    expect(container().state.waiting.message).toMatch(/^back-off 20s /);
    h.clock.advance(25_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
    expect(container()).toMatchObject({
      restartCount: 3,
      state: { terminated: { exitCode: 0 } },
      lastState: { terminated: { exitCode: 1 } },
    });
    expect(h.events("p")).toContain(
      `Warning BackOff: Back-off restarting failed container c in pod p_default(${uid}) (x2)`,
    );
  });

  test("Never: one failure ends the pod, with reason, message and termination message from the log", () => {
    h.startKubelet("n1");
    const containers = [{ name: "c", image: "i:1", terminationMessagePolicy: "FallbackToLogsOnError" }];
    h.createPod("p", { containers }, simulate({ runMs: 1000, exitCode: 3, logs: ["boom"] }));
    h.createPod("q", {}, simulate({ runMs: 1000, exitCode: 137, reason: "OOMKilled", message: "no memory" }));
    h.clock.advance(2000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: "Error", message: "boom\n" } } }],
    });
    expect(h.pod("q").status.containerStatuses[0].state.terminated).toMatchObject({
      exitCode: 137,
      reason: "OOMKilled",
      message: "no memory",
    });
    expect(h.pod("q").status.conditions[2]).toMatchObject({ type: "Ready", status: "False", reason: "PodFailed" });
  });

  test("restartPolicyRules of a container restart it in a pod with policy Never", () => {
    h.startKubelet("n1");
    const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
    h.createPod(
      "p",
      { containers: [{ name: "c", image: "i:1", restartPolicy: "Never", restartPolicyRules: rules }] },
      simulate({ runMs: 1000, exitCodes: [42, 7] }),
    );
    h.clock.advance(3000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ restartCount: 1, state: { terminated: { exitCode: 7 } } }],
    });
  });

  test("RestartAllContainers starts over with the first init container", () => {
    h.startKubelet("n1");
    const rules = [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [9] } }];
    const containers = [
      { name: "a", image: "i:1", restartPolicy: "Never", restartPolicyRules: rules },
      { name: "b", image: "i:1" },
    ];
    const outcome = {
      byContainer: { setup: { runMs: 100 }, a: { runMs: 1000, exitCodes: [9, 0] }, b: { runMs: 5000 } },
    };
    h.createPod("p", { initContainers: [{ name: "setup", image: "i:1" }], containers }, simulate(outcome));
    h.clock.advance(1150);
    expect(h.pod("p").status).toMatchObject({
      phase: "Pending",
      initContainerStatuses: [{ restartCount: 1, state: { running: {} } }],
    });
    h.clock.advance(10_000);
    const { status } = h.pod("p");
    expect(status.phase).toBe("Succeeded");
    expect(status.containerStatuses).toMatchObject([
      { name: "a", restartCount: 1, lastState: { terminated: { exitCode: 9 } } },
      { name: "b", restartCount: 1, lastState: { terminated: { exitCode: 143 } } },
    ]);
  });
});

describe("init containers and sidecars", () => {
  const init = [
    { name: "first", image: "i:1" },
    { name: "side", image: "i:1", restartPolicy: "Always" },
    { name: "second", image: "i:1" },
  ];
  const states = () => {
    const { initContainerStatuses = [], containerStatuses } = h.pod("p").status;
    return [...initContainerStatuses, ...containerStatuses]
      .map(({ name, state }: any) => `${name}:${Object.keys(state)[0]}`)
      .join(" ");
  };

  test("run in order; sidecars run on until the main containers are done, and do not decide the phase", () => {
    h.startKubelet("n1");
    const outcome = { runMs: 5000, byContainer: { first: { runMs: 1000 }, second: { runMs: 1000 } } };
    h.createPod("p", { initContainers: init }, simulate(outcome));
    h.clock.advance(500);
    expect(states()).toBe("first:running side:waiting second:waiting c:waiting");
    expect(h.pod("p").status.containerStatuses[0].state.waiting.reason).toBe("PodInitializing");
    expect(h.pod("p").status.conditions[1]).toMatchObject({
      type: "Initialized",
      status: "False",
      message: "containers with incomplete status: [first side second]",
    });
    h.clock.advance(1000);
    expect(states()).toBe("first:terminated side:running second:running c:waiting");
    h.clock.advance(1000);
    expect(states()).toBe("first:terminated side:running second:terminated c:running");
    expect(h.pod("p").status.phase).toBe("Running");
    h.clock.advance(6000);
    expect(states()).toBe("first:terminated side:terminated second:terminated c:terminated");
    expect(h.pod("p").status).toMatchObject({
      phase: "Succeeded",
      initContainerStatuses: [{}, { state: { terminated: { exitCode: 143 } } }, {}],
    });
  });

  test("a sidecar that takes its time to stop holds the terminal phase back", () => {
    h.startKubelet("n1");
    h.createPod(
      "p",
      { initContainers: [init[1]], terminationGracePeriodSeconds: 7 },
      simulate({ runMs: 1000, byContainer: { side: { runMs: "forever", ignoreSigterm: true } } }),
    );
    h.clock.advance(7500);
    expect(h.pod("p").status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
    });
    h.clock.advance(1000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Succeeded",
      initContainerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  test("a failing init container fails a pod with policy Never and its main containers never start", () => {
    h.startKubelet("n1");
    h.createPod("p", { initContainers: [init[0]] }, simulate({ byContainer: { first: { runMs: 1000, exitCode: 1 } } }));
    h.clock.advance(2000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    });
  });

  test("a failing init container is retried with policy OnFailure, a failing sidecar always", () => {
    h.startKubelet("n1");
    const outcome = {
      runMs: 30_000,
      byContainer: { first: { runMs: 1000, exitCodes: [1, 0] }, side: { runMs: 2000, exitCode: 1 } },
    };
    h.createPod("p", { initContainers: init.slice(0, 2), restartPolicy: "OnFailure" }, simulate(outcome));
    h.clock.advance(20_000);
    const { status } = h.pod("p");
    expect(status.initContainerStatuses[0]).toMatchObject({ restartCount: 1, state: { terminated: { exitCode: 0 } } });
    expect(status.initContainerStatuses[1].restartCount).toBeGreaterThan(0);
    expect(status.phase).toBe("Running");
  });
});

describe("deletion", () => {
  test("stops the containers, writes the terminal status, and only then removes the object", () => {
    h.startKubelet("n1");
    const { uid } = h.createPod(
      "p",
      {},
      simulate({ runMs: "forever", sigterm: { exitCode: 143, afterMs: 3000 } }),
    ).metadata;
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(2999);
    expect(h.pod("p").status.phase).toBe("Running");
    const before = h.requests.length;
    h.clock.advance(1);
    expect(h.pod("p")).toBeUndefined();
    const last = h.requests.slice(before).filter(({ path }) => path.includes("/pods/p"));
    expect(last.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PATCH /api/v1/namespaces/default/pods/p/status",
      "DELETE /api/v1/namespaces/default/pods/p",
    ]);
    expect(JSON.parse(String(last[0]!.body)).status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
    expect(JSON.parse(String(last[1]!.body))).toEqual({ gracePeriodSeconds: 0, preconditions: { uid } });
    expect(h.events("p")).toContain("Normal Killing: Stopping container c");
  });

  test("kills what ignores SIGTERM when the grace period is over", () => {
    h.startKubelet("n1");
    h.createPod(
      "p",
      { terminationGracePeriodSeconds: 5 },
      { ...simulate({ runMs: "forever", ignoreSigterm: true }), finalizers: ["a/b"] },
    );
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(4999);
    expect(h.pod("p").status.phase).toBe("Running");
    h.clock.advance(1);
    expect(h.pod("p")).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0, finalizers: ["a/b"] },
      status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] },
    });
    h.clock.advance(60_000);
    expect(h.sent("DELETE", "/pods/p")).toHaveLength(1);
  });

  test("a shorter grace period that comes later is honoured", () => {
    h.startKubelet("n1");
    h.createPod("p", { terminationGracePeriodSeconds: 600 }, simulate({ runMs: "forever", ignoreSigterm: true }));
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", { gracePeriodSeconds: 2 });
    h.clock.advance(2500);
    expect(h.pod("p")).toBeUndefined();
  });

  test("a container that exits 0 on SIGTERM leaves a Succeeded pod", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, { ...simulate({ runMs: "forever", sigterm: { exitCode: 0 } }), finalizers: ["a/b"] });
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(1000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
  });

  test("while it is starting: the container stops before it ran and the pod ends Failed", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, { ...simulate({ startDelayMs: 5000 }), finalizers: ["a/b"] });
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(10_000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
  });

  test("before anything started: containers that never ran are reported as not located", () => {
    h.createPod("p", {}, { finalizers: ["a/b"] });
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.startKubelet("n1");
    h.clock.advance(1000);
    expect(h.pod("p").status.phase).toBe("Failed");
    expect(h.pod("p").metadata.deletionGracePeriodSeconds).toBe(0);
  });

  test("in a crash loop: what ended last is its state", () => {
    h.startKubelet("n1");
    h.createPod(
      "p",
      { restartPolicy: "OnFailure" },
      { ...simulate({ runMs: 1000, exitCode: 4 }), finalizers: ["a/b"] },
    );
    h.clock.advance(5000);
    expect(h.pod("p").status.containerStatuses[0].state.waiting.reason).toBe("CrashLoopBackOff");
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", {});
    h.clock.advance(1000);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 4 } } }],
    });
  });

  test("a pod that vanishes is stopped without a word to the API", () => {
    const stopped: string[] = [];
    h.startKubelet("n1", [], { onOutput: (_pod, _container, _attempt, _stream, line) => stopped.push(line) });
    h.createPod("p", {}, simulate({ runMs: 100_000, logs: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] }));
    h.clock.advance(15_000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", { gracePeriodSeconds: 0 });
    h.clock.advance(1);
    const before = h.requests.length;
    h.clock.advance(60_000);
    expect(h.requests.slice(before).filter(({ path }) => path.includes("/pods/p"))).toEqual([]);
    expect(stopped).toEqual(["0", "1"]);
  });

  test("a pod recreated under the same name is another pod", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ runMs: 2000, exitCode: 1 }));
    h.clock.advance(1000);
    h.api("DELETE", "/api/v1/namespaces/default/pods/p", { gracePeriodSeconds: 0 });
    h.createPod("p", {}, simulate({ runMs: 5000, logs: ["again"] }));
    h.clock.advance(3000);
    expect(h.pod("p").status).toMatchObject({ phase: "Running", containerStatuses: [{ restartCount: 0 }] });
    h.clock.advance(5000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
  });
});

describe("activeDeadlineSeconds", () => {
  test("ends the pod Failed with its reason", () => {
    h.startKubelet("n1");
    h.createPod("p", { activeDeadlineSeconds: 10 }, simulate({ runMs: 60_000 }));
    h.clock.advance(9_999);
    expect(h.pod("p").status.phase).toBe("Running");
    h.clock.advance(2);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
    expect(h.events("p")).toContain(
      "Normal DeadlineExceeded: Pod was active on the node longer than the specified deadline",
    );
  });
});

describe("a pod that uses more than it may", () => {
  test("is evicted: it ends at once, Failed with its reason", () => {
    const simulated = new SimulatedRuntime({ clock: h.clock, random: () => 0 });
    let evict = (_message: string): void => {};
    h.startKubelet("n1", [], {
      runtime: {
        name: "scripted",
        unsupported: () => [],
        createPod: (pod, files, done, evictPod) => {
          evict = evictPod;
          simulated.createPod(pod, files, done);
        },
        removePod: () => {},
        startContainer: (request, events) => simulated.startContainer(request, events),
      },
    });
    h.createPod("p", { restartPolicy: "Always" }, simulate({ runMs: 60_000, ignoreSigterm: true }));
    h.clock.advance(5_000);
    const message = 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ';
    evict(message);
    evict("once more");
    h.clock.advance(999);
    expect(h.pod("p").status).toMatchObject({ phase: "Running", containerStatuses: [{ state: { running: {} } }] });
    h.clock.advance(2);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      reason: "Evicted",
      message,
      containerStatuses: [{ restartCount: 0, state: { terminated: { exitCode: 137 } } }],
    });
    expect(h.events("p")).toContain(`Warning Evicted: ${message}`);
    expect(h.events("p").join()).not.toContain("once more");
  });
});

describe("failures to start", () => {
  test("ErrImagePull turns into ImagePullBackOff and is tried again", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ failReason: "ErrImagePull", failMessage: "no such image" }));
    const reason = () => h.pod("p").status.containerStatuses[0].state.waiting.reason;
    h.clock.advance(500);
    expect(h.pod("p").status).toMatchObject({
      phase: "Pending",
      containerStatuses: [{ restartCount: 0, state: { waiting: { message: "no such image" } } }],
    });
    expect(reason()).toBe("ErrImagePull");
    h.clock.advance(1000);
    expect(reason()).toBe("ImagePullBackOff");
    h.clock.advance(9000);
    expect(reason()).toBe("ErrImagePull");
  });

  test("bad JSON in the annotation is an error on the pod", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, { annotations: { "stint.dev/simulate": '{"runMs": "long"}' } });
    h.clock.advance(500);
    expect(h.pod("p").status.containerStatuses[0].state.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'annotation stint.dev/simulate: runMs is "long"; allowed is an integer from 0 to 1000000000000',
    });
  });

  test("StartError counts as an attempt with exit code 128", () => {
    h.startKubelet("n1");
    h.createPod("p", {}, simulate({ failReason: "StartError", failMessage: "no such file" }));
    h.clock.advance(500);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 128, reason: "StartError", message: "no such file" } } }],
    });
  });

  test("a Secret that a volume is made of holds the pod until it is there", () => {
    h.startKubelet("n1");
    const volumes = [{ name: "v", secret: { secretName: "s", items: [{ key: "a", path: "a" }] } }];
    h.createPod("p", { volumes }, simulate({ runMs: 1000 }));
    h.clock.advance(500);
    expect(h.pod("p").status.containerStatuses[0].state.waiting).toEqual({ reason: "ContainerCreating" });
    const messages = (): string[] =>
      h
        .api("GET", "/api/v1/namespaces/default/events")
        .items.filter((event: any) => event.reason === "FailedMount")
        .map((event: any) => event.message);
    expect(messages()).toEqual(['MountVolume.SetUp failed for volume "v" : secret "s" not found']);
    h.api("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, stringData: { b: "x" } });
    h.clock.advance(2000);
    expect(messages()).toContain('MountVolume.SetUp failed for volume "v" : references non-existent secret key: a');
    h.api("PUT", "/api/v1/namespaces/default/secrets/s", { metadata: { name: "s" }, stringData: { a: "x" } });
    h.clock.advance(15_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
  });

  test("a ConfigMap that is missing holds the container until it is there", () => {
    h.startKubelet("n1");
    const env = [{ name: "GREETING", valueFrom: { configMapKeyRef: { name: "cm", key: "greeting" } } }];
    h.createPod(
      "p",
      { containers: [{ name: "c", image: "i:1", env }] },
      simulate({ runMs: 1000, logs: ["$(GREETING)"] }),
    );
    h.clock.advance(500);
    expect(h.pod("p").status.containerStatuses[0].state.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'configmap "cm" not found',
    });
    h.api("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "cm" }, data: { greeting: "hello" } });
    h.clock.advance(15_000);
    expect(h.pod("p").status.phase).toBe("Succeeded");
    const log = h.follow("/api/v1/namespaces/default/pods/p/log");
    h.clock.advance(1);
    expect(log.text).toBe("hello\n");
  });
});

test("conditions of others survive the kubelet's writes", () => {
  h.startKubelet("n1");
  h.createPod("p", {}, { ...simulate({ runMs: "forever" }), finalizers: ["a/b"] });
  h.clock.advance(1000);
  h.api("POST", "/api/v1/namespaces/default/pods/p/eviction", {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "p" },
  });
  h.clock.advance(1000);
  const { phase, conditions } = h.pod("p").status;
  expect(phase).toBe("Failed");
  expect(conditions.find(({ type }: any) => type === "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "EvictionByEvictionAPI",
  });
  expect(conditions).toHaveLength(6);
});

test("a terminal phase that another client wrote is final, and the containers are stopped", () => {
  h.startKubelet("n1");
  h.createPod("p", {}, simulate({ runMs: "forever" }));
  h.clock.advance(1000);
  h.api(
    "PATCH",
    "/api/v1/namespaces/default/pods/p/status",
    { status: { phase: "Failed" } },
    "application/merge-patch+json",
  );
  h.clock.advance(1000);
  expect(h.pod("p").status).toMatchObject({
    phase: "Failed",
    containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
  });
});

test("a terminal phase stays when the pod is deleted with it, while its containers still stop", () => {
  h.startKubelet("n1");
  const simulation = simulate({ runMs: "forever", ignoreSigterm: true });
  h.createPod("p", {}, { ...simulation, finalizers: ["example.com/kept"] });
  h.clock.advance(1000);
  const status = { phase: "Failed", reason: "Lost" };
  const path = "/api/v1/namespaces/default/pods/p";
  h.api("PATCH", `${path}/status`, { status }, "application/merge-patch+json");
  h.api("DELETE", path, { gracePeriodSeconds: 0 });
  h.clock.advance(500);
  expect(h.pod("p").status).toMatchObject({ ...status, containerStatuses: [{ state: { running: {} } }] });
  h.clock.advance(1000);
  const state = { terminated: { exitCode: 137 } };
  expect(h.pod("p").status).toMatchObject({ ...status, containerStatuses: [{ state }] });
});

describe("the log of a container that prints nothing", () => {
  const path = (pod: string, query: string): string => `/api/v1/namespaces/default/pods/${pod}/log${query}`;
  const log = (query = "", pod = "p"): string => h.answer("GET", path(pod, query)).body;
  const startSaying = (emptyLogText: string): string[] => {
    const output: string[] = [];
    h.startKubelet("n1", [], {
      runtime: new SimulatedRuntime({ clock: h.clock, random: () => 0, emptyLogText }),
      onOutput: (_pod, _container, _attempt, _stream, line) => output.push(line),
    });
    return output;
  };

  test("is what the runtime says of it, with the time of its start, while it runs and afterwards", () => {
    const output = startSaying("it ran no command");
    h.createPod("p", {}, simulate({ startDelayMs: 2000, runMs: 5000 }));
    h.clock.advance(1000);
    expect(log()).toContain("is waiting to start");
    h.clock.advance(2000);
    const followed = h.follow(path("p", "?follow=true"));
    h.clock.advance(0);
    expect(followed).toEqual({ text: "it ran no command\n", ended: false });
    h.clock.advance(7000);
    expect(followed).toEqual({ text: "it ran no command\n", ended: true });
    expect(log()).toBe("it ran no command\n");
    expect(log(`?timestamps=true`)).toBe(`${time(2).replace("Z", ".000000000Z")} it ran no command\n`);
    expect(log(`?tailLines=1`)).toBe("it ran no command\n");
    expect(log(`?tailLines=0`)).toBe("");
    expect(log(`?limitBytes=2`)).toBe("it");
    expect(log(`?sinceTime=${time(3)}`)).toBe("");
    expect(output).toEqual([]);
    expect(h.pod("p").status.containerStatuses[0].state.terminated.message).toBeUndefined();
  });

  test("of the attempt before it, too", () => {
    startSaying("it ran no command");
    h.createPod("p", { restartPolicy: "OnFailure" }, simulate({ exitCodes: [1, 0], runMs: 1000 }));
    h.clock.advance(30_000);
    expect(log(`?previous=true`)).toBe("it ran no command\n");
  });

  test("is not said of a container that prints, nor where the runtime says nothing", () => {
    startSaying("it ran no command");
    h.createPod("p", {}, simulate({ logs: ["one"] }));
    h.startKubelet("n2");
    h.createPod("q", { nodeName: "n2" });
    h.clock.advance(10_000);
    expect(log()).toBe("one\n");
    expect(log("", "q")).toBe("");
  });
});

test("fields that are not honoured are named once an owner; what is so for every pod is no warning", () => {
  const named: string[] = [];
  const simulated = new SimulatedRuntime({ clock: h.clock, random: () => 0 });
  h.startKubelet("n1", [], {
    runtime: {
      name: "scripted",
      unsupported: () => [{ path: "spec.containers[0].image", why: "there are no images", note: "no pod has one" }],
      createPod: (pod, files, done) => simulated.createPod(pod, files, done),
      removePod: () => {},
      startContainer: (request, events) => simulated.startContainer(request, events),
    },
    onUnsupported: (_pod, fields) => named.push(...fields.map(({ path }) => path)),
  });
  const containers = [{ name: "c", image: "i:1", livenessProbe: { exec: { command: ["true"] } } }];
  const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "job-uid", controller: true }];
  h.createPod("p", { containers }, { ownerReferences });
  h.createPod("q", { containers }, { ownerReferences });
  h.clock.advance(1000);
  expect(named).toEqual(["spec.containers[0].livenessProbe", "spec.containers[0].image"]);
  expect(h.events("p")).toContain(
    "Normal UnsupportedField: spec.containers[0].image has no effect on this node: there are no images",
  );
  expect(h.events("p")).toContain(
    "Warning UnsupportedField: spec.containers[0].livenessProbe has no effect on this node: probes are not run; a container is restarted only when it ends",
  );
});
