/** The reflector against scripted servers: paging, watching, and every way in which a stream ends. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ApiRequest, ApiResponse, StreamSink, Transport } from "../../../bindings/js/host.ts";
import { ApiClient } from "../../../cluster/client/client.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Reflector } from "../../../cluster/client/reflector.ts";
import { failure } from "../component-harness.ts";

/** A server that answers lists from a script and leaves streams to the test. */
class ScriptedServer implements Transport {
  readonly clock = new VirtualClock(0);
  readonly lists: string[] = [];
  readonly watches: { path: string; sink: StreamSink; isClosed: boolean }[] = [];
  readonly answers: ApiResponse[] = [];
  readonly seen: string[] = [];
  readonly problems: string[] = [];
  onProblem = (): void => {};

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    this.lists.push(request.path);
    const answer = this.answers.shift() ?? list("1", []);
    this.clock.defer(() => done(answer));
  }

  stream(request: ApiRequest, sink: StreamSink): () => void {
    const watch = { path: request.path, sink, isClosed: false };
    this.watches.push(watch);
    return () => void (watch.isClosed = true);
  }

  get watch() {
    return this.watches.at(-1)!;
  }

  reflector(): Reflector {
    const client = new ApiClient(this, { userAgent: "test" });
    return new Reflector(
      { client, clock: this.clock, random: () => 0, path: "/api/v1/pods", fieldSelector: "spec.nodeName=n1" },
      {
        onSync: (objects) => this.seen.push(`sync ${objects.map(({ metadata }) => metadata.name).join(",")}`),
        onEvent: (type, object) => this.seen.push(`${type} ${object.metadata.name}`),
        onProblem: ({ status, message }) => {
          this.problems.push(`${status} ${message}`);
          this.onProblem();
        },
      },
    );
  }
}

const meta = (name: string, resourceVersion: string) => ({
  metadata: { name, uid: name, resourceVersion, creationTimestamp: "" },
});
const event = (type: string, name: string, resourceVersion: string) =>
  `${JSON.stringify({ type, object: meta(name, resourceVersion) })}\n`;
function list(resourceVersion: string, names: string[], next?: string): ApiResponse {
  const body = {
    metadata: { resourceVersion, ...(next ? { continue: next } : {}) },
    items: names.map((name) => meta(name, "1")),
  };
  return { status: 200, headers: {}, body: JSON.stringify(body) };
}

let server: ScriptedServer;
let reflector: Reflector;
const begin = (...answers: ApiResponse[]) => {
  server = new ScriptedServer();
  server.answers.push(...answers);
  reflector = server.reflector();
  reflector.start();
  server.clock.advance(0);
};
beforeEach(() => begin(list("5", ["a"])));

test("a reflector lists page by page, then watches from the version of the list", () => {
  begin(list("5", ["a", "b"], "token/1"), list("5", ["c"]));
  expect(server.lists).toEqual([
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=500",
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&limit=500&continue=token%2F1",
  ]);
  expect(server.seen).toEqual(["sync a,b,c"]);
  expect(server.watch.path).toBe(
    "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&watch=true&resourceVersion=5&allowWatchBookmarks=true",
  );
});

test("a reflector hands out events however the stream is cut, text or bytes", () => {
  const lines = event("ADDED", "ä", "6") + event("MODIFIED", "ä", "7") + event("DELETED", "ä", "8");
  for (const byte of new TextEncoder().encode(lines)) server.watch.sink.data(Uint8Array.of(byte));
  expect(server.seen).toEqual(["sync a", "ADDED ä", "MODIFIED ä", "DELETED ä"]);
});

