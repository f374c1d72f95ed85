/** `stint why` of CronJobs, which no controller runs here. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../../bindings/js/engine.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { type CronJobAccount, findCronJob } from "../../../../host-node/cli/why/cron-job.ts";
import { cronJobLines } from "../../../../host-node/cli/why/cron-job-text.ts";
import { createEngine } from "../../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { CRON_JOBS, EVENTS, FAILED, JOBS, MINUTE, PULLING, RUNNING, template, World } from "./world.ts";

let engine: Engine;
beforeAll(async () => {
  await buildModule("engine");
  engine = await createEngine(await loadEngineModule());
});

let world: World;
beforeEach(() => {
  world = new World(engine);
});

function cronJob(spec: object = {}): KubeObject {
  return world.send("POST", CRON_JOBS, {
    metadata: { name: "report" },
    spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template } }, ...spec },
  });
}

/** A Job of the CronJob, which notes it as its controller does. */
function job({ metadata: { name, uid } }: KubeObject, suffix: string, status: object = {}): KubeObject {
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true };
  const { metadata } = world.send("POST", JOBS, {
    metadata: { name: `${name}-${suffix}`, ownerReferences: [owner] },
    spec: { template },
  });
  const active = [{ kind: "Job", name: metadata.name, uid: metadata.uid }];
  world.send("PATCH", `${CRON_JOBS}/${name}/status`, { status: { lastScheduleTime: world.time, active } });
  return world.send("PATCH", `${JOBS}/${metadata.name}/status`, { status: { startTime: world.time, ...status } });
}

/** @param forbidden how the paths end that may not be read */
function why(...forbidden: readonly string[]): Promise<CronJobAccount | undefined> {
  return findCronJob(world.reader(...forbidden), { namespace: "default", name: "report" }, world.account);
}

async function text(): Promise<string> {
  return cronJobLines((await why())!, world.context).join("\n");
}

describe("a CronJob that goes on", () => {
  it("has its next times in both clocks, and its newest runs", async () => {
    const own = cronJob({ timeZone: "Europe/Berlin" });
    world.clock.advance(10 * MINUTE);
    for (let number = 1; number < 7; number++) {
      const { metadata } = job(own, String(number));
      world.clock.advance(MINUTE);
      const status = number === 3 ? world.failed() : world.complete();
      world.send("PATCH", `${JOBS}/${metadata.name}/status`, { status });
      world.clock.advance(number === 6 ? 4 * MINUTE : 9 * MINUTE);
    }
    expect(await text()).toMatchInlineSnapshot(`
      "cronjob report  Waiting
        none of its Jobs runs; it makes one at the next time of its schedule
        schedule */10 * * * * (Europe/Berlin)   concurrencyPolicy Allow   0 unfinished Jobs   last start 11:00:00
        next: in 5 min, at 12:10:00 Europe/Berlin (11:10:00 UTC); then at 12:20:00 Europe/Berlin (11:20:00 UTC), and at 12:30:00 Europe/Berlin (11:30:00 UTC)

        JOB       CREATED (UTC)  TOOK  STATE
        report-6  11:00:00       60 s  Complete
        report-5  10:50:00       60 s  Complete
        report-4  10:40:00       60 s  Complete
        report-3  10:30:00       60 s  Failed: BackoffLimitExceeded
        report-2  10:20:00       60 s  Complete"
    `);
    const { state, nextMs, times, runs } = (await why())!;
    expect({ state, nextMs }).toEqual({ state: "Waiting", nextMs: Date.parse("2026-03-02T11:10:00Z") });
    expect(times[0]).toEqual({ atMs: nextMs, local: "2026-03-02T12:10:00+01:00" });
    expect(runs.map((run) => `${run.job} ${run.state}`)).toMatchInlineSnapshot(`
      [
        "report-6 Complete",
        "report-5 Complete",
        "report-4 Complete",
        "report-3 Failed",
        "report-2 Complete",
      ]
    `);
  });

  it("says what made its last Job fail, in the words of account", async () => {
    const own = cronJob();
    world.clock.advance(10 * MINUTE);
    const failed = job(own, "1");
    world.pod(failed, "report-1-1", FAILED);
    world.send("PATCH", `${JOBS}/report-1/status`, { status: world.failed() });
    world.clock.advance(MINUTE);
    const { lastFailure } = (await why())!;
    expect(lastFailure).toMatchObject({ pod: "report-1-1", failure: "container main exited (exit code 3, Error)" });
  });
});

