/**
 * The watch behind `stint wait`, against a scripted server on a virtual clock: which Jobs it waits for, what it makes
 * of deletions and lost watches, and when it is over.
 */
import type { LastFailure } from "../../../../host-node/words/job-view.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Engine, Hold } from "../../../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse, StreamSink, Transport } from "../../../../bindings/js/host.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import type { JsonObject } from "../../../../cluster/values/types.ts";
import { type AwaitedJob, JobWatch, NoSuchJobs } from "../../../../host-node/cli/wait/job-watch.ts";
import type { Goal } from "../../../../host-node/cli/wait/outcome.ts";
import { newEngine } from "../../../bindings/js/vector-files.ts";
import { failure } from "../../../cluster/component-harness.ts";

const START_MS = Date.UTC(2026, 0, 1);
const at = (second: number): string => new Date(START_MS + second * 1000).toISOString().replace(".000", "");

/** Lists what the test has put there, and hands out its streams. */
class Server implements Transport {
  readonly clock = new VirtualClock(START_MS);
  readonly lists: string[] = [];
  readonly watches: { readonly path: string; readonly sink: StreamSink }[] = [];
  jobs: JsonObject[] = [];
  pods: JsonObject[] = [];
  podAnswer: ApiResponse | undefined;

  send({ path }: ApiRequest, done: (response: ApiResponse) => void): void {
    this.lists.push(path);
    const items = path.includes("/jobs") ? this.jobs : this.pods;
    const list = { metadata: { resourceVersion: "10" }, items };
    const answer = { status: 200, headers: {}, body: JSON.stringify(list) };
    this.clock.defer(() => done((path.includes("/pods") ? this.podAnswer : undefined) ?? answer));
  }

  stream({ path }: ApiRequest, sink: StreamSink): () => void {
    this.watches.push({ path, sink });
    this.clock.defer(() => sink.open({ status: 200, headers: {} }));
    return () => {};
  }

  last(resource: "jobs" | "pods"): StreamSink {
    return this.watches.findLast(({ path }) => path.includes(`/${resource}`))!.sink;
  }

  say(type: string, object: JsonObject): void {
    const { kind } = object;
    this.last(kind === "Pod" ? "pods" : "jobs").data(`${JSON.stringify({ type, object })}\n`);
  }

  /** Runs what is due within these milliseconds. */
  pass(ms: number): void {
    this.clock.advance(ms);
  }
}

let version = 10;
function job(name: string, status: object = {}, metadata: object = {}, spec: object = {}): JsonObject {
  return {
    kind: "Job",
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(++version), creationTimestamp: at(0), ...metadata },
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, ...spec },
    status: status as JsonObject,
  };
}

const running = { startTime: at(0), active: 1 };
const ended = (type: string, reason: string): object => ({
  startTime: at(0),
  conditions: [{ type, status: "True", reason, message: "", lastTransitionTime: at(0) }],
});

function pod(name: string, owner: string, waiting: string): JsonObject {
  return {
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      resourceVersion: String(++version),
      creationTimestamp: at(0),
      labels: { "controller-uid": `uid-${owner}` },
    },
    status: {
      phase: "Pending",
      containerStatuses: [{ name: "c", restartCount: 0, state: { waiting: { reason: waiting } } }],
    },
  };
}

let engine: Engine;
beforeAll(async () => {
  engine = await newEngine();
});

let server: Server;
let told: AwaitedJob[];
let problems: string[];
let isOver: boolean;
let failedWith: Error | undefined;
const HOLD = { code: "CannotStart", sentence: "1 pod cannot start" } as Hold;
let failureOf: (name: string) => Promise<LastFailure | undefined>;
beforeEach(() => {
  server = new Server();
  told = [];
  problems = [];
  isOver = false;
  failedWith = undefined;
  failureOf = () => Promise.resolve(undefined);
});

