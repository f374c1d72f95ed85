/**
 * Records what the real server answers to the sequences of mended.ts:
 *
 *     npm run test:cluster -- differential/mended --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { recorded } from "./comparable.ts";
import { MENDED } from "./mended.ts";
import { answersOf } from "./play.ts";
import { type RunningServer, startReal } from "./two-servers.ts";

describe.skipIf(whyUnavailable() !== undefined)("what was mended", () => {
  let real: RunningServer;
  beforeAll(async () => {
    real = await startReal();
  });
  afterAll(() => real?.stop());

  it("is recorded as the real server answers", async () => {
    const lines: string[] = [];
    for (const [index, sequence] of MENDED.entries())
      lines.push(
        JSON.stringify({ name: sequence.name, answers: recorded(await answersOf(real, sequence, `m${index}`)) }),
      );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
