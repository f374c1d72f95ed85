/** Get, list and watch: docs/spec/api.md 6.5. */
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../cluster/values/types.ts";
import { configMap, configMaps, Harness, job, jobs } from "../harness.ts";

function withConfigMaps(count: number, options: ConstructorParameters<typeof Harness>[0] = {}): Harness {
  const harness = new Harness(options);
  for (let index = 0; index < count; index++)
    harness.post(configMaps, configMap(`c${index}`, { labels: { odd: String(index % 2) } }));
  return harness;
}
const namesOf = (items: KubeObject[]): string[] => items.map((item) => item.metadata.name);

describe("get", () => {
  test("resourceVersion", () => {
    const harness = withConfigMaps(1);
    expect(harness.get(`${configMaps}/c0?resourceVersion=0`).status).toBe(200);
    expect(harness.get(`${configMaps}/c0?resourceVersion=999`).body).toMatchObject({ code: 504, reason: "Timeout" });
    expect(harness.get(`${configMaps}/c0?resourceVersion=abc`).body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  test("watch on the path of an object is a get", () => {
    expect(withConfigMaps(1).get(`${configMaps}/c0?watch=true`).body.kind).toBe("ConfigMap");
  });
});

describe("list", () => {
  test("items carry no kind; an empty list has items", () => {
    const harness = withConfigMaps(1);
    const { body } = harness.get(configMaps);
    expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    expect(Object.keys(body.items[0])).toEqual(["metadata"]);
    expect(harness.get("/api/v1/namespaces/none/configmaps").body.items).toEqual([]);
  });

  test("all pages show one snapshot", () => {
    const harness = withConfigMaps(5);
    const first = harness.get(`${configMaps}?limit=2`).body;
    expect(first.metadata.remainingItemCount).toBe(3);
    harness.delete(`${configMaps}/c2`);
    harness.merge(`${configMaps}/c3`, { data: { new: "1" } });
    harness.post(configMaps, configMap("c2a"));
    const second = harness.get(`${configMaps}?limit=2&continue=${first.metadata.continue}`).body;
    expect(namesOf(second.items)).toEqual(["c2", "c3"]);
    expect(second.items[1]).not.toHaveProperty("data");
    expect(second.metadata).toMatchObject({ resourceVersion: first.metadata.resourceVersion, remainingItemCount: 1 });
    const rest = harness.get(`${configMaps}?continue=${second.metadata.continue}`).body;
    expect(namesOf(rest.items)).toEqual(["c4"]);
    expect(rest.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  test("with selectors the remaining count is left out, and over all namespaces the token names one", () => {
    const harness = withConfigMaps(5);
    const { metadata, items } = harness.get("/api/v1/configmaps?limit=2&labelSelector=odd%3D0").body;
    expect(namesOf(items)).toEqual(["c0", "c2"]);
    expect(metadata).not.toHaveProperty("remainingItemCount");
    expect(JSON.parse(Buffer.from(metadata.continue, "base64url").toString()).start).toBe("/default/c2\0");
    const next = harness.get(`/api/v1/configmaps?limit=2&labelSelector=odd%3D0&continue=${metadata.continue}`).body;
    expect(namesOf(next.items)).toEqual(["c4"]);
  });

  test("an expired token can be continued from inconsistently", () => {
    const harness = withConfigMaps(4, { limits: { maxHistoryEvents: 2 } });
    const { metadata } = harness.get(`${configMaps}?limit=1`).body;
    for (let index = 0; index < 4; index++) harness.merge(`${configMaps}/c3`, { data: { index: String(index) } });
    const expired = harness.get(`${configMaps}?limit=1&continue=${metadata.continue}`).body;
    expect(expired).toMatchObject({ code: 410, reason: "Expired" });
    const next = harness.get(`${configMaps}?limit=2&continue=${expired.metadata.continue}`).body;
    expect(namesOf(next.items)).toEqual(["c1", "c2"]);
  });

  test("resourceVersion and resourceVersionMatch", () => {
    const harness = withConfigMaps(2);
    const { resourceVersion } = harness.get(configMaps).body.metadata;
    harness.post(configMaps, configMap("c2"));
    const names = (query: string): string[] => namesOf(harness.get(`${configMaps}?${query}`).body.items);
    expect(names(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).toEqual(["c0", "c1"]);
    expect(names(`resourceVersion=${resourceVersion}&limit=5`)).toEqual(["c0", "c1"]);
    expect(names(`resourceVersion=${resourceVersion}`)).toEqual(["c0", "c1", "c2"]);
    expect(names(`resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan&limit=1`)).toEqual(["c0"]);
    expect(names("resourceVersion=0&limit=1")).toEqual(["c0", "c1", "c2"]);
    expect(names("limit=-1")).toEqual(["c0", "c1", "c2"]);
  });

  const refused: readonly (readonly [string, number, string])[] = [
    [
      "resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      "resourceVersion=1&resourceVersionMatch=Foo",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      "sendInitialEvents=true",
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
    ["resourceVersion=5&continue=x", 400, "specifying resource version is not allowed when using continue"],
    [
      "resourceVersion=abc",
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    [
      "watch=true&continue=x",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    [
      "watch=true&sendInitialEvents=true",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    [
      "watch=true&resourceVersionMatch=NotOlderThan",
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      "watch=true&resourceVersion=abc",
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
  ];
  for (const [query, code, message] of refused) {
    test(`refuses ?${query}`, () => {
      const { status, body } = new Harness().get(`${jobs}?${query}`);
      expect([status, body.message]).toEqual([code, message]);
    });
  }
});

describe("watch", () => {
  const types = (lines: { events: { type: string }[] }): string => lines.events.map((event) => event.type).join(" ");

  test("without a resourceVersion: the state, the annotated bookmark if wanted, then changes", () => {
    const harness = withConfigMaps(2);
    const plain = harness.stream(`${configMaps}?watch=1`);
    const marked = harness.stream(`${configMaps}?watch=1&allowWatchBookmarks=true`);
    harness.delete(`${configMaps}/c0`);
    expect(types(plain)).toBe("ADDED ADDED DELETED");
    expect(types(marked)).toBe("ADDED ADDED BOOKMARK DELETED");
    expect(marked.events[2]!.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });

  test("sendInitialEvents=false: from now", () => {
    const harness = withConfigMaps(2);
    const lines = harness.stream(
      `${configMaps}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0`,
    );
    harness.delete(`${configMaps}/c1`);
    expect(types(lines)).toBe("DELETED");
  });

  test("from a revision: what happened since", () => {
    const harness = withConfigMaps(2);
    const { resourceVersion } = harness.get(`${configMaps}/c0`).body.metadata;
    const lines = harness.stream(`${configMaps}?watch=1&resourceVersion=${resourceVersion}`);
    expect(lines.events.map((event) => event.object.metadata.name)).toEqual(["c1"]);
  });

  test("a future revision waits, with sendInitialEvents it is an error", () => {
    const harness = withConfigMaps(1);
    const { resourceVersion } = harness.get(configMaps).body.metadata;
    const lines = harness.stream(`${configMaps}?watch=1&resourceVersion=${Number(resourceVersion) + 1}`);
    harness.post(configMaps, configMap("x"));
    expect(lines.events).toEqual([]);
    harness.post(configMaps, configMap("y"));
    expect(types(lines)).toBe("ADDED");
    const future = harness.stream(
      `${configMaps}?watch=1&resourceVersion=999&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    expect(future.events).toMatchObject([{ type: "ERROR", object: { code: 504 } }]);
    expect(future.hasEnded()).toBe(true);
  });

  test("other namespaces are not seen", () => {
    const harness = new Harness();
    harness.namespace("other");
    const lines = harness.stream("/api/v1/namespaces/other/configmaps?watch=1");
    harness.post(configMaps, configMap("a"));
    harness.post("/api/v1/namespaces/other/configmaps", configMap("b"));
    expect(lines.events.map((event) => event.object.metadata.name)).toEqual(["b"]);
  });

  test("field selectors act on transitions too", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    const lines = harness.stream(`${jobs}?watch=1&fieldSelector=status.successful%3D1`);
    harness.merge(`${jobs}/j/status`, { status: { succeeded: 1 } });
    harness.merge(`${jobs}/j/status`, { status: { succeeded: 2 } });
    expect(types(lines)).toBe("ADDED DELETED");
    expect(lines.events[1]!.object.status.succeeded).toBe(1);
    expect(Number(lines.events[1]!.object.metadata.resourceVersion)).toBeGreaterThan(
      Number(lines.events[0]!.object.metadata.resourceVersion),
    );
  });

  test("timeoutSeconds ends the stream; a closed one gets nothing more", () => {
    const harness = new Harness();
    const timed = harness.stream(`${jobs}?watch=1&timeoutSeconds=5`);
    const closed = harness.stream(`${jobs}?watch=1`);
    closed.close();
    harness.clock.advance(4_999);
    expect(timed.hasEnded()).toBe(false);
    harness.clock.advance(1);
    expect(timed.hasEnded()).toBe(true);
    harness.post(jobs, job("j"));
    expect([timed.text(), closed.text()]).toEqual(["", ""]);
    expect(harness.clock.nextTimerAt()).toBe(Infinity);
  });

  test("the default timeout lies between 30 and 60 minutes; a negative one is an error event", () => {
    const harness = new Harness();
    const lines = harness.stream(`${jobs}?watch=1`);
    harness.clock.advance(30 * 60_000 - 1);
    expect(lines.hasEnded()).toBe(false);
    harness.clock.advance(30 * 60_000 + 1);
    expect(lines.hasEnded()).toBe(true);
    expect(harness.stream(`${jobs}?watch=1&timeoutSeconds=-1`).events).toMatchObject([
      { type: "ERROR", object: { code: 500 } },
    ]);
  });

  test("bookmarks: every minute and two seconds before the end", () => {
    const harness = new Harness();
    const lines = harness.stream(`${jobs}?watch=1&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=75`);
    harness.clock.advance(59_000);
    expect(lines.events).toHaveLength(0);
    harness.clock.advance(16_000);
    expect(types(lines)).toBe("BOOKMARK BOOKMARK");
    expect(lines.hasEnded()).toBe(true);
    const short = harness.stream(`${jobs}?watch=1&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=5`);
    harness.clock.advance(5_000);
    expect(short.text()).toBe("");
  });

  test("there is a limit of open streams, and closing one makes room", () => {
    const harness = new Harness({ limits: { maxStreams: 1 } });
    const first = harness.stream(`${jobs}?watch=1`);
    expect(harness.get(`${jobs}?watch=1`).body).toMatchObject({ code: 429, reason: "TooManyRequests" });
    first.close();
    expect(harness.stream(`${jobs}?watch=1`).hasEnded()).toBe(false);
  });
});