async function start(
  wanted: ConstructorParameters<typeof JobWatch>[0]["wanted"],
  goal: Goal = "finished",
  stuckLimitMs?: number,
) {
  const watch = new JobWatch({
    transport: server,
    clock: server.clock,
    random: () => 0,
    now: () => server.clock.now(),
    judge: (question, nowMs) => engine.verdict(question, nowMs),
    accountOf: async ({ metadata: { name } }) => ({ lastFailure: await failureOf(name), holds: [HOLD] }),
    namespace: "team",
    wanted,
    goal,
    stuckLimitMs,
    onVerdict: (job) => told.push(job),
    onProblem: (problem) => problems.push(problem),
  });
  void watch.run().then(
    () => (isOver = true),
    (error: Error) => (failedWith = error),
  );
  await pass(100);
  return watch;
}

async function pass(ms: number): Promise<void> {
  server.pass(ms);
  // Promises of the watch.
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

const outcomes = (watch: JobWatch) =>
  watch.jobs.map(({ name, verdict, outcome }) => `${name} ${verdict.verdict} ${outcome?.kind}`);

describe("what it asks for", () => {
  test("one Job by its name, and its pods by its UID", async () => {
    server.jobs = [job("a", running)];
    await start({ names: ["a"] });
    expect(server.lists).toEqual([
      "/apis/batch/v1/namespaces/team/jobs?fieldSelector=metadata.name%3Da&limit=500",
      "/api/v1/namespaces/team/pods?labelSelector=controller-uid%20in%20(uid-a)&limit=500",
    ]);
    await pass(600_000);
    expect(server.lists).toHaveLength(2); // It watches, and asks no more.
  });

  test("several Jobs are picked from those of the namespace", async () => {
    server.jobs = [job("a", running), job("b", running), job("c", running)];
    const watch = await start({ names: ["c", "a"] });
    expect(outcomes(watch)).toEqual(["a Running undefined", "c Running undefined"]);
    expect(server.lists[0]).toBe("/apis/batch/v1/namespaces/team/jobs?limit=500");
  });

  test("Jobs by their labels", async () => {
    server.jobs = [job("a", running)];
    await start({ labelSelector: "app=x" });
    expect(server.lists[0]).toBe("/apis/batch/v1/namespaces/team/jobs?labelSelector=app%3Dx&limit=500");
  });

  test("pods of more than 50 Jobs are not asked for", async () => {
    server.jobs = Array.from({ length: 51 }, (_, i) => job(`j${i}`, running));
    const watch = await start({ labelSelector: "app=x" });
    expect(watch.jobs).toHaveLength(51);
    expect(server.lists).toHaveLength(1);
  });

  test("names that are not there are an error", async () => {
    server.jobs = [job("a", running)];
    await start({ names: ["a", "b", "c"] });
    expect(failedWith).toBeInstanceOf(NoSuchJobs);
    expect((failedWith as NoSuchJobs).missing).toEqual(["b", "c"]);
  });

  test("a selector that finds nothing is an error", async () => {
    await start({ labelSelector: "app=x" });
    expect(failedWith).toBeInstanceOf(NoSuchJobs);
  });
});

describe("the last failure", () => {
  const failure: LastFailure = { pod: "a-x", failure: "container c exited (exit code 1)", endedBy: "Exited", log: [] };

  test("is read of a Job that has failed, once, before it is reported", async () => {
    const asked: string[] = [];
    let found = (_: LastFailure): void => {};
    failureOf = (name) => {
      asked.push(name);
      return new Promise((resolve) => (found = resolve));
    };
    server.jobs = [job("a", ended("Failed", "BackoffLimitExceeded")), job("b", ended("Complete", ""))];
    const watch = await start({ names: ["a", "b"] });
    await pass(2_000);
    expect(asked).toEqual(["a"]);
    expect(told.map(({ name }) => name)).toEqual(["b"]);
    expect(isOver).toBe(false);
    found(failure);
    await pass(100);
    expect(watch.jobs[0]).toMatchObject({ outcome: { kind: "reached", isGood: false }, lastFailure: failure });
    expect(isOver).toBe(true);
  });

  test("is left out where it cannot be read", async () => {
    failureOf = () => Promise.reject(new Error("forbidden"));
    server.jobs = [job("a", ended("Failed", "BackoffLimitExceeded"))];
    const watch = await start({ names: ["a"] });
    expect(watch.jobs[0]).toMatchObject({ outcome: { isGood: false }, lastFailure: undefined });
    expect(isOver).toBe(true);
  });

  test("is waited for five seconds", async () => {
    failureOf = () => new Promise(() => {});
    server.jobs = [job("a", ended("Failed", "BackoffLimitExceeded"))];
    const watch = await start({ names: ["a"] });
    expect(watch.unreported.map(({ name, outcome }) => [name, outcome?.isGood])).toEqual([["a", false]]);
    await pass(4_000);
    expect([told, isOver]).toEqual([[], false]);
    await pass(1_000);
    expect(told).toMatchObject([{ name: "a", lastFailure: undefined }]);
    expect([isOver, watch.unreported]).toEqual([true, []]);
  });

  test("is waited for by a Job that was stuck before: it is no longer given up", async () => {
    let found = (_: LastFailure): void => {};
    failureOf = () => new Promise((resolve) => (found = resolve));
    server.jobs = [job("a", running)];
    server.pods = [pod("a-1", "a", "ImagePullBackOff")];
    const watch = await start({ names: ["a"] }, "finished", 10_000);
    await pass(9_000);
    expect(watch.jobs[0]!.verdict.verdict).toBe("Stuck");
    server.say("MODIFIED", job("a", ended("Failed", "DeadlineExceeded")));
    await pass(2_000);
    found(failure);
    await pass(100);
    expect(outcomes(watch)).toEqual(["a Failed reached"]);
    expect(told.at(-1)).toMatchObject({ lastFailure: failure });
    expect(told.filter(({ outcome }) => outcome !== undefined)).toHaveLength(1);
  });

  test("comes too late for a wait that was stopped", async () => {
    let found = (_: LastFailure): void => {};
    failureOf = () => new Promise((resolve) => (found = resolve));
    server.jobs = [job("a", ended("Failed", "BackoffLimitExceeded"))];
    const watch = await start({ names: ["a"] });
    watch.stop();
    found(failure);
    await pass(100);
    expect(told).toEqual([]);
  });
});

describe("the end", () => {
  test("comes when each Job has ended, and not before", async () => {
    server.jobs = [job("a", running), job("b", running)];
    const watch = await start({ names: ["a", "b"] });
    server.say("MODIFIED", job("a", ended("Complete", "CompletionsReached")));
    await pass(100);
    expect(isOver).toBe(false);
    server.say("MODIFIED", job("b", ended("Failed", "BackoffLimitExceeded")));
    await pass(100);
    expect(isOver).toBe(true);
    expect(outcomes(watch)).toEqual(["a Succeeded reached", "b Failed reached"]);
    expect(watch.jobs.map(({ outcome }) => outcome?.isGood)).toEqual([true, false]);
  });

  test("is there at once for Jobs that have ended before", async () => {
    server.jobs = [job("a", ended("Complete", "CompletionsReached"))];
    await start({ names: ["a"] });
    expect(isOver).toBe(true);
  });

  test("of a Job that has failed is no success", async () => {
    server.jobs = [job("a", ended("Failed", "DeadlineExceeded"))];
    const watch = await start({ names: ["a"] }, "succeeded");
    expect(outcomes(watch)).toEqual(["a Failed missed"]);
    expect(isOver).toBe(true);
  });

  test("is a Job that is suspended, where that is waited for", async () => {
    server.jobs = [job("a", running)];
    await start({ names: ["a"] }, "suspended");
    expect(isOver).toBe(false);
    server.say("MODIFIED", job("a", {}, {}, { suspend: true }));
    await pass(100);
    expect(isOver).toBe(true);
  });

  test("of a Job that is deleted before it has ended", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.say("DELETED", job("a", running));
    await pass(100);
    expect(isOver).toBe(true);
    expect(outcomes(watch)).toEqual(["a Running deleted"]);
    expect(watch.jobs[0]!.outcome).toEqual({ kind: "deleted", isGood: false });
  });

  test("of a Job that its time to live deletes is its end", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.say("DELETED", job("a", ended("Complete", "CompletionsReached")));
    await pass(100);
    expect(outcomes(watch)).toEqual(["a Succeeded reached"]);
  });

  test("does not come from another Job that gets the same name", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.say("ADDED", job("a", ended("Complete", "CompletionsReached"), { uid: "another" }));
    await pass(100);
    expect(isOver).toBe(false);
    server.say("DELETED", job("a", running));
    await pass(100);
    expect(outcomes(watch)).toEqual(["a Running deleted"]);
  });
});

