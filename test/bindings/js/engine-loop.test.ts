/**
 * The loop against a scripted engine on a virtual clock: what it lists and watches, how it cuts
 * a stream into lines, when it tries again, and that every request is settled once.
 */
import { describe, expect, test } from "vitest";
import { EngineLoop, type EngineLoopOptions } from "../../../bindings/js/engine-loop.ts";
import { EngineError, ErrorCode } from "../../../bindings/js/engine.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { ManualTransport, type PendingSend, type PendingStream, ScriptedEngine } from "./scripted-engine.ts";

const START_MS = 1_700_000_000_000;
const PODS = { id: 2, path: "/api/v1/pods" };

function setUp(options: Partial<EngineLoopOptions> = {}) {
  const clock = new VirtualClock(START_MS);
  const engine = new ScriptedEngine();
  const transport = new ManualTransport(clock);
  const problems: string[] = [];
  const fatal: Error[] = [];
  const loop = new EngineLoop({
    engine,
    transport,
    clock,
    sources: [PODS],
    random: () => 0,
    onProblem: (problem) => problems.push(problem),
    onFatal: (error) => fatal.push(error),
    ...options,
  });
  loop.start();
  clock.runDeferred();
  const lists = (): PendingSend[] => transport.sends.filter((send) => send.request.method === "GET");
  const answerList = (status: number, body = "", headers = {}): void => {
    lists().at(-1)!.answer(status, body, headers);
    clock.runDeferred();
  };
  const watch = (): PendingStream => transport.streams.at(-1)!;
  return { clock, engine, transport, loop, problems, fatal, lists, answerList, watch };
}

/** A loop whose only source is synced and watched from version 10. */
function setUpWatching(options: Partial<EngineLoopOptions> = {}) {
  const loop = setUp(options);
  loop.answerList(200, "10");
  loop.watch().sink.open({ status: 200, headers: {} });
  return loop;
}

