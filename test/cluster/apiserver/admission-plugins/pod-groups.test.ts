/** What the plugins Priority and PodGroupProtection make of a PodGroup. */
import { beforeEach, expect, test } from "vitest";
import { builtInPlugins } from "../../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { Harness } from "../harness.ts";

const GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

let h: Harness;
beforeEach(() => {
  h = new Harness({ gangScheduling: true, moreResources, plugins: chain(builtInPlugins) });
  h.post(CLASSES, { metadata: { name: "high" }, value: 7 });
});

const create = (spec: object, path = GROUPS) =>
  h.post(path, { metadata: { name: "g" }, spec: { schedulingPolicy: { basic: {} }, ...spec } });

test.each([
  ["no class", {}, { priority: 0 }],
  ["a class", { priorityClassName: "high" }, { priority: 7, priorityClassName: "high" }],
  ["a class and its priority", { priorityClassName: "high", priority: 7 }, { priority: 7, priorityClassName: "high" }],
])("one with %s gets the priority", (_, given, expected) => {
  for (const path of [GROUPS, GROUPS.replace("v1beta1", "v1alpha3")]) {
    const { body } = create(given, path);
    expect(body.spec).toEqual({ schedulingPolicy: { basic: {} }, disruptionMode: { single: {} }, ...expected });
    h.merge(`${GROUPS}/g`, { metadata: { finalizers: [] } });
    h.delete(`${GROUPS}/g`);
  }
});

test("one gets the default class", () => {
  h.post(CLASSES, { metadata: { name: "usual" }, value: 3, globalDefault: true });
  expect(create({}).body.spec).toMatchObject({ priority: 3, priorityClassName: "usual" });
});

test.each([
  [
    { priority: 5 },
    "priority set in the pod group (5) must match the priority computed (0) based on the priority class set in the spec",
  ],
  [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
])("one with %j is refused", (spec, why) => {
  const { status, body } = create(spec);
  expect([status, body.message]).toEqual([403, `podgroups.scheduling.k8s.io "g" is forbidden: ${why}`]);
});

test("one gets the finalizer when it is created, and only then", () => {
  const finalizers = ["scheduling.k8s.io/podgroup-protection"];
  expect(create({}).body.metadata.finalizers).toEqual(finalizers);
  expect(h.merge(`${GROUPS}/g`, { metadata: { finalizers: null } }).body.metadata.finalizers).toBeUndefined();
});