describe("a CronJob that starts nothing", () => {
  it("because it is suspended, and by whom", async () => {
    cronJob();
    world.clock.advance(4 * MINUTE);
    world.send("PATCH", `${CRON_JOBS}/report`, { spec: { suspend: true } }, "kubectl-patch/v1.36");
    world.clock.advance(21 * MINUTE);
    expect(await text()).toMatchInlineSnapshot(`
      "cronjob report  Suspended
        spec.suspend is true, which kubectl-patch has set (it wrote last 21 min ago): it makes no Job
        2 starts were not made, the last one of 2026-03-02 10:20:00 UTC; that one is made up for at once when spec.suspend is false
        schedule */10 * * * *   concurrencyPolicy Allow   0 unfinished Jobs
        next: nothing until spec.suspend is false
        by its schedule: in 5 min, at 10:30:00 UTC; then at 10:40:00 UTC, and at 10:50:00 UTC
        to do: resume the CronJob
          kubectl -n default patch cronjob report --type merge -p '{"spec":{"suspend":false}}' --context prod
        spec.timeZone is not set: the schedule counts in the time zone of its controller, here taken as UTC"
    `);
  });

  it("because its Job does not end, which Forbid waits for", async () => {
    const own = cronJob({ concurrencyPolicy: "Forbid" });
    world.clock.advance(10 * MINUTE);
    world.pod(job(own, "1", { active: 1 }), "report-1-1", PULLING);
    world.clock.advance(9 * MINUTE);
    expect(await why()).toMatchObject({
      state: "Running",
      sentence: "its Job report-1 has not ended, 9 min after it was created; by Forbid the next one waits for that",
    });
    world.clock.advance(16 * MINUTE);
    expect(await text()).toMatchInlineSnapshot(`
      "cronjob report  Frozen
        concurrencyPolicy is Forbid, and its Job report-1 does not end: it makes no other Job until then
        Job report-1: 1 pod cannot start: container main of pod report-1-1 waits with ImagePullBackOff: manifest unknown
        2 starts were not made, the last one of 2026-03-02 10:30:00 UTC; that one is made up for when Job report-1 has ended
        schedule */10 * * * *   concurrencyPolicy Forbid   1 unfinished Job   last start 10:10:00
        next: nothing until Job report-1 has ended
        by its schedule: in 5 min, at 10:40:00 UTC; then at 10:50:00 UTC, and at 11:00:00 UTC
        to do: correct the image none of container main, or the imagePullSecrets
          kubectl describe pod report-1-1 -n default --context prod
        to do: give its Jobs a deadline, so that none holds the next ones
          kubectl -n default patch cronjob report --type merge -p '{"spec":{"jobTemplate":{"spec":{"activeDeadlineSeconds":3600}}}}' --context prod
        spec.timeZone is not set: the schedule counts in the time zone of its controller, here taken as UTC

        JOB       CREATED (UTC)  TOOK    STATE
        report-1  10:10:00       25 min  Running: 1 active pod"
    `);
  });

  it("as long as a Job runs that goes on, which Forbid waits for", async () => {
    const own = cronJob({ concurrencyPolicy: "Forbid" });
    world.clock.advance(10 * MINUTE);
    world.pod(job(own, "1", { active: 1 }), "report-1-1", RUNNING);
    world.clock.advance(15 * MINUTE);
    const { state, sentence, next, nextMs } = (await why())!;
    expect({ state, sentence, next, nextMs }).toMatchInlineSnapshot(`
      {
        "next": "nothing until Job report-1 has ended",
        "nextMs": null,
        "sentence": "concurrencyPolicy is Forbid, and its Job report-1, created 15 min ago, has not ended: the next one waits for that",
        "state": "Blocked",
      }
    `);
  });

  it("because no controller acts on its schedule, or the API server refuses its Jobs", async () => {
    const { metadata } = cronJob();
    world.clock.advance(15 * MINUTE);
    expect((await why())!.sentence).toBe(
      "the start of 2026-03-02 10:10:00 UTC is due for 5 min, and no Job was made: does the CronJob controller of kube-controller-manager run?",
    );
    world.send("POST", EVENTS, {
      metadata: { name: "e" },
      involvedObject: { kind: "CronJob", namespace: "default", name: "report", uid: metadata.uid },
      type: "Warning",
      reason: "FailedCreate",
      message: 'Error creating job: admission webhook "w" denied the request',
      lastTimestamp: world.time,
    });
    const { state, sentence } = (await why())!;
    expect({ state, sentence }).toEqual({
      state: "Late",
      sentence:
        'the start of 2026-03-02 10:10:00 UTC is due for 5 min, and no Job was made: admission webhook "w" denied the request',
    });
  });

  it("because no date matches its schedule", async () => {
    cronJob({ schedule: "0 0 31 2 *" });
    expect(await why()).toMatchObject({
      state: "NeverStarts",
      sentence: "no date of the next years matches its schedule: it makes no Job",
      nextMs: null,
      times: [],
    });
  });
});

