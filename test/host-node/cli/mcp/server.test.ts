/**
 * The tools that need no cluster, what is refused of each input, and that nothing ends the server. The others, and the
 * server as a process: ../mcp.e2e.test.ts.
 */
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { faultsOfAnswer } from "../closed-schema.ts";
import { createServer } from "../../../../host-node/cli/mcp/server.ts";
import type { ToolOptions } from "../../../../host-node/cli/mcp/tool.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { RecordingConsole } from "../recording-console.ts";

beforeAll(async () => {
  await buildModule("engine");
});

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect(options: Partial<ToolOptions> = {}, console = new RecordingConsole("/")): Promise<Client> {
  const cluster = { kubeconfig: undefined, context: undefined, allowedContexts: [] };
  const flags = { ...cluster, controller: undefined, controllerNamespace: "stint-system", version: "0.0.0" };
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await createServer({ ...flags, ...options }, console).connect(theirs);
  const client = new Client({ name: "test", version: "0" });
  await client.connect(ours);
  open.push(client);
  return client;
}

interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly answer: any;
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Called> {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content as { readonly text: string }[];
  expect(faultsOfAnswer(result.structuredContent)).toBe("");
  return { isError: result.isError === true, text: content!.text, answer: result.structuredContent };
}

const job = (spec: string, name = "pi"): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\nspec: {${spec}template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}\n`;

describe("the list of tools", () => {
  it("has those of the commands, each read-only, with schemas and a word on when to use it", async () => {
    const { tools } = await (await connect()).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "why",
      "wait",
      "doctor",
      "upgrade-check",
      "forecast",
      "lint",
      "explain",
    ]);
    for (const { name, annotations, description, inputSchema, outputSchema } of tools) {
      expect(annotations, name).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(description, name).toMatch(/\b(Use it|Without a code)\b/);
      expect(description, name).not.toContain("\n");
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema !== undefined, name).toBe(name !== "explain");
    }
  });

  it("has a context to choose only where the user allows others", async () => {
    const contexts = async (options: Partial<ToolOptions>): Promise<unknown[]> => {
      const { tools } = await (await connect(options)).listTools();
      return tools.map(({ inputSchema }) => (inputSchema.properties as any)["context"]?.enum);
    };
    const none = [undefined, undefined, undefined];
    expect(await contexts({ context: "a" })).toEqual([...none, undefined, ...none]);
    const some = ["a", "b"];
    expect(await contexts({ context: "a", allowedContexts: ["b", "a"] })).toEqual([some, some, some, some, ...none]);
  });
});

describe("why", () => {
  const cause = "it was evicted through the API, as kubectl drain does it";
  const told = (count: number): object => ({
    namespace: "default",
    job: "retry",
    found: true,
    state: "Waiting",
    sentence: "told by its controller",
    nextMs: null,
    decisions: [],
    lastFailure: { pod: "gone-last", failure: cause, endedBy: "ApiEviction", log: [] },
    account: {
      attempts: Array.from({ length: count }, (_, i) => ({
        pod: `gone-${i}`,
        uid: `u${i}`,
        endedBy: "ApiEviction",
        cause: count > 2 ? cause.repeat(20) : cause,
      })),
    },
  });
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** @returns the address of a controller that says this of every Job */
  async function controller(explanation: object): Promise<string> {
    const server = createHttpServer((_request, response) => {
      response.setHeader("content-type", "application/json").end(JSON.stringify(explanation));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("has the pods that are gone, as the controller remembers them whose address the user has given", async () => {
    const client = await connect({ kubeconfig: "/none", controller: await controller(told(2)) });
    const { answer } = await call(client, "why", { job: "job/retry", namespace: "default" });
    expect(answer).toMatchObject({
      source: "controller",
      lastFailure: { pod: "gone-last", failure: cause },
      endedPods: [
        { pod: "gone-1", endedBy: "ApiEviction", cause },
        { pod: "gone-0", endedBy: "ApiEviction", cause },
      ],
    });
  });

  it("cuts the list of pods that are gone where an answer would be too long", async () => {
    const client = await connect({ kubeconfig: "/none", controller: await controller(told(100)) });
    const { text, answer } = await call(client, "why", { job: "retry", namespace: "default" });
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect(answer.endedPods.length).toBeGreaterThan(40);
    expect(answer.endedPods[0].pod).toBe("gone-99");
    expect(answer.notes.at(-1)).toMatch(/^\d+ of the 100 endedPods are left out: /);
  });

  it("asks that controller about Jobs alone, and about none of another context", async () => {
    const options = { kubeconfig: "/none", context: "a", allowedContexts: ["b"] };
    const client = await connect({ ...options, controller: await controller(told(2)) });
    const asked = async (input: object): Promise<string> =>
      (await call(client, "why", { namespace: "default", ...input })).text;
    expect(await asked({ job: "retry", context: "a" })).toContain("gone-1");
    expect(await asked({ job: "retry", context: "b" })).toContain("/none");
    expect(await asked({ job: "cronjob/retry" })).toContain("/none");
  });
});

describe("lint", () => {
  it("says what the API server refuses, and gives advice", async () => {
    const { isError, text, answer } = await call(await connect(), "lint", { manifest: job("backoffLimit: -1, ") });
    expect(isError).toBe(false);
    expect(answer.findings[0]).toMatchObject({
      file: "<manifest>",
      name: "pi",
      code: "Refused",
      severity: "error",
      field: "spec.backoffLimit",
    });
    expect(answer.findings).toContainEqual(expect.objectContaining({ code: "NoDeadline", severity: "warn" }));
    expect(JSON.parse(text)).toEqual(answer);
  });

  it("knows the version of the API server, and refuses one that is none", async () => {
    const client = await connect();
    const { isError, text } = await call(client, "lint", { manifest: job(""), kubernetes: "1.2" });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(/1\.2.*allowed/) });
    expect((await call(client, "lint", { manifest: job(""), kubernetes: "1.36" })).isError).toBe(false);
  });

  it("refuses what is no manifest of a Job", async () => {
    const client = await connect();
    const refused = async (manifest: string): Promise<string> => {
      const { isError, text } = await call(client, "lint", { manifest });
      expect(isError, manifest).toBe(true);
      return text;
    };
    expect(await refused("a: [")).toMatch(/^<manifest>:\d+:\d+: /);
    expect(await refused("")).toMatch(/^<manifest>:1:1: there is no Kubernetes object/);
    expect(await refused("apiVersion: v1\nkind: Service\nmetadata: {name: s}\n")).toBe(
      "there is no Job and no CronJob in the input",
    );
    // A path is text like any other.
    expect(await refused("/etc/passwd")).toMatch(/^<manifest>:1:1: /);
    expect(await refused("-")).toMatch(/^<manifest>:1:1: /);
    expect(await refused(`# ${"x".repeat(4 * 1024 * 1024)}`)).toBe(
      "the manifest has 4194306 bytes; allowed are at most 4194304 (4 MiB)",
    );
  });

  it("cuts the list of findings where an answer would be too long, and says so", async () => {
    const manifest = Array.from({ length: 200 }, (_, i) => job("", `job-${i}`)).join("---\n");
    const { text, answer } = await call(await connect(), "lint", { manifest });
    expect(text.length).toBeLessThanOrEqual(64 * 1024);
    expect(answer.findings.length).toBeGreaterThan(50);
    expect(answer.notes.at(-1)).toMatch(/^\d+ of the \d+ findings are left out: /);
  });
});

