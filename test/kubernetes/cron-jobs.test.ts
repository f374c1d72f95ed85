/**
 * CronJobs of a real API server and of the in-memory one: the answers to the same requests, and what upstream's
 * controller makes of them beside ours. No test waits for a minute: the last start is set back, so that the next
 * one is due at once.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Method } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { CronJobController } from "../../cluster/controllers/cron-job-controller/cron-job-controller.ts";
import { GarbageCollector } from "../../cluster/controllers/garbage-collector/garbage-collector.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { askCluster } from "../cluster/ask-cluster.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { TESTED_VERSION } from "./tested-version.ts";
import { startUpstreamController } from "./upstream-controller.ts";

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly warnings: readonly string[];
}
type Ask = (method: Method, path: string, body?: object) => Promise<Answer>;

const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const EVENTS = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=";
const VARYING = /^(uid|resourceVersion|creationTimestamp|managedFields)$/;
const DEADLINE_MS = 60_000;
const LAST_START = "2025-06-01T00:00:00Z";
/** The start after it: `0 0 1 1 *`. */
const START = "2026-01-01T00:00:00Z";

function cronJob(name: string, spec: object = {}, jobSpec: object = {}): object {
  return {
    metadata: { name },
    spec: {
      schedule: "0 0 1 1 *",
      jobTemplate: {
        metadata: { labels: { app: "a" }, annotations: { note: "n" } },
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "example.com/i:1" }] } },
          ...jobSpec,
        },
      },
      ...spec,
    },
  };
}

/** Bodies, by what is special about them. */
const BODIES: Readonly<Record<string, object>> = {
  "nothing": cronJob("plain"),
  "all fields": cronJob("all", {
    timeZone: "Europe/Berlin",
    startingDeadlineSeconds: 10,
    concurrencyPolicy: "Forbid",
    suspend: true,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: 7,
  }),
  "no schedule": cronJob("bad", { schedule: "" }),
  "words": cronJob("bad", { schedule: "every day" }),
  "four fields": cronJob("bad", { schedule: "* * * *" }),
  "a minute too large": cronJob("bad", { schedule: "60 * * * *" }),
  "a range backwards": cronJob("bad", { schedule: "5-3 * * * *" }),
  "a step of nothing": cronJob("bad", { schedule: "*/0 * * * *" }),
  "an unknown name": cronJob("bad", { schedule: "@sometimes" }),
  "a distance": cronJob("every", { schedule: "@every 90s" }),
  "a distance in weeks": cronJob("bad", { schedule: "@every 1w" }),
  "names of months and days": cronJob("names", { schedule: "0 0 * JAN-mar Mon,fri" }),
  "a time zone in the schedule": cronJob("bad", { schedule: "TZ=UTC 0 0 * * *" }),
  "a time zone in both": cronJob("bad", { schedule: "CRON_TZ=UTC 0 0 * * *", timeZone: "UTC" }),
  "an unknown time zone": cronJob("bad", { timeZone: "Europe/Atlantis" }),
  "a local time zone": cronJob("bad", { timeZone: "local" }),
  "an empty time zone": cronJob("bad", { timeZone: "" }),
  "a time zone in lower case": cronJob("bad", { timeZone: "europe/berlin" }),
  "negative numbers": cronJob("bad", {
    startingDeadlineSeconds: -1,
    successfulJobsHistoryLimit: -2,
    failedJobsHistoryLimit: -3,
  }),
  "an unknown policy": cronJob("bad", { concurrencyPolicy: "Maybe" }),
  "a name of 52 characters": cronJob("a".repeat(52)),
  "a name of 53 characters": cronJob("a".repeat(53)),
  "a name with dots": cronJob("a.b"),
  "an invalid name": cronJob("A"),
  "a template without a restart policy": cronJob("bad", {}, { template: { spec: { containers: [{ name: "c" }] } } }),
  "a template with a selector": cronJob("bad", {}, { selector: { matchLabels: { a: "b" } }, manualSelector: true }),
  "a template with policies": cronJob(
    "policies",
    {},
    {
      completionMode: "Indexed",
      completions: 3,
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
    },
  ),
  "a template with a negative limit": cronJob("bad", {}, { backoffLimit: -1 }),
  "an unknown field": cronJob("unknown", { scheduel: "0 0 * * *" }),
  "a schedule that is a number": cronJob("bad", { schedule: 5 }),
};

