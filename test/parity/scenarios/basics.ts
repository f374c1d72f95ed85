/** The kinds of Jobs, from beginning to end. */
import type { Scenario } from "../scenario.ts";

export const BASICS: readonly Scenario[] = [
  { name: "one-pod", rows: ["J1", "J7", "J40", "14.6"], job: { backoffLimit: 4 } },
  { name: "fixed-count", rows: ["J41", "J52", "M2"], job: { completions: 5, parallelism: 2 } },
  { name: "work-queue", rows: ["J43", "J45", "J46"], job: { parallelism: 3 }, outcome: { runMs: 1_500 } },
  { name: "indexed", rows: ["J42", "J61", "J62", "J63", "J65", "J66"], job: { completionMode: "Indexed", completions: 4, parallelism: 2 } },
  { name: "fails-twice", rows: ["J102", "R24", "S14"], job: { backoffLimit: 4 }, outcome: { runMs: 500, exitCodes: [1, 1, 0] } },
];
