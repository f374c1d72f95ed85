/** `stint why` of pods, which no kubelet runs here. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../../bindings/js/engine.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { findPod, type PodAccount } from "../../../../host-node/cli/why/pod.ts";
import { podLines } from "../../../../host-node/cli/why/pod-text.ts";
import { createEngine } from "../../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { EVENTS, FAILED, JOBS, MINUTE, PODS, PULLING, RUNNING, template, World } from "./world.ts";

let engine: Engine;
beforeAll(async () => {
  await buildModule("engine");
  engine = await createEngine(await loadEngineModule());
});

let world: World;
beforeEach(() => {
  world = new World(engine);
});

function job(status: object, spec: object = {}): KubeObject {
  world.send("POST", JOBS, { metadata: { name: "pi" }, spec: { parallelism: 3, completions: 3, template, ...spec } });
  return world.send("PATCH", `${JOBS}/pi/status`, { status: { startTime: world.time, ...status } });
}

/** @param forbidden how the paths end that may not be read */
function why(name: string, ...forbidden: readonly string[]): Promise<PodAccount | undefined> {
  return findPod(world.reader(...forbidden), { namespace: "default", name }, world.account);
}

async function text(name: string): Promise<string> {
  return podLines((await why(name))!, world.context).join("\n");
}

describe("a pod of a Job", () => {
  it("is a part of what holds the Job", async () => {
    const owner = job({ active: 3 });
    for (const name of ["pi-1", "pi-2"]) world.pod(owner, name, PULLING);
    world.pod(owner, "pi-3", RUNNING);
    world.clock.advance(5 * MINUTE);
    expect(await text("pi-2")).toMatchInlineSnapshot(`
      "pod pi-2  Pending
        pod pi-2 has not started yet
        1 pod cannot start: container main of pod pi-2 waits with ImagePullBackOff: manifest unknown
        the same (CannotStart) holds 1 other pod of its Job
        its Job pi is running: 3 active, 0 of 3 succeeded, 2 cannot run
        node node-1   started 10:00:00
        to do: correct the image none of container main, or the imagePullSecrets
          kubectl describe pod pi-2 -n default --context prod
        more: stint why pi --context prod"
    `);
    expect((await why("pi-3"))!).toMatchObject({ state: "Running", holds: [], ofJob: { name: "pi", held: {} } });
  });

  it("that has failed says how, and what to do", async () => {
    world.pod(job({ active: 0, failed: 1 }), "pi-1", FAILED);
    world.clock.advance(MINUTE);
    expect(await text("pi-1")).toMatchInlineSnapshot(`
      "pod pi-1  Failed
        pod pi-1 has failed: container main exited (exit code 3, Error)
        its Job pi is retrying: 0 active, 0 of 3 succeeded, 1 failed; the next pod is created in 0 s
        node node-1   started 10:00:00   ended 10:00:05   exit code 3
        to do: read what container main printed last
          kubectl logs pi-1 -c main -n default --context prod
        the log of pod pi-1 could not be read (404: pods "node-1" not found)
        more: stint why pi --context prod"
    `);
  });

  it("that its node has ended says so", async () => {
    const reasons = { reason: "TerminationByKubelet", message: "shutdown", lastTransitionTime: world.time };
    const condition = { type: "DisruptionTarget", status: "True", ...reasons };
    const state = { terminated: { exitCode: 143, reason: "Error", finishedAt: "2026-03-02T10:00:05Z" } };
    const killed = { phase: "Failed", containerStatuses: [{ name: "main", state }], conditions: [condition] };
    world.pod(job({ failed: 1 }), "pi-1", killed);
    expect((await why("pi-1"))!.attempt).toMatchObject({ endedBy: "NodeShutdown", by: "node-1" });
  });

  it("has the Warnings about itself alone, not those about an earlier one of its name", async () => {
    const { metadata } = world.pod(job({ active: 1 }), "pi-1", PULLING);
    for (const [name, uid] of [
      ["own", metadata.uid],
      ["other", "earlier"],
    ])
      world.send("POST", EVENTS, {
        metadata: { name },
        involvedObject: { kind: "Pod", namespace: "default", name: "pi-1", uid },
        type: "Warning",
        reason: "Failed",
        message: `of the ${name}`,
        lastTimestamp: world.time,
      });
    expect((await why("pi-1"))!.events.map(({ message }) => message)).toEqual(["of the own"]);
  });
});

describe("a pod of no Job", () => {
  it("is said to be so, with its owner", async () => {
    const set = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d", uid: "u", controller: true };
    world.send("POST", PODS, { metadata: { name: "web", ownerReferences: [set] }, ...template });
    world.send("POST", PODS, { metadata: { name: "bare" }, ...template });
    expect(await text("web")).toBe("pod web  Pending\n  it is a pod of no Job: ReplicaSet web-5d controls it");
    expect(await why("bare")).toMatchObject({
      state: "Pending",
      sentence: "it is a pod of no Job: no controller owns it",
      ofJob: null,
    });
  });
});

describe("a pod of which not all may be read", () => {
  it("names what could not be read, and uses the rest", async () => {
    world.pod(job({ active: 1 }), "pi-1", PULLING);
    const { holds, remarks, ofJob: owner } = (await why("pi-1", "/jobs/pi", "/events"))!;
    expect(holds.map(({ code }) => code)).toEqual(["CannotStart"]);
    expect(owner).toEqual({ name: "pi", verdict: undefined, sentence: undefined, held: { CannotStart: 1 } });
    expect(remarks).toEqual([
      "its Job pi could not be read (403: not for you)",
      "Events could not be read (403: not for you)",
    ]);
    await expect(why("pi-1", "/pods")).rejects.toThrow(
      "the pods in namespace default may not be read with these credentials (403: not for you).\nAsk for list on pods",
    );
  });

  it("says when its Job is gone, or another one has its name", async () => {
    world.pod({ metadata: { name: "pi", uid: "gone" } } as KubeObject, "pi-1", RUNNING);
    expect((await why("pi-1"))!.remarks).toEqual(["its Job pi is gone"]);
    job({});
    expect((await why("pi-1"))!.remarks).toEqual(["its Job pi is gone, and another one has that name"]);
  });

  it("is undefined if there is none", async () => {
    expect(await why("pi-1")).toBeUndefined();
  });
});
