/**
 * A real kube-apiserver calls `stint webhook` on loopback, with the configurations of deploy/webhook.
 *
 * The API server behaves like 1.34 with two switches as they could be then: the rules of the status that came with
 * managedBy are off, and it has another warning about gitRepo. A server of today says all that the webhook says, and
 * says it first: there would be nothing to see.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { createServerCertificate } from "../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../host-node/server/server-certificate.ts";
import { ask } from "../host-node/webhook/https-client.ts";
import { findKubectl, whyUnavailable } from "./binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { Running } from "./processes.ts";

const MAIN = resolve(import.meta.dirname, "../../host-node/cli/main.ts");
const MANIFESTS = resolve(import.meta.dirname, "../../deploy/webhook");
const READY_TIMEOUT_MS = 60_000;
/** The longest that an API server waits: a review of 250,000 values takes a second when nothing else runs. */
const TIMEOUT_SECONDS = 30;
/** The API server takes note of a configuration by a watch. */
const NOTICED = { timeout: 60_000, interval: 200 };
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1";

interface Job {
  readonly metadata: { readonly uid: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: object;
}
interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly {
    readonly rules: readonly { readonly resources: readonly string[] }[];
    readonly clientConfig: { readonly service: { readonly path: string } };
  }[];
}

function manifest<T = WebhookConfiguration>(file: string): T {
  return parse(readFileSync(resolve(MANIFESTS, "base", file), "utf8")) as T;
}

const jobText = (name: string, podSpec: object = {}, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      ...spec,
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }], ...podSpec },
      },
    },
  });
const GIT_REPO = { volumes: [{ name: "code", gitRepo: { repository: "https://example.com/code" } }] };

const describeHere = describe.skipIf(
  (whyUnavailable() ?? (findKubectl() === undefined ? "no kubectl" : undefined)) !== undefined,
);

let controlPlane: ControlPlane;
let certificate: ServerCertificate;
let webhook: Running;
let url: string;

function kubectl(
  args: readonly string[],
  input = "",
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    findKubectl()!,
    ["--cache-dir", controlPlane.processes.path("kubectl-cache"), "--kubeconfig", controlPlane.kubeconfig(), ...args],
    { encoding: "utf8", input },
  );
  return { status, stdout, stderr };
}
const create = (text: string, ...args: string[]): ReturnType<typeof kubectl> =>
  kubectl(["create", "-f", "-", ...args], text);

/**
 * Applies a manifest's configuration, with the address on loopback in place of the Service; with more in its path,
 * for more resources or for other namespaces, if asked for.
 */
async function configure(
  file: string,
  { failurePolicy = "Fail", resources = [] as readonly string[], profile = "", selector = {} } = {},
): Promise<void> {
  const configuration = manifest(file);
  const isValidating = configuration.kind === "ValidatingWebhookConfiguration";
  const caBundle = Buffer.from(certificate.authority).toString("base64");
  const webhooks = configuration.webhooks.map((entry) => ({
    ...entry,
    ...selector,
    clientConfig: { url: `${url}${entry.clientConfig.service.path}${profile}`, caBundle },
    failurePolicy,
    timeoutSeconds: TIMEOUT_SECONDS,
    rules: entry.rules.map((rule) => ({ ...rule, resources: [...rule.resources, ...resources] })),
  }));
  const collection = `${CONFIGURATIONS}/${isValidating ? "validating" : "mutating"}webhookconfigurations`;
  const client = controlPlane.client();
  const path = `${collection}/${configuration.metadata.name}`;
  if ((await client.request("GET", path)).status === 404)
    await client.succeed("POST", collection, { ...configuration, webhooks });
  else await client.succeed("PATCH", path, { webhooks });
}

