/**
 * Records what the real server answers to the sequences of fixed.ts:
 *
 *     npm run test:cluster -- differential/fixed --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { recorded } from "./comparable.ts";
import { FIXED } from "./fixed.ts";
import { answersOf } from "./play.ts";
import { type RunningServer, startReal } from "./two-servers.ts";

describe.skipIf(whyUnavailable() !== undefined)("what was fixed", () => {
  let real: RunningServer;
  beforeAll(async () => {
    real = await startReal();
  });
  afterAll(() => real?.stop());

  it("is recorded as the real server answers", async () => {
    const lines: string[] = [];
    for (const [index, sequence] of FIXED.entries())
      lines.push(
        JSON.stringify({ name: sequence.name, answers: recorded(await answersOf(real, sequence, `m${index}`)) }),
      );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
