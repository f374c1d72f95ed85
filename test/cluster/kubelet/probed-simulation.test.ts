/** Simulated containers that answer their probes as their outcome says. */
import { beforeEach, describe, expect, it } from "vitest";
import { ProbedSimulation } from "../../../cluster/kubelet/probed-simulation.ts";
import { Harness } from "../component-harness.ts";

const PROBE = { exec: { command: ["true"] }, periodSeconds: 2 };
let h: Harness;

beforeEach(() => {
  h = new Harness();
  h.startKubelet("n1", [], { runtime: new ProbedSimulation({ clock: h.clock, random: () => 0.5 }) });
});

/** A pod whose container runs until it is stopped. */
function create(probes: object, outcome: object, spec: object = {}): void {
  const containers = [{ name: "c", image: "i", ...probes }];
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs: "forever", ...outcome }) };
  h.createPod("p", { containers, restartPolicy: "Always", ...spec }, { annotations });
}

const advance = (seconds: number): void => h.clock.advance(seconds * 1000);
const state = (): object => {
  const [{ ready, started, restartCount }] = h.pod("p").status.containerStatuses;
  return { ready, started, restartCount };
};
const FRESH = { ready: true, started: true, restartCount: 0 };

describe("readyAfterMs", () => {
  it("is when readiness probes begin to succeed; the container is alive before", () => {
    create({ readinessProbe: PROBE, livenessProbe: { ...PROBE, failureThreshold: 1 } }, { readyAfterMs: 5_000 });
    advance(5.9);
    expect(state()).toEqual({ ...FRESH, ready: false });
    advance(0.2);
    expect(state()).toEqual(FRESH);
    expect(h.events("p")).toContain(
      "Warning Unhealthy: Readiness probe failed: simulated: it is ready 5000 ms after its start (x3)",
    );
  });

  it("is when startup probes begin to succeed", () => {
    create({ startupProbe: { ...PROBE, failureThreshold: 10 } }, { readyAfterMs: [4_000, 6_000] });
    advance(5.9);
    expect(state()).toEqual({ ready: false, started: false, restartCount: 0 });
    advance(0.2);
    expect(state()).toEqual(FRESH);
  });
});

describe("hangsAfterMs", () => {
  it("is when all probes begin to fail: a container that is not alive is started again", () => {
    create({ readinessProbe: { ...PROBE, failureThreshold: 1 }, livenessProbe: PROBE }, { hangsAfterMs: 5_000 });
    advance(5.9);
    expect(state()).toEqual(FRESH);
    advance(1);
    expect(state()).toEqual({ ...FRESH, ready: false });
    // The third failure is the last one, ten seconds after the start.
    advance(3.5);
    expect(state()).toEqual({ ...FRESH, restartCount: 1 });
    expect(h.events("p")).toContain("Normal Killing: Container c failed liveness probe, will be restarted");
    // So does the second run; its restart waits for ten seconds.
    advance(25);
    expect(state()).toMatchObject({ restartCount: 2 });
  });

  it("fails a pod that restarts nothing", () => {
    create({ livenessProbe: PROBE }, { hangsAfterMs: 5_000 }, { restartPolicy: "Never" });
    advance(12);
    expect(h.pod("p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
  });
});

describe("a container is ready at once", () => {
  const never = { ...PROBE, failureThreshold: 1 };

  it("without these fields, whatever probes it has", () => {
    create({ startupProbe: never, readinessProbe: never, livenessProbe: never }, {});
    advance(0.1);
    expect(state()).toEqual(FRESH);
    expect(h.events("p").join()).not.toContain("Unhealthy");
  });

  it("without probes, whatever these fields say", () => {
    create({}, { readyAfterMs: 60_000, hangsAfterMs: 1 });
    advance(30);
    expect(state()).toEqual(FRESH);
  });
});
