/**
 * DeviceTaintRules: the time of the taint, what a write may change, and versions that do not serve them. What is
 * refused is recorded in test/kubernetes/differential/refusals.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { moreCollected } from "../../../../cluster/more-controllers.ts";
import { type ServedVersion, SERVED_VERSIONS } from "../../../../cluster/values/kubernetes-versions.ts";
import { Harness } from "../harness.ts";

const GROUP = "/apis/resource.k8s.io/v1";
const RULES = `${GROUP}/devicetaintrules`;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const START = "2026-11-21T09:48:50Z";
const taint = { key: "example.com/broken", effect: "NoSchedule" };
const conditions = [
  { type: "EvictionInProgress", status: "True", reason: "Pending", message: "", lastTransitionTime: START },
];

let h: Harness;
beforeEach(() => {
  h = new Harness({ moreResources, fieldOwners: trackFields });
});

describe("the time of the taint", () => {
  const timeAfter = (change: object): unknown => {
    h.post(RULES, { metadata: { name: "r" }, spec: { taint } });
    h.clock.advance(5000);
    return h.merge(`${RULES}/r`, change).body.spec.taint.timeAdded;
  };

  test("is that of the creation, unless the client gives one", () => {
    expect(timeAfter({ metadata: { labels: { a: "b" } } })).toBe(START);
    const given = { ...taint, timeAdded: "2026-01-01T01:00:00+01:00" };
    const { body } = h.post(RULES, { metadata: { name: "given" }, spec: { taint: given } });
    expect(body.spec.taint.timeAdded).toBe("2026-01-01T00:00:00Z");
  });

  test.each([
    ["stays with another key and value", { key: "a", value: "b" }, START],
    ["is the moment of another effect", { effect: "NoExecute" }, "2026-11-21T09:48:55Z"],
    ["is the one that comes with another effect", { effect: "None", timeAdded: "2026-01-01T00:00:00Z" }, undefined],
    ["is the moment of an update without it", { timeAdded: null }, "2026-11-21T09:48:55Z"],
  ])("%s", (_what, changed, expected) => {
    expect(timeAfter({ spec: { taint: changed } })).toBe(expected ?? "2026-01-01T00:00:00Z");
  });

  test("has a column", () => {
    timeAfter({ spec: { taint: { effect: "NoExecute" } } });
    h.clock.advance(1000);
    const { rows } = h.get(RULES, TABLE).body;
    expect(rows[0].cells).toEqual(["r", "example.com/broken", "", "NoExecute", "1s", "6s"]);
  });
});

test("a write changes the spec and its generation, or the status", () => {
  const status = { conditions };
  const { body: made } = h.post(RULES, { metadata: { name: "r" }, spec: { taint }, status });
  expect([made.metadata.generation, made.status]).toEqual([1, {}]);
  const { body: labelled } = h.merge(`${RULES}/r`, { metadata: { labels: { a: "b" } }, status });
  expect([labelled.metadata.generation, labelled.status]).toEqual([1, {}]);
  const { body: changed } = h.merge(`${RULES}/r`, { spec: { deviceSelector: { driver: "d.example.com" } } });
  expect(changed.metadata.generation).toBe(2);
  const other = { metadata: { labels: { c: "d" } }, spec: { taint: { effect: "None" } }, status };
  const { body: seen } = h.merge(`${RULES}/r/status`, other);
  expect(seen).toMatchObject({ metadata: { generation: 2, labels: { a: "b" } }, spec: changed.spec, status });
});

test("an update names the version that it changes", () => {
  const { body: made } = h.post(RULES, { metadata: { name: "r" }, spec: { taint } });
  const { resourceVersion: _left, ...metadata } = made.metadata;
  for (const path of [`${RULES}/r`, `${RULES}/r/status`]) {
    const { status, body } = h.put(path, { ...made, metadata });
    expect([status, body.details.causes[0].message]).toEqual([
      422,
      "Invalid value: 0: must be specified for an update",
    ]);
    expect(h.put(path, made).status).toBe(200);
  }
});

test("a deletion answers a Status", () => {
  h.post(RULES, { metadata: { name: "r" }, spec: { taint } });
  expect(h.delete(`${RULES}/r`).body).toMatchObject({ kind: "Status", status: "Success" });
});

test("versions before 1.37 do not serve them", () => {
  const isServed = (kubernetes: ServedVersion): boolean[] => {
    const server = new Harness({ moreResources, kubernetes });
    const { status } = server.post(RULES, { metadata: { name: "r" }, spec: { taint } });
    const documents = [GROUP, `/openapi/v3${GROUP}`, "/openapi/v2"].map((path) => server.get(path).text);
    return [
      status === 201,
      server.get(RULES).status === 200,
      ...documents.map((text) => text.includes("DeviceTaintRule")),
      moreCollected(kubernetes).some(({ kind }) => kind === "DeviceTaintRule"),
    ];
  };
  for (const kubernetes of SERVED_VERSIONS) {
    const expected = kubernetes === "1.37";
    expect(isServed(kubernetes), kubernetes).toEqual(Array(6).fill(expected));
  }
});
