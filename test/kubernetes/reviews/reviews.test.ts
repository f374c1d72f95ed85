/**
 * What admission plugins and the rules of kinds make of the same requests, on a real API server and on the in-memory
 * one. Upstream's answers are kept in recorded-answers.jsonl, with which `npm test` compares without a real server
 * (test/cluster/apiserver/registry/more-kinds.test.ts). To update them:
 *
 *     npm run test:cluster -- reviews --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { BothServers } from "../both-servers.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { play } from "../kinds/play.ts";
import { reviews } from "./reviews.ts";

describe.skipIf(whyUnavailable() !== undefined)("reviews of a real API server and of the in-memory one", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start({
      serviceAccounts: true,
      withoutAdmissionPlugins: ["StorageObjectInUseProtection"],
    });
    await startUpstreamController(servers.controlPlane, { controllers: ["serviceaccount-controller"] });
  });
  afterAll(() => servers?.stop());

  it("are recorded as the real server answers", async () => {
    const lines: string[] = [];
    for (const { name, requests } of reviews)
      lines.push(JSON.stringify({ name, answers: await play(servers.upstream, requests) }));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
