/** The real `stint webhook` as a process: how it begins, takes new certificates, and ends. */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createServerCertificate, type ServerCertificate } from "../../../host-node/server/certificates.ts";
import { runStint } from "../serving.ts";
import { ask, certificateAt } from "./https-client.ts";
import { job, responseIn, reviewOf } from "./reviews.ts";
import { type RunningWebhook, startWebhook } from "./running-webhook.ts";

let certificate: ServerCertificate;
beforeAll(async () => {
  certificate = await createServerCertificate(Date.now());
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

  it("is in the bundle", async () => {
    webhook = await startWebhook(
      directory,
      certificate,
      [],
      {},
      resolve(import.meta.dirname, "../../../dist/stint.mjs"),
    );
    const { body } = await ask(`${webhook.url}/validate`, certificate.authority, { body: reviewOf(job()) });
    expect(responseIn(body)).toEqual({ uid: "the-review", allowed: true });
    expect(await webhook.stop()).toBe(0);
  });

  it("takes a new certificate from its files, and keeps the old one while they are broken", async () => {
    webhook = await startWebhook(directory, certificate, ["--reload-period", "20ms"]);
    const next = await createServerCertificate(Date.now());
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

  it.each([
    [["--cert", "none.crt", "--key", "tls.key"], /^stint: cannot read .*none\.crt: there is no such file\n$/],
    [
      ["--cert", "tls.key", "--key", "tls.key"],
      /^stint: .*tls\.key has no certificate that can be read; allowed is PEM/,
    ],
    [[], /^stint: --cert is not given: /],
    [["--cert"], /argument missing/],
  ])("ends with 2 when it cannot begin: %j", async (args, err) => {
    writeFileSync(join(directory, "tls.key"), certificate.privateKey);
    expect(await runStint(["webhook", ...args], directory)).toEqual({
      exit: 2,
      out: "",
      err: expect.stringMatching(err),
    });
  });
});
