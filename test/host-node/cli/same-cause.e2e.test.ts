/**
 * Each surface says the same of the same failure: `why`, `wait` in each format, the controls of `stint serve`, `run` in
 * each format, and the playground. All of them take who ended the last pod from `account`. What holds a Job is from
 * there, too: of one that does not go on `why`, `wait`, `doctor`, `run` in each format, the controls and /debug/jobs
 * say the same.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildModule } from "../../../scripts/build-engine.ts";
import { type Served, startServe } from "../serving.ts";
import { PodState } from "../../../host-browser/records.ts";
import { Run } from "../../host-browser/history/run.ts";
import { CommandFolder } from "./command-folder.ts";
import { ask } from "../webhook/https-client.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const FOREVER = { runMs: "forever" };

interface Way {
  readonly outcome: object;
  readonly podSpec?: object;
  readonly container?: object;
  /** The cause, without the names of nodes and pods. */
  readonly cause: RegExp;
  /** Ends the pod. Undefined for `run`, which has no API to do it by. */
  readonly act?: (pod: string) => readonly [method: string, path: string, body: object];
  /** The same as an action in the playground. */
  readonly playground?: { readonly kind: "evict-pod" | "delete-pod"; readonly namespace: string };
}

const WAYS: Readonly<Record<string, Way>> = {
  exits: {
    outcome: { runMs: 1000, exitCode: 3, message: "no such table" },
    cause: /^container main exited \(exit code 3, Error\): no such table$/,
  },
  memory: {
    outcome: { runMs: 1000, exitCode: 137, reason: "OOMKilled" },
    cause: /^container main was killed for want of memory \(exit code 137, signal 9, OOMKilled\)$/,
  },
  hangs: {
    outcome: { ...FOREVER, hangsAfterMs: 1000 },
    podSpec: { terminationGracePeriodSeconds: 1 },
    container: { livenessProbe: { exec: { command: ["true"] }, periodSeconds: 1, failureThreshold: 2 } },
    cause: /^container main was killed by the kubelet, because its liveness probe failed \(exit code /,
  },
  late: {
    outcome: FOREVER,
    podSpec: { activeDeadlineSeconds: 5 },
    cause: /^its activeDeadlineSeconds, those of the pod, were over$/,
  },
  drained: {
    outcome: FOREVER,
    cause: /^it was evicted through the API, as kubectl drain does it$/,
    act: (name) => [
      "POST",
      `${PODS}/${name}/eviction`,
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
    ],
    playground: { kind: "evict-pod", namespace: "default" },
  },
  deleted: {
    outcome: FOREVER,
    cause: /^it was deleted, and nothing says by whom$/,
    act: (name) => ["DELETE", `${PODS}/${name}`, {}],
    playground: { kind: "delete-pod", namespace: "default" },
  },
};

function manifest(name: string, { outcome, podSpec, container }: Way): object {
  const annotations = { "stint.dev/simulate": JSON.stringify(outcome) };
  const main = { name: "main", image: "none", ...container };
  const template = { metadata: { annotations }, spec: { restartPolicy: "Never", ...podSpec, containers: [main] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { backoffLimit: 0, template } };
}

const folder = new CommandFolder();
type Send = (method: string, path: string, body?: object) => Promise<any>;
let served: Served;
let send: Send;

function sender({ kubeconfig }: Served): Send {
  const config = parse(readFileSync(kubeconfig, "utf8"));
  const { server, "certificate-authority-data": data } = config.clusters[0].cluster;
  const headers = { authorization: `Bearer ${config.users[0].user.token}`, "user-agent": "launcher/1.0" };
  const authority = Buffer.from(data, "base64").toString();
  return async (method, path, body = {}) => {
    const given = method === "POST" ? { body: JSON.stringify(body) } : {};
    const answer = await ask(`${server}${path}`, authority, { method, headers, ...given });
    expect(answer.status, answer.body).toBeLessThan(300);
    return JSON.parse(answer.body);
  };
}

beforeAll(async () => {
  await buildModule("engine");
  served = await startServe(["--clock", "virtual", "--control", "--seed", "1"]);
  send = sender(served);
  for (const [name, way] of Object.entries(WAYS)) await send("POST", JOBS, manifest(name, way));
  await send("POST", "/control/v1/advance", { duration: "4s" });
  const { items } = await send("GET", PODS, {});
  for (const [name, { act }] of Object.entries(WAYS)) {
    const pod = items.find(({ metadata }: any) => metadata.labels["job-name"] === name).metadata.name;
    if (act !== undefined) await send(...act(pod));
  }
  await send("POST", "/control/v1/advance", { duration: "60s" });
});
afterAll(async () => {
  await served?.stop();
  folder.remove();
});

async function stint(...args: readonly string[]): Promise<string> {
  const { out } = await folder.run(...args, "--kubeconfig", served.kubeconfig);
  return out;
}

const lastOf = (text: string): any => JSON.parse(text.trim().split("\n").at(-1)!);
/** The failure is on a separate line, as each line of a log is. */
const shown = (text: string): string | undefined => /last failure: pod \S+: (.*)$/m.exec(text)?.[1];
const unescaped = (text: string): string => text.replaceAll("&#10;", "\n").replaceAll("&#34;", '"');
const inReport = (text: string): string | undefined => /pod [\w-]+: (.*?)(?:\n|<)/.exec(unescaped(text))?.[1];

describe("the cause is the same", () => {
  it.each(Object.entries(WAYS))("in why, wait and the controls: %s", async (name, way) => {
    const { failure } = JSON.parse(await stint("why", name, "-o", "json")).lastFailure;
    expect(failure).toMatch(way.cause);
    const { why } = await send("GET", `/control/v1/why?job=job/${name}`, {});
    const waited = ["text", "json", "junit"].map((format) => stint("wait", name, "-o", format));
    const [text = "", json = "", junit = ""] = await Promise.all(waited);
    expect({
      why: shown(await stint("why", name)),
      control: shown(why),
      wait: shown(text),
      waitJson: lastOf(json).lastFailure.failure,
      waitJunit: inReport(junit),
    }).toEqual({ why: failure, control: failure, wait: failure, waitJson: failure, waitJunit: failure });
  });

  it.each(Object.entries(WAYS).filter(([, { act }]) => act === undefined))("in a run: %s", async (name, way) => {
    const { failure } = JSON.parse(await stint("why", name, "-o", "json")).lastFailure;
    const file = folder.file(`${name}.json`, JSON.stringify(manifest(name, way)));
    const run = (format: string) => folder.run("run", "--runtime", "simulated", "--output", format, file);
    const [text, json, junit, github] = await Promise.all(["text", "json", "junit", "github"].map(run));
    expect({
      text: shown(text!.out),
      json: lastOf(json!.out).jobs[0].lastFailure.failure,
      junit: inReport(junit!.out),
      github: /last failure: pod \S+: (.*?)(?:%0A|$)/m.exec(github!.out)?.[1],
    }).toEqual({ text: failure, json: failure, junit: failure, github: failure });
  });

  // The kubelets of the playground run no probes.
  it.each(Object.entries(WAYS).filter(([name]) => name !== "hangs"))(
    "in the playground: %s",
    async (name, { playground, ...way }) => {
      const { failure } = JSON.parse(await stint("why", name, "-o", "json")).lastFailure;
      const yaml = JSON.stringify(manifest(name, way));
      const pod = new Run(yaml).to(1).history.book.tables.podNames[0]!;
      const inputs = playground === undefined ? [] : [{ atMs: 4_000, action: { ...playground, name: pod } }];
      const run = new Run(yaml, { inputs }).to(64_000);
      const view = run.look({ atMs: 64_000, job: 0, panel: "account" });
      const { columns, length } = run.history.book.tables.transitions;
      const failed = columns.state.data.subarray(0, length).indexOf(PodState.FAILED);
      const { why } = run.look({ atMs: 64_000, job: 0, why: { of: "transition", id: failed } });
      expect(view.account!.rows.map(({ sentence }) => sentence)).toEqual([`pod ${pod} has failed: ${failure}`]);
      expect(why!.text).toContain(`od ${pod} has failed: ${failure}`);
    },
  );
});

interface Held {
  readonly spec?: object;
  readonly outcome: object;
  readonly podSpec?: object;
  readonly podMetadata?: object;
  readonly container?: object;
  readonly helper?: object;
  readonly quota?: object;
  readonly sentence: RegExp;
  /** The controller says it with its own times, in these words: no text has the sentence beside them. */
  readonly explained?: RegExp;
  readonly isFoundByDoctor: boolean;
  /** How long `run` runs it; undefined: it refuses the manifest, as nothing would ever resume or schedule it. */
  readonly runFor?: string;
}

const HELD: Readonly<Record<string, Held>> = {
  suspended: {
    spec: { suspend: true },
    outcome: {},
    sentence: /^spec\.suspend is true, which launcher has set$/,
    isFoundByDoctor: true,
  },
  image: {
    outcome: { failReason: "ErrImagePull", failMessage: "no such image" },
    sentence: /^1 pod cannot start: container main of pod image-\w+ waits with ImagePullBackOff: .*no such image$/,
    isFoundByDoctor: true,
    runFor: "2m",
  },
  quota: {
    outcome: {},
    quota: { hard: { pods: "0" } },
    sentence: /^the API server refuses new pods: pods "quota-\w+" is forbidden: exceeded quota: none, /,
    isFoundByDoctor: true,
    runFor: "2m",
  },
  unschedulable: {
    spec: { parallelism: 2, completions: 2 },
    outcome: FOREVER,
    container: { resources: { requests: { cpu: "6000" } } },
    sentence: /^1 pod has no node: 0\/1 nodes are available: 1 Insufficient cpu/,
    isFoundByDoctor: false,
    runFor: "2m",
  },
  terminating: {
    spec: { activeDeadlineSeconds: 30 },
    outcome: { ...FOREVER, sigterm: { exitCode: 143, afterMs: 864_000_000 } },
    podSpec: { terminationGracePeriodSeconds: 864_000 },
    podMetadata: { finalizers: ["example.com/keep"] },
    sentence: /^1 pod is being ended, and the finalizer example\.com\/keep keeps pod terminating-\w+$/,
    isFoundByDoctor: false,
    runFor: "2m",
  },
  backoff: {
    spec: { backoffLimit: 6 },
    outcome: { runMs: 192 * 3_600_000 - 5_000, exitCode: 1 },
    sentence: /^pods have failed, and the controller waits before it creates the next one$/,
    explained: /waiting \d+ s before the next pod is created: 1 failure in a row, back-off 10 s since /,
    isFoundByDoctor: false,
    runFor: "192h",
  },
  kept: {
    outcome: { byContainer: { main: { runMs: 1000 }, proxy: FOREVER } },
    helper: { name: "proxy", image: "none", restartPolicy: "Always" },
    sentence: /^pod kept-\w+ does not end: its work is over, but container proxy has restartPolicy Always, /,
    isFoundByDoctor: false,
    runFor: "2m",
  },
};

function heldManifest(
  name: string,
  { spec, outcome, podSpec = {}, podMetadata, container = {}, helper }: Held,
): object {
  const job: any = manifest(name, { outcome, podSpec, container, cause: /^$/ });
  Object.assign(job.spec, spec);
  const { template } = job.spec;
  Object.assign(template.metadata, podMetadata);
  if (helper !== undefined) template.spec.containers.push(helper);
  return job;
}

const quotaOf = (hard: object): object => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "none" },
  spec: hard,
});

