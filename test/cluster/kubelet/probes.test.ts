/** Probes by the kubelet: scripted results, virtual time. What upstream does is in pkg/kubelet/prober/worker.go. */
import { beforeEach, describe, expect, it } from "vitest";
import type { ContainerRuntime, ProbeResult } from "../../../cluster/kubelet/container-runtime.ts";
import { startProbes } from "../../../cluster/kubelet/probes.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { Harness } from "../component-harness.ts";

const OK: ProbeResult = { result: "success", output: "" };
const BAD: ProbeResult = { result: "failure", output: "no" };
const ERROR: ProbeResult = { result: "error", output: "cannot ask" };

let h: Harness;
/** What is asked of which command, and when, in seconds from the start of the pod. */
let asked: string[];
let answers: Record<string, ProbeResult[]>;

beforeEach(() => {
  h = new Harness();
  asked = [];
  answers = {};
  const simulated = new SimulatedRuntime({ clock: h.clock, random: () => 0 });
  const startMs = h.clock.now();
  const runtime: ContainerRuntime = {
    name: "scripted",
    startProbes,
    unsupported: () => [],
    createPod: (pod, files, done) => simulated.createPod(pod, files, done),
    removePod: () => simulated.removePod(),
    startContainer: (request, events) => {
      const handle = simulated.startContainer(request, events);
      return {
        stop: (seconds) => handle.stop(seconds),
        probe: (spec, _podIP, done) => {
          const [name] = spec.exec!.command!;
          asked.push(`${name} ${Math.round((h.clock.now() - startMs) / 1000)}`);
          const results = answers[name!] ?? [OK];
          const result = results.length > 1 ? results.shift()! : results[0]!;
          h.clock.defer(() => done(result));
        },
      };
    },
  };
  h.startKubelet("n1", [], { runtime });
});

const exec = (name: string, more: object = {}): object => ({ exec: { command: [name] }, periodSeconds: 10, ...more });

/** A pod whose container `c` runs until it is stopped, and says then 143. */
function create(container: object, spec: object = {}, outcome: object = {}): void {
  const containers = [{ name: "c", image: "i", ...container }];
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs: "forever", ...outcome }) };
  h.createPod("p", { containers, restartPolicy: "Always", ...spec }, { annotations });
}

const advance = (seconds: number): void => h.clock.advance(seconds * 1000);
const stateOf = (list = "containerStatuses"): object => {
  const [{ ready, started, restartCount }] = h.pod("p").status[list];
  return { ready, started, restartCount };
};
const said = (): string[] => h.events("p").filter((text) => /Unhealthy|Killing/.test(text));

describe("a readiness probe", () => {
  it("makes the container ready after as many successes, and unready after as many failures, in a row", () => {
    answers["r"] = [BAD, OK, BAD, OK, OK, BAD, OK, BAD, BAD];
    create({ readinessProbe: exec("r", { successThreshold: 2, failureThreshold: 2, initialDelaySeconds: 5 }) });
    advance(4);
    expect([asked, stateOf()]).toEqual([[], { ready: false, started: true, restartCount: 0 }]);
    advance(32);
    expect([asked, stateOf()]).toEqual([
      ["r 5", "r 15", "r 25", "r 35"],
      { ready: false, started: true, restartCount: 0 },
    ]);
    advance(10);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
    expect(h.pod("p").status.conditions.find(({ type }: any) => type === "Ready").status).toBe("True");
    advance(30);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
    advance(10);
    expect(stateOf()).toEqual({ ready: false, started: true, restartCount: 0 });
    expect(said()).toEqual(["Warning Unhealthy: Readiness probe failed: no (x5)"]);
  });
});

