/**
 * The in-memory API server refuses what a real one did, with the same words: the objects and changes of
 * test/kubernetes/differential/served-kinds/, with the answers that were recorded there.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answersOf } from "../../kubernetes/differential/play.ts";
import { REFUSALS, type Said, said } from "../../kubernetes/differential/refusals/refusals.ts";
import { type RunningServer, startOwn } from "../../kubernetes/differential/two-servers.ts";

const FILE = path.resolve(import.meta.dirname, "../../kubernetes/differential/refusals/recorded-answers.jsonl");

describe("what a real server refuses of the kinds of stint serve", () => {
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  let own: RunningServer;
  beforeAll(async () => {
    own = await startOwn();
  });
  afterAll(() => own.stop());

  it.each(REFUSALS.map((sequence, index) => [sequence.name, index] as const))("%s", async (_name, index) => {
    const sequence = REFUSALS[index]!;
    const { name, answers } = JSON.parse(lines[index]!) as { name: string; answers: Said[] };
    expect(name).toBe(sequence.name);
    const ours = (await answersOf(own, sequence, `r${index}`)).map(said);
    for (const [place, ask] of sequence.asks.entries())
      expect({ ask, answer: ours[place] }).toEqual({ ask, answer: answers[place] });
  });

  it("is recorded for each kind, and each once", () => {
    expect(lines).toHaveLength(REFUSALS.length);
    expect(lines.filter((line) => line.includes('"status":422')).length).toBeGreaterThan(REFUSALS.length / 2);
  });
});
