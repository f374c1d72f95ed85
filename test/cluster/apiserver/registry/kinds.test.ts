/** Events, Leases, ConfigMaps, nodes and access reviews: docs/spec/api.md 6.10. */
import { describe, expect, test } from "vitest";
import { configMap, configMaps, Harness } from "../harness.ts";

const coreEvents = "/api/v1/namespaces/default/events";
const newEvents = "/apis/events.k8s.io/v1/namespaces/default/events";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const core = {
  metadata: { name: "e" },
  involvedObject: { kind: "Job", namespace: "default", name: "j", uid: "u", apiVersion: "batch/v1" },
  reason: "R",
  message: "M",
  source: { component: "job-controller" },
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:00Z",
  count: 2,
  type: "Normal",
};
const recent = {
  metadata: { name: "e" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "a/b",
  reportingInstance: "i",
  action: "A",
  reason: "R",
  type: "Normal",
  regarding: { kind: "Job", namespace: "default", name: "j" },
  note: "M",
};

describe("events", () => {
  test("written as core, read as events.k8s.io", () => {
    const harness = new Harness();
    harness.post(coreEvents, core);
    const { text, body } = harness.get(`${newEvents}/e`);
    expect(Object.keys(body)).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "eventTime",
      "reason",
      "regarding",
      "note",
      "type",
      "deprecatedSource",
      "deprecatedFirstTimestamp",
      "deprecatedLastTimestamp",
      "deprecatedCount",
    ]);
    expect(body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      eventTime: null,
      note: "M",
      regarding: { name: "j" },
      deprecatedCount: 2,
    });
    expect(text.startsWith('{"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{')).toBe(true);
  });

  test("written as events.k8s.io, read as core, and the object is the same", () => {
    const harness = new Harness();
    const { status, body: created } = harness.post(newEvents, recent);
    expect(status).toBe(201);
    const { body } = harness.get(`${coreEvents}/e`);
    expect(body).toMatchObject({
      apiVersion: "v1",
      involvedObject: { name: "j" },
      message: "M",
      source: {},
      firstTimestamp: null,
      reportingComponent: "a/b",
    });
    expect(body.metadata).toEqual(created.metadata);
    expect(body.metadata).not.toHaveProperty("generation");
  });

  test("a patch of one is a watch event of both", () => {
    const harness = new Harness();
    harness.post(coreEvents, core);
    const lines = harness.stream(`${newEvents}?watch=1&fieldSelector=regarding.name%3Dj`);
    harness.merge(`${coreEvents}/e`, { count: 3 });
    expect(lines.events.map((event) => [event.type, event.object.deprecatedCount])).toEqual([
      ["ADDED", 2],
      ["MODIFIED", 3],
    ]);
    harness.merge(`${newEvents}/e`, { series: { count: 4, lastObservedTime: "2026-01-01T00:00:00.000000Z" } });
    expect(harness.get(`${coreEvents}/e`).body.series.count).toBe(4);
  });

  test("404 names the group", () => {
    expect(new Harness().get(`${newEvents}/n`).body.message).toBe('events.events.k8s.io "n" not found');
  });

  const refused: readonly (readonly [string, string, object, string[]])[] = [
    [
      "another namespace",
      coreEvents,
      { ...core, involvedObject: { namespace: "x" } },
      ['involvedObject.namespace: Invalid value: "x": does not match event.namespace'],
    ],
    [
      "eventTime without the rest",
      coreEvents,
      { ...core, eventTime: "2026-01-01T00:00:00.000000Z", reason: "" },
      [
        "reportingComponent: Required value",
        "reportingInstance: Required value",
        "action: Required value",
        "reason: Required value",
      ],
    ],
    ["a type", newEvents, { ...recent, type: "Foo" }, ['type: Invalid value: "": has invalid value: Foo']],
    ["no eventTime", newEvents, { ...recent, eventTime: null }, ["eventTime: Required value"]],
    [
      "a deprecated field",
      newEvents,
      { ...recent, deprecatedCount: 1 },
      ['count: Invalid value: "": needs to be unset'],
    ],
    [
      "a long note",
      newEvents,
      { ...recent, note: "x".repeat(1025) },
      ['message: Invalid value: "": can have at most 1024 characters'],
    ],
    [
      "a series of one",
      newEvents,
      { ...recent, series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } },
      ['series.count: Invalid value: "": should be at least 2'],
    ],
  ];
  for (const [name, path, event, errors] of refused) {
    test(`refuses ${name}`, () => {
      const { status, body } = new Harness().post(path, event);
      expect([status, body.details.causes.map((cause: any) => `${cause.field}: ${cause.message}`)]).toEqual([
        422,
        errors,
      ]);
    });
  }

  test("are kept for an hour after each write", () => {
    const harness = new Harness();
    harness.post(coreEvents, core);
    harness.post(coreEvents, { ...core, metadata: { name: "f" } });
    harness.clock.advance(1_800_000);
    harness.merge(`${coreEvents}/f`, { count: 9 });
    harness.clock.advance(1_800_000);
    expect(harness.get(coreEvents).body.items.map((item: any) => item.metadata.name)).toEqual(["f"]);
    harness.clock.advance(1_800_000);
    expect(harness.get(coreEvents).body.items).toEqual([]);
  });
});

