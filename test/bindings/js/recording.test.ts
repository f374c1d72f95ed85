/**
 * Recording and replay on the built engine, without files: what is recorded replays, and whatever is changed is found.
 * Files, and what a whole run records, are in test/host-node/cli/replay.e2e.test.ts.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Engine, EngineError, ErrorCode, IngestKind } from "../../../bindings/js/engine.ts";
import { type RecordableEngine, Recorder } from "../../../bindings/js/recorder.ts";
import { inputBytes, recordedBytes, RecordingError, Sealer, type Sha256 } from "../../../bindings/js/recording.ts";
import { Replay } from "../../../bindings/js/replay.ts";
import { moduleSha256, newEngine } from "./vector-files.ts";

const sha256: Sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");
const CONFIGURATION = {
  instance: "test",
  sources: [
    { id: 0, resource: "jobs" },
    { id: 1, resource: "pods" },
  ],
} as const;

const JOB = {
  metadata: { name: "größe", namespace: "default", uid: "u", resourceVersion: "5", generation: 1 },
  spec: {
    parallelism: 2,
    completions: 2,
    backoffLimit: 6,
    template: {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
    },
  },
  status: {},
};

/** A little life of a Job; `then` continues with it. */
async function record(then: (engine: RecordableEngine) => void = () => {}, engine?: Engine): Promise<string[]> {
  const lines: string[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(line), sha256 });
  const recorded = recorder.record(engine ?? (await newEngine()));
  recorded.configure(CONFIGURATION);
  recorded.setClockOffset(1000);
  for (const [source, items] of [
    [0, [JOB]],
    [1, []],
  ] as const) {
    recorded.ingest(source, IngestKind.listBegin, "", 10);
    recorded.ingest(
      source,
      IngestKind.page,
      new TextEncoder().encode(
        JSON.stringify({ kind: source === 0 ? "JobList" : "PodList", metadata: { resourceVersion: "7" }, items }),
      ),
      10,
    );
    recorded.ingest(source, IngestKind.listEnd, "", 10);
    expect(recorded.listContinue(source)).toBe("");
    expect(recorded.watchVersion(source)).toBe(7);
  }
  for (const { id } of recorded.poll(20, 10).requests) recorded.settle(id, 403, 3000, "no", 30);
  recorded.poll(40, 10);
  then(recorded);
  recorder.end();
  return lines;
}

function newReplay(): Replay {
  return new Replay({ newEngine, moduleSha256, sha256 });
}

/** The line that is refused, and why. */
async function refusalOf(lines: readonly string[]): Promise<string | undefined> {
  const replay = newReplay();
  for (const [i, line] of lines.entries()) {
    try {
      expect(await replay.take(line)).toBeUndefined();
    } catch (error) {
      if (error instanceof RecordingError) return `${i + 1}: ${error.message}`;
      throw error;
    }
  }
  return undefined;
}

/** The first difference with its line, or undefined. */
async function differenceIn(lines: readonly string[]): Promise<string | undefined> {
  const replay = newReplay();
  for (const [i, line] of lines.entries()) {
    const difference = await replay.take(line);
    if (difference !== undefined) return `${i + 1}: ${difference}`;
  }
  return undefined;
}

/** The lines with other contents, and the checks that belong to these. */
function rewritten(lines: readonly string[], change: (entry: any, i: number) => object): string[] {
  const sealer = new Sealer(sha256);
  return lines.map((line, i) => {
    const { check: _, ...entry } = JSON.parse(line);
    return sealer.seal(change(entry, i) as never);
  });
}

