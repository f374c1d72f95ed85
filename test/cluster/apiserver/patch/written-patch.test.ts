/** The short way of a patch whose parts are in written form gives what the general way gives. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { conform } from "../../../../cluster/apiserver/schema/decode.ts";
import { applyStrategicMergePatch, mergeWritten } from "../../../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../../../cluster/apiserver/schema/schema.ts";
import type { JsonObject } from "../../../../cluster/values/types.ts";

const pod = structType("Pod");
const podStatus = structType("PodStatus");

function written(object: JsonObject): JsonObject {
  return conform(object, podStatus).object;
}

const text = fc.constantFrom("a", "b", "c");
const condition = fc.record(
  {
    type: fc.constantFrom("Ready", "Initialized", "PodScheduled", "DisruptionTarget"),
    status: text,
    reason: fc.option(text),
    message: fc.option(text),
    observedGeneration: fc.nat(2),
  },
  { requiredKeys: ["type", "status"] },
);
const conditions = fc.uniqueArray(condition, { selector: ({ type }) => type, maxLength: 4 });
const ips = fc.array(fc.record({ ip: text }), { maxLength: 2 });
const containers = fc.array(fc.record({ name: text, restartCount: fc.nat(2), image: text }), { maxLength: 2 });
const members = {
  qosClass: text,
  containerStatuses: containers,
  podIPs: ips,
  podIP: text,
  hostIP: text,
  phase: text,
  startTime: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
  observedGeneration: fc.nat(2),
};
const withoutNulls = (list: readonly object[]): JsonObject[] =>
  list.map((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as JsonObject);
const before = fc
  .record({ ...members, conditions }, { requiredKeys: [] })
  .map((status) =>
    written((status.conditions ? { ...status, conditions: withoutNulls(status.conditions) } : status) as JsonObject),
  );
const patch = fc.record(members, { requiredKeys: [] }).chain((status) =>
  fc.option(conditions, { nil: undefined }).map((list) => ({
    ...written(status as JsonObject),
    ...(list && {
      "$setElementOrder/conditions": list.map(({ type }) => ({ type })),
      conditions: list as unknown as JsonObject[],
    }),
  })),
);

test("a written patch has the result of the general path for any status of a pod", () => {
  let taken = 0;
  fc.assert(
    fc.property(before, patch, (status, change) => {
      const document = conform(
        { kind: "Pod", apiVersion: "v1", metadata: { name: "p", uid: "u" }, spec: { containers: [] }, status },
        pod,
      ).object;
      const body = { metadata: { uid: "u" }, status: change } as JsonObject;
      const general = conform(applyStrategicMergePatch(document, body, pod), pod).object;
      const short = mergeWritten(document, body, pod);
      if (short === undefined) return;
      taken++;
      expect(JSON.stringify(short)).toBe(JSON.stringify(general));
    }),
    { numRuns: 3_000, seed: 1 },
  );
  expect(taken).toBeGreaterThan(2_500);
});

test("patches of another form take the general path", () => {
  const document = { kind: "Pod", apiVersion: "v1", metadata: { name: "p", uid: "u" }, status: { phase: "Pending" } };
  for (const body of [
    { metadata: { uid: "other" } },
    { metadata: { labels: { a: "b" } } },
    { kind: "Pod" },
    { status: null },
    { status: { phase: null } },
    { status: { $patch: "replace", phase: "Running" } },
    { status: { $retainKeys: ["phase"], phase: "Running" } },
    { status: { "$setElementOrder/conditions": [] } },
    { unknown: { a: 1 } },
  ])
    expect(mergeWritten(document, body as unknown as JsonObject, pod), JSON.stringify(body)).toBeUndefined();
});
