/** ValidatingAdmissionPolicies, against what a real API server answered (test/kubernetes/policies). */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { EmbeddedCluster } from "../../../../host-node/embedded/embedded.ts";
import { type Ask, askOf } from "../../../kubernetes/both-servers.ts";
import { play } from "../../../kubernetes/kinds/play.ts";
import { policyCases, refusals, setUp } from "../../../kubernetes/policies/policies.ts";

const file = new URL("../../../kubernetes/policies/recorded-answers.jsonl", import.meta.url);
const recorded = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly name: string; readonly answers: readonly unknown[] });
const answersTo = (name: string): readonly unknown[] => recorded.find((line) => line.name === name)!.answers;

let ask: Ask;
let made: readonly unknown[];
beforeAll(async () => {
  const onFatal = (error: Error): never => {
    throw error;
  };
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const embedded = await EmbeddedCluster.create({
    clock,
    nodes: [],
    jobController: false,
    servesClients: true,
    onFatal,
  });
  ask = askOf(embedded.cluster);
  made = await setUp(ask);
});

test("every case has answers", () => {
  expect(recorded.map(({ name }) => name)).toEqual(["made", "refused", ...policyCases.map(({ name }) => name)]);
});

test("policies are made", () => {
  expect(made).toEqual(answersTo("made"));
  expect(new Set((made as { status: number }[]).map(({ status }) => status))).toEqual(new Set([201]));
});

test.each(refusals.map((request, index) => [JSON.stringify(request.body).slice(0, 80), request, index] as const))(
  "%s is refused",
  async (_name, request, index) => {
    expect(await play(ask, [request])).toEqual([answersTo("refused")[index]]);
  },
);

describe("requests", () => {
  test.each(policyCases.map((one) => [one.name, one] as const))("%s", async (name, { requests }) => {
    const given = await play(ask, requests);
    for (const [index, request] of requests.entries())
      expect({ request, answer: given[index] }).toEqual({ request, answer: answersTo(name)[index] });
  });
});