describe("a recording", () => {
  test("replays to the same", async () => {
    const decisions: unknown[] = [];
    const replay = new Replay({
      newEngine,
      moduleSha256,
      sha256,
      onDecisions: (nowMs, made) => decisions.push([nowMs, made.map(({ code }) => code)]),
    });
    const lines = await record();
    for (const line of lines) expect(await replay.take(line), line).toBeUndefined();
    expect(replay.hasEnded).toBe(true);
    expect(replay.counts).toEqual({
      engines: 1,
      calls: lines.length - 2,
      requests: 2,
      decisions: decisions.flatMap((entry) => (entry as [number, string[]])[1]).length,
    });
    expect(decisions).toEqual([
      [20, ["Creating"]],
      [40, expect.arrayContaining(["CreateFailed"])],
    ]);
  });

  test("has the input in clear, and says by method and path what was asked for", async () => {
    const [header, ...calls] = (await record()).map((line) => JSON.parse(line));
    expect(header).toMatchObject({ format: "stint.recording", version: 1, module: moduleSha256, abi: "1.7" });
    expect(calls[0]).toMatchObject({ call: "configure", configuration: CONFIGURATION, code: 0 });
    expect(JSON.parse(calls.find(({ kind }) => kind === IngestKind.page).text).items).toEqual([JOB]);
    expect(calls.find(({ call }) => call === "poll")).toMatchObject({
      now: 20,
      max: 10,
      requests: [["POST", "/api/v1/namespaces/default/pods", expect.stringMatching(/^[0-9a-f]{64}$/), 1]],
      wakeUp: null,
    });
    expect(calls.at(-1)).toMatchObject({ call: "end" });
  });

  test("keeps bytes that are no text, refusals, and lone halves of characters", async () => {
    const lines = await record((engine) => {
      expect(() => engine.ingest(0, IngestKind.watchLines, Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x0a), 50)).toThrow(
        EngineError,
      );
      expect(() => engine.ingest(0, IngestKind.watchLines, '{"type":"\ud800"}', 50)).toThrow(EngineError);
      expect(() => engine.ingest(9, IngestKind.listBegin, "", 50)).toThrow(EngineError);
      expect(() => engine.settle(99, 200, -1, "", 60)).toThrow(EngineError);
    });
    expect(lines.filter((line) => /"base64":"77u\/\/wo=","code":5/.test(line))).toHaveLength(1);
    expect(await differenceIn(lines)).toBeUndefined();
  });

  test("brings any bytes back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect([...inputBytes(JSON.parse(JSON.stringify(recordedBytes(bytes))))]).toEqual([...bytes]);
      }),
      { seed: 1, numRuns: 2000 },
    );
    expect([...inputBytes(recordedBytes("\ufeffä"))]).toEqual([0xef, 0xbb, 0xbf, 0xc3, 0xa4]);
  });

  test("continues with a fresh engine after a trap", async () => {
    const lines: string[] = [];
    const recorder = new Recorder({ write: (line) => lines.push(line), sha256 });
    const trapped = {
      moduleSha256,
      abiVersion: "1.2",
      configure: () => {},
      poll: () => {
        throw new EngineError(-1, "the engine stopped: a test");
      },
    } as unknown as Engine;
    const first = recorder.record(trapped);
    first.configure(CONFIGURATION);
    expect(() => first.poll(1, 1)).toThrow("a test");
    const second = recorder.record(await newEngine());
    second.configure(CONFIGURATION);
    second.poll(2, 1);
    recorder.end();
    second.poll(3, 1);
    expect(lines.map((line) => JSON.parse(line).call)).toEqual([
      undefined,
      "configure",
      "poll",
      "configure",
      "poll",
      "end",
    ]);
    expect(await differenceIn(lines)).toBe("3: poll was answered; recorded is a trap (the engine stopped: a test)");
    expect(
      await differenceIn(rewritten(lines, (entry) => ("trap" in entry ? { call: "clock", offsetMs: 0 } : entry))),
    ).toBeUndefined();
  });

  test("lets what is no answer of an engine pass, unrecorded", async () => {
    const broken = {
      moduleSha256,
      abiVersion: "1.2",
      configure: () => {
        throw new TypeError("a bug");
      },
    } as unknown as Engine;
    await expect(record(() => {}, broken)).rejects.toThrow(TypeError);
  });
});

