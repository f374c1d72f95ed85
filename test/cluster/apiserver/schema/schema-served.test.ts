/** What the schema knows for `stint serve` alone: further kinds, the numbers of protobuf, and the types of lists. */
import { expect, test } from "vitest";
import { applyStrategicMergePatch } from "../../../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { mergeKeyOf, structType } from "../../../../cluster/apiserver/schema/schema.ts";
import { fieldNumbers, isAtomic, listTypeOf } from "../../../../cluster/apiserver/schema/schema-served.ts";

test("kinds that not every cluster has are known", () => {
  expect(structType("CronJobSpec").names.slice(0, 3)).toEqual(["schedule", "timeZone", "startingDeadlineSeconds"]);
  expect(structType("DiscoveryEndpointPort").goType).toBe("v1.EndpointPort");
});

test("every field of every type has a number, but for kind and apiVersion", () => {
  expect(fieldNumbers("Job")).toEqual(["-", "-", "1", "2", "3"]);
  expect(fieldNumbers("EnvFromSource")).toEqual(["1", "2*", "3*"]);
  expect(fieldNumbers("Volume").slice(0, 3)).toEqual(["1", "2.1*", "2.2*"]);
  for (const struct of ["PodSpec", "JSONSchemaProps", "ObjectMeta", "TokenReview", "BasicSchedulingPolicy"])
    expect(fieldNumbers(struct)).toHaveLength(structType(struct).names.length);
});

test("lists have a type, and keys with defaults", () => {
  expect(listTypeOf("ObjectMeta", "finalizers")).toEqual({ type: "set" });
  expect(listTypeOf("Container", "ports")).toEqual({
    type: "map",
    keys: [{ field: "containerPort" }, { field: "protocol", default: "TCP" }],
  });
  expect(listTypeOf("PodSpec", "nodeSelector")).toEqual({ type: "atomic" });
  expect(listTypeOf("Container", "args")).toBeUndefined();
  expect([isAtomic("LabelSelector"), isAtomic("PodSpec")]).toEqual([true, false]);
});

test.each(["constructor", "__proto__"])("what every JavaScript object has is no field: %s", (field) => {
  expect(listTypeOf("Container", field)).toBeUndefined();
  expect(mergeKeyOf("Container", field)).toBeUndefined();
});

test("a strategic merge patch replaces the selector of a budget, and merges other structs", () => {
  const budget = { spec: { minAvailable: 1, selector: { matchLabels: { a: "1" } } } };
  const patch = { spec: { selector: { matchLabels: { b: "2" } } } };
  expect(applyStrategicMergePatch(budget, patch, structType("PodDisruptionBudget"))).toEqual({
    spec: { minAvailable: 1, selector: { matchLabels: { b: "2" } } },
  });
  expect(applyStrategicMergePatch(budget, patch, structType("Job"))).toEqual({
    spec: { minAvailable: 1, selector: { matchLabels: { a: "1", b: "2" } } },
  });
});
