/**
 * The in-memory API server over HTTPS answers as a real one did: the sequences of
 * test/kubernetes/differential/fixed.ts, with the answers that were recorded there.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Comparable, recorded } from "../../kubernetes/differential/comparable.ts";
import { FIXED } from "../../kubernetes/differential/fixed.ts";
import { answersOf } from "../../kubernetes/differential/play.ts";
import { type RunningServer, startOwn } from "../../kubernetes/differential/two-servers.ts";

const FILE = path.resolve(import.meta.dirname, "../../kubernetes/differential/recorded-answers.jsonl");

describe("answers that once differed from a real server's", () => {
  const lines = readFileSync(FILE, "utf8").trimEnd().split("\n");
  let own: RunningServer;
  beforeAll(async () => {
    own = await startOwn();
  });
  afterAll(() => own.stop());

  it.each(FIXED.map((sequence, index) => [sequence.name, index] as const))("%s", async (_name, index) => {
    const sequence = FIXED[index]!;
    const { name, answers } = JSON.parse(lines[index]!) as { name: string; answers: Comparable[] };
    expect(name).toBe(sequence.name);
    const ours = recorded(await answersOf(own, sequence, `m${index}`));
    for (const [place, ask] of sequence.asks.entries())
      expect({ ask, answer: ours[place] }).toEqual({ ask, answer: answers[place] });
  });

  it("are recorded for each sequence, and each once", () => {
    expect(lines).toHaveLength(FIXED.length);
  });
});