describe("a replay finds", () => {
  test("any byte that was altered, any line that is missing, twice there or out of order", async () => {
    const lines = await record();
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 127 }), async (lineSeed, placeSeed, flip) => {
        const i = lineSeed % lines.length;
        const line = lines[i]!;
        const place = placeSeed % line.length;
        const flipped = String.fromCharCode(line.charCodeAt(place) ^ flip);
        const altered = line.slice(0, place) + flipped + line.slice(place + 1);
        expect(await refusalOf(lines.with(i, altered))).toMatch(
          i === 0 ? /^1: / : new RegExp(`^${i + 1}: the line is not as it was written`),
        );
      }),
      { seed: 2, numRuns: 300 },
    );
    for (const wrong of [
      lines.toSpliced(4, 1),
      lines.toSpliced(4, 0, lines[4]!),
      lines.toSpliced(4, 2, lines[5]!, lines[4]!),
    ]) {
      expect(await refusalOf(wrong)).toMatch(
        /^[56]: the line is not as it was written: the recording was changed or damaged$/,
      );
    }
  });

  const isPoll = (entry: any): boolean => entry.call === "poll" && entry.requests.length === 1 && entry.now === 20;
  test.each([
    [
      "another method",
      (poll: any) => ({ ...poll, requests: [["PUT", ...poll.requests[0].slice(1)]] }),
      "request 1 of the poll is POST /api/v1/namespaces/default/pods; recorded is PUT /api/v1/namespaces/default/pods",
    ],
    [
      "another body",
      (poll: any) => ({ ...poll, requests: [[...poll.requests[0].slice(0, 2), "0".repeat(64)]] }),
      "request 1 of the poll, POST /api/v1/namespaces/default/pods, has another id, header or body than the recorded one",
    ],
    [
      "a request too many",
      (poll: any) => ({ ...poll, requests: [] }),
      "request 1 of the poll is POST /api/v1/namespaces/default/pods; recorded is none",
    ],
    [
      "a request too few",
      (poll: any) => ({ ...poll, requests: [...poll.requests, ["GET", "/a", ""]] }),
      "request 2 of the poll is missing; recorded is GET /a",
    ],
    ["another wake-up", (poll: any) => ({ ...poll, wakeUp: 5 }), "the next wake-up is none; recorded is 5"],
    [
      "other decisions",
      ({ decisions: _, ...poll }: any) => poll,
      "the decisions of the poll are others than the recorded ones",
    ],
    [
      "an answer in place of a trap",
      ({ requests: _, wakeUp: __, decisions: ___, ...poll }: any) => ({ ...poll, trap: "t" }),
      "poll was answered; recorded is a trap (t)",
    ],
  ])("%s", async (_, change, expected) => {
    expect(await differenceIn(rewritten(await record(), (entry) => (isPoll(entry) ? change(entry) : entry)))).toMatch(
      new RegExp(`^\\d+: ${expected.replace(/[()]/g, "\\$&")}$`),
    );
  });

  test("another code, and input that does something else", async () => {
    const lines = await record();
    expect(
      await differenceIn(
        rewritten(lines, (entry) => (entry.call === "settle" ? { ...entry, code: ErrorCode.unknownRequest } : entry)),
      ),
    ).toMatch(/: settle ended with code 0 \(ok\); recorded is code 7 \(unknownRequest\)$/);
    const other = rewritten(lines, (entry) =>
      entry.kind === IngestKind.page ? { ...entry, text: entry.text.replace('"image":"i"', '"image":"j"') } : entry,
    );
    expect(await differenceIn(other)).toMatch(/has another id, header or body/);
  });
});

describe("a replay refuses", () => {
  test.each([
    ["what is no recording", () => "{}", 'it is no header of a recording, which has "format":"stint.recording"'],
    ["what is no JSON", () => "apiVersion: v1", "it is no header of a recording"],
    [
      "another version",
      () => JSON.stringify({ format: "stint.recording", version: 2 }),
      "it is a recording of version 2; this program reads version 1",
    ],
    [
      "another module",
      () => JSON.stringify({ format: "stint.recording", version: 1, module: "ab" }),
      `it is a recording of engine module ab, and this program has module ${moduleSha256}`,
    ],
  ])("%s", async (_, line, message) => {
    await expect(newReplay().take(line())).rejects.toThrow(RecordingError);
    await expect(newReplay().take(line())).rejects.toThrow(message);
  });

  test.each([
    [
      "a call that is none",
      { call: "toString" },
      "it is no call; allowed are configure, clock, ingest, poll, settle, end",
    ],
    ["a number that is none", { call: "poll", now: "1", max: 1 }, 'its member "now" must be a number'],
    [
      "a configuration that is none",
      { call: "configure", configuration: null },
      'its member "configuration" must be an object',
    ],
    [
      "requests that are none",
      { call: "poll", now: 1, max: 1, requests: [1] },
      'its member "requests" must be an array of arrays',
    ],
    [
      "bytes that are none",
      { call: "ingest", now: 1, source: 0, kind: 0, base64: "*" },
      "it has neither text nor base64",
    ],
  ])("%s", async (_, entry, message) => {
    await expect(differenceIn(rewritten(await record(), (own, i) => (i === 3 ? entry : own)))).rejects.toThrow(message);
  });

  test("a call before an engine was configured, and one after the end", async () => {
    const lines = await record();
    const unchanged = (entry: object): object => entry;
    await expect(differenceIn(rewritten(lines.toSpliced(1, 1), unchanged))).rejects.toThrow(
      "no engine was configured before it",
    );
    await expect(differenceIn(rewritten([...lines, lines[3]!], unchanged))).rejects.toThrow(
      "it comes after the end of the recording",
    );
  });
});
