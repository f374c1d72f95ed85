/**
 * The fuzzer of the HTTP front: a round is borne, repeats itself, and what is planted is found. Time is a number that
 * the tests move.
 */
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { RequestHandler } from "../../host-node/server/https-server.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import type { Wrap } from "./http/front.ts";
import { type Finding, HttpFuzzer, peakOf, stallOf } from "./http/fuzzer.ts";
import type { Gauge } from "./http/gauge.ts";
import { drawRequest } from "./http/requests.ts";
import { drawWireInput } from "./http/wire.ts";
import { told, Worst } from "./http/worst.ts";

beforeAll(() => buildModule("engine"));

const SEED = 3;
/** Of a round: enough to have some of most kinds. */
const PLAYED = 20;
const MAX_STALL_MS = 250;

/** Time and memory that only a plant moves. */
class FakeGauge implements Gauge {
  timeMs = 0;
  bytes = 0;
  #peak = 0;

  nowMs(): number {
    return this.timeMs;
  }

  heldBytes(): number {
    this.#peak = this.bytes;
    return this.bytes;
  }

  peakBytes(): number {
    return this.#peak;
  }

  take(bytes: number): void {
    this.#peak = Math.max(this.#peak, this.bytes + bytes);
  }
}

/** A fault in the handler, for the requests that it is about. */
function planted(
  gauge: FakeGauge,
  isAbout: (path: string, count: number) => boolean,
  fault: (gauge: FakeGauge) => void,
): Wrap {
  let count = 0;
  return (handler): RequestHandler => ({
    handle: (request) => {
      if (isAbout(request.path, count++)) fault(gauge);
      return handler.handle(request);
    },
  });
}

async function play(gauge: FakeGauge, wrap?: Wrap): Promise<Awaited<ReturnType<HttpFuzzer["play"]>>> {
  return new HttpFuzzer({ gauge, seed: SEED, maxStallMs: MAX_STALL_MS, ...(wrap && { wrap }) }).play(0, PLAYED - 1);
}

/** The first request that reads. */
const target = Array.from({ length: PLAYED }, (_, index) => drawRequest(SEED, index)).findIndex(
  ({ what }) => what === "read",
);
const isTarget = (path: string): boolean => path === drawRequest(SEED, target).path;

test("a round is borne, and some of it is accepted", async () => {
  const { findings, failure } = await play(new FakeGauge());
  expect(failure).toBeUndefined();
  expect(findings).toHaveLength(PLAYED);
  expect(findings.filter(({ status }) => status < 300).length).toBeGreaterThan(PLAYED / 10);
  expect(findings.filter(({ status }) => status >= 400).length).toBeGreaterThan(PLAYED / 10);
}, 60_000);

test("requests and connections are the same for the same seed and number", () => {
  const draw = (seed: number): string =>
    Array.from({ length: 15 }, (_, index) => {
      const { body, ...request } = drawRequest(seed, index);
      const { chunks, ...input } = drawWireInput(seed, index, 1);
      return JSON.stringify([
        request,
        input,
        createHash("sha256")
          .update(Buffer.concat([body, ...chunks]))
          .digest("hex"),
      ]);
    }).join("\n");
  expect(draw(1) === draw(1)).toBe(true);
  expect(draw(1) === draw(2)).toBe(false);
});

describe("finds", () => {
  const stalls = (gauge: FakeGauge): void => void (gauge.timeMs += 400);

  test("a handler that blocks, with the request that it blocks on", async () => {
    const gauge = new FakeGauge();
    const { findings, failure } = await play(gauge, planted(gauge, isTarget, stalls));
    expect(failure).toBeUndefined();
    const slow = findings.filter((finding) => stallOf(finding) > MAX_STALL_MS);
    expect(slow).toEqual([expect.objectContaining({ index: target, cost: expect.objectContaining({ stallMs: 400 }) })]);
    const worst = new Worst(stallOf);
    worst.add(findings);
    expect(told(worst.findings[0]!, SEED)).toMatch(
      new RegExp(`^ +400 ms {2}\\+0 MB {2}GET /.*; npm run fuzz -- --seed 3 --request ${target}$`),
    );
  }, 60_000);

  test("no stall where it is seen once and not again", async () => {
    const gauge = new FakeGauge();
    const { findings } = await play(
      gauge,
      planted(gauge, (_path, count) => count === 130, stalls),
    );
    expect(findings.filter((finding) => stallOf(finding) > MAX_STALL_MS)).toEqual([]);
  }, 60_000);

  test("a request that takes much memory for a moment", async () => {
    const gauge = new FakeGauge();
    const { findings } = await play(
      gauge,
      planted(gauge, isTarget, (held) => held.take(850e6)),
    );
    expect(findings.filter((finding) => peakOf(finding) === 850e6).map(({ index }) => index)).toEqual([target]);
  }, 60_000);

  test("an exception", async () => {
    const gauge = new FakeGauge();
    const { failure } = await play(
      gauge,
      planted(gauge, isTarget, () => {
        throw new Error("on purpose");
      }),
    );
    expect(failure).toMatchObject({ index: target, message: expect.stringContaining("on purpose") });
  }, 60_000);

  test("a change of an object that no request touched", async () => {
    const gauge = new FakeGauge();
    let answers = 0;
    const wrap: Wrap = (handler) => ({
      handle: (request) =>
        request.path.endsWith("/canary/jobs/canary") && answers++ > 2
          ? { status: 404, headers: {}, body: "" }
          : handler.handle(request),
    });
    expect((await play(gauge, wrap)).failure).toMatchObject({
      message: expect.stringMatching(/^the canary has changed/),
    });
  }, 60_000);
});

test("the worst are kept, the worst first", () => {
  const worst = new Worst(stallOf);
  const request = drawRequest(1, 1);
  const finding = (stallMs: number): Finding => ({
    index: 1,
    request,
    status: 200,
    answerBytes: 1,
    cost: { stallMs, peakBytes: 0 },
    aftermath: { stallMs: 1, peakBytes: 0 },
  });
  for (let n = 1; n <= 50; n++) worst.add([finding(n), finding(100 - n)]);
  expect(worst.findings.map(stallOf)).toEqual([99, 98, 97, 96, 95, 94, 93, 92]);
});
