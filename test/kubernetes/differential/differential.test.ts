/**
 * The same requests to a real API server and to ours: status, headers and bodies are the same, but for what
 * known-differences.ts lists. The hand-written sequences go through each part of the API for each kind, the random ones
 * mix them.
 *
 *     npm run test:cluster -- test/kubernetes/differential
 *     STINT_SEED=7 STINT_SEQUENCES=500 npm run test:cluster -- test/kubernetes/differential
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { KNOWN } from "./known-differences.ts";
import { type Difference, differences, type Sequence, shortened } from "./play.ts";
import { randomSequences } from "./random-sequences.ts";
import { SEQUENCES } from "./sequences.ts";
import { type RunningServer, startOwn, startReal } from "./two-servers.ts";

const SEED = Number(process.env["STINT_SEED"] ?? 1);
const RANDOM_SEQUENCES = Number(process.env["STINT_SEQUENCES"] ?? 60);
/** Sequences at the same time: watches take a second each. */
const LANES = 8;
const MIN_REQUESTS = 1000;

describe.skipIf(whyUnavailable() !== undefined)("the real API server and ours", () => {
  let real: RunningServer;
  let own: RunningServer;
  const used = new Set<string>();
  beforeAll(async () => {
    [real, own] = await Promise.all([startReal(), startOwn()]);
  });
  afterAll(() => Promise.all([real?.stop(), own?.stop()]));

  const isUnknown = (difference: Difference): boolean => {
    const known = KNOWN.find(({ holds }) => holds(difference));
    if (known) used.add(known.what);
    return known === undefined;
  };

  let namespaces = 0;
  async function unknownDifferences(sequence: Sequence): Promise<Difference[]> {
    return (await differences({ real, own }, sequence, `d${namespaces++}`)).filter(isUnknown);
  }

  /** What a reader needs: the shortest sequence that shows it, and both answers to its last request. */
  async function failures(sequences: readonly Sequence[]): Promise<object[]> {
    const waiting = [...sequences];
    const found: object[] = [];
    const lane = async (): Promise<void> => {
      for (let sequence = waiting.shift(); sequence; sequence = waiting.shift()) {
        const [first] = await unknownDifferences(sequence);
        if (first === undefined) continue;
        const { asks } = await shortened(sequence, first.index, async (shorter) => {
          return (await unknownDifferences(shorter)).some(({ index }) => index === shorter.asks.length - 1);
        });
        found.push({ sequence: sequence.name, asks, real: first.real, own: first.own });
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return found;
  }

  it("answer the hand-written sequences alike", async () => {
    expect(SEQUENCES.reduce((sum, { asks }) => sum + asks.length, 0)).toBeGreaterThan(MIN_REQUESTS);
    expect(await failures(SEQUENCES)).toEqual([]);
  }, 600_000);

  it(`answer the random sequences of seed ${SEED} alike`, async () => {
    expect(await failures(randomSequences(SEED, RANDOM_SEQUENCES))).toEqual([]);
  });

  it("differ in each way that is listed", () => {
    const unseen = KNOWN.filter(({ what, dependsOnTiming }) => !dependsOnTiming && !used.has(what));
    expect(unseen.map(({ what }) => what)).toEqual([]);
  });
});
