/**
 * A real kube-apiserver calls `stint webhook` on loopback, with the configurations of deploy/webhook.
 *
 * The API server behaves like 1.34 with two switches as they could be then: the rules of the status that came with
 * managedBy are off, and it has another warning about gitRepo. A server of today says all that the webhook says, and
 * says it first: there would be nothing to see.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { createServerCertificate, type ServerCertificate } from "../../host-node/server/certificates.ts";
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
  readonly webhooks: readonly { readonly rules: readonly { readonly resources: readonly string[] }[] }[];
}

function manifest(file: string): WebhookConfiguration {
  return parse(readFileSync(resolve(MANIFESTS, "base", file), "utf8")) as WebhookConfiguration;
}

const jobText = (name: string, podSpec: object = {}): string =>
  JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      template: {
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/nothing" }], ...podSpec },
      },
    },
  });
const GIT_REPO = { volumes: [{ name: "code", gitRepo: { repository: "https://example.com/code" } }] };

describe.skipIf((whyUnavailable() ?? (findKubectl() === undefined ? "no kubectl" : undefined)) !== undefined)(
  "a real API server and stint webhook",
  () => {
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
        [
          "--cache-dir",
          controlPlane.processes.path("kubectl-cache"),
          "--kubeconfig",
          controlPlane.kubeconfig(),
          ...args,
        ],
        { encoding: "utf8", input },
      );
      return { status, stdout, stderr };
    }
    const create = (text: string, ...args: string[]): ReturnType<typeof kubectl> =>
      kubectl(["create", "-f", "-", ...args], text);

    /**
     * Applies a manifest's configuration, with the address on loopback in place of the Service, for more resources if
     * asked for.
     */
    async function configure(
      file: string,
      { failurePolicy = "Fail", resources = [] as readonly string[] } = {},
    ): Promise<void> {
      const configuration = manifest(file);
      const isValidating = configuration.kind === "ValidatingWebhookConfiguration";
      const clientConfig = {
        url: `${url}/${isValidating ? "validate" : "mutate"}`,
        caBundle: Buffer.from(certificate.authority).toString("base64"),
      };
      const webhooks = configuration.webhooks.map((entry) => ({
        ...entry,
        clientConfig,
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
      return [
        ...body.matchAll(new RegExp(`^stint_webhook_reviews_total\\{phase="${phase}",.*\\} (\\d+)$`, "gm")),
      ].reduce((sum, [, count]) => sum + Number(count), 0);
    }

    beforeAll(async () => {
      controlPlane = await startControlPlane({
        emulatedVersion: "1.34",
        featureGates: { JobManagedBy: false, GitRepoVolumeDriver: true },
      });
      certificate = await createServerCertificate(Date.now());
      const cert = controlPlane.processes.write("webhook.crt", certificate.certificate);
      const key = controlPlane.processes.write("webhook.key", certificate.privateKey);
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
        "service/stint-webhook",
        "deployment.apps/stint-webhook",
        "poddisruptionbudget.policy/stint-webhook",
        "networkpolicy.networking.k8s.io/stint-webhook",
        "mutatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook",
        "validatingwebhookconfiguration.admissionregistration.k8s.io/stint-webhook",
      ]);
      const withCertificate = kubectl(["kustomize", resolve(MANIFESTS, "overlays/cert-manager")]);
      expect(withCertificate).toMatchObject({ status: 0, stderr: "" });
      expect(
        withCertificate.stdout.match(/^    cert-manager\.io\/inject-ca-from: stint-system\/stint-webhook$/gm),
      ).toHaveLength(2);
    });

    describe("with both configurations", () => {
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
          stderr: expect.stringMatching(
            /^The Job "counted" is invalid: status\.failed: Invalid value: 1: .*decrease.*\n$/,
          ),
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

    describe("while the webhook is away", () => {
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
    });
  },
);
