/** `stint serve --control` as a process: a test in any language moves time and decides how pods end. */
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CONTROL_CALLS } from "../../../host-node/control/control-calls.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { runStint, type Served, startServe } from "../serving.ts";

beforeAll(async () => {
  await buildModule("engine");
});

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly text: string;
}

interface Asked {
  readonly body?: object | string;
  /** The administrator's unless given. */
  readonly token?: string;
}

function ask(served: Served, method: string, path: string, { body, token }: Asked = {}): Promise<Answer> {
  const config = parse(readFileSync(served.kubeconfig, "utf8"));
  const { server, "certificate-authority-data": authority } = config.clusters[0].cluster;
  const headers = {
    "authorization": `Bearer ${token ?? config.users[0].user.token}`,
    "content-type": "application/json",
  };
  const ca = Buffer.from(authority, "base64").toString();
  return new Promise((resolve, reject) => {
    const sent = request(`${server}${path}`, { method, ca, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => {
        const isJson = response.headers["content-type"] === "application/json";
        resolve({ status: response.statusCode!, text, body: isJson ? JSON.parse(text) : undefined });
      });
    });
    sent.on("error", reject).end(typeof body === "object" ? JSON.stringify(body) : body);
  });
}

const jobs = "/apis/batch/v1/namespaces/default/jobs";

function jobNamed(name: string, spec: object = {}): object {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template, ...spec } };
}

let served: Served;
let directory: string;
let name = "";
let count = 0;
beforeAll(async () => {
  const users = join(tmpdir(), `stint-control-users-${process.pid}.csv`);
  writeFileSync(users, "someone-s-token,someone,uid-1\n", { mode: 0o600 });
  served = await startServe(["--clock", "virtual", "--control", "--token-auth-file", users]);
  ({ directory } = served);
});
afterAll(() => served.stop());
beforeEach(() => {
  name = `job-${++count}`;
});

const get = (path: string): Promise<Answer> => ask(served, "GET", `/control/v1/${path}`);
const post = (path: string, body?: object | string): Promise<Answer> =>
  ask(served, "POST", `/control/v1/${path}`, body === undefined ? {} : { body });
const create = async (spec: object = {}): Promise<void> => {
  expect((await ask(served, "POST", jobs, { body: jobNamed(name, spec) })).status).toBe(201);
};
const statusOf = async (): Promise<any> => (await ask(served, "GET", `${jobs}/${name}`)).body.status;

describe("stint serve --clock virtual --control", () => {
  it("says where it is controlled", () => {
    expect(served.output()).toContain(
      `Tests control it at https://127.0.0.1:${served.port}/control/v1. Its time stands still until they move it.`,
    );
  });

  it("lets happen what is due now, and nothing more until time is moved", async () => {
    await create();
    const { body } = await get(`pods?selector=job/${name}`);
    expect(body.pods).toEqual([
      {
        namespace: "default",
        name: expect.stringMatching(`^${name}-`),
        index: null,
        phase: "Running",
        node: "stint",
        terminating: false,
      },
    ]);
    const before = (await get("now")).body.now;
    expect((await get("now")).body.now).toBe(before);
    expect((await statusOf()).succeeded).toBeUndefined();
    const { now } = (await post("advance", { duration: "10m" })).body;
    expect(Date.parse(now) - Date.parse(before)).toBe(600_000);
    expect((await statusOf()).succeeded).toBe(1);
  });

  it("has the cluster's time in its answers, which other commands take for now", async () => {
    await post("advance", { duration: "6h" });
    await post("outcomes", { selector: `job/${name}`, outcome: { runMs: "forever" } });
    await create({ activeDeadlineSeconds: 3600 });
    await post("advance", { duration: "10m" });
    const wait = await runStint(["wait", name, "--timeout", "1s"], directory);
    expect(wait.out).toMatch(/: 1 active, .*; activeDeadlineSeconds end it in (50|49) min\n/);
    const why = await runStint(["why", name], directory);
    expect(why.out).toMatch(/ in (50|49) min/);
  });

  it("fails the pod of a completion index, and runs until everything has ended", async () => {
    await create({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 0 });
    const { body } = await post("pods/fail", { selector: `job/${name}`, index: 2, exitCode: 3, reason: "OOMKilled" });
    expect(body.pods).toMatchObject([{ index: 2 }]);
    expect((await post("until-idle")).body).toMatchObject({ waiting: [] });
    expect(await statusOf()).toMatchObject({ succeeded: 2, failed: 1, completedIndexes: "0,1", failedIndexes: "2" });
    expect((await get(`why?job=job/${name}`)).body.why).toContain("exit code 3, OOMKilled");
  });

  it("takes outcomes for pods that come later", async () => {
    await post("outcomes", { selector: `job/${name}`, outcome: { exitCodes: [1, 0], runMs: 1000 } });
    await create();
    await post("until", { job: name, condition: "Complete" });
    expect(await statusOf()).toMatchObject({ succeeded: 1, failed: 1 });
  });

  it("ends a wait for what can no longer come at once, with the reason", async () => {
    await create();
    await post("until", { job: name, condition: "Complete" });
    const before = (await get("now")).body.now;
    const { status, body } = await post("until", { job: name, condition: "Failed" });
    expect(status).toBe(409);
    expect(body.message).toContain(
      `the Job ${name} is Complete (CompletionsReached), so Failed cannot come\njob ${name} `,
    );
    expect((await get("now")).body.now).toBe(before);
  });
});