describe("leases", () => {
  test("lose the fields of coordinated leader election, which is off", () => {
    const spec = { holderIdentity: "me", strategy: "OldestEmulationVersion", preferredHolder: "you" };
    const harness = new Harness();
    expect(harness.post(leases, { metadata: { name: "l" }, spec }).body.spec).toEqual({ holderIdentity: "me" });
    expect(harness.merge(`${leases}/l`, { spec }).body.spec).toEqual({ holderIdentity: "me" });
  });

  test("serialise in their own order", () => {
    const { text } = new Harness().post(leases, {
      metadata: { name: "l" },
      spec: {
        leaseTransitions: 0,
        renewTime: "2026-01-01T00:00:00.000000Z",
        holderIdentity: "",
        leaseDurationSeconds: 15,
      },
    });
    expect(text).toContain(
      '"spec":{"holderIdentity":"","leaseDurationSeconds":15,"renewTime":"2026-01-01T00:00:00.000000Z","leaseTransitions":0}}',
    );
  });

  test("ranges and times", () => {
    const harness = new Harness();
    expect(
      harness.post(leases, { metadata: { name: "l" }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }).body
        .message,
    ).toBe(
      'Lease.coordination.k8s.io "l" is invalid: [spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0, spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0]',
    );
    expect(
      harness.post(leases, { metadata: { name: "l" }, spec: { renewTime: "2026-01-01T00:00:00Z" } }).body.message,
    ).toBe(
      'Lease in version "v1" cannot be handled as a Lease: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    );
  });
});

describe("ConfigMaps", () => {
  test("keys, and base64", () => {
    const harness = new Harness();
    expect(harness.post(configMaps, configMap("a", {}, { "a b": "" })).body.message).toBe(
      `ConfigMap "a" is invalid: data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    );
    expect(harness.post(configMaps, configMap("c", {}, { constructor: "a key as any other" })).status).toBe(201);
    expect(harness.post(configMaps, { metadata: { name: "a" }, binaryData: { x: "!" } }).body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0',
    );
    expect(harness.post(configMaps, configMap("a", {}, { x: "y".repeat(1024 * 1024 + 1) })).status).toBe(422);
  });

  test("immutable freezes the data, not the metadata", () => {
    const harness = new Harness();
    harness.post(configMaps, { ...configMap("a", {}, { x: "1" }), immutable: true });
    expect(harness.merge(`${configMaps}/a`, { data: { x: "2" } }).body.message).toBe(
      'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    expect(harness.merge(`${configMaps}/a`, { immutable: null }).status).toBe(422);
    expect(harness.merge(`${configMaps}/a`, { metadata: { labels: { a: "b" } } }).status).toBe(200);
  });
});

describe("Secrets", () => {
  const secrets = "/api/v1/namespaces/default/secrets";

  test("are Opaque unless they say, and keep stringData as data", () => {
    const harness = new Harness();
    const created = harness.post(secrets, {
      metadata: { name: "s" },
      data: { a: "MQ==", b: "Mg==" },
      stringData: { b: "ü?", c: "" },
    });
    expect(created.body).toMatchObject({ type: "Opaque", data: { a: "MQ==", b: "w7w/", c: "" } });
    expect(created.body.stringData).toBeUndefined();
    expect(harness.merge(`${secrets}/s`, { stringData: { a: "x" } }).body.data).toEqual({
      a: "eA==",
      b: "w7w/",
      c: "",
    });
    expect(harness.get(`${secrets}?fieldSelector=type%3DOpaque`).body.items).toHaveLength(1);
    expect(harness.get(`${secrets}?fieldSelector=x%3D1`).body.message).toContain("field label not supported: x");
  });

  test("keys, sizes, types, and base64", () => {
    const harness = new Harness();
    const message = (secret: object): string =>
      harness.post(secrets, { metadata: { name: "s" }, ...secret }).body.message;
    expect(message({ stringData: { "a b": "" } })).toMatch(
      /^Secret "s" is invalid: data\[a b\]: Invalid value: "a b": a valid config key must /,
    );
    expect(message({ data: { a: "!" } })).toBe(
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0',
    );
    expect(message({ stringData: { a: "y".repeat(1024 * 1024 + 1) } })).toMatch(
      /^Secret "s" is invalid: data: Too long: may not be more than 1048576 bytes/,
    );
    expect(message({ type: "kubernetes.io/tls", stringData: { "tls.crt": "x" } })).toBe(
      'Secret "s" is invalid: data[tls.key]: Required value',
    );
    harness.post(secrets, { metadata: { name: "s" } });
    expect(harness.merge(`${secrets}/s`, { type: "other" }).body.message).toBe(
      'Secret "s" is invalid: type: Invalid value: "other": field is immutable',
    );
  });

  test("immutable freezes the data", () => {
    const harness = new Harness();
    harness.post(secrets, { metadata: { name: "s" }, immutable: true, stringData: { a: "1" } });
    expect(harness.merge(`${secrets}/s`, { stringData: { a: "2" } }).body.message).toBe(
      'Secret "s" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
  });
});

test("nodes are cluster-scoped and have a status", () => {
  const harness = new Harness();
  expect(
    harness.post("/api/v1/nodes", { metadata: { name: "n" }, status: { capacity: { cpu: "4000m" } } }).body.status
      .capacity,
  ).toEqual({ cpu: "4" });
  expect(
    harness.merge("/api/v1/nodes/n/status", { status: { conditions: [{ type: "Ready", status: "True" }] } }).status,
  ).toBe(200);
  expect(harness.get("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse").body.items).toHaveLength(1);
});
