/** The environment of containers: sources, expansion and errors. */
import { describe, expect, test } from "vitest";
import { envSourcesNeeded, expand, resolveEnv } from "../../../cluster/kubelet/env.ts";
import type { ConfigMap, EnvFromSource, EnvVar, Pod } from "../../../cluster/values/kinds.ts";

const pod = {
  metadata: {
    name: "pi-0",
    namespace: "ns",
    uid: "u1",
    resourceVersion: "1",
    creationTimestamp: "",
    labels: { "batch.kubernetes.io/job-completion-index": "3" },
    annotations: { "a/b": "note" },
  },
  spec: { nodeName: "n1", serviceAccountName: "runner" },
} as unknown as Pod;
const objects: Record<string, object> = {
  "ConfigMap/cm": { data: { greeting: "hello", "other.key": "x" } },
  "Secret/pass": { data: { word: "cMOkc3M=" } },
};
const context = {
  pod,
  podIP: "10.1.0.1",
  hostIP: "10.0.0.1",
  source: ({ kind, name }: { kind: string; name: string }) => objects[`${kind}/${name}`] as ConfigMap | undefined,
};
const resolve = (env: EnvVar[], envFrom: EnvFromSource[] = []) =>
  Object.fromEntries(resolveEnv({ env, envFrom }, context).map(({ name, value }) => [name, value]));
const field = (fieldPath: string) => ({ name: "V", valueFrom: { fieldRef: { fieldPath } } });

describe("resolveEnv", () => {
  test.each([
    ["metadata.name", "pi-0"],
    ["metadata.namespace", "ns"],
    ["metadata.uid", "u1"],
    ["metadata.labels['batch.kubernetes.io/job-completion-index']", "3"],
    ["metadata.annotations['a/b']", "note"],
    ["metadata.annotations['absent']", ""],
    ["spec.nodeName", "n1"],
    ["spec.serviceAccountName", "runner"],
    ["status.podIP", "10.1.0.1"],
    ["status.hostIP", "10.0.0.1"],
  ])("fieldRef %s", (fieldPath, expected) => {
    expect(resolve([field(fieldPath)])).toEqual({ V: expected });
  });

  test("an unknown field is an error that names it", () => {
    expect(() => resolve([field("spec.hostname")])).toThrow("field label not supported: spec.hostname");
  });

  test("values refer to variables before them, also to those of envFrom, and not to later ones", () => {
    const env = [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)-$(C)-$(P_greeting)" },
      { name: "C", value: "3" },
    ];
    expect(resolve(env, [{ prefix: "P_", configMapRef: { name: "cm" } }])).toMatchObject({
      B: "1-$(C)-hello",
      "P_other.key": "x",
    });
  });

  test("a later variable of a name wins, at the place where it was set last", () => {
    expect(
      resolveEnv(
        {
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
            { name: "A", value: "3" },
          ],
        },
        context,
      ),
    ).toEqual([
      { name: "B", value: "2" },
      { name: "A", value: "3" },
    ]);
  });

  test("keys of ConfigMaps and Secrets", () => {
    const env = [
      { name: "G", valueFrom: { configMapKeyRef: { name: "cm", key: "greeting" } } },
      { name: "W", valueFrom: { secretKeyRef: { name: "pass", key: "word" } } },
      { name: "O", valueFrom: { configMapKeyRef: { name: "absent", key: "k", optional: true } } },
    ];
    expect(resolve(env)).toEqual({ G: "hello", W: "päss" });
    expect(envSourcesNeeded({ env, envFrom: [{ secretRef: { name: "pass" } }] })).toEqual([
      { kind: "Secret", name: "pass" },
      { kind: "ConfigMap", name: "cm" },
      { kind: "ConfigMap", name: "absent" },
    ]);
  });

  test("what is missing is an error", () => {
    expect(() => resolve([{ name: "V", valueFrom: { configMapKeyRef: { name: "nope", key: "k" } } }])).toThrow(
      'configmap "nope" not found',
    );
    expect(() => resolve([{ name: "V", valueFrom: { secretKeyRef: { name: "nope", key: "k" } } }])).toThrow(
      'secret "nope" not found',
    );
    expect(() => resolve([{ name: "V", valueFrom: { configMapKeyRef: { name: "cm", key: "k" } } }])).toThrow(
      "couldn't find key k in ConfigMap ns/cm",
    );
    expect(() => resolve([], [{ configMapRef: { name: "nope" } }])).toThrow('configmap "nope" not found');
    expect(() =>
      resolve([{ name: "V", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "0" } } }]),
    ).toThrow(/env V: valueFrom has resourceFieldRef; this kubelet supports/);
  });
});

test.each([
  ["$(A)", "1"],
  ["x$(A)y$(B)", "x1y2"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$(NONE)", "$(NONE)"],
  ["$(A", "$(A"],
  ["$A $", "$A $"],
])("expand %s", (text, expected) => {
  expect(
    expand(
      text,
      new Map([
        ["A", "1"],
        ["B", "2"],
      ]),
    ),
  ).toBe(expected);
});