describe("stint serve --clock virtual --control", () => {
  it("evicts the pods of a node that is drained, and takes its next ones elsewhere", async () => {
    await create();
    const { body } = await post("nodes/drain", { node: "stint" });
    expect(body.evicted).toEqual(expect.arrayContaining([expect.stringMatching(`^${name}-`)]));
    expect((await post("nodes/uncordon", { node: "stint" })).status).toBe(200);
    await post("until-idle");
    expect((await statusOf()).succeeded).toBe(1);
  });

  it("begins a new controller, which takes up the Jobs", async () => {
    await create();
    expect((await post("crash", { component: "controller" })).body).toEqual({});
    await post("until-idle");
    expect((await statusOf()).succeeded).toBe(1);
  });

  it("says why a Job has not ended when the limit comes first", async () => {
    await post("outcomes", { selector: `job/${name}`, outcome: { runMs: 7_200_000 } });
    await create();
    const { status, body } = await post("until-idle", { limit: "1h" });
    expect(status).toBe(409);
    expect(body).toMatchObject({ kind: "Status", reason: "Conflict", code: 409 });
    expect(body.message).toMatch(
      new RegExp(`^the cluster is not idle after 1h\n {2}job ${name}: waiting for pods: 1 active`),
    );
    await post("until-idle");
    expect((await statusOf()).succeeded).toBe(1);
  });

  it("names the Jobs that wait for a user's action", async () => {
    await create();
    await post("pods/hang", { selector: `job/${name}` });
    const { body } = await post("until-idle");
    expect(body.waiting).toEqual([{ job: name, why: expect.stringContaining("waiting for pods: 1 active") }]);
    const { jobs } = (await get("unsuccessful")).body;
    expect(jobs).toContainEqual({ job: name, why: expect.stringContaining(`job ${name}  `) });
    await post("pods/succeed", { selector: `job/${name}` });
    await post("until-idle");
    expect((await get("unsuccessful")).body.jobs.map(({ job }: { job: string }) => job)).not.toContain(name);
  });

  it("carries out one call after another", async () => {
    const before = Date.parse((await get("now")).body.now);
    const all = await Promise.all([1, 2, 3, 4].map(() => post("advance", { duration: "1m" })));
    // Each has its own connection, and they arrive in any order.
    const passed = all.map(({ body }) => Date.parse(body.now) - before).toSorted((a, b) => a - b);
    expect(passed).toEqual([60_000, 120_000, 180_000, 240_000]);
  });

  it("gives a recording that can be replayed", async () => {
    await create();
    await post("until-idle");
    writeFileSync(join(directory, "r.jsonl"), (await get("recording")).text);
    const { exit, out } = await runStint(["replay", "--explain", "r.jsonl"], directory);
    expect(exit).toBe(0);
    expect(out).toContain(`job ${name}: the Job has ended with Complete`);
  });

  it.each([
    ["POST", "advance", { duration: "soon" }, 400, 'the duration is "soon"; allowed is a duration such as '],
    ["POST", "advance", { minutes: 1 }, 400, 'was given the field "minutes"; it takes duration'],
    ["POST", "until-idle", { x: 1 }, 400, 'was given the field "x"; it takes limit (optional)'],
    ["POST", "until", { job: "pi", condition: "Succeeded" }, 400, 'the condition is "Succeeded"; allowed are those of'],
    ["POST", "crash", {}, 400, 'was not given the field "component", which it needs'],
    ["GET", "why", undefined, 400, 'was not given the field "job", which it needs: ?job=…'],
    ["POST", "crash", { component: "kubelet" }, 400, "allowed are controller, scheduler"],
    ["POST", "advance", "{", 400, "the body of /control/v1/advance is no JSON: "],
    ["POST", "advance", "[]", 400, "the body of /control/v1/advance is no JSON object, which it has to be"],
    ["POST", "outcomes", { selector: "x".repeat(300_000), outcome: {} }, 413, "allowed are 262144"],
    ["POST", "pods/fail", { selector: "job/missing" }, 404, "there is no Job missing in namespace default"],
    ["GET", "advance", undefined, 405, "the method is GET; /control/v1/advance allows POST"],
    ["GET", "sleep", undefined, 404, "there is no GET /control/v1/sleep; there are GET /control/v1/now, "],
  ] as const)("refuses %s %s %j", async (method, path, body, status, message) => {
    const answer = await ask(served, method, `/control/v1/${path}`, body === undefined ? {} : { body });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code: status });
    expect(answer.body.message).toContain(message);
  });

  it("obeys the administrator alone", async () => {
    const token = "someone-s-token";
    expect((await ask(served, "GET", jobs, { token })).status).toBe(200);
    const { status, body } = await ask(served, "GET", "/control/v1/now", { token });
    expect(status).toBe(403);
    expect(body.message).toBe(
      'the user is "someone"; the control API is for the administrator alone, whose token is in the kubeconfig that the server wrote',
    );
    expect((await ask(served, "GET", "/control/v1/now", { token: "unknown" })).status).toBe(401);
  });
});

