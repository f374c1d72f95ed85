/**
 * The CronJob controller on the in-memory cluster and a virtual clock. The events and names are those of upstream's
 * controller (test/kubernetes/cron-jobs.test.ts compares them on a real API server).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { CronJobController } from "../../../../cluster/controllers/cron-job-controller/cron-job-controller.ts";
import { failure, Harness, START_MS } from "../../component-harness.ts";

const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const MINUTE_MS = 60_000;
const MERGE = "application/merge-patch+json";
/** Of the first minute after the start of a test. */
const FIRST = START_MS / MINUTE_MS + 1;

let h: Harness;
let controller: CronJobController;

const create = (spec: object = {}, metadata: object = {}): any =>
  h.api("POST", CRON_JOBS, {
    metadata: { name: "c", ...metadata },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        metadata: { labels: { app: "a" }, annotations: { note: "n" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } } },
      },
      ...spec,
    },
  });
const cronJob = (): any => h.api("GET", `${CRON_JOBS}/c`);
const jobs = (): any[] => h.api("GET", JOBS).items;
const names = (): string[] => jobs().map(({ metadata }) => metadata.name);
const change = (patch: object): any => h.api("PATCH", `${CRON_JOBS}/c`, patch, MERGE);
const end = (name: string, type: "Complete" | "Failed"): void => {
  const time = new Date(h.clock.now()).toISOString().replace(/\.\d+/, "");
  const condition = { type, status: "True", lastProbeTime: time, lastTransitionTime: time };
  const status = {
    conditions: [condition],
    startTime: time,
    ...(type === "Complete" && { completionTime: time, succeeded: 1 }),
  };
  h.api("PATCH", `${JOBS}/${name}/status`, { status }, MERGE);
  h.clock.advance(50);
};

beforeEach(() => {
  h = new Harness();
  controller = new CronJobController({ clock: h.clock, random: h.random, transport: h.transport });
  controller.start();
  h.clock.advance(10);
});