describe("forecast", () => {
  it("says what a Job will do", async () => {
    const { answer } = await call(await connect(), "forecast", { manifest: job(""), podDuration: "5m..20m" });
    expect(answer.forecasts).toHaveLength(1);
    expect(answer.forecasts[0]).toMatchObject({
      job: "pi",
      pods: { most: { value: 7, is: "exact" } },
      end: { earliestMs: { value: 300_000 } },
    });
  });

  it("runs an outcome, simulated", async () => {
    const outcome = '{"exitCodes": [1, 0], "runMs": 1000}';
    const { answer } = await call(await connect(), "forecast", { manifest: job(""), outcome });
    const { timeline, omitted, playground } = answer.forecasts[0].run;
    expect(timeline.map(({ phase }: any) => phase)).toEqual(["Failed", "Succeeded"]);
    expect({ omitted, playground }).toEqual({ omitted: 0, playground: undefined });
  });

  it("simulates a bounded number of pods, and lists the first of them", async () => {
    const client = await connect();
    const simulate = (spec: string): Promise<Called> =>
      call(client, "forecast", { manifest: job(spec), outcome: '{"runMs": 1000}' });
    const { answer } = await simulate("completions: 250, parallelism: 250, ");
    expect(answer.forecasts[0].run).toMatchObject({ omitted: 150 });
    expect(answer.forecasts[0].run.timeline).toHaveLength(100);
    const refused = await simulate("completions: 995, ");
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^with outcome there may be 1001 pods;/),
    });
    const rule = "{action: Ignore, onExitCodes: {operator: In, values: [1]}}";
    const endless = await simulate(`podFailurePolicy: {rules: [${rule}]}, `);
    expect(endless).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^with outcome there may be any number/),
    });
  });

  it("refuses what it cannot read", async () => {
    const client = await connect();
    const refused = async (input: object): Promise<string> => {
      const { isError, text } = await call(client, "forecast", { manifest: job(""), ...input });
      expect(isError).toBe(true);
      return text;
    };
    expect(await refused({ podDuration: "20m..5m" })).toMatch(/^podDuration is "20m\.\.5m"; Allowed is a duration/);
    expect(await refused({ outcome: "{" })).toMatch(/^--outcome: /);
    expect(await refused({ outcome: "annotation" })).toMatch(/^--outcome is annotation, and the pod template of pi/);
    expect(await refused({ disruptions: -1 })).toMatch(/data\/disruptions must be >= 0/);
    expect(await refused({ manifest: "kind: Nope" })).toMatch(/^<manifest>:1:/);
  });
});

