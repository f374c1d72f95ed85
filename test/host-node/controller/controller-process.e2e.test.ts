/** The real command `stint controller` as processes, on a real `stint serve`: Jobs, replicas, signals, flags. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildModule } from "../../../scripts/build-engine.ts";
import { BUNDLE, runStint, type Served, spawnStint, startServe } from "../serving.ts";
import { ReplicaProcess } from "./replica-process.ts";
import { fetchPage, job, JOBS, LEASE, MANAGER, PODS, until } from "./replica-requests.ts";

let served: Served;
let replicas: ReplicaProcess[] = [];
beforeAll(async () => {
  await buildModule("engine");
  served = await startServe();
});
afterAll(() => served.stop());
afterEach(async () => {
  for (const { child } of replicas) child.kill("SIGKILL");
  await Promise.all(replicas.map(({ ended }) => ended));
  replicas = [];
});

function start(...args: string[]): ReplicaProcess {
  return startWith(served.kubeconfig, ...args);
}

function startWith(kubeconfig: string, ...args: string[]): ReplicaProcess {
  const replica = new ReplicaProcess(
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

describe("stint controller", () => {
  it("runs its own Jobs, leaves others to the built-in controller, and ends in good order on SIGTERM", async () => {
    const controller = start();
    const { url } = await controller.hasLogged(({ url }) => url !== undefined);
    await ask("POST", JOBS, job("own", { completions: 3, parallelism: 2 }, MANAGER, quick));
    await ask("POST", JOBS, job("others", {}, null, quick));
    await ask("POST", JOBS, job("unmanaged", {}, "example.com/not-running", quick));
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
    expect(await podsOf("unmanaged")).toEqual([]);

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
    controller.child.kill("SIGTERM");
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
    leader!.child.kill("SIGKILL");
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
    follower.child.kill("SIGTERM");
    expect(await follower.ended).toBe(0);
  }, 120_000);

  it("follows while another leads, and takes over at once when that one ends in good order", async () => {
    const first = start();
    await first.hasLogged(({ msg }) => msg === "leads");
    const second = start();
    const { leader } = await second.hasLogged(({ msg }) => msg === "the Lease has a new holder");
    expect((await ask("GET", LEASE)).spec.holderIdentity).toBe(leader);
    expect(second.leads).toBe(false);
    first.child.kill("SIGINT");
    expect(await first.ended).toBe(0);
    await second.hasLogged(({ msg }) => msg === "leads");
  });

  it("runs from the bundle dist/stint.mjs", async () => {
    const replica = new ReplicaProcess(
      spawn(
        process.execPath,
        [
          BUNDLE,
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
    replica.child.kill("SIGTERM");
    expect(await replica.ended).toBe(0);
    expect(replica.errors).toBe("");
  });
});

describe("stint controller at its start", () => {
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
    controller.child.kill("SIGTERM");
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
    controller.child.kill("SIGTERM");
    await controller.hasLogged(({ msg }) => msg === "the Job controller ends: it takes no more work");
    controller.child.kill("SIGTERM");
    expect(await controller.ended).toBe(130);
    silent.close();
  });

  it("ends with 2 when its address is in use", async () => {
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
    const replica = new ReplicaProcess(
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
});