describe("a CronJob whose starts are missed", () => {
  it("says so once startingDeadlineSeconds are over", async () => {
    cronJob({ startingDeadlineSeconds: 30 });
    world.clock.advance(21 * MINUTE);
    expect((await why())!).toMatchObject({
      state: "Waiting",
      missed: {
        count: 2,
        isTooLate: true,
        sentence:
          "2 starts were not made, the last one of 2026-03-02 10:20:00 UTC: startingDeadlineSeconds (30) are over since",
      },
    });
  });

  it("counts a new schedule from its change on", async () => {
    cronJob({ schedule: "0 0 * * *" });
    world.clock.advance(15 * MINUTE);
    world.send("PATCH", `${CRON_JOBS}/report`, { spec: { schedule: "*/10 * * * *" } });
    expect((await why())!.state).toBe("Waiting");
  });
});

describe("a CronJob whose Jobs pile up", () => {
  it("is judged as doctor judges it, with the same command", async () => {
    const own = cronJob();
    for (const number of ["1", "2", "3"]) {
      world.clock.advance(10 * MINUTE);
      world.pod(job(own, number, { active: 1 }), `report-${number}-1`, PULLING);
    }
    world.clock.advance(MINUTE);
    const { state, sentence, open, remedies, heldJob } = (await why())!;
    expect({ state, sentence, open, heldJob }).toEqual({
      state: "PilesUp",
      sentence: "3 of its Jobs have not ended, the oldest for 21 min, and each run adds one",
      open: 3,
      heldJob: "report-1",
    });
    expect(remedies.at(-1)).toEqual({
      sentence: "let each run wait for the end of the one before it",
      command: `kubectl -n default patch cronjob report --type merge -p '{"spec":{"concurrencyPolicy":"Forbid"}}'`,
    });
  });
});

describe("a CronJob of which not all may be read", () => {
  it("names what could not be read, and uses the rest", async () => {
    const own = cronJob({ concurrencyPolicy: "Forbid", timeZone: "Etc/UTC" });
    world.clock.advance(10 * MINUTE);
    world.pod(job(own, "1", { active: 1 }), "report-1-1", PULLING);
    world.clock.advance(15 * MINUTE);
    expect((await why("/jobs"))!).toMatchObject({
      state: "Frozen",
      remarks: [
        "its Jobs could not be listed (403: not for you); only those that its status names as active are known",
      ],
    });
    const blind = (await why("/jobs", "/jobs/report-1", "/events"))!;
    expect(blind).toMatchObject({ state: "Waiting", open: null, runs: [] });
    expect(blind.remarks).toEqual([
      "its Jobs could not be listed (403: not for you)",
      "Events could not be read (403: not for you)",
    ]);
    expect(await why("/pods")).toMatchObject({
      state: "Blocked",
      remarks: ["its pods could not be read (403: not for you)"],
    });
    expect(await why("/cronjobs/report")).toMatchObject({
      state: "Unknown",
      open: 1,
      runs: [{ job: "report-1", state: "Running" }],
      remarks: ["the CronJob itself could not be read (403: not for you)"],
    });
    await expect(why("/cronjobs/report", "/jobs")).rejects.toThrow(
      "the CronJob report in namespace default may not be read with these credentials (403: not for you).\nAsk for get on cronjobs, and list on jobs, pods and events",
    );
  });

  it("is undefined if there is none", async () => {
    expect(await why()).toBeUndefined();
  });
});