describe("a Job is made", () => {
  test("at its time, with the template's labels, the annotation of the time and its owner", () => {
    create();
    const { uid } = cronJob().metadata;
    h.clock.advanceTo(START_MS + MINUTE_MS - 1);
    expect(names()).toEqual([]);
    h.clock.advance(200);
    const [job] = jobs();
    expect(job.metadata).toMatchObject({
      name: `c-${FIRST}`,
      labels: { app: "a" },
      annotations: { note: "n", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:01:00Z" },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name: "c", uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    expect(cronJob().status).toEqual({
      active: [
        {
          kind: "Job",
          namespace: "default",
          name: `c-${FIRST}`,
          uid: job.metadata.uid,
          apiVersion: "batch/v1",
          resourceVersion: job.metadata.resourceVersion,
        },
      ],
      lastScheduleTime: "2026-01-01T00:01:00Z",
    });
    expect(h.events("c")).toEqual([`Normal SuccessfulCreate: Created job c-${FIRST}`]);
  });

  test("in a time zone, by whose clock the annotation tells the time", () => {
    create({ schedule: "30 1 * * *", timeZone: "Europe/Berlin" });
    h.clock.advance(31 * MINUTE_MS);
    expect(jobs()[0].metadata).toMatchObject({
      name: `c-${START_MS / MINUTE_MS + 30}`,
      annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T01:30:00+01:00" },
    });
  });

  test("each time, once", () => {
    create();
    h.clock.advance(3 * MINUTE_MS + 500);
    expect(names()).toEqual([`c-${FIRST}`, `c-${FIRST + 1}`, `c-${FIRST + 2}`]);
    expect(cronJob().status.active).toHaveLength(3);
  });

  test("kubernetes/kubernetes#136920: also after an answer was lost, for it is found in its namespace", () => {
    create();
    let isLost = false;
    h.fault = ({ method, path }) =>
      method === "POST" && path === JOBS && !isLost ? ((isLost = true), "lost") : undefined;
    h.clock.advance(MINUTE_MS + 1000);
    expect(names()).toEqual([`c-${FIRST}`]);
    expect(cronJob().status.active).toHaveLength(1);
  });

  test("again after a refusal, of which an event tells", () => {
    create();
    let refusals = 3;
    h.fault = ({ method, path }) =>
      method === "POST" && path === JOBS && refusals-- > 0 ? failure(403, "Forbidden", "no room") : undefined;
    h.clock.advance(MINUTE_MS + 1000);
    expect(names()).toEqual([`c-${FIRST}`]);
    expect(h.events("c")).toEqual([
      `Normal SuccessfulCreate: Created job c-${FIRST}`,
      "Warning FailedCreate: Error creating job: no room (x3)",
    ]);
  });

  test("but not by a CronJob that is suspended, or is being deleted", () => {
    create({ suspend: true });
    create({}, { name: "d", finalizers: ["a/b"] });
    h.api("DELETE", `${CRON_JOBS}/d`);
    h.clock.advance(5 * MINUTE_MS);
    expect(names()).toEqual([]);
  });

  test("nor if another client has made one of its name", () => {
    create();
    h.api("POST", JOBS, { ...jobs()[0], metadata: { name: `c-${FIRST}` }, spec: cronJob().spec.jobTemplate.spec });
    h.clock.advance(MINUTE_MS + 30_000);
    expect(jobs()).toHaveLength(1);
    expect(cronJob().status).toEqual({});
    expect(h.events("c")).toEqual([]);
  });
});

describe("concurrencyPolicy", () => {
  test("Forbid waits for the Job that runs", () => {
    create({ concurrencyPolicy: "Forbid" });
    h.clock.advance(2 * MINUTE_MS + 500);
    expect(names()).toEqual([`c-${FIRST}`]);
    expect(h.events("c")).toContain(
      "Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    end(`c-${FIRST}`, "Complete");
    // The minute that was missed is made up for.
    expect(names()).toEqual([`c-${FIRST}`, `c-${FIRST + 1}`]);
  });

  test("Replace deletes the Job that runs", () => {
    create({ concurrencyPolicy: "Replace" });
    h.clock.advance(2 * MINUTE_MS + 500);
    expect(names()).toEqual([`c-${FIRST + 1}`]);
    expect(cronJob().status.active).toMatchObject([{ name: `c-${FIRST + 1}` }]);
    expect(h.events("c")).toContain(`Normal SuccessfulDelete: Deleted job c-${FIRST}`);
    expect(h.sent("DELETE", "/jobs/")[0]!.body).toBe('{"propagationPolicy":"Background"}');
  });
});

describe("what has ended", () => {
  test("leaves the list of active Jobs, and a success is noted", () => {
    create();
    h.clock.advance(MINUTE_MS + 5_000);
    end(`c-${FIRST}`, "Complete");
    expect(cronJob().status).toEqual({
      lastScheduleTime: "2026-01-01T00:01:00Z",
      lastSuccessfulTime: "2026-01-01T00:01:05Z",
    });
    expect(h.events("c")).toContain(`Normal SawCompletedJob: Saw completed job: c-${FIRST}, condition: Complete`);
  });

  test("goes, the oldest first, when it is more than the history may have", () => {
    create({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    for (const [minute, type] of (["Complete", "Failed", "Complete"] as const).entries()) {
      h.clock.advanceTo(START_MS + (minute + 1) * MINUTE_MS + 500);
      end(`c-${FIRST + minute}`, type);
    }
    h.clock.advance(500);
    expect(names()).toEqual([`c-${FIRST + 2}`]);
    expect(h.events("c")).toContain(`Normal SuccessfulDelete: Deleted job c-${FIRST}`);
    expect(h.events("c")).toContain(`Normal SuccessfulDelete: Deleted job c-${FIRST + 1}`);
  });

  test.each([
    ["a deleted namesake", "batch/v1", "CronJob"],
    ["another kind of the same name", "example.com/v1", "Schedule"],
  ])("kubernetes/kubernetes#133313: a Job of %s stays, without an event", (_, apiVersion, kind) => {
    create({ schedule: "0 0 1 1 *", successfulJobsHistoryLimit: 0 });
    const owner = { apiVersion, kind, name: "c", uid: "another", controller: true };
    for (const name of ["ended", "running"]) {
      const metadata = { name, ownerReferences: [owner] };
      h.api("POST", JOBS, { metadata, spec: cronJob().spec.jobTemplate.spec });
    }
    h.clock.advance(500);
    end("ended", "Complete");
    // The Jobs themselves do not bring the CronJob back.
    change({ metadata: { labels: { changed: "yes" } } });
    h.clock.advance(500);
    expect(h.events("c")).toEqual([]);
    expect(names()).toEqual(["ended", "running"]);
  });

  test("or was deleted, is missed", () => {
    create();
    h.clock.advance(MINUTE_MS + 500);
    h.api("DELETE", `${JOBS}/c-${FIRST}?propagationPolicy=Background`);
    h.clock.advance(500);
    expect(cronJob().status).toEqual({ lastScheduleTime: "2026-01-01T00:01:00Z" });
    expect(h.events("c")).toContain(`Normal MissingJob: Active job went missing: c-${FIRST}`);
  });

  test("a Job that is not on the list is complained about, and left alone", () => {
    const { uid } = create({ schedule: "0 0 1 1 *" }).metadata;
    const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "c", uid, controller: true };
    h.api("POST", JOBS, {
      metadata: { name: "stray", ownerReferences: [owner] },
      spec: cronJob().spec.jobTemplate.spec,
    });
    h.clock.advance(500);
    expect(h.events("c")).toEqual([
      "Warning UnexpectedJob: Saw a job that the controller did not create or forgot: stray",
    ]);
    expect(names()).toEqual(["stray"]);
  });
});

describe("what was missed", () => {
  const later = (ms: number): void => {
    controller.stop();
    h.clock.advance(ms);
    controller = new CronJobController({ clock: h.clock, random: h.random, transport: h.transport });
    controller.start();
    h.clock.advance(500);
  };

  test("is made up for once, by the latest start", () => {
    create();
    later(10 * MINUTE_MS + 30_000);
    expect(names()).toEqual([`c-${FIRST + 9}`]);
    expect(h.events("c")).toEqual([`Normal SuccessfulCreate: Created job c-${FIRST + 9}`]);
  });

  test("gets an Event when it is more than a hundred", () => {
    create();
    later(102 * MINUTE_MS);
    expect(h.events("c")[1]).toBe(
      "Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
    expect(names()).toHaveLength(1);
  });

  test("is over after the starting deadline", () => {
    create({ schedule: "0 * * * *", startingDeadlineSeconds: 0 });
    controller.stop();
    h.clock.advanceTo(START_MS + 60 * MINUTE_MS);
    controller = new CronJobController({ clock: h.clock, random: h.random, transport: h.transport });
    controller.start();
    h.clock.advance(10 * MINUTE_MS);
    expect(names()).toEqual([]);
  });
});

describe("a change", () => {
  test("of the schedule counts from now on", () => {
    create({ schedule: "0 12 * * *" });
    h.clock.advance(10 * MINUTE_MS + 30_000);
    change({ spec: { schedule: "* * * * *" } });
    h.clock.advance(1_000);
    expect(names()).toEqual([]);
    h.clock.advance(MINUTE_MS);
    expect(names()).toEqual([`c-${FIRST + 10}`]);
  });

  test("of suspend takes effect at once", () => {
    create({ suspend: true });
    h.clock.advance(MINUTE_MS + 30_000);
    change({ spec: { suspend: false } });
    h.clock.advance(500);
    expect(names()).toEqual([`c-${FIRST}`]);
  });
});

test("a schedule that never comes gets an Event, and nothing more happens", () => {
  create({ schedule: "0 0 31 2 *" });
  h.clock.advance(10 * MINUTE_MS);
  expect(h.events("c")).toEqual([
    "Warning InvalidSchedule: invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second",
  ]);
});

test("a CronJob that is gone is forgotten", () => {
  create();
  h.clock.advance(MINUTE_MS + 500);
  h.api("DELETE", `${CRON_JOBS}/c`);
  h.clock.advance(10 * MINUTE_MS);
  expect(names()).toEqual([`c-${FIRST}`]);
});
