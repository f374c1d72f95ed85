/**
 * A controller replica over HTTPS on an in-memory API server that holds back what a test wants held: terms of
 * leadership, ends, readiness. The real command as a process is in controller-process.e2e.test.ts.
 */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Method } from "../../../bindings/js/host.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { readConfiguration } from "../../../host-node/controller/configuration.ts";
import { ControllerReplica } from "../../../host-node/controller/controller-replica.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { createLog } from "../../../host-node/log.ts";
import type { SettingName } from "../../../host-node/controller/settings.ts";
import { isInShard } from "../../../host-node/controller/shard.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { Credentials } from "../../../host-node/transport/credentials.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { ApiStandIn, type Asked } from "../transport/api-stand-in.ts";
import { answerFrom } from "../transport/cluster-answers.ts";
import { fetchPage, job, JOBS, LEASE, PODS, until } from "./replica-requests.ts";

let standIn: ApiStandIn;
let clock: RealClock;
let cluster: Cluster;
let log: Record<string, any>[];
let holds: (asked: Asked) => boolean;
let held: (() => void)[];
let running: ControllerReplica[];

beforeAll(async () => {
  await buildModule("engine");
});

beforeEach(async () => {
  standIn = await ApiStandIn.start();
  clock = new RealClock();
  log = [];
  held = [];
  running = [];
  holds = () => false;
  const admission = await createEngine(await loadEngineModule());
  cluster = new Cluster({
    clock,
    random: Math.random,
    admission: (review) => admission.review(review),
    gangScheduling: false,
  });
  standIn.answer = (asked, response) => {
    if (holds(asked)) held.push(() => answer(asked, response));
    else answer(asked, response);
  };
});
afterEach(async () => {
  for (const replica of running) replica.stop("the end of the test");
  clock.stop();
  await standIn.stop();
});

function answer(asked: Asked, response: ServerResponse): void {
  // The real server takes a PUT with the uid of a Lease that is gone for a conflict; the in-memory one makes the
  // Lease again.
  if (asked.method === "PUT" && asked.path === LEASE && ask("GET", LEASE).kind !== "Lease") {
    response.writeHead(409).end("{}");
    return;
  }
  answerFrom(cluster, asked, response);
}