describe("a watch that is lost", () => {
  const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };

  test("with 410 lists again, without a word", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.jobs = [job("a", ended("Complete", "CompletionsReached"))];
    server.last("jobs").data(`${JSON.stringify({ type: "ERROR", object: gone })}\n`);
    await pass(1000);
    expect(server.lists.filter((path) => path.includes("/jobs"))).toHaveLength(2);
    expect(outcomes(watch)).toEqual(["a Succeeded reached"]);
    expect(problems).toEqual([]);
  });

  test("finds a Job that was deleted meanwhile", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.jobs = [job("a", ended("Complete", "CompletionsReached"), { uid: "another" })];
    server.last("jobs").data(`${JSON.stringify({ type: "ERROR", object: gone })}\n`);
    await pass(1000);
    expect(isOver).toBe(true);
    expect(outcomes(watch)).toEqual(["a Running deleted"]);
  });

  test("by a broken connection is taken up where it was", async () => {
    server.jobs = [job("a", running)];
    const watch = await start({ names: ["a"] });
    server.last("jobs").end(failure(500, "InternalError"));
    await pass(1000);
    expect(problems).toEqual([expect.stringContaining("the watch of Jobs broke off and is taken up again")]);
    expect(server.lists.filter((path) => path.includes("/jobs"))).toHaveLength(1);
    server.say("MODIFIED", job("a", ended("Complete", "CompletionsReached")));
    await pass(100);
    expect(outcomes(watch)).toEqual(["a Succeeded reached"]);
  });
});

