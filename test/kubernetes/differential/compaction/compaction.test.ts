/**
 * What is said of a history that is gone, by a real API server that drops it each second. The answers are recorded, and
 * `npm test` compares with them (test/cluster/apiserver/verbs/compaction.test.ts). To record them again:
 *
 *     npm run test:cluster -- differential/compaction --update
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../../binaries/binaries.ts";
import { type RunningServer, startReal } from "../two-servers.ts";
import { play } from "./play.ts";

describe.skipIf(whyUnavailable() !== undefined)("a history that is gone", () => {
  let real: RunningServer;
  beforeAll(async () => {
    real = await startReal({ compactionInterval: "1s" });
  });
  afterAll(() => real?.stop());

  it("is recorded as the real server tells of it", async () => {
    const answers = await play(real, () => setTimeout(200));
    await expect(`${answers.map((answer) => JSON.stringify(answer)).join("\n")}\n`).toMatchFileSnapshot(
      "recorded-answers.jsonl",
    );
  });
});