describe("upgrade-check, of a manifest", () => {
  it("says what changes", async () => {
    const manifest = job("").replace("restartPolicy", "hostnameOverride: a, restartPolicy");
    const { isError, answer } = await call(await connect({ context: "staging" }), "upgrade-check", {
      manifest,
      from: "1.34",
    });
    expect(isError).toBe(false);
    expect(answer.findings).toMatchObject([{ name: "pi", change: "hostname-override", since: "1.35" }]);
  });

  it("refuses versions that are none, and a cluster beside the manifest", async () => {
    const client = await connect({ context: "staging", allowedContexts: ["production"] });
    const refused = async (input: object): Promise<string> => {
      const { isError, text } = await call(client, "upgrade-check", { manifest: job(""), ...input });
      expect(isError).toBe(true);
      return text;
    };
    expect(await refused({})).toMatch(/^files say nothing of the present version/);
    expect(await refused({ from: "2.0" })).toMatch(/^--from is "2\.0"; allowed are 1\./);
    expect(await refused({ from: "1.37", to: "1.34" })).toMatch(/^an upgrade goes to a later version/);
    expect(await refused({ from: "1.34", namespace: "a" })).toMatch(/^files were named, and a cluster too/);
    expect(await refused({ from: "1.34", context: "production" })).toMatch(/^files were named, and a cluster too/);
  });
});

describe("explain", () => {
  it("has the page of a code, and the list of all", async () => {
    const client = await connect();
    expect((await call(client, "explain", { code: "backoff" })).text).toMatch(/^Backoff\n\n[^]*What to do: /);
    const { text } = await call(client, "explain", {});
    expect(text).toContain("docs/lint.md:\n");
    expect(text).toContain(" NoDeadline ");
  });

  it("proposes a code that is alike", async () => {
    const { isError, text } = await call(await connect(), "explain", { code: "Backof" });
    expect({ isError, text }).toEqual({
      isError: true,
      text: 'there is no code "Backof"; did you mean Backoff?',
    });
  });
});

describe("a call", () => {
  it.each([
    ["lint", {}, "must have required property 'manifest'"],
    ["lint", { manifest: 5 }, "data/manifest must be string"],
    ["lint", { manifest: "", file: "/etc/passwd" }, "there is no file here; allowed are manifest, kubernetes"],
    ["why", { job: "x".repeat(301) }, "data/job must NOT have more than 300 characters"],
    ["why", { job: "pi", kubeconfig: "/etc/passwd" }, "there is no kubeconfig here; allowed are job, namespace"],
    ["why", { job: "pi", context: "production" }, "there is no context here; allowed are job, namespace"],
    ["wait", { jobs: ["pi"], timeoutSeconds: 301 }, "data/timeoutSeconds must be <= 300"],
    ["wait", { jobs: ["pi"], for: "ever" }, "data/for must be equal to one of the allowed values"],
    ["wait", { jobs: Array(51).fill("pi") }, "data/jobs must NOT have more than 50 items"],
    ["doctor", { tryPatches: true }, "there is no tryPatches here; allowed are olderThan, namespace"],
    ["explain", { code: "x".repeat(65) }, "data/code must NOT have more than 64 characters"],
  ])("of %s with %j is refused", async (name, input, sentence) => {
    const { isError, text } = await call(await connect(), name, input);
    expect(isError).toBe(true);
    expect(text).toContain(sentence);
  });

  it("names only a context that is allowed", async () => {
    const client = await connect({ allowedContexts: ["staging"], kubeconfig: "/no/such/file" });
    expect((await call(client, "why", { job: "pi", context: "production" })).text).toContain(
      "data/context must be equal to one of the allowed values",
    );
    expect((await call(client, "why", { job: "pi", context: "staging" })).text).toContain("/no/such/file");
  });

  it("that meets a bug is answered, and standard error has the stack", async () => {
    const console = new RecordingConsole("/");
    Object.assign(console, { environment: null });
    const { isError, text } = await call(await connect({}, console), "lint", { manifest: job("") });
    expect(isError).toBe(true);
    expect(text).toMatch(/^this is a bug of stint: .*; its standard error has more$/);
    expect(console.err).toMatch(/^stint: this is a bug: TypeError: [^]*\n {4}at /);
    expect(console.out).toBe("");
  });

  it("is refused while too many are under way, and taken after those", async () => {
    const client = await connect();
    const lint = (): Promise<Called> => call(client, "lint", { manifest: job("") });
    const all = await Promise.all(Array.from({ length: 9 }, lint));
    expect(all.map(({ isError }) => isError)).toEqual([...Array(8).fill(false), true]);
    expect(all[8]!.text).toBe("8 calls are under way; allowed are 8 at a time. Ask again when one has ended.");
    expect((await lint()).isError).toBe(false);
  });

  it("of no tool is an error, and the next one is answered", async () => {
    const client = await connect();
    await expect(client.callTool({ name: "delete", arguments: {} })).rejects.toThrow("Tool delete not found");
    expect((await call(client, "explain", { code: "Backoff" })).isError).toBe(false);
  });
});