describe("pods", () => {
  test("say why a Job does not get on", async () => {
    server.jobs = [job("a", running)];
    server.pods = [pod("p", "a", "ImagePullBackOff")];
    const watch = await start({ names: ["a"] });
    expect(watch.jobs[0]!.verdict).toMatchObject({ verdict: "Stuck", reason: "ImagePullBackOff" });
    server.say("MODIFIED", pod("p", "a", "ContainerCreating"));
    await pass(100);
    expect(watch.jobs[0]!.verdict.verdict).toBe("Running");
    server.say("DELETED", pod("p", "a", "ContainerCreating"));
    await pass(100);
    expect(watch.jobs[0]!.verdict.reason).toBe("NoPods");
  });

  test("are waited for before the first word", async () => {
    server.jobs = [job("a", running)];
    server.pods = [pod("p", "a", "ImagePullBackOff")];
    await start({ names: ["a"] });
    expect(told.map(({ verdict }) => verdict.verdict)).toEqual(["Stuck"]);
  });

  test("that may not be read are done without, and that is said once", async () => {
    server.jobs = [job("a", running)];
    server.podAnswer = failure(403, "Forbidden");
    const watch = await start({ names: ["a"] });
    await pass(60_000);
    expect(problems).toEqual([expect.stringContaining("its pods may not be read")]);
    expect(watch.jobs[0]!.verdict).toMatchObject({ verdict: "Running", reason: "PodsActive" });
    expect(server.lists.filter((path) => path.includes("/pods"))).toHaveLength(1);
  });

  test("of a Job with its own selector are not known", async () => {
    server.jobs = [job("a", running, {}, { manualSelector: true })];
    const watch = await start({ names: ["a"] });
    expect(watch.jobs[0]!.verdict.evidence).toBe("job.status.active");
  });
});