describe("stint serve --control", () => {
  it("decides how pods end on real time too, which it cannot move", async () => {
    const served = await startServe(["--control"]);
    try {
      const { status, body } = await ask(served, "POST", "/control/v1/advance", { body: { duration: "1m" } });
      expect(status).toBe(409);
      expect(body.message).toContain("this cluster runs on real time, which no call can advance");
      const outcome = { exitCode: 1, runMs: 1 };
      await ask(served, "POST", "/control/v1/outcomes", { body: { selector: "job/fails", outcome } });
      await ask(served, "POST", jobs, { body: jobNamed("fails", { backoffLimit: 0 }) });
      const failed = { job: "fails", condition: "Failed", limit: "1m" };
      expect((await ask(served, "POST", "/control/v1/until", { body: failed })).status).toBe(200);
    } finally {
      expect(await served.stop()).toBe(0);
    }
  });

  it("has as many nodes as --nodes says, and each of them can be lost", async () => {
    const served = await startServe(["--clock", "virtual", "--control", "--nodes", "3"]);
    try {
      const { body } = await ask(served, "GET", "/api/v1/nodes");
      expect(body.items.map(({ metadata }: any) => metadata.name)).toEqual(["node-1", "node-2", "node-3"]);
      await ask(served, "POST", jobs, { body: jobNamed("wide", { completions: 3, parallelism: 3 }) });
      const pods = (await ask(served, "GET", "/control/v1/pods?selector=job/wide")).body.pods;
      expect(pods.map(({ node }: any) => node).toSorted()).toEqual(["node-1", "node-2", "node-3"]);
      expect((await ask(served, "POST", "/control/v1/nodes/lose", { body: { node: "node-2" } })).status).toBe(200);
    } finally {
      await served.stop();
    }
  });

  it("gives the same names for the same seed and the same requests, and others for another seed", async () => {
    const namesFor = async (seed: string): Promise<string[]> => {
      const served = await startServe(["--clock", "virtual", "--control", "--seed", seed]);
      try {
        await ask(served, "POST", jobs, { body: jobNamed("drawn", { completions: 2, parallelism: 2 }) });
        const { body } = await ask(served, "GET", "/control/v1/pods?selector=job/drawn");
        return body.pods.map((pod: any) => pod.name);
      } finally {
        await served.stop();
      }
    };
    const names = await namesFor("7");
    expect(names).toHaveLength(2);
    expect(await namesFor("7")).toEqual(names);
    expect(await namesFor("8")).not.toEqual(names);
  });

  it("is not there unless it is asked for", async () => {
    const served = await startServe();
    try {
      expect((await ask(served, "GET", "/control/v1/now")).status).toBe(404);
    } finally {
      await served.stop();
    }
  });

  it.each([
    [["--clock", "virtual"], "--clock virtual is given without --control, by which alone that time moves; "],
    [["--control", "--runtime", "process"], "--control is given with --runtime process, but it decides "],
    [["--control", "--runtime", "docker"], "--control is given with --runtime docker, but it decides "],
    [["--nodes", "2", "--runtime", "process"], "--nodes is given with --runtime process, which has one node: "],
    [["--nodes", "1001"], "Allowed are whole numbers from 0 to 1000"],
    [["--seed", "7"], "--seed is given without --control; "],
    [["--seed", "x", "--control"], "Allowed is a whole number from 0 to "],
    [["--control", "--api-only"], "option '--control' cannot be used with option '--api-only'"],
    [["--control", "--record", "r.jsonl"], "option '--control' cannot be used with option '--record <file>'"],
    [["--control", "--data-dir", "d"], "option '--control' cannot be used with option '--data-dir <"],
  ])("refuses %j", async (args, message) => {
    const { exit, err } = await runStint(["serve", ...args], tmpdir());
    expect(exit).toBe(2);
    expect(err).toContain(message);
  });
});

describe("docs/control-api.md", () => {
  it("has every call with its fields, and no other", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/control-api.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(GET|POST) ([a-z/-]+)` \| ([^|]*)\|/gm)];
    const documented = rows.map(([, method, path, fields = ""]) => ({
      method,
      path,
      fields: [...fields.matchAll(/`([A-Za-z]+\??)`/g)].map(([, field]) => field),
    }));
    const calls = CONTROL_CALLS.map(({ method, path, required, optional }) => ({
      method,
      path,
      fields: [...required, ...optional.map((field) => `${field}?`)],
    }));
    expect(documented).toEqual(calls);
  });
});
