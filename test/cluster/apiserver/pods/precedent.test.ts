/**
 * A pod that follows the one before it gets what it would get in a separate cluster, where every rule is asked again.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { Engine } from "../../../../bindings/js/engine.ts";
import { loadEngineModule } from "../../../../host-node/engine-module.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { type Answer, Harness, pods } from "../harness.ts";
import { tries } from "../../../tries.ts";

let engine: Engine;
let reviews = 0;
const admission = (review: string): string => {
  if (review.includes('"kind":"Pod"')) reviews++;
  return engine.review(review);
};

beforeAll(async () => {
  await buildModule("engine");
  const { module, sha256 } = await loadEngineModule();
  engine = await Engine.create(module, sha256);
});

const name = fc.constantFrom("p-0-abcde", "p-1-fghij", "p.with.dots", "Not-A-Name", "x".repeat(254), "");
const label = fc.constantFrom("0", "1", "", "not a value", "x".repeat(64));
const labels = fc.record({ app: label, index: label, "bad key": label, "example.com/k": label }, { requiredKeys: [] });
const annotations = fc.record(
  {
    index: fc.constantFrom("0", "1", "any text", "x".repeat(262_145)),
    "Bad Key": label,
    "scheduler.alpha.kubernetes.io/critical-pod": label,
    "container.seccomp.security.alpha.kubernetes.io/c": label,
  },
  { requiredKeys: [] },
);
const owner = fc.record({
  apiVersion: fc.constantFrom("v1", ""),
  kind: fc.constantFrom("Job", "Event"),
  name: fc.constantFrom("j", ""),
  uid: fc.constantFrom("u", ""),
  controller: fc.boolean(),
});
const container = fc.record(
  {
    name: fc.constantFrom("c", "d", "-"),
    image: fc.constantFrom("b", "b:1", " b"),
    env: fc.constantFrom(
      [],
      [{ name: "A", value: "1" }],
      [{ name: "", value: "" }],
      [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    ),
    resources: fc.constantFrom({}, { limits: { cpu: "1", memory: "1Gi" } }, { requests: { cpu: "x" } }),
  },
  { requiredKeys: ["name", "image"] },
);
const spec = fc.record(
  {
    containers: fc.array(container, { minLength: 0, maxLength: 2 }),
    hostname: fc.constantFrom("p-0", "p-1", "Not A Host", ""),
    restartPolicy: fc.constantFrom("Never", "OnFailure", "Sometimes"),
    nodeSelector: fc.constantFrom({}, { disk: "ssd" }, { "beta.kubernetes.io/os": "linux" }),
    schedulingGates: fc.constantFrom([], [{ name: "g" }]),
    terminationGracePeriodSeconds: fc.constantFrom(0, -1, 5),
    unknownField: fc.constant(1),
    tolerations: fc.constantFrom(
      [],
      [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }],
    ),
  },
  { requiredKeys: ["containers"] },
);
const metadata = fc.record(
  {
    name,
    labels,
    annotations,
    generateName: fc.constantFrom("p-0-", "p-1-", "P_"),
    namespace: fc.constant("default"),
    finalizers: fc.constantFrom([], ["batch.kubernetes.io/job-tracking"], ["bad finalizer"]),
    ownerReferences: fc.array(owner, { maxLength: 2 }),
  },
  { requiredKeys: ["name"] },
);
const template = {
  metadata: { name: "p-0-zzzzz", labels: { app: "a", index: "0" } },
  spec: { containers: [{ name: "c", image: "b" }], hostname: "p-0" },
};
/** Mostly the template with a little of another pod. */
const body = fc
  .tuple(
    fc.subarray(
      ["name", "labels", "annotations", "generateName", "namespace", "finalizers", "ownerReferences"] as const,
      { maxLength: 2 },
    ),
    metadata,
    fc.subarray(["containers", "hostname", "nodeSelector", "restartPolicy"] as const, { maxLength: 1 }),
    spec,
    fc.boolean(),
  )
  .map(([metadataNames, otherMetadata, specNames, otherSpec, isAlike]) =>
    isAlike
      ? {
          metadata: { ...template.metadata, ...picked(otherMetadata, metadataNames) },
          spec: { ...template.spec, ...picked(otherSpec, specNames) },
        }
      : { metadata: otherMetadata, spec: otherSpec },
  );

function picked<T extends object>(value: T, names: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(names.filter((key) => key in value).map((key) => [key, value[key]])) as Partial<T>;
}

/** Without what is random or counts the writes before. */
function outcome({ status, headers, text }: Answer): unknown {
  const made = text.replace(/"(uid|resourceVersion)":"[^"]*"/g, "").replace(/(p-[01]-|P_)[a-z0-9]{5}(?=\\?")/g, "$1");
  return { status, warning: headers["warning"], made };
}

test("a precedent repeats what admission would say, whatever came before", () => {
  fc.assert(
    fc.property(fc.array(body, { minLength: 2, maxLength: 6 }), (bodies) => {
      const shared = new Harness({ admission });
      for (const each of [template, ...bodies]) {
        const own = each.metadata.name ?? "";
        expect(outcome(shared.post(pods, each))).toEqual(outcome(new Harness({ admission }).post(pods, each)));
        if (own !== "") shared.delete(`${pods}/${own}?gracePeriodSeconds=0`);
        shared.merge(`${pods}/${own}`, { metadata: { finalizers: null } });
      }
    }),
    { numRuns: tries(100), seed: 1 },
  );
});

test("admission is asked once about the pods of one template", () => {
  const harness = new Harness({ admission });
  reviews = 0;
  for (let index = 0; index < 10; index++) {
    const { status, body: made } = harness.post(pods, {
      metadata: {
        generateName: `p-${index}-`,
        labels: { index: String(index) },
        annotations: { index: String(index) },
      },
      spec: { ...template.spec, hostname: `p-${index}` },
    });
    expect([status, made.spec.hostname, made.spec.dnsPolicy, made.metadata.labels.index]).toEqual([
      201,
      `p-${index}`,
      "ClusterFirst",
      String(index),
    ]);
  }
  expect(reviews).toBe(1);
});
