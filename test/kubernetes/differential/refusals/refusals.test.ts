/**
 * Records what the real server says to the objects and the changes of ../served-kinds/:
 *
 *     npm run test:cluster -- differential/refusals --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../../binaries/binaries.ts";
import { answersOf } from "../play.ts";
import { REFUSALS, said } from "./refusals.ts";
import { type RunningServer, startReal } from "../two-servers.ts";

describe.skipIf(whyUnavailable() !== undefined)("what is refused", () => {
  let real: RunningServer;
  beforeAll(async () => {
    real = await startReal();
  });
  afterAll(() => real?.stop());

  it("is recorded as the real server says it", async () => {
    const lines: string[] = [];
    for (const [index, sequence] of REFUSALS.entries()) {
      const answers = await answersOf(real, sequence, `r${index}`);
      lines.push(JSON.stringify({ name: sequence.name, answers: answers.map(said) }));
    }
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });
});