describe("a stream that ends", () => {
  test("cleanly after a while is opened again at once, at the version of the last bookmark", () => {
    server.watch.sink.data(event("ADDED", "b", "6"));
    server.watch.sink.data(event("BOOKMARK", "", "9"));
    server.clock.advance(2000);
    server.watch.sink.end();
    expect(server.watches).toHaveLength(2);
    expect(server.watch.path).toContain("resourceVersion=9");
    expect(server.lists).toHaveLength(1);
    expect(server.seen).toEqual(["sync a", "ADDED b"]);
  });

  test("cleanly but at once waits longer each time, so that a broken server is not hammered", () => {
    const openedAt = [0];
    for (let i = 0; i < 4; i++) {
      server.watch.sink.end();
      const before = server.watches.length;
      while (server.watches.length === before) server.clock.step();
      openedAt.push(server.clock.now());
    }
    expect(openedAt).toEqual([0, 250, 750, 1750, 3750]);
  });

  test("by a broken connection is taken up again after a delay", () => {
    server.watch.sink.data(event("ADDED", "b", "6"));
    server.watch.sink.end({ status: 0, headers: {}, body: "" });
    expect(server.watches).toHaveLength(1);
    server.clock.advance(250);
    expect(server.watch.path).toContain("resourceVersion=6");
    expect(server.lists).toHaveLength(1);
  });

  test.each([
    ["an answer 410", (sink: StreamSink) => sink.end(failure(410, "Expired", "too old"))],
    [
      "an ERROR event 410",
      (sink: StreamSink) =>
        sink.data(`${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, message: "too old" } })}\n`),
    ],
    ["a line that is not JSON", (sink: StreamSink) => sink.data("oops\n")],
    ["an event of unknown type", (sink: StreamSink) => sink.data(event("CHANGED", "x", "7"))],
  ])("with %s leads to a new list", (_name, breakIt) => {
    server.answers.push(list("20", ["z"]));
    breakIt(server.watch.sink);
    expect(server.watches[0]!.isClosed).toBe(true);
    server.clock.advance(250);
    expect(server.seen).toEqual(["sync a", "sync z"]);
    expect(server.watch.path).toContain("resourceVersion=20");
    expect(server.problems).toHaveLength(1);
  });

  test("what a closed stream still delivers is not believed", () => {
    const old = server.watch.sink;
    old.data("oops\n");
    old.data(event("ADDED", "late", "99"));
    old.end();
    server.clock.advance(250);
    expect(server.seen).toEqual(["sync a", "sync "]);
    expect(server.watches).toHaveLength(2);
  });
});

describe("a list that fails", () => {
  test.each<[string, string | string[]]>([
    ["the server asks", "3"],
    ["the first asks of server and gateway", ["3", "9"]],
  ])("is tried again, no sooner than %s", (_who, seconds) => {
    begin({ ...failure(429, "TooManyRequests"), headers: { "retry-after": seconds } }, list("5", ["a"]));
    server.clock.advance(2999);
    expect(server.seen).toEqual([]);
    server.clock.advance(1);
    expect(server.seen).toEqual(["sync a"]);
  });

  test("because its pages expired is done again without pages", () => {
    begin(list("5", ["a"], "t"), failure(410, "Expired"), list("6", ["a", "b"]));
    server.clock.advance(1000);
    expect(server.lists.at(-1)).toBe("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1");
    expect(server.seen).toEqual(["sync a,b"]);
  });
});

test.each<[string, () => void]>([
  [
    "of a list",
    () => {
      reflector.stop();
      server.answers.push(failure(403, "Forbidden"));
      reflector.start();
    },
  ],
  ["of a watch", () => server.watch.sink.end(failure(403, "Forbidden"))],
  ["in a stream", () => server.watch.sink.data("no JSON\n")],
])("stop inside the report of a problem %s ends everything", (_where, meetProblem) => {
  const asked = (): number => server.lists.length + server.watches.length;
  let askedUntilStop = 0;
  server.onProblem = () => {
    reflector.stop();
    askedUntilStop = asked();
  };
  meetProblem();
  server.clock.advance(3_600_000);
  expect(server.problems).toHaveLength(1);
  expect(asked()).toBe(askedUntilStop);
});

test("stop ends everything that a reflector does", () => {
  const { sink } = server.watch;
  reflector.stop();
  expect(server.watch.isClosed).toBe(true);
  sink.data(event("ADDED", "late", "99"));
  sink.end({ status: 0, headers: {}, body: "" });
  server.clock.advance(60_000);
  expect(server.seen).toEqual(["sync a"]);
  expect(server.watches).toHaveLength(1);
});