async function reviews(phase: string): Promise<number> {
  const { body } = await ask(`${url}/metrics`, certificate.authority, { method: "GET" });
  return [...body.matchAll(new RegExp(`^stint_webhook_reviews_total\\{phase="${phase}",.*\\} (\\d+)$`, "gm"))].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

let profiles: string;
/** As a kubelet does: a reader sees the old text or the new one. */
const writeProfile = (file: string, text: string): void => {
  const aside = resolve(profiles, `..${file}`);
  writeFileSync(aside, text);
  renameSync(aside, resolve(profiles, file));
};

beforeAll(async () => {
  controlPlane = await startControlPlane({
    emulatedVersion: "1.34",
    featureGates: { JobManagedBy: false, GitRepoVolumeDriver: true },
  });
  certificate = createServerCertificate(Date.now());
  const cert = controlPlane.processes.write("webhook.crt", certificate.certificate);
  const key = controlPlane.processes.write("webhook.key", certificate.privateKey);
  profiles = controlPlane.processes.path("profiles");
  mkdirSync(profiles);
  const { data } = manifest<{ data: Readonly<Record<string, string>> }>("profiles.yaml");
  for (const [file, text] of Object.entries(data)) writeProfile(file, text);
  const started = await controlPlane.processes.startServer({
    name: "webhook",
    command: process.execPath,
    args: (port) => [
      MAIN,
      "webhook",
      "--cert",
      cert,
      "--key",
      key,
      "--profiles",
      profiles,
      "--reload-period=100ms",
      "--port",
      String(port),
      "--log-level",
      "debug",
      `--request-timeout=${TIMEOUT_SECONDS - 1}s`,
    ],
    isReady: async (port) =>
      (await ask(`https://127.0.0.1:${port}/readyz`, certificate.authority, { method: "GET" })).status === 200,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  webhook = started.running;
  url = `https://127.0.0.1:${started.port}`;
});
afterAll(() => controlPlane?.stop());

const DEADLINE = { activeDeadlineSeconds: 600 };
const QUIET = { ...DEADLINE, ttlSecondsAfterFinished: 600 };
const inTeam = (team: string, text: string, ...args: string[]): ReturnType<typeof kubectl> =>
  create(text, "--namespace", team, ...args);
const dryRun = (team: string, text: string): ReturnType<typeof kubectl> => inTeam(team, text, "--dry-run=server");

let teams: Promise<void> | undefined;
/** Makes the namespaces of the teams and the configurations of their profiles, once for the file. */
const withTeams = (): Promise<void> => (teams ??= makeTeams());

async function makeTeams(): Promise<void> {
  await configure("profile-advise.yaml");
  await configure("profile-strict.yaml");
  for (const team of ["strict", "advise", "free"]) {
    expect(kubectl(["create", "namespace", team])).toMatchObject({ status: 0 });
    if (team !== "free") kubectl(["label", "namespace", team, `stint.dev/profile=${team}`]);
  }
  await vi.waitFor(() => {
    expect(dryRun("strict", jobText("first")).status).toBe(1);
    expect(dryRun("advise", jobText("first")).stderr).toMatch(/NoDeadline/);
  }, NOTICED);
}

describeHere("a real API server", () => {
  it("takes the manifests, in a namespace that wants restricted pods, without a warning", () => {
    const rendered = kubectl(["kustomize", resolve(MANIFESTS, "base")]);
    expect(rendered).toMatchObject({ status: 0, stderr: "" });
    expect(kubectl(["apply", "-f", resolve(MANIFESTS, "base/namespace.yaml")])).toMatchObject({ status: 0 });
    const applied = kubectl(["apply", "--dry-run=server", "-f", "-"], rendered.stdout);
    expect(applied).toMatchObject({ status: 0, stderr: "" });
    expect(
      applied.stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual([
      "namespace/stint-system",
      "serviceaccount/stint-webhook",
      "configmap/stint-webhook-profiles",
      "service/stint-webhook",
      "deployment.apps/stint-webhook",
      "poddisruptionbudget.policy/stint-webhook",
      "networkpolicy.networking.k8s.io/stint-webhook",
      "mutatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook-advise",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook-strict",
    ]);
    const withCertificate = kubectl(["kustomize", resolve(MANIFESTS, "overlays/cert-manager")]);
    expect(withCertificate).toMatchObject({ status: 0, stderr: "" });
    expect(
      withCertificate.stdout.match(/^    cert-manager\.io\/inject-ca-from: stint-system\/stint-webhook$/gm),
    ).toHaveLength(4);
  });

  it("gives the webhook the rights of an account without any role", () => {
    const rights = (account: string): string => {
      const args = ["auth", "can-i", "--list", "--namespace=stint-system"];
      return kubectl([...args, `--as=system:serviceaccount:stint-system:${account}`]).stdout;
    };
    expect(kubectl(["apply", "-f", resolve(MANIFESTS, "base/service-account.yaml"), "-n", "stint-system"]).status).toBe(
      0,
    );
    expect(rights("stint-webhook")).toContain("selfsubjectreviews");
    expect(rights("stint-webhook")).toBe(rights("without-roles"));
  });
});

describeHere("a real API server with both configurations of stint webhook", () => {
  beforeAll(async () => {
    await configure("mutating-webhook.yaml");
    await configure("validating-webhook.yaml", { resources: ["jobs/status"] });
    await vi.waitFor(async () => {
      expect(create(jobText("first"), "--dry-run=server")).toMatchObject({ status: 0 });
      expect(await Promise.all(["validate", "mutate"].map(reviews))).not.toContain(0);
    }, NOTICED);
  });

  it("stores a good Job as it does without the webhook", async () => {
    expect(create(jobText("good"))).toEqual({ status: 0, stdout: "job.batch/good created\n", stderr: "" });
    const asked = await reviews("validate");
    // The configurations leave this namespace out.
    expect(create(jobText("good"), "--namespace", "kube-system")).toMatchObject({ status: 0 });
    expect(await reviews("validate")).toBe(asked);
    const client = controlPlane.client();
    const [reviewed, other] = await Promise.all(
      ["default", "kube-system"].map((namespace) =>
        client.succeed<Job>("GET", `/apis/batch/v1/namespaces/${namespace}/jobs/good`),
      ),
    );
    const withoutUid = ({ metadata: { uid, labels }, spec }: Job): object =>
      JSON.parse(JSON.stringify({ labels, spec }).replaceAll(uid, "UID")) as object;
    expect(withoutUid(reviewed!)).toEqual(withoutUid(other!));
  });

  it("shows a warning of the webhook beside its own", () => {
    const field = "spec.template.spec.volumes[0].gitRepo";
    const { status, stderr } = create(jobText("warned", GIT_REPO));
    expect(status).toBe(0);
    expect(stderr.trim().split("\n")).toEqual([
      `Warning: ${field}: deprecated in v1.11`,
      `Warning: ${field}: deprecated in v1.11, and disabled by default in v1.33+`,
    ]);
  });

  it("shows a warning that both have once", () => {
    const { status, stderr } = create(jobText("a.b"));
    expect(status).toBe(0);
    expect(stderr).toMatch(/^Warning: metadata\.name: this is used in Pod names and hostnames, .*\n$/);
  });

  it("refuses a status that contradicts the one before, with the path of the field in kubectl's output", () => {
    expect(create(jobText("counted"))).toMatchObject({ status: 0 });
    const store = (status: object): ReturnType<typeof kubectl> =>
      kubectl([
        "patch",
        "job",
        "counted",
        "--subresource=status",
        "--type=merge",
        "--patch",
        JSON.stringify({ status }),
      ]);
    expect(store({ failed: 3 })).toMatchObject({ status: 0 });
    expect(store({ failed: 1 })).toEqual({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(/^The Job "counted" is invalid: status\.failed: Invalid value: 1: .*decrease.*\n$/),
    });
    expect(store({ failed: 4 })).toMatchObject({ status: 0 });
    expect(webhook.log()).toMatch(
      /"phase":"validate",.*"kind":"Job","name":"counted","fields":\["status\.failed"\],"msg":"denied"/,
    );
  });

  it("shows why the webhook could not review a Job", () => {
    const args = Array.from({ length: 250_000 }, () => "");
    const { status, stderr } = create(
      jobText("huge", { containers: [{ name: "main", image: "example.com/nothing", args }] }),
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /failed calling webhook "mutate\.jobs\.stint\.dev": failed to call webhook: the review cannot be read: there are more than 250000 values, at byte \d+\n$/,
    );
  });

  it("answers a bad Job itself, before the webhook is asked to validate", async () => {
    const asked = await reviews("validate");
    expect(create(jobText("bad", { restartPolicy: "Always" }))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("spec.template.spec.restartPolicy"),
    });
    expect(await reviews("validate")).toBe(asked);
  });
});

describeHere("stint webhook with the profiles of the manifests", () => {
  beforeAll(withTeams);

  it("denies by lint, with the field and the rule, in a namespace with the label", () => {
    const containers = [
      { name: "main", image: "example.com/nothing" },
      { name: "cloud-sql-proxy", image: "example.com/cloud-sql-proxy" },
    ];
    expect(inTeam("strict", jobText("proxied", { containers }, QUIET))).toEqual({
      status: 1,
      stdout: "",
      stderr:
        'The Job "proxied" is invalid: spec.template.spec.containers[1]: Forbidden: container cloud-sql-proxy does not end when the work is done: the pod goes on, and so does the Job. Fix: make it an init container with restartPolicy Always, which the kubelet ends after the others (LegacySidecar, profile strict)\n',
    });
  });

  it("says of a Job without a deadline what would be within all budgets", () => {
    expect(inTeam("strict", jobText("endless"))).toMatchObject({
      status: 1,
      stderr: [
        'The Job "endless" is invalid: ',
        "* spec.activeDeadlineSeconds: Forbidden: nothing limits how long the pods of this Job take; the budget of this namespace is 500 pod hours (profile strict); with spec.activeDeadlineSeconds 86370 it fits",
        "* spec.activeDeadlineSeconds: Forbidden: nothing limits how long this Job takes; the budget of this namespace is 24 h (profile strict); with spec.activeDeadlineSeconds 86370 it fits",
        "",
      ].join("\n"),
    });
    expect(dryRun("strict", jobText("ends", {}, { ...QUIET, activeDeadlineSeconds: 86_370 }))).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("denies what is beyond a budget, and the value that it names fits", () => {
    const wide = (completions: number): string =>
      jobText("wide", {}, { ...QUIET, completions, parallelism: 5, backoffLimit: 6 });
    expect(inTeam("strict", wide(1100))).toMatchObject({
      status: 1,
      stderr:
        'The Job "wide" is invalid: spec.completions: Forbidden: this Job may run 1106 pods; the budget of this namespace is 1000 pods (profile strict); with spec.completions 994 it fits\n',
    });
    expect(dryRun("strict", wide(995)).status).toBe(1);
    expect(inTeam("strict", wide(994))).toEqual({ status: 0, stdout: "job.batch/wide created\n", stderr: "" });
  });

  it("warns, and forecasts, in a namespace with the other label", () => {
    expect(inTeam("advise", jobText("endless"))).toEqual({
      status: 0,
      stdout: "job.batch/endless created\n",
      stderr: [
        "Warning: forecast: 7 pods at most, gives up after 10 min 30 s",
        "Warning: NoDeadline: without activeDeadlineSeconds nothing ends the Job when a pod hangs or cannot start",
        "Warning: NoTimeToLive: nothing deletes the Job after its end: it has neither ttlSecondsAfterFinished nor an owner",
        "",
      ].join("\n"),
    });
  });

  it("says nothing in a namespace without a label, until it gets one", async () => {
    expect(inTeam("free", jobText("endless"))).toEqual({
      status: 0,
      stdout: "job.batch/endless created\n",
      stderr: "",
    });
    kubectl(["label", "namespace", "free", "stint.dev/profile=strict"]);
    await expect.poll(() => dryRun("free", jobText("other")).status, NOTICED).toBe(1);
    // What was stored before can be changed, as long as that makes nothing worse.
    const patch = (text: string): ReturnType<typeof kubectl> =>
      kubectl(["patch", "job", "endless", "--namespace=free", "--type=merge", "--patch", text]);
    expect(patch('{"metadata":{"labels":{"a":"b"}}}')).toMatchObject({ status: 0 });
    expect(patch('{"spec":{"suspend":true}}')).toMatchObject({ status: 0 });
    expect(patch('{"spec":{"suspend":false}}')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("spec.activeDeadlineSeconds: Forbidden: nothing limits how long this Job takes"),
    });
    expect(patch('{"spec":{"suspend":false,"activeDeadlineSeconds":600}}')).toMatchObject({ status: 0 });
    kubectl(["label", "namespace", "free", "stint.dev/profile-"]);
    await expect.poll(() => dryRun("free", jobText("other")).status, NOTICED).toBe(0);
  });

  it("judges CronJobs by the Jobs that they will make", () => {
    const jobTemplate = JSON.parse(jobText("")) as { spec: object };
    const cronJob = (spec: object): string =>
      JSON.stringify({
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "nightly" },
        spec: { schedule: "0 3 * * *", jobTemplate: { spec: { ...jobTemplate.spec, ...spec } } },
      });
    expect(inTeam("strict", cronJob({}))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        "spec.jobTemplate.spec.activeDeadlineSeconds: Forbidden: nothing limits how long each Job",
      ),
    });
    expect(inTeam("strict", cronJob(DEADLINE))).toMatchObject({ status: 0, stderr: "" });
  });
});

describeHere("stint webhook with profiles that change", () => {
  beforeAll(withTeams);

  it("denies an update of parallelism that goes beyond a budget, and takes one that comes back", async () => {
    writeProfile("strict.yaml", "maxPodHours: 2");
    const hours = { ...QUIET, completions: 100, parallelism: 5 };
    await expect
      .poll(() => dryRun("strict", jobText("big", {}, { ...hours, parallelism: 50 })).status, NOTICED)
      .toBe(1);
    expect(inTeam("strict", jobText("elastic", {}, hours))).toMatchObject({ status: 0 });
    const scale = (parallelism: number): ReturnType<typeof kubectl> => {
      const text = JSON.stringify({ spec: { parallelism } });
      return kubectl(["patch", "job", "elastic", "--namespace=strict", "--type=merge", "--patch", text]);
    };
    expect(scale(50)).toMatchObject({
      status: 1,
      stderr:
        'The Job "elastic" is invalid: spec.parallelism: Forbidden: this Job may take 8.75 pod hours; the budget of this namespace is 2 pod hours (profile strict); with spec.parallelism 11 it fits\n',
    });
    expect(scale(11)).toMatchObject({ status: 0 });
    writeProfile("strict.yaml", "maxPodHours: 1");
    await expect.poll(() => dryRun("strict", jobText("big", {}, { ...hours, parallelism: 8 })).status, NOTICED).toBe(1);
    expect(scale(10)).toMatchObject({ status: 0 });
  });

  it("keeps the profiles that it has while a file is wrong", async () => {
    writeProfile("strict.yaml", "maxPodHour: 1000");
    await expect.poll(() => webhook.log(), NOTICED).toContain("strict.yaml:1:1: maxPodHour is no setting; allowed are");
    expect(dryRun("strict", jobText("big", {}, { ...QUIET, completions: 50, parallelism: 50 })).status).toBe(1);
    writeProfile("strict.yaml", "maxPodHours: 1000");
    await expect
      .poll(() => dryRun("strict", jobText("big", {}, { ...QUIET, completions: 50, parallelism: 50 })).status, NOTICED)
      .toBe(0);
  });

  it("annotates with the forecast, if a profile says so", async () => {
    writeProfile("noted.yaml", "forecast: annotation");
    const selector = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "free" } } };
    await configure("mutating-webhook.yaml", { profile: "/noted", selector });
    const annotated = (): string =>
      inTeam("free", jobText("noted", {}, QUIET), "--dry-run=server", "-o", "json").stdout;
    await expect
      .poll(annotated, NOTICED)
      .toContain('"stint.dev/forecast": "6 pods at most, gives up after 10 min, ends within 10 min 30 s');
    await configure("mutating-webhook.yaml");
    await expect.poll(annotated, NOTICED).not.toContain("stint.dev/forecast");
  });

  it("names the profiles in an error when there is none of that name; failurePolicy decides", async () => {
    await configure("profile-advise.yaml", { profile: "d" });
    await expect
      .poll(() => dryRun("advise", jobText("unknown")), NOTICED)
      .toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /failed calling webhook "advise\.jobs\.stint\.dev": failed to call webhook: no profile has the name "advised", which is in the path; there are advise, noted, strict \(--profiles\)\n$/,
        ),
      });
    await configure("profile-advise.yaml", { profile: "d", failurePolicy: "Ignore" });
    await expect.poll(() => dryRun("advise", jobText("unknown")).status, NOTICED).toBe(0);
  });
});

