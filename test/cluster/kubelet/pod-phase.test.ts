/** Phase and conditions of a pod against the tables of docs/spec/api.md 5.4 and 5.5. */
import { describe, expect, test } from "vitest";
import type { ContainerKind, ContainerView } from "../../../cluster/kubelet/container-status.ts";
import { podConditions, withTransitionTimes } from "../../../cluster/kubelet/pod-conditions.ts";
import { podPhase } from "../../../cluster/kubelet/pod-phase.ts";
import type { PodPhase } from "../../../cluster/kubelet/pod-phase.ts";
import { SERVED_KUBERNETES } from "../../../cluster/values/kubernetes-versions.ts";

type Shown = "waiting" | "running" | number | { crashLoop: number };

/** A container by its kind and what it shows: an exit code, or `{crashLoop: code}` while it waits to be restarted. */
function view(kind: ContainerKind, shown: Shown, willRestart = false, name = "c"): ContainerView {
  const terminated = (exitCode: number) => ({
    terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error" },
  });
  const isCrashLoop = typeof shown === "object";
  return {
    kind,
    willRestart: willRestart || isCrashLoop,
    status: {
      name,
      state:
        typeof shown === "number"
          ? terminated(shown)
          : shown === "running"
            ? { running: { startedAt: "" } }
            : { waiting: { reason: "x" } },
      lastState: isCrashLoop ? terminated(shown.crashLoop) : {},
      ready: kind === "init" ? shown === 0 : shown === "running",
      restartCount: 0,
      image: "",
      imageID: "",
      started: shown === "running",
    },
  };
}

describe("phase", () => {
  const cases: [name: string, containers: ContainerView[], expected: PodPhase, tearingDown?: boolean][] = [
    ["nothing started", [view("main", "waiting")], "Pending"],
    ["running", [view("main", "running")], "Running"],
    ["exit 0", [view("main", 0)], "Succeeded"],
    ["exit 1 without restart", [view("main", 1)], "Failed"],
    ["exit 1, to be restarted", [view("main", 1, true)], "Running"],
    ["crash loop", [view("main", { crashLoop: 1 })], "Running"],
    ["one of two main containers still waits", [view("main", "running"), view("main", "waiting")], "Pending"],
    ["one done, one running", [view("main", 0), view("main", "running")], "Running"],
    ["one failed, one running", [view("main", 1), view("main", "running")], "Running"],
    ["one failed, one succeeded", [view("main", 1), view("main", 0)], "Failed"],
    ["init runs", [view("init", "running"), view("main", "waiting")], "Pending"],
    ["init failed for good", [view("init", 1), view("main", "waiting")], "Failed"],
    ["init failed, to be restarted", [view("init", 1, true), view("main", "waiting")], "Pending"],
    ["init in crash loop", [view("init", { crashLoop: 1 }), view("main", "waiting")], "Pending"],
    ["init done, main waits", [view("init", 0), view("main", "waiting")], "Pending"],
    ["init done, main runs", [view("init", 0), view("main", "running")], "Running"],
    ["sidecar not started", [view("sidecar", "waiting"), view("main", "waiting")], "Pending"],
    ["sidecar restarts while main runs", [view("sidecar", { crashLoop: 1 }), view("main", "running")], "Running"],
    ["sidecar runs, main done", [view("sidecar", "running"), view("main", 0)], "Succeeded"],
    ["exit code of a sidecar does not matter", [view("sidecar", 137), view("main", 0)], "Succeeded"],
    ["torn down in a crash loop", [view("main", { crashLoop: 1 })], "Failed", true],
    ["torn down after exit 0 that would be restarted", [view("main", 0, true)], "Succeeded", true],
    ["torn down while running", [view("main", "running")], "Running", true],
    ["killed by SIGTERM", [view("main", 143)], "Failed", true],
  ];
  test.each(cases)("%s", (_name, containers, expected, tearingDown = false) => {
    expect(podPhase(containers, tearingDown)).toBe(expected);
  });
});

