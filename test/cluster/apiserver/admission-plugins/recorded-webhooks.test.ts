/** Admission webhooks, against what a real API server told them and answered (test/kubernetes/admission-webhooks). */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { EmbeddedCluster } from "../../../../host-node/embedded/embedded.ts";
import { WebhookServer } from "../../../kubernetes/admission-webhooks/webhook-server.ts";
import { playCase, setUp, webhookCases } from "../../../kubernetes/admission-webhooks/webhooks.ts";
import type { Answer, Ask } from "../../../kubernetes/both-servers.ts";
import { askCluster } from "../../ask-cluster.ts";

const file = new URL("../../../kubernetes/admission-webhooks/recorded-answers.jsonl", import.meta.url);
const recorded = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly name: string; readonly outcomes: readonly unknown[] });
const ADMIN = { name: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };

let server: WebhookServer;
let ask: Ask;
beforeAll(async () => {
  server = await WebhookServer.start();
  const onFatal = (error: Error): never => {
    throw error;
  };
  const { cluster, conversations } = await EmbeddedCluster.create({
    clock: new VirtualClock(Date.UTC(2026, 0, 1)),
    nodes: [],
    jobController: false,
    servesClients: true,
    onFatal,
  });
  ask = ({ method, path, body, contentType }) =>
    new Promise((resolve, reject) => {
      const type = contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
      const headers = { "content-type": type, accept: "application/json" };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      conversations.handle(
        { method, path, headers, user: ADMIN, ...text },
        (request) => {
          const handle = (): ReturnType<typeof cluster.handle> => cluster.handle(request);
          return askCluster<any>({ handle }, method, path) as Answer;
        },
        (outcome) => {
          try {
            resolve(outcome());
          } catch (error) {
            reject(error as Error);
          }
        },
      );
    });
  await setUp(ask, server);
});
afterAll(() => server?.stop());

test("every case has outcomes", () => {
  expect(recorded.map(({ name }) => name)).toEqual(webhookCases.map(({ name }) => name));
});

test.each(webhookCases.map((one) => [one.name, one] as const))("%s", async (name, one) => {
  const { outcomes } = recorded.find((line) => line.name === name)!;
  const given = await playCase(one, ask, server);
  for (const [index, request] of one.requests.entries())
    expect({ request, outcome: given[index] }).toEqual({ request, outcome: outcomes[index] });
});