describe("lists", () => {
  test("takes every page, then watches from the version of the list", () => {
    const { engine, transport, answerList, lists, watch } = setUp();
    expect(lists()[0]!.request).toEqual({
      method: "GET",
      path: "/api/v1/pods?limit=500",
      headers: { accept: "application/json", "user-agent": "stint" },
    });
    answerList(200, "10 next=a/b=");
    expect(lists()[1]!.request.path).toBe("/api/v1/pods?limit=500&continue=a%2Fb%3D");
    expect(transport.streams).toHaveLength(0);
    answerList(200, "10");
    expect(engine.calls).toEqual([
      "ingest 2 listBegin",
      'ingest 2 page "10 next=a/b="',
      'ingest 2 page "10"',
      "ingest 2 listEnd",
    ]);
    expect(watch().request.path).toBe("/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=10");
  });

  test("keeps the selectors of a source's path, and the page limit and user agent it was given", () => {
    const { lists, answerList, watch } = setUp({
      sources: [{ id: 1, path: "/apis/batch/v1/jobs?labelSelector=a%3Db" }],
      pageLimit: 7,
      userAgent: "x/1",
    });
    expect(lists()[0]!.request.path).toBe("/apis/batch/v1/jobs?labelSelector=a%3Db&limit=7");
    expect(lists()[0]!.request.headers["user-agent"]).toBe("x/1");
    answerList(200, "3");
    expect(watch().request.path).toBe(
      "/apis/batch/v1/jobs?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true&resourceVersion=3",
    );
  });

  test("lists each source on its own", () => {
    const { lists, engine, clock, transport } = setUp({
      sources: [
        { id: 1, path: "/jobs" },
        { id: 2, path: "/pods" },
      ],
    });
    lists()[1]!.answer(200, "5");
    clock.runDeferred();
    expect(transport.streams.map((stream) => stream.request.path)).toEqual([
      "/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5",
    ]);
    lists()[0]!.answer(200, "6");
    clock.runDeferred();
    expect(transport.streams).toHaveLength(2);
    expect(engine.calls.filter((call) => call.includes("listEnd"))).toEqual(["ingest 2 listEnd", "ingest 1 listEnd"]);
  });

  test("begins again after a page that failed, and says so", () => {
    const { clock, engine, lists, answerList, problems } = setUp();
    answerList(200, "10 next=t");
    answerList(410);
    expect(problems).toEqual(["listing /api/v1/pods was answered 410"]);
    expect(lists()).toHaveLength(2);
    clock.advance(400);
    expect(lists()[2]!.request.path).toBe("/api/v1/pods?limit=500");
    expect(engine.calls.filter((call) => call.endsWith("listBegin"))).toHaveLength(2);
  });

  test.each([
    [0, [400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]],
    [0.999999, [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]],
  ])("waits ever longer between failed lists, jittered within half and whole (random %f)", (random, expectedMs) => {
    const { clock, lists, answerList } = setUp({ random: () => random });
    const waitedMs = expectedMs.map(() => {
      const before = clock.now();
      const count = lists().length;
      answerList(0);
      while (lists().length === count && clock.step()) clock.runDeferred();
      return clock.now() - before;
    });
    expect(waitedMs).toEqual(expectedMs);
  });

  test("waits at least as long as the server asks", () => {
    const { clock, lists, answerList } = setUp();
    answerList(429, "", { "retry-after": "7" });
    clock.advance(6_999);
    expect(lists()).toHaveLength(1);
    clock.advance(1);
    expect(lists()).toHaveLength(2);
  });

  test("a list does not reset the wait: lists that work and watches that do not are not a tight loop", () => {
    const { clock, lists, answerList, watch } = setUp();
    const waitedMs = [400, 800, 1600, 3200].map(() => {
      answerList(200, "10");
      watch().sink.data("gone\n");
      watch().sink.end();
      const before = clock.now();
      clock.step();
      return clock.now() - before;
    });
    expect(waitedMs).toEqual([400, 800, 1600, 3200]);
    expect(lists()).toHaveLength(5);
  });
});

describe("watches", () => {
  test("hands over whole lines, however the chunks are cut", () => {
    const text = "11\n12\n13\n";
    for (let cut = 1; cut < text.length; cut++) {
      for (const encode of [(part: string) => part, (part: string) => new TextEncoder().encode(part)]) {
        const { engine, watch } = setUpWatching();
        const before = engine.calls.length;
        watch().sink.data(encode(text.slice(0, cut)));
        watch().sink.data(encode(text.slice(cut)));
        const lines = engine.calls
          .slice(before)
          .map((call) => JSON.parse(call.slice("ingest 2 watchLines ".length)) as string);
        expect(lines.every((part) => part.endsWith("\n"))).toBe(true);
        expect(lines.join("")).toBe(text);
      }
    }
  });

  test("keeps characters whole that lie across chunks", () => {
    const { engine, watch } = setUpWatching();
    const bytes = new TextEncoder().encode("é€🙂\n");
    for (const byte of bytes) watch().sink.data(Uint8Array.of(byte));
    expect(engine.calls.at(-1)).toBe('ingest 2 watchLines "é€🙂\\n"');
  });

  test("continues from the last version after a clean end, and forgets the line that was cut off", () => {
    const { engine, clock, watch, transport, lists } = setUpWatching();
    watch().sink.data("11\n12");
    watch().sink.end();
    clock.runDeferred();
    expect(transport.streams).toHaveLength(2);
    expect(watch().request.path).toContain("resourceVersion=11");
    watch().sink.data("13\n");
    expect(engine.calls.at(-1)).toBe('ingest 2 watchLines "13\\n"');
    expect(lists()).toHaveLength(1);
  });

  test("lists again at once when a watch that lasted says that its version is gone", () => {
    const { clock, watch, lists, engine } = setUpWatching();
    clock.advance(1_000);
    watch().sink.data("gone\n");
    watch().sink.end();
    clock.runDeferred();
    expect(lists()).toHaveLength(2);
    expect(engine.calls.at(-1)).toBe("ingest 2 listBegin");
  });

  test("a watch that is refused because its version is gone leads to a list, after a wait", () => {
    const { clock, watch, lists, engine, transport } = setUpWatching();
    watch().sink.end({ status: 410, headers: {}, body: "" });
    clock.advance(399);
    expect(lists()).toHaveLength(1);
    clock.advance(1);
    expect(lists()).toHaveLength(2);
    expect(engine.calls.at(-1)).toBe("ingest 2 listBegin");
    expect(transport.streams).toHaveLength(1);
  });

  test("a list that the engine asks for while the watch is sound is made after a wait, once", () => {
    const { clock, watch, lists, engine, problems, transport } = setUpWatching();
    engine.nextWakeUpMs = clock.now() + 10;
    watch().sink.data("8\n");
    clock.advance(5);
    engine.nextWakeUpMs = Infinity;
    engine.asksForList(2);
    const first = watch();
    expect(first.closed).toBe(false);
    clock.advance(5);
    expect(first.closed).toBe(true);
    expect(problems).toEqual(["/api/v1/pods has to be listed again"]);
    clock.advance(800);
    expect(lists()).toHaveLength(2);
    expect(engine.calls.at(-1)).toBe("ingest 2 listBegin");
    expect(transport.streams).toHaveLength(1);
    clock.advance(60_000);
    expect(lists()).toHaveLength(2);
  });
});

