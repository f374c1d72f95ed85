/**
 * Server-side apply and managedFields are a real API server's: the same sequences of writes have the same answers, the
 * hand-written ones and random ones.
 *
 * The answers to the hand-written ones are kept in recorded-answers.jsonl, with which `npm test` compares without a
 * real server (test/cluster/apiserver/apply/apply.test.ts). To update them:
 *
 *     npm run test:cluster -- server-side-apply --update
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { ownServer } from "./own-server.ts";
import { play, type Send, type Sequence, written } from "./play.ts";
import { randomSequences } from "./random-sequences.ts";
import { SEQUENCES } from "./sequences.ts";

/** Another seed finds other things: STINT_SEED=7 npm run test:cluster -- server-side-apply */
const SEED = Number(process.env["STINT_SEED"] ?? 1);
const RANDOM_SEQUENCES = 200;

describe.skipIf(whyUnavailable() !== undefined)("server-side apply", () => {
  let controlPlane: ControlPlane;
  let real: Send;
  let own: Send;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const client = controlPlane.client();
    real = (method, path, body, contentType) => client.request(method, path, body, contentType);
    own = await ownServer();
  });
  afterAll(() => controlPlane?.stop());

  it("is recorded as the real server answers", async () => {
    const lines: string[] = [];
    for (const [index, sequence] of SEQUENCES.entries())
      lines.push(written(sequence, await play(sequence, `s${index}`, real)));
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("recorded-answers.jsonl");
  });

  it.each(randomSequences(SEED, RANDOM_SEQUENCES).map((sequence) => [sequence.name, sequence] as const))(
    `of seed ${SEED}: %s`,
    async (name, sequence: Sequence) => {
      const object = name.replace(" ", "-");
      const [ours, theirs] = [await play(sequence, object, own), await play(sequence, object, real)];
      for (const [index, step] of sequence.steps.entries())
        expect({ step, answer: ours[index] }).toEqual({ step, answer: theirs[index] });
    },
  );

  it("has conflicts and successes", async () => {
    const statuses = new Set<unknown>();
    for (const [index, sequence] of randomSequences(SEED + 1, 20).entries())
      for (const answer of await play(sequence, `count-${index}`, own))
        statuses.add((answer as { status: number }).status);
    expect([...statuses].sort()).toEqual([200, 201, 409]);
  });
});