/** Without what two servers cannot have in common. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !VARYING.test(name));
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}

/** A server, and how to let its controller work. */
interface Side {
  readonly ask: Ask;
  /** Returns when the predicate holds. */
  until(holds: () => Promise<boolean>): Promise<void>;
}

describe.skipIf(whyUnavailable() !== undefined)("CronJobs on a real API server and on the in-memory one", () => {
  let controlPlane: ControlPlane;
  let sides: Readonly<Record<"upstream" | "stint", Side>>;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    await startUpstreamController(controlPlane, {
      controllers: ["cronjob-controller", "garbage-collector-controller"],
    });
    sides = { upstream: upstreamSide(controlPlane), stint: await stintSide() };
  });
  afterAll(() => controlPlane?.stop());

  /** What both sides say, without what they cannot have in common. */
  async function both(act: (side: Side) => Promise<unknown>): Promise<{ upstream: unknown; stint: unknown }> {
    return { upstream: comparable(await act(sides.upstream)), stint: comparable(await act(sides.stint)) };
  }

  it.each(Object.keys(BODIES))("both answer the same to %s", async (what) => {
    const { upstream, stint } = await both(({ ask }) => ask("POST", `${CRON_JOBS}?dryRun=All`, BODIES[what]));
    expect(stint).toEqual(upstream);
  });

  it("both start what is due, and complain where it must wait", async () => {
    const { upstream, stint } = await both(async (side) => {
      const seen: unknown[] = [];
      for (const [name, spec] of Object.entries({
        allow: { concurrencyPolicy: "Allow" },
        forbid: { concurrencyPolicy: "Forbid" },
        replace: { concurrencyPolicy: "Replace" },
        zoned: { timeZone: "Asia/Kolkata" },
      })) {
        await begin(side, name, spec);
        await hasJob(side, name);
        seen.push(await pictureOf(side, name));
      }
      // Another start is due, while the Job of the first one is still there.
      for (const [name, reason] of [
        ["forbid", "JobAlreadyActive"],
        ["replace", "SuccessfulDelete"],
      ] as const) {
        await side.ask("PATCH", `${CRON_JOBS}/${name}`, { spec: { schedule: "0 0 1 2 *" } });
        await setBack(side, name);
        await hasEvent(side, name, reason);
        await side.until(async () => (await statusOf(side, name)).active?.length === 1);
        seen.push((await eventsOf(side, name)).map(withoutCount));
      }
      return seen;
    });
    expect(stint).toEqual(upstream);
    expect(JSON.stringify(upstream)).toContain("JobAlreadyActive");
  });

  it("both see that a Job has ended, and remove what is older than the history", async () => {
    const { upstream, stint } = await both(async (side) => {
      const name = "history";
      await begin(side, name, {});
      await complete(side, await hasJob(side, name));
      await hasEvent(side, name, "SawCompletedJob");
      await side.until(async () => (await statusOf(side, name)).active === undefined);
      const ended = await pictureOf(side, name);
      await side.ask("PATCH", `${CRON_JOBS}/${name}`, { spec: { successfulJobsHistoryLimit: 0 } });
      await hasEvent(side, name, "SuccessfulDelete");
      await side.until(async () => (await jobsOf(side, name)).length === 0);
      return [ended, await pictureOf(side, name)];
    });
    expect(stint).toEqual(upstream);
  });

  it("both say when a start is too late, and when too many were missed", async () => {
    const { upstream, stint } = await both(async (side) => {
      await begin(side, "late", { startingDeadlineSeconds: 1 }, "2026-06-01T00:00:00Z");
      await begin(side, "many", { schedule: "0 0 1 * *" }, "2001-06-01T00:00:00Z");
      await hasEvent(side, "many", "TooManyMissedTimes");
      await hasJob(side, "many");
      return [await pictureOf(side, "late"), (await eventsOf(side, "many")).map(withoutCount)];
    });
    expect(stint).toEqual(upstream);
  });
});

