/**
 * kubectl, a real `stint serve` and admission webhooks: `stint webhook` as a process, and a small one that is played
 * here. Skipped where there is no kubectl.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerCertificate } from "../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../host-node/server/server-certificate.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl, succeed } from "./kubectl.ts";
import { type Served, startServe } from "./serving.ts";
import { ask } from "./webhook/https-client.ts";
import { type RunningWebhook, startWebhook } from "./webhook/running-webhook.ts";

describe.skipIf(!hasKubectl)("admission webhooks of stint serve", () => {
  let served: Served;
  let certificate: ServerCertificate;
  let own: Server;
  let stintWebhook: RunningWebhook;
  const directory = mkdtempSync(join(tmpdir(), "stint-admission-"));
  let answer: (request: any) => object = () => ({});
  beforeAll(async () => {
    await buildModule("engine");
    certificate = createServerCertificate(Date.now());
    own = createServer({ cert: certificate.certificate, key: certificate.privateKey }, async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const review = JSON.parse(text);
      const verdict = { uid: review.request.uid, allowed: true, ...answer(review.request) };
      response.end(JSON.stringify({ kind: review.kind, apiVersion: review.apiVersion, response: verdict }));
    });
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    stintWebhook = await startWebhook(directory, certificate);
    served = await startServe();
  });
  afterAll(async () => {
    expect(await served?.stop()).toBe(0);
    await stintWebhook?.stop();
    own?.close();
    rmSync(directory, { recursive: true });
  });

  const ownPort = (): number => (own.address() as AddressInfo).port;

  async function register(kind: string, name: string, clientConfig: object, more: object = {}): Promise<void> {
    const caBundle = Buffer.from(certificate.authority).toString("base64");
    const rules = [{ operations: ["CREATE"], apiGroups: ["", "batch"], apiVersions: ["v1"], resources: ["jobs"] }];
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: { caBundle, ...clientConfig },
      rules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...more,
    };
    const configuration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [webhook],
    };
    await succeed(served, ["apply", "-f", "-"], JSON.stringify(configuration));
  }
  const remove = (kind: string, name: string): Promise<string> =>
    succeed(served, ["delete", `${kind}webhookconfiguration`, name]);
  const createJob = (name: string, spec: object = {}): ReturnType<typeof kubectl> => {
    const template = { spec: { containers: [{ name: "c", image: "busybox" }], restartPolicy: "Never" } };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name, labels: {} }, spec: { template, ...spec } };
    return kubectl(served, ["create", "-f", "-"], JSON.stringify(job));
  };

  it("stint webhook reviews the Jobs that kubectl creates", async () => {
    await register("Validating", "stint", { url: `${stintWebhook.url}/validate` });
    expect((await createJob("reviewed")).out).toBe("job.batch/reviewed created\n");
    const { body } = await ask(`${stintWebhook.url}/metrics`, certificate.authority, { method: "GET" });
    expect(body).toMatch(/^stint_webhook_reviews_total\{.*verdict="allowed".*\} 1$/m);
    await remove("validating", "stint");
  });

  it("one refuses, and kubectl says why", async () => {
    await register("Validating", "no", { url: `https://127.0.0.1:${ownPort()}/` });
    answer = () => ({ allowed: false, status: { message: "only on Mondays", reason: "Forbidden", code: 403 } });
    expect((await createJob("refused")).err).toContain(
      'admission webhook "no.example.com" denied the request: only on Mondays',
    );
    answer = () => ({ warnings: ["it is late"] });
    expect((await createJob("warned")).err).toBe("Warning: it is late\n");
    await remove("validating", "no");
  });

  it("one changes Jobs, and the pods that the controller makes of them", async () => {
    const pods = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
    await register("Mutating", "label", { url: `https://localhost:${ownPort()}/` }, { rules: [pods] });
    const operation = { op: "add", path: "/metadata/labels/colour", value: "blue" };
    answer = () => ({ patchType: "JSONPatch", patch: btoa(JSON.stringify([operation])) });
    expect((await createJob("coloured")).status).toBe(0);
    await succeed(served, ["wait", "--for=condition=complete", "job/coloured", "--timeout=60s"]);
    expect(await succeed(served, ["get", "pods", "-l", "colour=blue", "-o", "name"])).toContain("pod/coloured-");
    await remove("mutating", "label");
  });

  it("one that does not answer fails the write, with the reason", async () => {
    await register("Validating", "away", { url: "https://127.0.0.1:9/" });
    expect((await createJob("lost")).err).toContain(
      'failed calling webhook "away.example.com": failed to call webhook: Post "https://127.0.0.1:9/?timeout=10s": dial tcp 127.0.0.1:9: connect: connection refused',
    );
    await register("Validating", "away", { service: { name: "none", namespace: "default" } });
    expect((await createJob("lost")).err).toContain(
      'Post "https://none.default.svc:443/?timeout=10s": service "none" not found',
    );
    await register("Validating", "away", { url: `https://127.0.0.1:${ownPort()}/`, caBundle: "" });
    expect((await createJob("lost")).err).toContain("x509: certificate signed by unknown authority");
    await remove("validating", "away");
  });
});
