/**
 * A controller replica over HTTPS on an in-memory API server that holds back what a test wants held: terms of
 * leadership, ends, readiness. And the real command as processes, on a real `stint serve`: Jobs, replicas, signals.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { get, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Method } from "../../../bindings/js/host.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { readConfiguration } from "../../../host-node/controller/configuration.ts";
import { ControllerReplica } from "../../../host-node/controller/controller-replica.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { createLog } from "../../../host-node/log.ts";
import type { SettingName } from "../../../host-node/controller/settings.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { Credentials } from "../../../host-node/transport/credentials.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, type Served, spawnStint, startServe } from "../serving.ts";
import { ApiStandIn, type Asked } from "../transport/api-stand-in.ts";
import { answerFrom } from "../transport/cluster-answers.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/stint-job-controller";
const MANAGER = "stint.dev/job-controller";
const POLL_INTERVAL_MS = 20;

beforeAll(async () => {
  await buildModule("engine");
});

/** A Job whose pods end when `simulate` says; of Stint unless `managedBy` says otherwise; null: of nobody. */
function job(name: string, spec: object = {}, managedBy: string | null = MANAGER, simulate?: string): object {
  const annotations = simulate === undefined ? {} : { "stint.dev/simulate": simulate };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      ...(managedBy === null ? {} : { managedBy }),
      ...spec,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] },
      },
    },
  };
}

/** Asks again until it is so; the test's own time limit is the limit. */
async function until<T>(ask: () => T | Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

function fetchPage(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let body = "";
      response
        .on("data", (chunk: Buffer) => (body += chunk.toString()))
        .on("end", () => resolve({ status: response.statusCode!, body }));
    }).on("error", reject);
  });
}

