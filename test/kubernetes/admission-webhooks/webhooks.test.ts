/**
 * Admission webhooks of a real API server: what they receive, and what comes of their answers. It is kept in
 * recorded-answers.jsonl, with which `npm test` compares without a real server
 * (test/cluster/apiserver/admission-plugins/recorded-webhooks.test.ts). To update it:
 *
 *     npm run test:cluster -- admission-webhooks --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import type { Ask } from "../both-servers.ts";
import { WebhookServer } from "./webhook-server.ts";
import { areAsked, playCase, setUp, validatingAreAsked, webhookCases } from "./webhooks.ts";

describe.skipIf(whyUnavailable() !== undefined)("admission webhooks of a real API server", () => {
  let controlPlane: ControlPlane;
  let server: WebhookServer;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    server = await WebhookServer.start();
  });
  afterAll(async () => {
    server?.stop();
    await controlPlane?.stop();
  });

  it("are recorded as they are called", async () => {
    const upstream: Ask = ({ method, path, body, contentType, accept }) =>
      controlPlane.client().request<any>(method, path, body, contentType, accept);
    await setUp(upstream, server);
    for (const holds of [areAsked, validatingAreAsked])
      while (!(await holds(upstream))) await new Promise((resolve) => setTimeout(resolve, 100));
    const lines: string[] = [];
    for (const one of webhookCases)
      lines.push(JSON.stringify({ name: one.name, outcomes: await playCase(one, upstream, server) }));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