describe("what holds a Job is the same", () => {
  let server: Served;
  let sendHeld: Send;
  let found: any[];
  const stintIn = async (namespace: string, ...args: readonly string[]): Promise<string> =>
    (await folder.run(...args, "-n", namespace, "--kubeconfig", server.kubeconfig)).out;

  beforeAll(async () => {
    server = await startServe(["--clock", "virtual", "--control", "--seed", "1"]);
    sendHeld = sender(server);
    for (const [name, held] of Object.entries(HELD)) {
      await sendHeld("POST", "/api/v1/namespaces", { metadata: { name } });
      if (held.quota !== undefined)
        await sendHeld("POST", `/api/v1/namespaces/${name}/resourcequotas`, quotaOf(held.quota));
      await sendHeld("POST", `/apis/batch/v1/namespaces/${name}/jobs`, heldManifest(name, held));
    }
    await sendHeld("POST", "/control/v1/advance", { duration: "192h" });
    const doctor = await folder.run("doctor", "-o", "json", "--kubeconfig", server.kubeconfig);
    found = JSON.parse(doctor.out).findings;
  });
  afterAll(() => server?.stop());

  it.each(Object.entries(HELD))("%s", async (name, { sentence, explained, isFoundByDoctor }) => {
    const { holds } = JSON.parse(await stintIn(name, "why", name, "-o", "json"));
    const hold = holds[0].sentence;
    expect(hold).toMatch(sentence);
    const waited = ["text", "json", "junit"].map((format) =>
      stintIn(name, "wait", name, "--timeout", "1s", "-o", format),
    );
    const [text = "", json = "", junit = ""] = await Promise.all(waited);
    expect(await stintIn(name, "why", name)).toMatch(explained ?? literally(`\n  ${hold}\n`));
    expect(text).toContain(`\n  ${hold}\n`);
    expect(lastOf(json).holds[0].sentence).toBe(hold);
    expect(unescaped(junit)).toContain(hold);
    const { why } = await sendHeld("GET", `/control/v1/why?job=${name}/job/${name}`);
    expect(why).toContain(hold);
    const { account } = await sendHeld("GET", `/debug/jobs/${name}/${name}`);
    expect(account.holds[0].sentence).toBe(hold);
    const findings = found.filter(({ namespace }) => namespace === name).map((finding) => finding.sentence);
    expect(findings).toEqual(isFoundByDoctor ? [expect.stringContaining(hold)] : []);
  });

  it.each(Object.entries(HELD).filter(([, { runFor }]) => runFor !== undefined))("in a run: %s", async (name, held) => {
    const items = [...(held.quota === undefined ? [] : [quotaOf(held.quota)]), heldManifest(name, held)];
    const file = folder.file(`${name}.json`, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const run = (format: string) =>
      folder.run("run", "--runtime", "simulated", "--timeout", held.runFor!, "--output", format, file);
    const [text, json, junit, github] = await Promise.all(["text", "json", "junit", "github"].map(run));
    const [job] = lastOf(json!.out).jobs;
    const hold = job.holds[0].sentence;
    expect(hold).toMatch(held.sentence);
    for (const said of [text!.out, job.sentence, unescaped(junit!.out), github!.out])
      expect(withoutNames(said, name)).toMatch(held.explained ?? literally(withoutNames(hold, name)));
  });
});

const literally = (text: string): RegExp => new RegExp(text.replace(/[^\w\s]/g, "\\$&"));
/** Each run draws its names anew. */
const withoutNames = (text: string, job: string): string => text.replaceAll(new RegExp(`${job}-\\w{5}`, "g"), "POD");