describe("ControllerReplica", () => {
  let standIn: ApiStandIn;
  let clock: RealClock;
  let cluster: Cluster;
  let log: Record<string, any>[];
  let holds: (asked: Asked) => boolean;
  let held: (() => void)[];
  let running: ControllerReplica[];

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
    // Lease anew.
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

  describe("on a server that drops managedBy", () => {
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

    it("goes on as the default controller, with a warning and a line in /readyz?verbose", async () => {
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

  it("is ready when it has listed everything, or when it follows and the API server answers", async () => {
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
    "is not ready while the API server answers about the Lease with %i, and says what it is told",
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

  it("says what it is and does in its log, one JSON object a line, without the token", async () => {
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

/** A `stint controller` process. */
class Replica {
  readonly process: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  out = "";
  errors = "";

  constructor(process: ChildProcessWithoutNullStreams) {
    this.process = process;
    this.ended = new Promise((resolve) => process.once("close", resolve));
    process.stdout.on("data", (chunk: Buffer) => (this.out += chunk.toString()));
    process.stderr.on("data", (chunk: Buffer) => (this.errors += chunk.toString()));
  }

  /** What it has logged so far. */
  get log(): Record<string, any>[] {
    return this.out
      .slice(0, this.out.lastIndexOf("\n") + 1)
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  get leads(): boolean {
    return this.log.some(({ msg }) => msg === "leads");
  }

  /** @throws Error with what it said, when it ended before */
  async hasLogged(holds: (line: Record<string, any>) => boolean): Promise<Record<string, any>> {
    for (;;) {
      const found = this.log.find(holds);
      if (found !== undefined) return found;
      if (this.process.exitCode !== null || this.process.signalCode !== null)
        throw new Error(`it ended with ${this.process.exitCode ?? this.process.signalCode}: ${this.out}${this.errors}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }
}

describe("stint controller", () => {
  let served: Served;
  let replicas: Replica[] = [];
  beforeAll(async () => {
    served = await startServe();
  });
  afterAll(() => served.stop());
  afterEach(async () => {
    for (const { process } of replicas) process.kill("SIGKILL");
    await Promise.all(replicas.map(({ ended }) => ended));
    replicas = [];
  });

  function start(...args: string[]): Replica {
    return startWith(served.kubeconfig, ...args);
  }

  function startWith(kubeconfig: string, ...args: string[]): Replica {
    const replica = new Replica(
      spawnStint(["controller", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0", ...args], served.directory, {
        PATH: process.env["PATH"],
      }),
    );
    replicas.push(replica);
    return replica;
  }

  function ask(method: string, path: string, body?: object): Promise<any> {
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString();
    const headers = { authorization: `Bearer ${config.users[0].user.token}`, "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(
        `${config.clusters[0].cluster.server}${path}`,
        { method, ca, headers, agent: false },
        (response) => {
          let text = "";
          response.on("data", (chunk: Buffer) => (text += chunk.toString())).on("end", () => resolve(JSON.parse(text)));
        },
      );
      sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  const isComplete = ({ status }: any): boolean =>
    status?.conditions?.some(({ type }: any) => type === "Complete") === true;
  const complete = (name: string): Promise<any> => until(() => ask("GET", `${JOBS}/${name}`), isComplete);
  const podsOf = async (name: string): Promise<any[]> =>
    (await ask("GET", `${PODS}?labelSelector=job-name%3D${name}`)).items;
  const finalizers = (pod: any): readonly string[] => pod.metadata.finalizers ?? [];
  const quick = '{"runMs": 100}';

  it("runs the Jobs that are its own, leaves others to the built-in controller, and ends in good order on SIGTERM", async () => {
    const controller = start();
    const { url } = await controller.hasLogged(({ url }) => url !== undefined);
    await ask("POST", JOBS, job("own", { completions: 3, parallelism: 2 }, MANAGER, quick));
    await ask("POST", JOBS, job("others", {}, null, quick));
    await ask("POST", JOBS, job("nobodys", {}, "example.com/nobody", quick));
    expect(await complete("own")).toMatchObject({ status: { succeeded: 3, uncountedTerminatedPods: {} } });
    await complete("others");
    await until(
      async () => (await podsOf("own")).flatMap(finalizers),
      (left) => left.length === 0,
    );
    expect((await podsOf("own")).map(({ metadata }) => metadata.ownerReferences[0].name)).toEqual([
      "own",
      "own",
      "own",
    ]);
    expect(await podsOf("others")).toHaveLength(1);
    expect(await podsOf("nobodys")).toEqual([]);

    const page = await fetchPage(`${url}/debug/jobs/default/own`);
    expect(JSON.parse(page.body)).toMatchObject({ job: "own", found: true, state: "Complete" });
    expect((await fetchPage(`${url}/metrics`)).body).toContain(
      '\njob_controller_jobs_finished_total{completion_mode="NonIndexed",result="succeeded",reason="CompletionsReached"} 1\n',
    );
    expect(await controller.hasLogged(({ code }) => code === "Ended")).toMatchObject({
      level: "info",
      namespace: "default",
      job: "own",
    });

    expect((await ask("GET", LEASE)).spec.holderIdentity).not.toBe("");
    controller.process.kill("SIGTERM");
    expect(await controller.ended).toBe(0);
    expect((await ask("GET", LEASE)).spec.holderIdentity).toBe("");
    expect(controller.errors).toBe("");
    const token = parse(readFileSync(served.kubeconfig, "utf8")).users[0].user.token;
    expect(controller.out).not.toContain(token);
  });

  it("hands over when the leader is killed: no pod is counted twice, and there is none too many", async () => {
    const times = [
      "--lease-duration",
      "5s",
      "--renew-deadline",
      "4s",
      "--retry-period",
      "200ms",
      "--request-timeout",
      "2s",
    ];
    const pair = [start(...times), start(...times)];
    const leader = await until(
      () => pair.find(({ leads }) => leads),
      (found) => found !== undefined,
    );
    const follower = pair.find((replica) => replica !== leader)!;
    const completions = 40;
    await ask(
      "POST",
      JOBS,
      job("handed-over", { completions, parallelism: 8, completionMode: "Indexed" }, MANAGER, '{"runMs": 300}'),
    );
    await until(
      () => ask("GET", `${JOBS}/handed-over`),
      ({ status }) => (status?.succeeded ?? 0) > 0,
    );
    leader!.process.kill("SIGKILL");
    await follower.hasLogged(({ msg }) => msg === "leads");
    const { status } = await complete("handed-over");
    expect(status).toMatchObject({
      succeeded: completions,
      completedIndexes: `0-${completions - 1}`,
      uncountedTerminatedPods: {},
    });
    expect(status.failed ?? 0).toBe(0);
    const pods = await until(
      () => podsOf("handed-over"),
      (all) => all.flatMap(finalizers).length === 0,
    );
    expect(pods).toHaveLength(completions);
    follower.process.kill("SIGTERM");
    expect(await follower.ended).toBe(0);
  }, 120_000);

  it("follows while another leads, and takes over at once when that one ends in good order", async () => {
    const first = start();
    await first.hasLogged(({ msg }) => msg === "leads");
    const second = start();
    const { leader } = await second.hasLogged(({ msg }) => msg === "the Lease has a new holder");
    expect((await ask("GET", LEASE)).spec.holderIdentity).toBe(leader);
    expect(second.leads).toBe(false);
    first.process.kill("SIGINT");
    expect(await first.ended).toBe(0);
    await second.hasLogged(({ msg }) => msg === "leads");
  });

  it("keeps trying while the API server does not answer, and says so", async () => {
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    config.clusters[0].cluster.server = "https://127.0.0.1:1";
    const path = join(served.directory, "unreachable");
    writeFileSync(path, JSON.stringify(config));
    const controller = startWith(path, "--retry-period", "50ms");
    const { url } = await controller.hasLogged(({ url }) => url !== undefined);
    await until(
      () =>
        controller.log.filter(({ level, msg }) => level === "warn" && msg.includes("connect ECONNREFUSED 127.0.0.1:1"))
          .length,
      (count) => count >= 2,
    );
    expect(await fetchPage(`${url}/readyz`)).toEqual({
      status: 503,
      body: "not ready: the API server does not answer about the Lease\n",
    });
    controller.process.kill("SIGTERM");
    expect(await controller.ended).toBe(0);
  });

  it("ends at once with 130 on a second signal, while it waits for an answer that does not come", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    config.clusters[0].cluster.server = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const path = join(served.directory, "silent");
    writeFileSync(path, JSON.stringify(config));
    const asked = new Promise((resolve) => silent.once("connection", resolve));
    const controller = startWith(path, "--lease-duration", "60s", "--renew-deadline", "50s");
    await asked;
    controller.process.kill("SIGTERM");
    await controller.hasLogged(({ msg }) => msg === "the Job controller ends: it takes no more work");
    controller.process.kill("SIGTERM");
    expect(await controller.ended).toBe(130);
    silent.close();
  });

  it("is refused with 2 when its address is in use", async () => {
    const { url } = await start().hasLogged(({ url }) => url !== undefined);
    const address = new URL(url).host;
    const ended = await runStint(
      ["controller", "--kubeconfig", served.kubeconfig, "--listen", address],
      served.directory,
    );
    expect(ended).toEqual({
      exit: 2,
      out: "",
      err: `stint: ${address} is in use; name another address with --listen (port 0: any free one; off: none)\n`,
    });
  });

  it("warns of a variable that looks like a setting and is none", async () => {
    const replica = new Replica(
      spawnStint(["controller", "--kubeconfig", served.kubeconfig, "--listen", "off"], served.directory, {
        PATH: process.env["PATH"],
        STINT_LEASE_DURATON: "5s",
      }),
    );
    replicas.push(replica);
    expect(await replica.hasLogged(({ variable }) => variable !== undefined)).toMatchObject({
      level: "warn",
      variable: "STINT_LEASE_DURATON",
    });
  });

  it("runs from the bundle dist/stint.mjs", async () => {
    const bundle = resolve(import.meta.dirname, "../../../dist/stint.mjs");
    const replica = new Replica(
      spawn(
        process.execPath,
        [
          bundle,
          "controller",
          "--kubeconfig",
          served.kubeconfig,
          "--listen",
          "127.0.0.1:0",
          "--managed-by",
          "example.com/bundle",
        ],
        { cwd: served.directory, env: { PATH: process.env["PATH"] }, stdio: "pipe" },
      ),
    );
    replicas.push(replica);
    const { url } = await replica.hasLogged(({ url }) => url !== undefined);
    await ask("POST", JOBS, job("bundled", {}, "example.com/bundle", quick));
    await complete("bundled");
    expect((await fetchPage(`${url}/readyz`)).status).toBe(200);
    replica.process.kill("SIGTERM");
    expect(await replica.ended).toBe(0);
    expect(replica.errors).toBe("");
  });
});