const ask = (method: Method, path: string, body?: object): any => {
  const answered = cluster.handle({
    method,
    path,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return "body" in answered ? JSON.parse(answered.body as string) : undefined;
};
const said = (message: string): number => log.filter(({ msg }) => msg === message).length;
const listsOfJobs = (): number =>
  standIn.asked.filter(({ path }) => path.startsWith("/apis/batch/v1/jobs?") && !path.includes("watch=true")).length;
const createsPod = ({ method, path }: Asked): boolean => method === "POST" && path.startsWith(PODS);

async function start(
  flags: Partial<Record<SettingName, string>> = {},
): Promise<{ replica: ControllerReplica; ended: Promise<number> }> {
  const times = { leaseDuration: "60s", renewDeadline: "10s", retryPeriod: "50ms", requestTimeout: "50s" };
  const settings = readConfiguration({
    flags: { listen: "127.0.0.1:0", streamingLists: "false", ...times, ...flags },
    environment: {},
    file: undefined,
  });
  const credentials = Credentials.load({ kubeconfig: standIn.kubeconfig(), context: undefined, environment: {} });
  const replica = new ControllerReplica({
    settings,
    credentials,
    clock,
    log: createLog("info", (line) => log.push(JSON.parse(line))),
    version: "0.0.0",
    engineModule: await loadEngineModule(),
  });
  running.push(replica);
  return { replica, ended: replica.run() };
}
const url = (): Promise<string> =>
  until(
    () => log.find(({ url }) => url !== undefined)?.["url"],
    (found) => found !== undefined,
  );

describe("a controller replica", () => {
  it("has one engine, however often leadership came back while requests were under way", async () => {
    holds = createsPod;
    ask("POST", JOBS, job("pi"));
    const { replica, ended } = await start();
    await until(
      () => held.length,
      (count) => count === 1,
    );
    for (const terms of [2, 3]) {
      ask("DELETE", LEASE);
      await until(
        () => said("leads"),
        (count) => count === terms,
      );
    }
    expect(listsOfJobs()).toBe(1);
    holds = () => false;
    held[0]!();
    await until(listsOfJobs, (count) => count > 1);
    replica.stop("the test");
    expect(await ended).toBe(0);
    expect(listsOfJobs()).toBe(2);
    expect(ask("GET", PODS).items).toHaveLength(1);
  });

  it("ends at once when what is left waits for a rate limit, and gives the Lease back", async () => {
    ask("POST", JOBS, job("pi"));
    ask("POST", JOBS, job("e"));
    const { replica, ended } = await start({ kubeApiQps: "0.001", kubeApiBurst: "1", streamingLists: "true" });
    await until(
      () => ask("GET", PODS).items.length,
      (count) => count === 1,
    );
    replica.stop("the test");
    expect(await ended).toBe(0);
    expect(log.filter(({ level }) => level !== "info")).toEqual([]);
    expect(ask("GET", LEASE).spec.holderIdentity).toBe("");
    expect(ask("GET", PODS).items).toHaveLength(1);
  });

  it("waits at its end for what is under way, and takes no more work", async () => {
    holds = createsPod;
    ask("POST", JOBS, job("pi"));
    const { replica, ended } = await start();
    await until(
      () => held.length,
      (count) => count === 1,
    );
    replica.stop("the test");
    ask("POST", JOBS, job("e"));
    holds = () => false;
    held[0]!();
    expect(await ended).toBe(0);
    expect(ask("GET", PODS).items.map(({ metadata }: any) => metadata.labels["job-name"])).toEqual(["pi"]);
    expect(ask("GET", LEASE).spec.holderIdentity).toBe("");
  });

  it("lets the Lease run out when what is under way cannot be settled in time", async () => {
    holds = createsPod;
    ask("POST", JOBS, job("pi"));
    const { replica, ended } = await start({ shutdownGracePeriod: "50ms" });
    await until(
      () => held.length,
      (count) => count === 1,
    );
    const holder = ask("GET", LEASE).spec.holderIdentity;
    replica.stop("the test");
    expect(await ended).toBe(0);
    expect(ask("GET", LEASE).spec.holderIdentity).toBe(holder);
    expect(
      said("requests are still under way after 0.05 s, and are given up; the Lease runs out, as they may yet arrive"),
    ).toBe(1);
  });

  it("continues from what it has read when a compressed watch ends within an event", async () => {
    const others = standIn.answer;
    let watches = 0;
    standIn.answer = (asked, response) => {
      if (!asked.path.startsWith("/apis/batch/v1/jobs?watch=true") || ++watches > 1) return others(asked, response);
      const answered = cluster.handle({ method: "GET", path: asked.path, headers: {} });
      if ("body" in answered) throw new Error("this watch is refused");
      response.writeHead(200, { "content-encoding": "gzip" }).flushHeaders();
      const close = answered.subscribe({
        data: (chunk) => {
          const member = gzipSync(chunk);
          if (!String(chunk).includes('"name":"e"')) return void response.write(member);
          response.end(member.subarray(0, member.length - 20));
          close();
        },
        end: () => response.end(),
      });
    };
    ask("POST", JOBS, job("pi"));
    await start({ streamingLists: "true" });
    const jobsWithPods = (): string[] =>
      ask("GET", PODS).items.map(({ metadata }: any) => metadata.labels["job-name"] as string);
    await until(jobsWithPods, (names) => names.includes("pi"));
    ask("POST", JOBS, job("e"));
    await until(jobsWithPods, (names) => names.includes("e"));
    expect(jobsWithPods().toSorted()).toEqual(["e", "pi"]);
    const asked = standIn.asked.filter(({ path }) => path.startsWith("/apis/batch/v1/jobs?"));
    expect(asked.map(({ path, headers }) => [path.split("&")[2]!.split("=")[0], headers["accept-encoding"]])).toEqual([
      ["sendInitialEvents", "gzip"],
      ["resourceVersion", "gzip"],
    ]);
    expect(log.map(({ msg }) => msg)).toContain(
      "GET /apis/batch/v1/jobs: the compressed answer cannot be read: unexpected end of file",
    );
  });

  it("logs what it is and does, one JSON object a line, without the token", async () => {
    const { replica, ended } = await start({ namespaces: "team-a,default", managedBy: "example.com/jobs" });
    ask("POST", JOBS, job("pi", {}, "example.com/jobs"));
    await until(
      () => ask("GET", PODS).items.length,
      (count) => count === 1,
    );
    replica.stop("SIGTERM");
    await ended;
    const kubeconfig = join(standIn.directory, "kubeconfig");
    expect(log.find(({ msg }) => msg === "the Job controller starts")).toMatchObject({
      level: "info",
      version: "0.0.0",
      server: `https://127.0.0.1:${standIn.port}`,
      credentials: `context test of ${kubeconfig}`,
      jobs: "those managed by example.com/jobs",
      namespaces: "team-a,default",
      leaderElection: true,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(log.find(({ msg }) => msg === "the Job controller ends: it takes no more work")).toMatchObject({
      level: "info",
      reason: "SIGTERM",
    });
    expect(JSON.stringify(log)).not.toContain("t1");
    const leases = standIn.asked.filter(({ path }) => path.includes("/leases/")).map(({ path }) => path);
    expect(new Set(leases).size).toBe(1);
    expect(leases[0]).toMatch(/\/leases\/stint-job-controller-[0-9a-f]{8}$/); // Others' Jobs are another election.
  });
});

describe("the explanation of a controller replica", () => {
  it("says who ended a pod that is gone, until the Job is gone", async () => {
    ask("POST", JOBS, job("pi", { backoffLimit: 0 }));
    await start({ streamingLists: "true" });
    const page = `${await url()}/debug/jobs/default/pi`;
    const [pod] = await until(
      () => ask("GET", PODS).items,
      (items) => items.length === 1,
    );
    const path = `${PODS}/${pod.metadata.name}`;
    const [lastTransitionTime, finishedAt] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"];
    const evicted = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime };
    const ended = { name: "main", state: { terminated: { exitCode: 143, reason: "Error", finishedAt } } };
    const status = { phase: "Failed", conditions: [evicted], containerStatuses: [{ ...ended, restartCount: 0 }] };
    ask("PUT", `${path}/status`, { ...ask("GET", path), status });
    ask("DELETE", path);
    const { body } = await until(
      () => fetchPage(page),
      (answer) => answer.body.includes('"account"') && JSON.parse(answer.body).state === "Failed",
    );
    expect(ask("GET", PODS).items).toEqual([]);
    const cause = "it was evicted through the API, as kubectl drain does it";
    expect(JSON.parse(body)).toMatchObject({
      lastFailure: { pod: pod.metadata.name, endedBy: "ApiEviction", failure: cause, log: [] },
      account: { attempts: [{ pod: pod.metadata.name, endedBy: "ApiEviction" }], holds: [] },
    });
    ask("DELETE", `${JOBS}/pi?propagationPolicy=Background`);
    await until(
      () => fetchPage(page),
      (answer) => answer.status === 404,
    );
    ask("POST", JOBS, job("pi"));
    const again = await until(
      () => fetchPage(page),
      (answer) => answer.status === 200,
    );
    expect(JSON.parse(again.body)).not.toHaveProperty("account");
  });
});

describe("the readiness of a controller replica", () => {
  it("begins when it has listed everything, or when it follows and the API server answers", async () => {
    holds = ({ path }) => path.startsWith("/api/v1/pods?");
    await start();
    const leader = await url();
    await until(
      () => held.length,
      (count) => count === 1,
    );
    expect(await fetchPage(`${leader}/readyz`)).toEqual({
      status: 503,
      body: "not ready: not everything has been listed yet\n",
    });
    expect((await fetchPage(`${leader}/healthz`)).status).toBe(200);
    holds = () => false;
    held[0]!();
    await until(
      () => fetchPage(`${leader}/readyz`),
      ({ status }) => status === 200,
    );

    log = [];
    await start();
    const follower = await url();
    await until(
      () => fetchPage(`${follower}/readyz`),
      ({ status }) => status === 200,
    );
    const { holderIdentity } = ask("GET", LEASE).spec;
    const explanation = await fetchPage(`${follower}/debug/jobs/default/pi`);
    expect(explanation.status).toBe(503);
    expect(JSON.parse(explanation.body).message).toBe(
      `this replica does not lead, so it knows no Jobs; ${holderIdentity} leads`,
    );
    expect((await fetchPage(`${leader}/debug/jobs/default/pi`)).status).toBe(404);
  });

  it.each([401, 403, 500])(
    "does not come while the API server answers about the Lease with %i, and shows its message",
    async (status) => {
      const answerOthers = standIn.answer;
      standIn.answer = (asked, response) => {
        if (!asked.path.includes("/leases")) return answerOthers(asked, response);
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify({ kind: "Status", message: "leases.coordination.k8s.io is forbidden" }));
      };
      await start();
      const page = await url();
      await until(
        () => log.some(({ level }) => level === "warn"),
        (isRefused) => isRefused,
      );
      const body = `not ready: the Lease default/stint-job-controller: leases.coordination.k8s.io is forbidden (status ${status})\n`;
      expect(await fetchPage(`${page}/readyz`)).toEqual({ status: 503, body });
    },
  );
});

describe("a controller replica on a server that drops managedBy", () => {
  beforeEach(() => {
    const others = standIn.answer;
    const json = (response: ServerResponse, status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    standIn.answer = (asked, response) => {
      if (asked.path === "/version") json(response, 200, { gitVersion: "v1.34.4" });
      else if (asked.path.includes("dryRun=All"))
        json(response, 201, { spec: { successPolicy: {}, podReplacementPolicy: "Failed" } });
      else others(asked, response);
    };
  });

  it("ends with status 2, and says why and what to do", async () => {
    const { ended } = await start();
    expect(await ended).toBe(2);
    expect(log.find(({ level }) => level === "fatal")?.["msg"]).toBe(
      "Kubernetes v1.34.4 keeps successPolicy, podReplacementPolicy; Kubernetes v1.34.4 drops managedBy: the built-in controller runs every Job, whomever it names; no Job can be managed by stint.dev/job-controller here. Turn the feature gate JobManagedBy on, or run with --default-controller in place of the built-in controller",
    );
  });

  it("continues as the default controller, with a warning and a line in /readyz?verbose", async () => {
    const { replica, ended } = await start({ defaultController: "true" });
    const says = (line: string): boolean =>
      line.includes("Kubernetes v1.34.4 drops managedBy: the built-in controller");
    await until(
      () => log.filter(({ level, msg }) => level === "warn" && says(String(msg))).length,
      (count) => count === 1,
    );
    const { status, body } = await until(
      async () => fetchPage(`${await url()}/readyz?verbose`),
      ({ status }) => status === 200,
    );
    expect([status, body.split("\n")[0], says(body)]).toEqual([200, "ok", true]);
    replica.stop("the test");
    expect(await ended).toBe(0);
  });
});

describe("a controller replica of a shard", () => {
  const SHARD = { index: 0, count: 2 };
  const NAMESPACES = ["batch", "build", "team", "web"];
  const own = NAMESPACES.find((name) => isInShard(SHARD, name))!;
  const foreign = NAMESPACES.find((name) => !isInShard(SHARD, name))!;
  const shardLease = `${LEASE}-shard-0-of-2`;
  const jobsIn = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const podsIn = (namespace: string): number => ask("GET", `/api/v1/namespaces/${namespace}/pods`).items.length;
  const writes = (): string[] =>
    standIn.asked.filter(({ method, path }) => method !== "GET" && !path.includes("dryRun")).map(({ path }) => path);

  /** Its lists repeat the selector, but show everything. */
  function repeatSelectors(): void {
    const others = standIn.answer;
    standIn.answer = (asked, response) => {
      const selector = new URL(asked.path, "http://host").searchParams.get("shardSelector");
      if (selector === null || asked.path.includes("watch=true")) return others(asked, response);
      const { metadata, ...list } = ask("GET", asked.path);
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ ...list, metadata: { ...metadata, shardInfo: { selector } } }));
    };
  }

  beforeEach(() => {
    for (const name of [own, foreign]) ask("POST", "/api/v1/namespaces", { metadata: { name } });
  });

  it("ends with status 2 where the server ignores the selector, and has written nothing", async () => {
    ask("POST", jobsIn(own), job("pi"));
    const { ended } = await start({ shard: "0/2" });
    expect(await ended).toBe(2);
    expect(log.find(({ level }) => level === "fatal")?.["msg"]).toMatch(
      /^asked for the jobs of shard 0 of 2 \(shardSelector=.*\), the API server ignores the selector and answers with all of them\. Lists and watches in shards need /,
    );
    expect(writes()).toEqual([]);
  });

  it("runs the Jobs of its namespaces under its own Lease, and says which shard it has", async () => {
    repeatSelectors();
    ask("POST", jobsIn(own), job("pi"));
    const { replica, ended } = await start({ shard: "0/2" });
    await until(
      () => podsIn(own),
      (count) => count === 1,
    );
    expect(ask("GET", shardLease).spec.holderIdentity).not.toBe("");
    const page = await url();
    const { body } = await until(
      () => fetchPage(`${page}/readyz?verbose`),
      ({ status }) => status === 200,
    );
    expect(body.split("\n")[2]).toBe(
      "shard 0 of 2, of namespaces by their hash: shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')",
    );
    expect((await fetchPage(`${page}/metrics`)).body).toContain('stint_shard_info{shard="0",shards="2"} 1');
    expect(log.find(({ msg }) => msg === "the Job controller starts")).toMatchObject({ shard: "shard 0 of 2" });
    replica.stop("the test");
    expect(await ended).toBe(0);
  });

  it("adds its shard to the name of a Lease that is given", async () => {
    repeatSelectors();
    await start({ shard: "1/2", leaseName: "jobs" });
    const path = LEASE.replace("stint-job-controller", "jobs-shard-1-of-2");
    await until(
      () => ask("GET", path).kind,
      (kind) => kind === "Lease",
    );
  });

  it("ends before it writes to another shard, when the server no longer honours its own", async () => {
    repeatSelectors();
    ask("POST", jobsIn(foreign), job("pi"));
    const { ended } = await start({ shard: "0/2" });
    expect(await ended).toBe(1);
    expect(log.find(({ level }) => level === "fatal")?.["error"]).toMatch(
      new RegExp(
        `^the API server no longer honours shard 0 of 2: it shows Jobs or pods of another, and [A-Z]+ /\\S+/namespaces/${foreign}/\\S+ was not sent\\. Turn the feature gate ShardedListAndWatch on at every API server$`,
      ),
    );
    expect(writes().filter((path) => !path.includes("/leases"))).toEqual([]);
  });

  it("is not ready until the server has said whether it honours it, and can be ended before", async () => {
    holds = ({ path }) => path.includes("shardSelector");
    const { replica, ended } = await start({ shard: "0/2" });
    expect(await fetchPage(`${await url()}/readyz`)).toEqual({
      status: 503,
      body: "not ready: the API server has not said whether it honours shard 0 of 2\n",
    });
    replica.stop("the test");
    expect(await ended).toBe(0);
    expect(writes()).toEqual([]);
  });
});