describe("conditions", () => {
  const conditions = (
    phase: PodPhase,
    containers: ContainerView[],
    readinessGates: string[] = [],
    foreign: [string, string][] = [],
  ) =>
    podConditions({
      phase,
      containers,
      sandbox: { isReady: true, isRemoved: false },
      kubernetes: SERVED_KUBERNETES,
      readinessGates,
      foreign: new Map(foreign),
    });
  const find = (list: ReturnType<typeof conditions>, type: string) =>
    list.find((condition) => condition.type === type)!;

  test.each([
    ["1.36", { isReady: false, isRemoved: false }, {}],
    ["1.36", { isReady: false, isRemoved: true }, {}],
    ["1.37", { isReady: false, isRemoved: false }, { reason: "PodSandboxNotReady", message: "no pod sandbox exists" }],
    [
      "1.37",
      { isReady: false, isRemoved: true },
      { reason: "PodSandboxNotReady", message: "pod sandbox is not ready" },
    ],
  ] as const)("%s, a sandbox that is %j", (kubernetes, sandbox, said) => {
    const facts = { phase: "Pending", containers: [view("main", "waiting")], readinessGates: [], foreign: new Map() };
    const [first] = podConditions({ ...facts, phase: "Pending", sandbox, kubernetes });
    expect(first).toEqual({ type: "PodReadyToStartContainers", status: "False", ...said });
  });

  test("come in the kubelet's order", () => {
    expect(conditions("Running", [view("main", "running")]).map(({ type, status }) => `${type}=${status}`)).toEqual([
      "PodReadyToStartContainers=True",
      "Initialized=True",
      "Ready=True",
      "ContainersReady=True",
      "PodScheduled=True",
    ]);
  });

  test("not started, with init containers: both kinds of incomplete containers are named", () => {
    const list = conditions("Pending", [
      view("init", "waiting", false, "a"),
      view("sidecar", "waiting", false, "b"),
      view("main", "waiting", false, "c"),
    ]);
    expect(find(list, "Initialized")).toEqual({
      type: "Initialized",
      status: "False",
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [a b]",
    });
    expect(find(list, "ContainersReady")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [b c]",
    });
    expect(find(list, "Ready")).toMatchObject({
      status: "False",
      reason: "ContainersNotReady",
      message: "containers with unready status: [b c]",
    });
  });

  test("not started, without init containers: initialized, not ready", () => {
    const list = conditions("Pending", [view("main", "waiting")]);
    expect(find(list, "Initialized")).toEqual({ type: "Initialized", status: "True" });
    expect(find(list, "Ready").status).toBe("False");
  });

  test("Succeeded", () => {
    const list = conditions("Succeeded", [view("init", 0), view("main", 0)]);
    expect(find(list, "Initialized")).toEqual({ type: "Initialized", status: "True", reason: "PodCompleted" });
    expect(find(list, "Ready")).toEqual({ type: "Ready", status: "False", reason: "PodCompleted" });
    expect(find(list, "ContainersReady")).toEqual({ type: "ContainersReady", status: "False", reason: "PodCompleted" });
  });

  test("Failed keeps Initialized as it was", () => {
    expect(find(conditions("Failed", [view("main", 1)]), "Initialized")).toEqual({
      type: "Initialized",
      status: "True",
    });
    expect(find(conditions("Failed", [view("main", 1)]), "Ready")).toEqual({
      type: "Ready",
      status: "False",
      reason: "PodFailed",
    });
    const initFailed = conditions("Failed", [view("init", 1, false, "a"), view("main", "waiting")]);
    expect(find(initFailed, "Initialized")).toMatchObject({
      status: "False",
      message: "containers with incomplete status: [a]",
    });
  });

  test("a restarting sidecar does not undo Initialized", () => {
    const list = conditions("Running", [view("sidecar", { crashLoop: 1 }, false, "s"), view("main", "running")]);
    expect(find(list, "Initialized").status).toBe("True");
    expect(find(list, "Ready").message).toBe("containers with unready status: [s]");
  });

  test("readiness gates hold Ready back, not ContainersReady", () => {
    const list = conditions("Running", [view("main", "running")], ["a/b", "c/d"], [["c/d", "False"]]);
    expect(find(list, "ContainersReady").status).toBe("True");
    expect(find(list, "Ready")).toEqual({
      type: "Ready",
      status: "False",
      reason: "ReadinessGatesNotReady",
      message:
        'corresponding condition of pod readiness gate "a/b" does not exist., the status of pod readiness gate "c/d" is not "True", but False',
    });
    expect(find(conditions("Running", [view("main", "running")], ["a/b"], [["a/b", "True"]]), "Ready").status).toBe(
      "True",
    );
  });

  test("lastTransitionTime moves only with the status", () => {
    const first = withTransitionTimes(conditions("Pending", [view("main", "waiting")]), [], "2026-01-01T00:00:00Z", 1);
    const second = withTransitionTimes(
      conditions("Running", [view("main", "running")]),
      first,
      "2026-01-01T00:00:09Z",
      1,
    );
    const time = (type: string) => second.find((condition) => condition.type === type)!.lastTransitionTime;
    expect(time("Ready")).toBe("2026-01-01T00:00:09Z");
    expect(time("Initialized")).toBe("2026-01-01T00:00:00Z");
    expect(second[2]).toEqual({
      type: "Ready",
      observedGeneration: 1,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: "2026-01-01T00:00:09Z",
    });
  });
});
