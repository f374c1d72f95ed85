/**
 * `stint mcp` as agents start it: a process, the client of the SDK, and a `stint serve` whose requests are recorded.
 * The tools that need no cluster, and what is refused: mcp/server.test.ts.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { faultsOfAnswer } from "./closed-schema.ts";
import { parse, stringify } from "yaml";
import { buildModule } from "../../../scripts/build-engine.ts";
import { MAIN, runStint, type Served, spawnStint, startServe } from "../serving.ts";
import { RecordingProxy } from "./recording-proxy.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";

let served: Served;
let proxy: RecordingProxy;
let token: string;
beforeAll(async () => {
  await buildModule("engine");
  served = await startServe();
  token = parse(readFileSync(served.kubeconfig, "utf8")).users[0].user.token;
  proxy = await RecordingProxy.start(served);
  for (const body of [
    job("retry", { runMs: 10, exitCode: 1, logs: ["no such disk"] }),
    job("slow", { runMs: "forever" }),
  ])
    await write("POST", JOBS, body);
});
afterAll(async () => {
  await proxy.stop();
  expect(await served.stop()).toBe(0);
});

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

function job(name: string, simulated: object, spec: object = {}): object {
  const metadata = { annotations: { "stint.dev/simulate": JSON.stringify(simulated) } };
  const containers = [{ name: "main", image: "none" }];
  const template = { metadata, spec: { restartPolicy: "Never", containers } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}

/** @returns the object as the server has stored it */
async function write(method: "POST" | "PUT", path: string, body: object, to = served): Promise<any> {
  const config = parse(readFileSync(to.kubeconfig, "utf8"));
  const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64");
  const dispatcher = new Agent({ connect: { ca } });
  const answer = await request(`https://127.0.0.1:${to.port}${path}`, {
    dispatcher,
    method,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${config.users[0].user.token}`, "content-type": "application/json" },
  });
  const stored = await answer.body.json();
  expect(stored).toMatchObject({ metadata: {} });
  await dispatcher.destroy();
  return stored;
}

async function start(
  args: readonly string[] = ["--kubeconfig", proxy.kubeconfig],
  options: ClientOptions = {},
): Promise<Client> {
  const command = { command: process.execPath, args: [MAIN, "mcp", ...args], cwd: served.directory };
  const client = new Client({ name: "test", version: "0" }, options);
  await client.connect(new StdioClientTransport({ ...command, env: process.env as Record<string, string> }));
  open.push(client);
  return client;
}

async function call(
  client: Client,
  name: string,
  input: object,
): Promise<{ isError: boolean; text: string; answer: any }> {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const whole = JSON.stringify(result);
  expect(whole).not.toContain(token);
  expect(whole).not.toContain("Bearer");
  const [content] = result.content as { readonly text: string }[];
  expect(faultsOfAnswer(result.structuredContent)).toBe("");
  return { isError: result.isError === true, text: content!.text, answer: result.structuredContent };
}

describe("an agent", () => {
  it("asks why a Job is where it is, as the command does", async () => {
    const client = await start();
    const { isError, answer } = await call(client, "why", { job: "job/retry" });
    expect(isError).toBe(false);
    expect(answer).toMatchObject({ namespace: "default", job: "retry", found: true, source: "controller", notes: [] });
    // Its pod is ready, so that nothing changes any more.
    await expect.poll(async () => (await call(client, "why", { job: "slow" })).answer.ready).toBe(1);
    const { out } = await runStint(["why", "slow", "-o", "json"], served.directory);
    const { answer: same } = await call(client, "why", { job: "slow" });
    expect(same).toEqual({ ...JSON.parse(out), notes: [] });
  });

  it("asks why a CronJob and a pod are where they are, too", async () => {
    const client = await start();
    // The client checks answers by the schemas that it has listed.
    await client.listTools();
    const { spec } = job("never", { runMs: 10 }) as { spec: object };
    const cronJob = { metadata: { name: "yearly" }, spec: { schedule: "@yearly", jobTemplate: { spec } } };
    await write("POST", "/apis/batch/v1/namespaces/default/cronjobs", cronJob);
    expect((await call(client, "why", { job: "cronjob/yearly" })).answer).toMatchObject({
      kind: "CronJobAccount",
      name: "yearly",
      state: "Waiting",
      runs: [],
      notes: [],
    });
    const { lastFailure } = (await call(client, "why", { job: "retry" })).answer;
    expect((await call(client, "why", { job: `pod/${lastFailure.pod}` })).answer).toMatchObject({
      kind: "PodAccount",
      ofJob: { name: "retry" },
      log: ["no such disk"],
    });
  });

  it("learns which Jobs have similar names", async () => {
    const { isError, text } = await call(await start(), "why", { job: "rerty" });
    expect(isError).toBe(true);
    expect(text).toMatch(
      /^there is no Job rerty in namespace default of http:.*\nDid you mean this\?\n {2}stint why retry$/,
    );
  });

  it("waits for Jobs, and learns what is known when the time is over", async () => {
    const client = await start();
    await write("POST", JOBS, job("short", { runMs: 300 }));
    const { answer } = await call(client, "wait", { jobs: ["short"] });
    expect(answer).toMatchObject({
      timedOut: false,
      jobs: [{ job: "short", outcome: "reached", verdict: "Succeeded" }],
    });
    const open = await call(client, "wait", { jobs: ["slow"], timeoutSeconds: 1 });
    expect(open.isError).toBe(false);
    expect(open.answer).toMatchObject({ timedOut: true, jobs: [{ job: "slow", outcome: "timedOut" }] });
    expect(open.answer.notes).toEqual([expect.stringMatching(/^after 1\.0s the Job slow has not finished; /)]);
  });

  it("learns of a wait what is wrong with it", async () => {
    const client = await start();
    const refused = async (input: object): Promise<string> => {
      const { isError, text } = await call(client, "wait", input);
      expect(isError).toBe(true);
      return text;
    };
    expect(await refused({})).toMatch(/^no Job is named; /);
    expect(await refused({ jobs: ["nope"] })).toMatch(/nope/);
    expect(await refused({ jobs: ["slow"], selector: "a=b" })).toMatch(/^both slow and --selector a=b are given/);
    expect(await refused({ selector: "a in" })).toMatch(/^--selector is "a in", and the server refuses it/);
  });

  it("ends a wait early, and goes on", async () => {
    const client = await start();
    const cancelled = new AbortController();
    const input = { jobs: ["slow"], timeoutSeconds: 300 };
    const waiting = client.callTool({ name: "wait", arguments: input }, { signal: cancelled.signal });
    await call(client, "explain", { code: "Backoff" });
    cancelled.abort();
    await expect(waiting).rejects.toThrow();
    expect((await call(client, "why", { job: "slow" })).isError).toBe(false);
  });

  it("asks what is wrong with the Jobs of a namespace, or of all", async () => {
    const client = await start();
    const { answer } = await call(client, "doctor", { olderThan: "1h" });
    expect(answer).toMatchObject({ findings: [], left: 0, notes: [] });
    expect(answer.jobs).toBeGreaterThanOrEqual(2);
    expect((await call(client, "doctor", { namespace: "kube-system" })).answer.jobs).toBe(0);
    const { isError, text } = await call(client, "doctor", { olderThan: "soon" });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/^olderThan is "soon"; allowed is a duration/),
    });
    expect((await call(client, "doctor", { namespace: "../secrets" })).text).toMatch(
      /^--namespace is "\.\.\/secrets"; allowed are/,
    );
  });

  it("asks what an upgrade changes for the Jobs of the cluster", async () => {
    const named: any = job("named", {}, { suspend: true });
    named.spec.template.spec.hostnameOverride = "a";
    await write("POST", JOBS, named);
    const client = await start();
    const { answer } = await call(client, "upgrade-check", { from: "1.34", namespace: "default" });
    const found = expect.objectContaining({ name: "named", change: "hostname-override" });
    expect(answer.findings).toContainEqual(found);
    expect((await call(client, "upgrade-check", {})).text).toMatch(
      /^an upgrade goes to a later version; this one goes/,
    );
  });
});

describe("the cluster of the user", () => {
  it("may be out of reach", async () => {
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    config.clusters[0].cluster.server = "https://127.0.0.1:1";
    writeFileSync(join(served.directory, "dead.kubeconfig"), stringify(config));
    const client = await start(["--kubeconfig", "dead.kubeconfig"]);
    for (const [name, input] of [
      ["why", { job: "pi" }],
      ["wait", { jobs: ["pi"] }],
      ["doctor", {}],
      ["upgrade-check", {}],
    ] as const) {
      const { isError, text } = await call(client, name, input);
      expect({ name, isError, text }).toEqual({
        name,
        isError: true,
        text: expect.stringMatching(/^no server listens at /),
      });
    }
    expect((await call(client, "explain", { code: "Backoff" })).isError).toBe(false);
  });

  it("is that of the contexts which the user allows, and no other", async () => {
    const config = parse(readFileSync(served.kubeconfig, "utf8"));
    const [{ context }] = config.contexts;
    config.contexts = [
      { name: "staging", context: { ...context, namespace: "elsewhere" } },
      { name: "production", context },
      { name: "private", context },
    ];
    const path = join(served.directory, "contexts.kubeconfig");
    writeFileSync(path, stringify(config));
    const client = await start(["--kubeconfig", path, "--context", "staging", "--allow-context", "production"]);
    expect((await call(client, "why", { job: "slow" })).text).toMatch(/^there is no Job slow in namespace elsewhere /);
    expect((await call(client, "why", { job: "slow", context: "production" })).answer).toMatchObject({ found: true });
    expect((await call(client, "why", { job: "slow", context: "private" })).isError).toBe(true);
  });

  it("gets GETs alone, whatever an agent asks", async () => {
    const client = await start();
    proxy.requests.length = 0;
    await call(client, "why", { job: "retry" });
    await call(client, "why", { job: "nope" });
    await call(client, "wait", { jobs: ["retry", "slow"], timeoutSeconds: 1 });
    await call(client, "wait", { selector: "a=b" });
    await call(client, "doctor", { olderThan: "1ms" });
    await call(client, "upgrade-check", {});
    await call(client, "lint", { manifest: stringify(job("new", {})) });
    await call(client, "forecast", { manifest: stringify(job("new", {})), outcome: "annotation" });
    await call(client, "explain", {});
    expect(proxy.requests.length).toBeGreaterThan(10);
    expect(proxy.requests.some(({ path }) => path.includes("watch="))).toBe(true);
    expect(proxy.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("gets no dry run of the fixes that an agent reads", async () => {
    const bare = await startServe(["--api-only"]);
    const beside = await RecordingProxy.start(bare);
    const { metadata } = await write("POST", JOBS, job("uncounted", {}), bare);
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "uncounted", uid: metadata.uid, controller: true };
    const pod = {
      metadata: {
        name: "ended",
        finalizers: ["batch.kubernetes.io/job-tracking"],
        labels: { "batch.kubernetes.io/controller-uid": metadata.uid },
        ownerReferences: [owner],
      },
      spec: { containers: [{ name: "main", image: "none" }] },
    };
    const created = await write("POST", PODS, pod, bare);
    await write("PUT", `${PODS}/ended/status`, { ...created, status: { phase: "Succeeded" } }, bare);
    const client = await start(["--kubeconfig", beside.kubeconfig]);
    const { answer } = await call(client, "doctor", { olderThan: "1ms" });
    expect(answer.findings.map(({ id }: any) => id)).toContain("NotCounted");
    for (const { fix } of answer.findings) expect(fix).not.toBe("");
    expect(new Set(beside.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    await client.close();
    await beside.stop();
    expect(await bare.stop()).toBe(0);
  });
});

const message = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const HELLO = message(1, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "a pipe", version: "0" },
});
const toolCall = (id: number, name: string, input: object): string =>
  message(id, "tools/call", { name, arguments: input });

describe("the process", () => {
  it("answers all that is piped into it, and ends with its input", async () => {
    const input = `${HELLO}${toolCall(2, "why", { job: "slow" })}nonsense\n${toolCall(3, "explain", { code: "Backoff" })}`;
    const { exit, out, err } = await runStint(["mcp"], served.directory, { input });
    const answers = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, null].toSorted());
    const [{ result }] = answers.filter(({ id }) => id === 2);
    expect(result.structuredContent).toMatchObject({ job: "slow", found: true });
    // Which cluster was found is for the agent to know, and not for the streams of the process.
    expect(result.structuredContent.notes).toEqual([
      expect.stringMatching(/^the cluster is https:\/\/127\.0\.0\.1:\d+, by /),
    ]);
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
  });

  it.each([
    ["legacy", "2025-11-25"],
    ["auto", "2026-07-28"],
  ] as const)("speaks with a client of mode %s in the protocol of %s", async (mode, version) => {
    const client = await start(undefined, { versionNegotiation: { mode } });
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: "stint" });
    expect(client.getInstructions()).toMatch(/never follow instructions/);
    expect((await client.listTools()).tools).toHaveLength(7);
    expect((await call(client, "why", { job: "slow" })).answer).toMatchObject({ found: true });
    expect((await call(client, "why", { job: "nope" })).isError).toBe(true);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const)("ends by %s with status %i, while a call is under way", async (signal, status) => {
    const child = spawnStint(["mcp"], served.directory);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.write(`${HELLO}${toolCall(2, "wait", { jobs: ["slow"], timeoutSeconds: 300 })}`);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill(signal);
    expect(await ended).toBe(status);
  });

  it("ends when its answers have no reader any more", async () => {
    const child = spawnStint(["mcp"], served.directory);
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdout.destroy();
    child.stdin.on("error", () => {}).write(HELLO);
    expect(await ended).toBe(141);
  });
});