describe("watches that end or are refused", () => {
  test.each([500, 0])(
    "a watch that ends with %i is reported to the engine, and begins again after a wait",
    (status) => {
      const { clock, watch, engine, problems, transport } = setUpWatching();
      watch().sink.end({ status, headers: {}, body: "" });
      expect(engine.calls.at(-1)).toBe("ingest 2 streamLost");
      expect(problems).toEqual([`the watch of /api/v1/pods ended with status ${status}`]);
      clock.advance(399);
      expect(transport.streams).toHaveLength(1);
      clock.advance(1);
      expect(transport.streams).toHaveLength(2);
    },
  );

  test("a list or a watch that is refused is reported with the server's message", () => {
    const body = JSON.stringify({
      kind: "Status",
      message: 'pods is forbidden: User "x" cannot watch\nresource "pods"',
    });
    const { clock, answerList, watch, problems } = setUp();
    answerList(403, body);
    clock.advance(800);
    answerList(200, "10");
    watch().sink.end({ status: 403, headers: {}, body });
    const message = 'pods is forbidden: User "x" cannot watch resource "pods"';
    expect(problems).toEqual([
      `listing /api/v1/pods was answered 403: ${message}`,
      `the watch of /api/v1/pods ended with status 403: ${message}`,
    ]);
  });

  test("a server that ends every watch at once is not asked in a tight loop", () => {
    const { clock, watch, transport } = setUpWatching();
    const end = (): void => {
      watch().sink.open({ status: 200, headers: {} });
      watch().sink.end();
      clock.runDeferred();
    };
    end();
    expect(transport.streams).toHaveLength(1);
    clock.advance(400);
    expect(transport.streams).toHaveLength(2);
    end();
    clock.advance(799);
    expect(transport.streams).toHaveLength(2);
    clock.advance(1);
    expect(transport.streams).toHaveLength(3);
  });

  test("a watch that lasted resets the wait", () => {
    const { clock, watch, transport } = setUpWatching();
    for (let i = 0; i < 5; i++) {
      watch().sink.end({ status: 500, headers: {}, body: "" });
      clock.advance(30_000);
    }
    clock.advance(60_000);
    watch().sink.end({ status: 500, headers: {}, body: "" });
    const count = transport.streams.length;
    clock.advance(400);
    expect(transport.streams).toHaveLength(count + 1);
  });

  test("a line that no stored object can be is refused and the watch begun again", () => {
    const { clock, watch, problems, transport } = setUpWatching();
    const first = watch();
    const chunk = new Uint8Array(4 * 1024 * 1024).fill(97);
    for (let i = 0; i < 5; i++) first.sink.data(chunk);
    expect(first.closed).toBe(true);
    expect(problems).toEqual(["a watch line of /api/v1/pods is longer than 16777216 bytes"]);
    clock.advance(800);
    expect(transport.streams).toHaveLength(2);
  });

  test("lines that the engine refuses close the watch, and it is taken up again", () => {
    const { clock, watch, engine, problems, transport, fatal } = setUpWatching();
    engine.failures.ingest = new EngineError(ErrorCode.badJson, "byte 3: a value is missing");
    watch().sink.data("11\n");
    expect(transport.streams[0]!.closed).toBe(true);
    expect(problems).toEqual(["/api/v1/pods: byte 3: a value is missing"]);
    expect(fatal).toEqual([]);
    clock.advance(800);
    expect(transport.streams).toHaveLength(2);
    expect(watch().request.path).toContain("resourceVersion=10");
  });

  test("an object that cannot be read is reported and stops nothing", () => {
    const { watch, engine, problems, transport } = setUpWatching();
    engine.verdict = ErrorCode.unreadableObject;
    watch().sink.data("11\n");
    expect(problems).toEqual(["an object of /api/v1/pods cannot be read; its Job is blocked, `explain` says why"]);
    expect(transport.streams[0]!.closed).toBe(false);
  });
});