describe("a liveness probe", () => {
  it("ends the container after as many failures, and its restart is probed again", () => {
    answers["l"] = [OK, BAD, BAD, OK];
    create({ livenessProbe: exec("l", { failureThreshold: 2 }) });
    advance(19);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
    advance(2);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 1 });
    expect(h.pod("p").status.containerStatuses[0].lastState.terminated.exitCode).toBe(143);
    expect(said()).toEqual([
      "Normal Killing: Container c failed liveness probe, will be restarted",
      "Warning Unhealthy: Liveness probe failed: no (x2)",
    ]);
    advance(25);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 1 });
  });

  it("fails a pod that restarts nothing", () => {
    answers["l"] = [BAD];
    create({ livenessProbe: exec("l", { failureThreshold: 1 }) }, { restartPolicy: "Never" });
    advance(15);
    expect(h.pod("p").status.phase).toBe("Failed");
    expect(said()).toContain("Normal Killing: Container c failed liveness probe");
    const count = asked.length;
    advance(60);
    expect(asked).toHaveLength(count);
  });

  it("gives the container the grace period of the probe, before that of the pod", () => {
    answers["l"] = [BAD];
    create(
      { livenessProbe: exec("l", { failureThreshold: 1, terminationGracePeriodSeconds: 3 }) },
      { terminationGracePeriodSeconds: 60 },
      { ignoreSigterm: true },
    );
    advance(2);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
    advance(2);
    expect(h.pod("p").status.containerStatuses[0].lastState.terminated.exitCode).toBe(137);
  });

  it("changes nothing when it cannot be carried out, after three tries each time", () => {
    answers["l"] = [ERROR];
    create({ livenessProbe: exec("l", { failureThreshold: 1 }) });
    advance(15);
    expect([asked, stateOf()]).toEqual([
      ["l 0", "l 0", "l 0", "l 10", "l 10", "l 10"],
      { ready: true, started: true, restartCount: 0 },
    ]);
    expect(said()).toEqual([
      "Warning Unhealthy: Liveness probe errored and resulted in unknown state: cannot ask (x2)",
    ]);
  });
});

describe("a startup probe", () => {
  it("keeps the others waiting until it has succeeded, and is not asked again", () => {
    answers["s"] = [BAD, BAD, OK];
    create({
      startupProbe: exec("s", { periodSeconds: 2 }),
      livenessProbe: exec("l"),
      readinessProbe: exec("r", { initialDelaySeconds: 7 }),
    });
    advance(3);
    expect(stateOf()).toEqual({ ready: false, started: false, restartCount: 0 });
    advance(3);
    expect(stateOf()).toEqual({ ready: false, started: true, restartCount: 0 });
    advance(10);
    expect(asked).toEqual(["s 0", "s 2", "s 4", "l 4", "r 7", "l 14"]);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
  });

  it("ends the container when it never succeeds", () => {
    answers["s"] = [BAD];
    create({ startupProbe: exec("s", { failureThreshold: 2 }) });
    advance(11);
    expect(said()).toContain("Normal Killing: Container c failed startup probe, will be restarted");
    expect(stateOf()).toEqual({ ready: false, started: false, restartCount: 1 });
  });

  it("of a sidecar holds back what comes after it", () => {
    answers["s"] = [BAD, BAD, OK];
    const proxy = { name: "proxy", image: "i", restartPolicy: "Always", startupProbe: exec("s") };
    create({}, { initContainers: [proxy] });
    advance(15);
    expect(h.pod("p").status.containerStatuses[0].state.waiting.reason).toBe("PodInitializing");
    expect(stateOf("initContainerStatuses")).toEqual({ ready: false, started: false, restartCount: 0 });
    advance(10);
    expect(stateOf()).toEqual({ ready: true, started: true, restartCount: 0 });
  });
});

it("a pod that is being deleted is not ended by a probe, and no longer probed when it has ended", () => {
  answers["l"] = [BAD];
  create({ livenessProbe: exec("l", { failureThreshold: 1, initialDelaySeconds: 5 }) });
  advance(1);
  h.api("DELETE", "/api/v1/namespaces/default/pods/p");
  advance(60);
  expect(h.pod("p")).toBeUndefined();
  expect(asked).toEqual([]);
});
