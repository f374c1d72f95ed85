/** `stint why` of JobSets, whose controller is not here: the test writes their Jobs and their status. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../../bindings/js/engine.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { serveCustomResources } from "../../../../cluster/bootstrap/custom-resources.ts";
import { findJobSet, type JobSetAccount } from "../../../../host-node/cli/why/job-set.ts";
import { jobSetLines } from "../../../../host-node/cli/why/job-set-text.ts";
import { createEngine } from "../../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { FAILED, JOBS, MINUTE, PULLING, RUNNING, template, World } from "./world.ts";

const JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";

let engine: Engine;
beforeAll(async () => {
  await buildModule("engine");
  engine = await createEngine(await loadEngineModule());
});

let world: World;
beforeEach(() => {
  world = new World(engine);
});

function install(): void {
  serveCustomResources({ cluster: world.cluster, clock: world.clock });
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  world.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "jobsets.jobset.x-k8s.io" },
    spec: {
      group: "jobset.x-k8s.io",
      scope: "Namespaced",
      names: { plural: "jobsets", singular: "jobset", kind: "JobSet" },
      versions: [{ name: "v1alpha2", served: true, storage: true, schema }],
    },
  });
  world.clock.runDeferred();
}

function jobSet(spec: object = {}): KubeObject {
  install();
  return world.send("POST", JOB_SETS, {
    apiVersion: "jobset.x-k8s.io/v1alpha2",
    kind: "JobSet",
    metadata: { name: "train" },
    spec,
  });
}

function job(name: string, status: object): KubeObject {
  const labels = { "jobset.sigs.k8s.io/jobset-name": "train" };
  world.send("POST", JOBS, { metadata: { name, labels }, spec: { template } });
  return world.send("PATCH", `${JOBS}/${name}/status`, { status: { startTime: world.time, ...status } });
}

/** @param forbidden how the paths end that may not be read */
function why(...forbidden: readonly string[]): Promise<JobSetAccount | undefined> {
  return findJobSet(world.reader(...forbidden), { namespace: "default", name: "train" }, world.account);
}

describe("a JobSet", () => {
  it("has its Jobs, and what holds the first one that does not go on", async () => {
    jobSet();
    world.send("POST", JOBS, { metadata: { name: "other" }, spec: { template } });
    world.pod(job("train-driver-0", { active: 1 }), "driver", RUNNING);
    world.pod(job("train-worker-0", { active: 1 }), "worker", PULLING);
    world.clock.advance(5 * MINUTE);
    expect(jobSetLines((await why())!, world.context).join("\n")).toMatchInlineSnapshot(`
      "jobset train  Held
        its Job train-worker-0 is stuck, for no pod of it can run: 1 active, 0 of 1 succeeded: manifest unknown (ImagePullBackOff)
        Job train-worker-0: 1 pod cannot start: container main of pod worker waits with ImagePullBackOff: manifest unknown
        to do: correct the image none of container main, or the imagePullSecrets
          kubectl describe pod worker -n default --context prod

        JOB             CREATED (UTC)  TOOK   STATE
        train-driver-0  10:00:00       5 min  Running: 1 active pod
        train-worker-0  10:00:00       5 min  Running: 1 active pod"
    `);
  });

  it("goes on while all of its Jobs do", async () => {
    jobSet();
    expect(await why()).toMatchObject({
      state: "Waiting",
      sentence: "no Job of it is there: does the controller of JobSet run?",
    });
    world.pod(job("train-driver-0", { active: 1 }), "driver", RUNNING);
    job("train-init-0", world.complete());
    expect(await why()).toMatchObject({
      state: "Running",
      sentence: "it goes on: 1 of the 2 Jobs that are there have ended",
      runs: [
        { job: "train-driver-0", state: "Running" },
        { job: "train-init-0", state: "Complete" },
      ],
    });
  });

  it("that has failed says which Job failed, and how", async () => {
    jobSet();
    const worker = job("train-worker-0", {});
    world.pod(worker, "worker", FAILED);
    world.send("PATCH", `${JOBS}/train-worker-0/status`, { status: world.failed() });
    const failed = { type: "Failed", status: "True", reason: "FailedJobs", message: "jobset failed due to a job" };
    world.send("PATCH", `${JOB_SETS}/train`, { status: { conditions: [failed] } });
    expect(await why()).toMatchObject({
      state: "Failed",
      sentence: "the JobSet has failed: jobset failed due to a job",
      toldJob: "train-worker-0",
      lastFailure: { pod: "worker", failure: "container main exited (exit code 3, Error)" },
    });
  });

  it("that is suspended says by whom", async () => {
    jobSet();
    world.send("PATCH", `${JOB_SETS}/train`, { spec: { suspend: true } }, "kueue/v0.14");
    expect(await why()).toMatchObject({
      state: "Suspended",
      sentence: "spec.suspend is true, which kueue has set: its Jobs make no pods",
      suspend: true,
    });
  });
});

describe("a JobSet that cannot be read", () => {
  it("is an error of a server that has none, or refuses it", async () => {
    await expect(why()).rejects.toThrow(
      "https://server serves no JobSets of jobset.x-k8s.io/v1alpha2; it answered 404: 404 page not found.\nIs JobSet installed there?",
    );
    install();
    expect(await why()).toBeUndefined();
    await expect(why("/jobsets/train")).rejects.toThrow(
      "the JobSet train in namespace default may not be read with these credentials (403: not for you).\nAsk for get on jobsets",
    );
  });

  it("names what could not be read, and uses the rest", async () => {
    jobSet();
    job("train-driver-0", { active: 1 });
    expect(await why("/jobs", "/events")).toMatchObject({
      state: "Waiting",
      sentence: "it has not ended, and how its Jobs stand is not known",
      runs: [],
      remarks: ["its Jobs could not be listed (403: not for you)", "Events could not be read (403: not for you)"],
    });
  });

  it("does not say that Jobs go on whose pods could not be read", async () => {
    jobSet();
    job("train-driver-0", { active: 1 });
    job("train-init-0", world.complete());
    expect(await why("/pods")).toMatchObject({
      state: "Waiting",
      sentence: "1 of the 2 Jobs that are there have ended, and whether the others go on is not known",
      remarks: ["its pods could not be read (403: not for you)"],
    });
    world.send("PATCH", `${JOBS}/train-driver-0/status`, { status: world.failed() });
    expect(await why("/pods")).toMatchObject({
      state: "Held",
      sentence: "its Job train-driver-0 has failed: too many",
      toldJob: "train-driver-0",
    });
  });

  it("answers from its Jobs where it may not be read itself", async () => {
    jobSet();
    world.pod(job("train-worker-0", { active: 1 }), "worker", RUNNING);
    const unread =
      "the JobSet itself could not be read (403: not for you): whether it has ended, is suspended or was restarted is not known";
    expect(await why("/jobsets/train")).toMatchObject({
      state: "Waiting",
      sentence: "0 of the 1 Jobs that are there have ended, and how the JobSet stands is not known",
      suspend: null,
      restarts: null,
      runs: [{ job: "train-worker-0" }],
      remarks: [unread],
    });
    world.pod(job("train-worker-1", { active: 1 }), "stuck", PULLING);
    world.clock.advance(5 * MINUTE);
    const held = await why("/jobsets/train");
    expect(held).toMatchObject({ state: "Waiting", toldJob: "train-worker-1", remarks: [unread] });
    expect(held!.sentence).toMatch(/^its Job train-worker-1 is stuck, .*, and how the JobSet stands is not known$/);
    expect(jobSetLines(held!, world.context).join("\n")).not.toContain("restarts");
  });
});