describe("requests", () => {
  test("go out as the engine wrote them, and each outcome comes back once", () => {
    const { clock, engine, transport, loop, watch } = setUpWatching();
    engine.wants(4, 5);
    watch().sink.data("11\n");
    clock.runDeferred();
    const [post, del] = transport.sends.slice(-2);
    expect(post!.request).toMatchObject({
      method: "POST",
      path: "/request/4",
      headers: { accept: "application/json", "content-type": "application/json", "user-agent": "stint" },
    });
    expect(new TextDecoder().decode(post!.request.body as Uint8Array)).toBe('{"id":4}');
    expect(del!.request).toEqual({
      method: "DELETE",
      path: "/request/5",
      headers: { accept: "application/json", "user-agent": "stint" },
    });
    expect(loop.inFlight).toBe(2);
    del!.answer(429, "slow down", { "retry-after": "3" });
    post!.answer(0, "");
    clock.runDeferred();
    expect(engine.calls.filter((call) => call.startsWith("settle"))).toEqual([
      'settle 5 429 3000 "slow down"',
      'settle 4 0 -1 ""',
    ]);
    expect(loop.inFlight).toBe(0);
  });

  test("a Retry-After of days counts as five minutes: nothing would bring the next try nearer", () => {
    const { clock, engine, transport, watch } = setUpWatching();
    engine.wants(4);
    watch().sink.data("11\n");
    clock.runDeferred();
    transport.sends.at(-1)!.answer(503, "", { "retry-after": "86400" });
    clock.runDeferred();
    expect(engine.calls.filter((call) => call.startsWith("settle"))).toEqual(['settle 4 503 300000 ""']);
  });

  test("a Retry-After that is a date counts as none, and of several the first counts", () => {
    const { clock, engine, transport } = setUpWatching();
    engine.wants(2, 4);
    engine.nextWakeUpMs = START_MS;
    transport.streams[0]!.sink.data("11\n");
    clock.runDeferred();
    engine.nextWakeUpMs = Infinity;
    const [first, second] = transport.sends.slice(-2);
    first!.answer(503, "", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" });
    second!.answer(503, "", { "retry-after": ["1", "2"] });
    clock.runDeferred();
    expect(engine.calls.filter((call) => call.startsWith("settle"))).toEqual([
      'settle 2 503 -1 ""',
      'settle 4 503 1000 ""',
    ]);
  });

  test("no more than maxInFlight are under way; the next goes out when one is settled", () => {
    const { clock, engine, transport, watch } = setUpWatching({ maxInFlight: 2 });
    engine.wants(2, 4, 6);
    watch().sink.data("11\n");
    clock.runDeferred();
    const posts = (): string[] =>
      transport.sends.filter((send) => send.request.method === "POST").map((send) => send.request.path);
    expect(posts()).toEqual(["/request/2", "/request/4"]);
    transport.sends.at(-1)!.answer(201);
    clock.runDeferred();
    expect(posts()).toEqual(["/request/2", "/request/4", "/request/6"]);
  });

  test("the engine is polled at its wake-up time, and that timer is replaced, not added to", () => {
    const { clock, engine, watch } = setUpWatching();
    engine.nextWakeUpMs = START_MS + 5_000;
    watch().sink.data("11\n");
    clock.runDeferred();
    engine.nextWakeUpMs = START_MS + 9_000;
    watch().sink.data("12\n");
    clock.runDeferred();
    engine.nextWakeUpMs = Infinity;
    const polls = engine.polls;
    clock.advance(8_999);
    expect(engine.polls).toBe(polls);
    clock.advance(1);
    expect(engine.polls).toBe(polls + 1);
    expect(clock.nextTimerAt()).toBe(Infinity);
  });

  test("many inputs at one instant cost one poll", () => {
    const { clock, engine, watch } = setUpWatching();
    clock.runDeferred();
    const polls = engine.polls;
    for (let version = 11; version < 30; version++) watch().sink.data(`${version}\n`);
    clock.runDeferred();
    expect(engine.polls).toBe(polls + 1);
  });

  test("decisions are handed on, and only when there are some", () => {
    const seen: string[][] = [];
    const { clock, engine, watch } = setUpWatching({
      onDecisions: (decisions) => seen.push(decisions.map((decision) => decision.code)),
    });
    watch().sink.data("11\n");
    clock.runDeferred();
    engine.decisions.push({
      atMs: START_MS,
      namespace: "default",
      job: "pi",
      uid: "u",
      code: "PodsCreated",
      message: "",
      nextMs: null,
      numbers: {},
    });
    watch().sink.data("12\n");
    clock.runDeferred();
    expect(seen).toEqual([["PodsCreated"]]);
  });
});

describe("a list that the engine asks for at once after another", () => {
  test("is made when the poll asks for it that follows the end of a list", () => {
    const { engine, clock, lists, answerList, transport } = setUp();
    engine.wishes.push(PODS.id);
    answerList(200, "10");
    expect(transport.streams[0]!.closed).toBe(true);
    clock.advance(800);
    expect(lists()).toHaveLength(2);
  });

  test("is made, too, when that list was a stream, and not while one is under way", () => {
    const { engine, clock, watch, transport } = setUp({ streamsLists: true });
    expect(engine.polls).toBe(1);
    expect(transport.streams[0]!.closed).toBe(false);
    engine.wishes.push(PODS.id);
    watch().sink.data("10\n");
    clock.runDeferred();
    expect(transport.streams[0]!.closed).toBe(true);
    clock.advance(800);
    expect(transport.streams).toHaveLength(2);
  });
});

describe("lists as a stream", () => {
  const streamed =
    "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

  test("are the beginning of the watch, and nothing is listed in pages", () => {
    const { engine, transport, watch, clock } = setUp({ streamsLists: true });
    expect(watch().request.path).toBe(streamed);
    watch().sink.open({ status: 200, headers: {} });
    watch().sink.data("9\n10\n");
    expect(engine.calls).toEqual(["ingest 2 listBegin", 'ingest 2 watchLines "9\\n10\\n"']);
    clock.advance(5_000);
    watch().sink.end();
    clock.runDeferred();
    expect(watch().request.path).toBe("/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=10");
    expect(transport.sends).toEqual([]);
  });

  test("begin again when they break before their end", () => {
    const { engine, transport, watch, clock } = setUp({ streamsLists: true });
    watch().sink.end({ status: 0, headers: {}, body: "" });
    clock.advance(30_000);
    expect(transport.streams.map(({ request }) => request.path)).toEqual([streamed, streamed]);
    expect(engine.calls).toEqual(["ingest 2 listBegin", "ingest 2 streamLost", "ingest 2 listBegin"]);
  });

  test.each([400, 422])("come in pages from a server that answers %i, from then on", (status) => {
    const { lists, watch, clock, answerList } = setUp({ streamsLists: true });
    watch().sink.end({ status, headers: {}, body: "" });
    clock.runDeferred();
    expect(lists()[0]!.request.path).toBe("/api/v1/pods?limit=500");
    answerList(200, "3");
    watch().sink.data("gone\n");
    watch().sink.end();
    clock.advance(30_000);
    expect(lists()).toHaveLength(2);
  });
});

describe("the end", () => {
  test("stop tells when the last request is settled", () => {
    const { clock, engine, transport, loop, watch } = setUpWatching();
    engine.wants(2, 4);
    watch().sink.data("11\n");
    clock.runDeferred();
    let settled = 0;
    loop.stop(() => settled++);
    transport.sends.at(-1)!.answer(201);
    clock.advance(1_000);
    expect(settled).toBe(0);
    transport.sends.at(-2)!.answer(0);
    clock.advance(1_000);
    expect(settled).toBe(1);
    const idle = setUpWatching();
    idle.loop.stop(() => settled++);
    idle.clock.runDeferred();
    expect(settled).toBe(2);
  });

  test("stop closes the watch and sends nothing new, but still settles what was under way", () => {
    const { clock, engine, transport, loop, watch } = setUpWatching();
    engine.wants(2);
    watch().sink.data("11\n");
    clock.runDeferred();
    loop.stop();
    expect(transport.streams[0]!.closed).toBe(true);
    engine.wants(4);
    const sends = transport.sends.length;
    transport.sends.at(-1)!.answer(201, "created");
    clock.runDeferred();
    clock.advance(120_000);
    expect(engine.calls.at(-1)).toBe('settle 2 201 -1 "created"');
    expect(transport.sends).toHaveLength(sends);
    expect(transport.streams).toHaveLength(1);
    expect(loop.inFlight).toBe(0);
  });

  test("stop while a list is under way or being waited for leaves nothing behind", () => {
    const listing = setUp();
    listing.loop.stop();
    listing.answerList(200, "10");
    expect(listing.transport.streams).toHaveLength(0);
    const waiting = setUp();
    waiting.answerList(500);
    waiting.loop.stop();
    waiting.clock.advance(60_000);
    expect(waiting.lists()).toHaveLength(1);
  });

  test.each(["ingest", "poll", "settle"] as const)(
    "a trap in %s ends the loop, is reported once, and the dead engine is not called again",
    (call) => {
      const { clock, engine, transport, fatal, watch } = setUpWatching();
      engine.wants(2, 4);
      watch().sink.data("11\n");
      clock.runDeferred();
      engine.failures[call] = new EngineError(-1, "the engine stopped: unreachable");
      const stream = watch();
      const [first, second] = transport.sends.slice(-2);
      if (call === "settle") first!.answer(201);
      else stream.sink.data("12\n");
      clock.runDeferred();
      expect(fatal.map((error) => error.message)).toEqual(["the engine stopped: unreachable"]);
      expect(stream.closed).toBe(true);
      const calls = engine.calls.length;
      if (call !== "settle") first!.answer(201);
      second!.answer(201);
      clock.runDeferred();
      clock.advance(60_000);
      expect(engine.calls).toHaveLength(calls);
      expect(fatal).toHaveLength(1);
    },
  );
});
