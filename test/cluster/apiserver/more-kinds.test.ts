/**
 * The kinds of more-resources.ts: what they look like when they are created and printed, against what a real API server
 * answered (test/kubernetes/kinds).
 */
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/clock.ts";
import { EmbeddedCluster } from "../../../host-node/embedded.ts";
import { askOf } from "../../kubernetes/both-servers.ts";
import { createAndPrint, objects } from "../../kubernetes/kinds/play.ts";

const recorded = readFileSync(new URL("../../kubernetes/kinds/recorded-answers.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { name: string; answers: unknown[] });

let cluster: Cluster;
beforeAll(async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const onFatal = (error: Error): never => {
    throw error;
  };
  ({ cluster } = await EmbeddedCluster.create({ clock, nodes: [], jobController: false, onFatal }));
});

test("every object has an answer", () => {
  expect(recorded.map(({ name }) => name)).toEqual(objects.map(([name]) => name));
});

test.each(objects)("%s", async (name, kind, object) => {
  const { answers } = recorded.find((line) => line.name === name)!;
  expect(await createAndPrint(askOf(cluster), kind, object)).toEqual(answers);
});