function upstreamSide(controlPlane: ControlPlane): Side {
  const client = controlPlane.client();
  return {
    ask: (method, path, body) => client.request(method, path, body),
    async until(holds) {
      const end = Date.now() + DEADLINE_MS;
      while (!(await holds())) {
        if (Date.now() > end) throw new Error("upstream's controller did not do what was waited for");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}

async function stintSide(): Promise<Side> {
  const clock = new VirtualClock(Date.now());
  const { cluster } = await EmbeddedCluster.create({
    clock,
    nodes: [],
    jobController: false,
    kubernetes: TESTED_VERSION,
    onFatal: (error) => {
      throw error;
    },
  });
  const controller = new CronJobController({ clock, random: Math.random, transport: cluster.transport });
  const collector = new GarbageCollector({ clock, random: Math.random, transport: cluster.transport });
  controller.start();
  collector.start();
  return {
    ask: async (method, path, body) =>
      askCluster<any>(cluster, method, path, body, method === "PATCH" ? "application/merge-patch+json" : undefined),
    async until(holds) {
      for (let waitedMs = 0; !(await holds()); waitedMs += 100) {
        if (waitedMs > DEADLINE_MS) throw new Error("the controller did not do what was waited for");
        clock.advance(100);
      }
    },
  };
}

/** Makes a CronJob whose last start is long ago, so that one is due. */
async function begin(side: Side, name: string, spec: object, lastStart = LAST_START): Promise<void> {
  const made = await side.ask("POST", CRON_JOBS, cronJob(name, { ...spec, suspend: true }));
  expect(made.status).toBe(201);
  await setBack(side, name, lastStart);
  await side.ask("PATCH", `${CRON_JOBS}/${name}`, { spec: { suspend: false } });
}

async function setBack(side: Side, name: string, lastStart = LAST_START): Promise<void> {
  const { status } = await side.ask("PATCH", `${CRON_JOBS}/${name}/status`, {
    status: { lastScheduleTime: lastStart },
  });
  expect(status).toBe(200);
}

async function statusOf({ ask }: Side, name: string): Promise<any> {
  return (await ask("GET", `${CRON_JOBS}/${name}`)).body.status;
}

async function jobsOf({ ask }: Side, name: string): Promise<any[]> {
  const { items } = (await ask("GET", JOBS)).body;
  return items.filter(({ metadata }: any) => metadata.ownerReferences?.[0]?.name === name);
}

async function eventsOf({ ask }: Side, name: string): Promise<any[]> {
  const { items } = (await ask("GET", `${EVENTS}${name}`)).body;
  return items
    .map(({ type, reason, message, count, source }: any) => ({ type, reason, message, count, source }))
    .toSorted((a: any, b: any) => (a.reason + a.message < b.reason + b.message ? -1 : 1));
}

/** @returns the name of the Job, once the status names it */
async function hasJob(side: Side, name: string): Promise<string> {
  await side.until(async () => (await statusOf(side, name)).active !== undefined);
  return (await statusOf(side, name)).active[0].name;
}

async function hasEvent(side: Side, name: string, reason: string): Promise<void> {
  await side.until(async () => (await eventsOf(side, name)).some((event) => event.reason === reason));
}

async function complete(side: Side, job: string): Promise<void> {
  const time = "2026-01-01T00:10:00Z";
  const condition = (type: string): object => ({ type, status: "True", lastProbeTime: time, lastTransitionTime: time });
  const done = { startTime: START, completionTime: time, succeeded: 1 };
  const conditions = [condition("SuccessCriteriaMet"), condition("Complete")];
  const { status } = await side.ask("PATCH", `${JOBS}/${job}/status`, { status: { ...done, conditions } });
  expect(status).toBe(200);
}

/** The CronJob, its Jobs and its events. */
async function pictureOf(side: Side, name: string): Promise<object> {
  const { metadata, spec, status } = (await side.ask("GET", `${CRON_JOBS}/${name}`)).body;
  const jobs = (await jobsOf(side, name)).map((job) => ({ metadata: job.metadata, spec: withoutUids(job.spec) }));
  return { metadata, spec, status, jobs: jobs.map(withoutUids), events: await eventsOf(side, name) };
}

function withoutUids(value: object): object {
  const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  return JSON.parse(JSON.stringify(value).replace(uid, "UID"));
}

function withoutCount({ count: _count, ...event }: any): object {
  return event;
}
