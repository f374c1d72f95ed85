/**
 * The real `stint webhook` as a process: how it begins, takes new certificates, and ends. What it answers, and with
 * what it does not start, is in test/host-node/cli/transcripts/webhook.txt.
 */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";
import { BUNDLE } from "../serving.ts";
import { ask, certificateAt } from "./https-client.ts";
import { job, responseIn, reviewOf } from "./reviews.ts";
import { type RunningWebhook, startWebhook } from "./running-webhook.ts";

let certificate: ServerCertificate;
beforeAll(async () => {
  certificate = createServerCertificate(Date.now());
});

let directory: string;
let webhook: RunningWebhook | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-webhook-"));
});
afterEach(async () => {
  await webhook?.stop();
  webhook = undefined;
  rmSync(directory, { recursive: true });
});

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;

describe("stint webhook", () => {
  it("serves with its certificate until SIGTERM, and ends with 0", async () => {
    webhook = await startWebhook(directory, certificate);
    const { body } = await ask(`${webhook.url}/validate`, certificate.authority, {
      body: reviewOf(job({ spec: { completions: -1 } })),
    });
    expect(responseIn(body)).toMatchObject({ allowed: false });
    expect(await ask(`${webhook.url}/readyz`, certificate.authority, { method: "GET" })).toMatchObject({ status: 200 });
    expect(await webhook.stop()).toBe(0);
    expect(webhook.log().map(({ level, msg }) => `${String(level)}: ${String(msg)}`)).toEqual([
      "info: serving /validate and /mutate",
      "info: denied",
      "info: ending: no new connection is taken, what is under way is answered",
      "info: ended",
    ]);
    expect(webhook.log()[2]).toMatchObject({ signal: "SIGTERM" });
  });

  it("runs from the bundle dist/stint.mjs", async () => {
    webhook = await startWebhook(directory, certificate, [], {}, BUNDLE);
    const { body } = await ask(`${webhook.url}/validate`, certificate.authority, { body: reviewOf(job()) });
    expect(responseIn(body)).toEqual({ uid: "the-review", allowed: true });
    expect(await webhook.stop()).toBe(0);
  });

  it("takes a new certificate from its files, and keeps the old one while they are broken", async () => {
    webhook = await startWebhook(directory, certificate, ["--reload-period", "20ms"]);
    const next = createServerCertificate(Date.now());
    writeFileSync(join(directory, "tls.crt"), next.certificate);
    await expect
      .poll(() => webhook!.log().filter(({ level }) => level === "warn"))
      .toEqual([expect.objectContaining({ problem: expect.stringContaining("is not that of the first certificate") })]);
    expect((await certificateAt(webhook.url)).fingerprint256).toBe(fingerprint(certificate.certificate));
    writeFileSync(join(directory, "tls.key"), next.privateKey);
    await expect
      .poll(async () => (await certificateAt(webhook!.url)).fingerprint256)
      .toBe(fingerprint(next.certificate));
    const { body } = await ask(`${webhook.url}/metrics`, next.authority, { method: "GET" });
    expect(body).toContain('stint_webhook_certificate_reloads_total{result="changed"} 1\n');
    expect(body).toMatch(/^stint_webhook_certificate_reloads_total\{result="refused"\} [1-9]/m);
  });

  describe("with profiles", () => {
    beforeEach(() => {
      mkdirSync(join(directory, "profiles"));
      profile("strict", "rule: [NoDeadline=deny, NoTimeToLive=off]");
    });
    // Written aside and renamed: a busy machine would let the webhook see an empty file for longer than it waits.
    const profile = (name: string, text: string): void => {
      writeFileSync(join(directory, "profile"), text);
      renameSync(join(directory, "profile"), join(directory, "profiles", `${name}.yaml`));
    };
    const review = async (path: string): Promise<unknown> => {
      const { status, body } = await ask(webhook!.url + path, certificate.authority, { body: reviewOf(job()) });
      return status === 200 ? responseIn(body).allowed : status;
    };

    it("takes new ones from the folder, and keeps the old ones while a file is wrong", async () => {
      webhook = await startWebhook(directory, certificate, ["--profiles", "profiles", "--reload-period", "20ms"]);
      expect(webhook.log()[0]).toMatchObject({ profiles: ["strict"] });
      expect([await review("/validate/strict"), await review("/validate/free")]).toEqual([false, 404]);
      profile("free", "maxPods: 7");
      await expect.poll(() => review("/validate/free")).toBe(true);
      profile("free", "maxPods: seven");
      await expect
        .poll(() => webhook!.log().filter(({ level, problem }) => level === "warn" && problem !== undefined))
        .toEqual([expect.objectContaining({ problem: expect.stringMatching(/free\.yaml:1:1: maxPods is "seven"; /) })]);
      expect(await review("/validate/free")).toBe(true);
      profile("free", "maxPods: 6");
      await expect.poll(() => review("/validate/free")).toBe(false);
      const { body } = await ask(`${webhook.url}/metrics`, certificate.authority, { method: "GET" });
      expect(body).toContain('stint_webhook_profile_reloads_total{result="changed"} 2\n');
      expect(body).toMatch(/^stint_webhook_profile_reloads_total\{result="refused"\} [1-9]/m);
    });

    it("opens no connection to the cluster that its pod's environment names", async () => {
      let calls = 0;
      const cluster = createServer(() => calls++).listen(0, "127.0.0.1");
      await once(cluster, "listening");
      const port = String((cluster.address() as AddressInfo).port);
      const kubeconfig = { clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }] };
      writeFileSync(join(directory, "kubeconfig"), JSON.stringify(kubeconfig));
      webhook = await startWebhook(directory, certificate, ["--profiles", "profiles", "--reload-period", "20ms"], {
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: port,
        KUBECONFIG: join(directory, "kubeconfig"),
        HTTPS_PROXY: `http://127.0.0.1:${port}`,
      });
      for (const path of ["/validate/strict", "/mutate/strict", "/validate"]) await review(path);
      expect(await webhook.stop()).toBe(0);
      expect(calls).toBe(0);
      cluster.close();
    });
  });

  it("reads its settings from the environment and a file too, and warns of variables that are none", async () => {
    writeFileSync(join(directory, "stint.yaml"), "requestTimeout: 5s\nlogLevel: warn\n");
    webhook = await startWebhook(directory, certificate, ["--config", "stint.yaml"], {
      STINT_LOG_LEVEL: "info",
      STINT_CRET: "x",
      STINT_SERVICE_HOST: "10.0.0.1",
    });
    expect(webhook.log().map(({ level, variable }) => [level, variable])).toEqual([
      ["warn", "STINT_CRET"],
      ["info", undefined],
    ]);
  });
});
