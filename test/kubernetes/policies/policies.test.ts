/**
 * ValidatingAdmissionPolicies on a real API server: what is refused, in which words. Its answers are kept in
 * recorded-answers.jsonl, with which `npm test` compares without a real server
 * (test/cluster/apiserver/admission-plugins/recorded-policies.test.ts). To update them:
 *
 *     npm run test:cluster -- policies --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { BothServers } from "../both-servers.ts";
import { play } from "../kinds/play.ts";
import { hold, policyCases, refusals, setUp } from "./policies.ts";

describe.skipIf(whyUnavailable() !== undefined)("policies on a real API server", () => {
  let servers: BothServers;
  beforeAll(async () => {
    servers = await BothServers.start();
  });
  afterAll(() => servers?.stop());

  it("are recorded as the real server answers", async () => {
    const { upstream } = servers;
    const made = await setUp(upstream);
    while (!(await hold(upstream))) await new Promise((resolve) => setTimeout(resolve, 100));
    const lines = [
      { name: "made", answers: made },
      { name: "refused", answers: await play(upstream, refusals) },
    ];
    for (const { name, requests } of policyCases) lines.push({ name, answers: await play(upstream, requests) });
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    await expect(`${text}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