describe("a Job that is stuck", () => {
  const stuck = (name: string) => pod("p", name, "ImagePullBackOff");

  test("is waited for as long as that has no limit", async () => {
    server.jobs = [job("a", running)];
    server.pods = [stuck("a")];
    await start({ names: ["a"] });
    await pass(3_600_000);
    expect(isOver).toBe(false);
  });

  test("is given up after the limit, and not before", async () => {
    server.jobs = [job("a", running)];
    server.pods = [stuck("a")];
    const watch = await start({ names: ["a"] }, "finished", 90_000);
    await pass(89_000);
    expect([isOver, watch.jobs[0]!.outcome]).toEqual([false, undefined]);
    await pass(2_000);
    expect(isOver).toBe(true);
    expect(watch.jobs[0]).toMatchObject({
      verdict: { verdict: "Stuck", reason: "ImagePullBackOff" },
      outcome: { kind: "stuck", isGood: false },
      holds: [HOLD],
    });
  });

  test("is asked at the end of the wait what holds it, and not for long", async () => {
    server.jobs = [job("a", running), job("b", ended("Failed", "BackoffLimitExceeded"))];
    const watch = await start({ names: ["a", "b"] });
    watch.stop();
    await watch.findHolds();
    expect(watch.jobs.map(({ holds }) => holds)).toEqual([[HOLD], undefined]);
    failureOf = () => new Promise(() => {});
    const found = watch.findHolds();
    await pass(5_000);
    await found;
    expect(watch.jobs[0]).toMatchObject({ holds: undefined });
  });

  test("has all of the time again when it has got on in between", async () => {
    server.jobs = [job("a", running)];
    server.pods = [stuck("a")];
    await start({ names: ["a"] }, "finished", 90_000);
    await pass(80_000);
    server.say("MODIFIED", pod("p", "a", "ContainerCreating"));
    await pass(1_000);
    server.say("MODIFIED", stuck("a"));
    await pass(88_000);
    expect(isOver).toBe(false);
    await pass(3_000);
    expect(isOver).toBe(true);
  });

  test("is not given up for another reason to be stuck: the time continues", async () => {
    server.jobs = [job("a", running)];
    server.pods = [pod("p", "a", "ErrImagePull")];
    await start({ names: ["a"] }, "finished", 90_000);
    await pass(80_000);
    server.say("MODIFIED", stuck("a"));
    await pass(11_000);
    expect(isOver).toBe(true);
  });

  test("does not end the wait for others", async () => {
    server.jobs = [job("a", running), job("b", running)];
    server.pods = [stuck("a")];
    const watch = await start({ names: ["a", "b"] }, "finished", 60_000);
    await pass(61_000);
    expect([isOver, ...outcomes(watch)]).toEqual([false, "a Stuck stuck", "b Stuck undefined"]);
    server.say("MODIFIED", job("b", ended("Complete", "CompletionsReached")));
    await pass(100);
    expect(isOver).toBe(true);
  });

  test("that gets on after it was given up stays given up", async () => {
    server.jobs = [job("a", running), job("b", running)];
    server.pods = [stuck("a"), { ...pod("q", "b", "x"), status: { phase: "Running" } }];
    const watch = await start({ names: ["a", "b"] }, "finished", 60_000);
    await pass(61_000);
    server.say("MODIFIED", job("a", ended("Complete", "CompletionsReached")));
    await pass(100);
    expect(outcomes(watch)[0]).toBe("a Stuck stuck");
  });
});

test("time alone changes what is said", async () => {
  server.jobs = [job("a", { startTime: at(0), active: 0 })];
  const watch = await start({ names: ["a"] });
  expect(watch.jobs[0]!.verdict.verdict).toBe("Running");
  await pass(70_000);
  expect(watch.jobs[0]!.verdict).toMatchObject({ verdict: "Stuck", reason: "NoPods" });
});