describeHere("a real API server while stint webhook is away", () => {
  beforeAll(() => webhook.stop());

  it("refuses Jobs with failurePolicy Fail, and says which webhook is to blame", () => {
    const { status, stderr } = create(jobText("unseen"));
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^Error from server \(InternalError\): .*failed calling webhook "mutate\.jobs\.stint\.dev": .*connection refused\n$/,
    );
  });

  it("stores them with failurePolicy Ignore, as the manifests have it", async () => {
    await configure("mutating-webhook.yaml", { failurePolicy: "Ignore" });
    await expect
      .poll(() => create(jobText("unseen"), "--dry-run=server").stderr, NOTICED)
      .toMatch(/failed calling webhook "validate\.jobs\.stint\.dev"/);
    await configure("validating-webhook.yaml", { failurePolicy: "Ignore" });
    await expect.poll(() => create(jobText("unseen"), "--dry-run=server").status, NOTICED).toBe(0);
    expect(create(jobText("unseen"))).toEqual({ status: 0, stdout: "job.batch/unseen created\n", stderr: "" });
    for (const file of ["mutating-webhook.yaml", "validating-webhook.yaml"])
      expect(manifest(file).webhooks).toEqual([expect.objectContaining({ failurePolicy: "Ignore" })]);
  });

  it("lets nothing past the profile strict, and anything past the profile advise", () => {
    expect(create(jobText("unseen"), "--namespace=strict")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/failed calling webhook "strict\.jobs\.stint\.dev": /),
    });
    expect(create(jobText("unseen"), "--namespace=advise")).toMatchObject({ status: 0 });
    const policies = ["strict", "advise"].map((name) => manifest(`profile-${name}.yaml`).webhooks);
    expect(policies).toMatchObject([[{ failurePolicy: "Fail" }], [{ failurePolicy: "Ignore" }]]);
  });
});
