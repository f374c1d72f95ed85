/**
 * The kinds of more-resources.ts: what they look like when they are created and printed, and what is refused or
 * changed, against what a real API server answered (test/kubernetes/kinds and reviews).
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { EmbeddedCluster } from "../../../../host-node/embedded/embedded.ts";
import { type Ask, askOf } from "../../../kubernetes/both-servers.ts";
import { kindCases } from "../../../kubernetes/kinds/objects.ts";
import { createAndPrint, objects, play } from "../../../kubernetes/kinds/play.ts";
import { reviews } from "../../../kubernetes/reviews/reviews.ts";

/** Kinds that other folders of test/kubernetes/ compare: cron-jobs, custom-resources, admission-webhooks. */
const COMPARED_ELSEWHERE = [
  "cronjobs",
  "customresourcedefinitions",
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
];

interface Recorded {
  readonly name: string;
  readonly answers: readonly unknown[];
}

function recordedIn(folder: string): readonly Recorded[] {
  const file = new URL(`../../../kubernetes/${folder}/recorded-answers.jsonl`, import.meta.url);
  const text = readFileSync(file, "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Recorded);
}

let ask: Ask;
beforeAll(async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const onFatal = (error: Error): never => {
    throw error;
  };
  const options = { clock, nodes: [], jobController: false, servesClients: true, onFatal };
  ask = askOf((await EmbeddedCluster.create(options)).cluster);
});

describe("objects", () => {
  const recorded = recordedIn("kinds");
  test("every kind has an object", () => {
    const tried = new Set([...kindCases.map(({ resource }) => resource), ...COMPARED_ELSEWHERE]);
    expect(moreResources.map(({ resource }) => resource).filter((resource) => !tried.has(resource))).toEqual([]);
  });
  test("every object has an answer", () => {
    expect(recorded.map(({ name }) => name)).toEqual(objects.map(([name]) => name));
  });
  test.each(objects)("%s", async (name, kind, object) => {
    const { answers } = recorded.find((line) => line.name === name)!;
    expect(await createAndPrint(ask, kind, object)).toEqual(answers);
  });
});

describe("reviews", () => {
  const recorded = recordedIn("reviews");
  test("every sequence has answers", () => {
    expect(recorded.map(({ name }) => name)).toEqual(reviews.map(({ name }) => name));
  });
  test.each(reviews.map((review) => [review.name, review] as const))("%s", async (name, { requests }) => {
    const { answers } = recorded.find((line) => line.name === name)!;
    const given = await play(ask, requests);
    for (const [index, request] of requests.entries())
      expect({ request, answer: given[index] }).toEqual({ request, answer: answers[index] });
  });
});
