/** Sequences of requests about custom resources, named after what they show. */
import type { JsonObject } from "../../../cluster/index.ts";
import type { Sequence, Step } from "./play.ts";
import { SCHEMA_SEQUENCES } from "./schema-sequences.ts";
import { widgetDefinition } from "./widgets.ts";

/** Refusals of one object, a spec each. */
function refused(...specs: readonly object[]): Step[] {
  return specs.map((spec) => ({ verb: "create", spec }));
}

/** A definition with another schema of `spec`. */
function withSpec(spec: object, version: object = {}): Step {
  const openAPIV3Schema = { type: "object", properties: { spec } };
  return {
    verb: "create",
    definition: (group) => widgetDefinition(group, { schema: { openAPIV3Schema }, ...version }),
  };
}

/** A definition that differs from a good one in its spec. */
function otherwise(spec: object, version: object = {}): Step {
  return { verb: "create", definition: (group) => widgetDefinition(group, version, spec) };
}

/** Rules in CEL at several places of a schema. */
const rules = {
  schema: {
    openAPIV3Schema: {
      type: "object",
      "x-kubernetes-validations": [{ rule: "self.metadata.name != 'forbidden'", message: "not this name" }],
      properties: {
        spec: {
          type: "object",
          "x-kubernetes-validations": [
            { rule: "self.min <= self.max" },
            { rule: "has(self.mode) || self.max < 100", message: "large needs a mode", fieldPath: ".mode" },
            {
              rule: "self.max < 1000",
              messageExpression: "self.max == 5000 ? 'five thousand is too large' : 'too large'",
              reason: "FieldValueForbidden",
            },
            { rule: "oldSelf.min <= self.min", message: "min only grows" },
          ],
          required: ["min", "max"],
          properties: {
            min: { type: "integer" },
            max: { type: "integer" },
            share: { type: "number", "x-kubernetes-validations": [{ rule: "self <= 1.0" }] },
            mode: {
              type: "string",
              "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "mode is fixed" }],
            },
            "a-b": { type: "string" },
            size: { type: "string", default: "small" },
            labels: {
              type: "object",
              maxProperties: 5,
              additionalProperties: { type: "string", maxLength: 20 },
              "x-kubernetes-validations": [{ rule: "self.all(key, key.startsWith('x-'))" }],
            },
            list: {
              type: "array",
              maxItems: 5,
              items: {
                type: "object",
                properties: { n: { type: "integer" } },
                "x-kubernetes-validations": [{ rule: "self.n > 0" }],
              },
            },
          },
        },
      },
    },
  },
};

const twoVersions = {
  versions: ["v1", "v1beta1"].map((name) => ({
    name,
    served: true,
    storage: name === "v1",
    ...(name === "v1beta1" && { deprecated: true }),
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { size: { type: "string" }, [name]: { type: "string", default: `only in ${name}` } },
          },
        },
      },
    },
  })),
};

export const SEQUENCES: readonly Sequence[] = [
  {
    name: "a definition gets its defaults, and is established",
    steps: [
      { verb: "create", definition: (group) => widgetDefinition(group) },
      { verb: "get", name: "." },
      { verb: "create", definition: (group) => widgetDefinition(group) },
      { verb: "delete", name: "." },
      { verb: "get", name: "." },
    ],
  },
  {
    name: "a definition must have its names",
    steps: [
      otherwise({ names: { plural: "Widgets", kind: "Widget" } }),
      otherwise({ names: { plural: "widgets", kind: "wid get", singular: "W" } }),
      otherwise({
        names: { plural: "widgets", kind: "Widget", listKind: "Widget", shortNames: ["W"], categories: ["A"] },
      }),
      otherwise({ names: { plural: "widgets" } }),
      otherwise({ scope: "Everywhere" }),
      otherwise({ group: "nodot" }),
      otherwise({ group: "-bad.example.com" }),
      {
        verb: "create",
        definition: (group) => ({ ...(widgetDefinition(group) as JsonObject), metadata: { name: "other" } }),
      },
      otherwise({ group: "widgets.k8s.io" }),
    ],
  },
  {
    name: "a definition must have good versions",
    steps: [
      otherwise({}, { name: "V1" }),
      otherwise({}, { storage: false }),
      otherwise({ versions: [] }),
      otherwise({}, { schema: undefined }),
      otherwise({}, { deprecationWarning: "old" }),
      otherwise({ preserveUnknownFields: true }),
      otherwise({ conversion: { strategy: "Guess" } }),
      otherwise(
        {},
        { subresources: { scale: { specReplicasPath: "spec.replicas", statusReplicasPath: ".spec.replicas" } } },
      ),
      otherwise({}, { subresources: { scale: { specReplicasPath: "", statusReplicasPath: ".status.replicas" } } }),
      otherwise({}, { additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".spec.size" }] }),
      otherwise({}, { additionalPrinterColumns: [{ name: "A", type: "string", format: "big", jsonPath: "spec" }] }),
      otherwise({}, { selectableFields: [{ jsonPath: ".spec.labels" }, { jsonPath: ".metadata.name" }] }),
    ],
  },
  {
    name: "a schema must be structural",
    steps: [
      withSpec({}),
      withSpec({ type: "array" }),
      withSpec({ type: "object", properties: { a: {} } }),
      withSpec({ type: "text" }),
      withSpec({ type: "object", uniqueItems: true }),
      withSpec({ type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } }),
      withSpec({ type: "object", properties: { a: { type: "string", "x-kubernetes-list-type": "set" } } }),
      withSpec({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" }),
      withSpec({
        type: "array",
        items: { type: "object", properties: { a: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["a"],
      }),
      withSpec({
        type: "array",
        items: { type: "object", properties: { a: { type: "string" } } },
        "x-kubernetes-list-type": "set",
      }),
      withSpec({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
      withSpec({ type: "object", anyOf: [{ type: "object" }] }),
      withSpec({ type: "object", anyOf: [{ properties: { a: { minimum: 1 } } }] }),
      withSpec({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
      withSpec({ type: "object", properties: { a: { type: "integer", default: "x" } } }),
      withSpec({ type: "object", properties: { a: { type: "object", default: { b: 1 } } } }),
      withSpec({ type: "string", "x-kubernetes-embedded-resource": true }),
      withSpec({ type: "object", "x-kubernetes-embedded-resource": true }),
    ],
  },
  {
    name: "what is frozen in a definition stays",
    version: {},
    steps: [
      {
        verb: "update",
        definition: (group) => widgetDefinition(group, {}, { names: { plural: "widgets", kind: "Other" } }),
      },
      { verb: "update", definition: (group) => widgetDefinition(group, {}, { scope: "Cluster" }) },
      { verb: "update", definition: (group) => widgetDefinition(group, { name: "v2" }) },
      {
        verb: "update",
        definition: (group) =>
          widgetDefinition(group, {}, { names: { plural: "widgets", kind: "Widget", shortNames: ["wid"] } }),
      },
      { verb: "get", name: "." },
    ],
  },
  {
    name: "objects are created, read, changed and deleted",
    version: {},
    steps: [
      { verb: "create" },
      { verb: "create" },
      { verb: "get" },
      { verb: "update", spec: { name: "abc" } },
      { verb: "merge", body: { spec: { port: 80 } } },
      { verb: "merge", body: { metadata: { labels: { a: "b" } } } },
      { verb: "json", body: [{ op: "replace", path: "/spec/port", value: "http" }] },
      { verb: "strategic", body: { spec: { port: 81 } } },
      { verb: "list" },
      { verb: "list", query: "labelSelector=a%3Dc" },
      { verb: "delete" },
      { verb: "get" },
      { verb: "delete" },
    ],
  },
  {
    name: "unknown fields are dropped, and kept where the schema says so",
    version: {},
    steps: [
      {
        verb: "create",
        spec: {
          stray: 1,
          parts: [{ name: "a", stray: true }],
          free: { a: { b: 1 } },
          template: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { a: "b", stray: 1 }, more: 1 },
        },
        rest: { other: { a: 1 }, status: { phase: "x" } },
      },
      {
        verb: "create",
        name: "strict",
        query: "fieldValidation=Strict",
        spec: { stray: 1, parts: [{ name: "a", b: 1 }] },
      },
      { verb: "create", name: "strict", query: "fieldValidation=Ignore", spec: { stray: 1 } },
      { verb: "merge", name: "strict", query: "fieldValidation=Strict", body: { spec: { stray: 1 } } },
      { verb: "create", name: "meta", query: "fieldValidation=Strict", rest: { metadata: { name: "meta", stray: 1 } } },
    ],
  },
  {
    name: "defaults fill what is missing, and nulls count as missing",
    version: {},
    steps: [
      {
        verb: "create",
        spec: { replicas: null, note: null, name: null, parts: [{ name: "a" }, { name: "b", count: 2 }] },
      },
      { verb: "merge", body: { spec: { replicas: null, note: "text" } } },
      { verb: "merge", body: { spec: null } },
    ],
  },
  {
    name: "an object must fit its schema",
    version: {},
    steps: refused(
      { replicas: "three" },
      { replicas: 11 },
      { replicas: -1 },
      { replicas: 1.5 },
      { size: "medium" },
      { size: 1 },
      { size: null },
      { name: "A" },
      { name: "a" },
      { name: "abcdefghij" },
      { port: true },
      { labels: { a: 1 } },
      { labels: [] },
      { tags: ["a", "b", "c", "d"] },
      { tags: ["a", "a", "b", "b"] },
      { tags: "a" },
      { parts: [{ count: 1 }] },
      { parts: [{ name: "a" }, { name: "a" }] },
      { choice: {} },
      { choice: { a: "1", b: "2" } },
      { replicas: "x", name: "A", tags: [1] },
      { template: { spec: {} } },
      { free: "text" },
    ),
  },
  {
    name: "formats are checked",
    version: {
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                size: { type: "string" },
                time: { type: "string", format: "date-time" },
                day: { type: "string", format: "date" },
                address: { type: "string", format: "ipv4" },
                wide: { type: "string", format: "ipv6" },
                id: { type: "string", format: "uuid" },
                bytes: { type: "string", format: "byte" },
                small: { type: "integer", format: "int32" },
                span: { type: "string", format: "duration" },
                odd: { type: "string", format: "odd" },
                number: { type: "number", multipleOf: 2, exclusiveMinimum: true, minimum: 0 },
              },
            },
          },
        },
      },
    },
    steps: refused(
      {
        time: "2026-01-01T00:00:00Z",
        day: "2026-01-01",
        address: "10.0.0.1",
        wide: "fe80::1",
        bytes: "YQ==",
        odd: "1",
      },
      { time: "today" },
      { day: "2026-13-01" },
      { address: "10.0.0.256" },
      { wide: "fe80" },
      { id: "1" },
      { bytes: "%" },
      { small: 3_000_000_000 },
      { span: "1 hour and a bit" },
      { number: 3 },
      { number: 0 },
      { number: "1" },
    ),
  },
  {
    name: "what an update leaves as it was is not checked again",
    version: {
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { type: "object", properties: { size: { type: "string" }, name: { type: "string" } } } },
        },
      },
    },
    steps: [
      { verb: "create", spec: { name: "LONG NAME" } },
      { verb: "update", definition: (group) => widgetDefinition(group) },
      { verb: "merge", body: { spec: { size: "large" } } },
      { verb: "merge", body: { spec: { name: "LONGER NAME" } } },
    ],
  },
  {
    name: "the status is a subresource, and alone is written there",
    version: {},
    steps: [
      { verb: "create", rest: { status: { phase: "new" } } },
      { verb: "merge", subresource: "status", body: { status: { phase: "b", stray: 1 }, spec: { size: "large" } } },
      { verb: "merge", subresource: "status", body: { status: { phase: 1 } } },
      { verb: "merge", body: { status: { phase: "c" } } },
      { verb: "update", subresource: "status", rest: { status: { phase: "d" } } },
      { verb: "get", subresource: "status" },
      { verb: "merge", subresource: "status", body: { metadata: { labels: { a: "b" } }, status: null } },
    ],
  },
  {
    name: "without the subresource the status is written with the object",
    version: { subresources: undefined },
    steps: [
      { verb: "create", rest: { status: { phase: "new" } } },
      { verb: "merge", body: { status: { phase: "b" } } },
    ],
  },
  {
    name: "the scale is a subresource over fields of the object",
    version: {},
    steps: [
      { verb: "create", spec: { replicas: 2 } },
      { verb: "merge", subresource: "status", body: { status: { replicas: 1, selector: "a=b" } } },
      { verb: "get", subresource: "scale" },
      { verb: "merge", subresource: "scale", body: { spec: { replicas: 3 } } },
      { verb: "update", subresource: "scale", body: { spec: { replicas: 4 } } },
      { verb: "merge", subresource: "scale", body: { spec: { replicas: 40 } } },
      { verb: "merge", subresource: "scale", body: { spec: { replicas: -1 } } },
      { verb: "merge", subresource: "scale", body: { spec: { replicas: "many" } } },
      { verb: "get" },
    ],
  },
  {
    name: "a version shows its own fields",
    steps: [
      { verb: "create", definition: (group) => widgetDefinition(group, {}, twoVersions) },
      { verb: "get", name: "." },
      { verb: "create" },
      { verb: "get", version: "v1beta1" },
      { verb: "merge", version: "v1beta1", body: { spec: { v1beta1: "changed" } } },
      { verb: "get" },
      { verb: "list", version: "v1beta1" },
    ],
  },
  {
    name: "server-side apply merges as the schema says",
    version: {},
    steps: [
      {
        verb: "apply",
        query: "fieldManager=a",
        spec: { parts: [{ name: "x", count: 1 }], tags: ["a"], labels: { a: "1" } },
      },
      {
        verb: "apply",
        query: "fieldManager=b",
        spec: { parts: [{ name: "y" }], tags: ["b"], labels: { b: "2" } },
      },
      { verb: "apply", query: "fieldManager=b", spec: { parts: [{ name: "x", count: 2 }] } },
      { verb: "apply", query: "fieldManager=b&force=true", spec: { parts: [{ name: "x", count: 2 }] } },
      { verb: "apply", query: "fieldManager=a", spec: { stray: 1 } },
    ],
  },
  {
    name: "finalizers hold an object, and a definition its objects",
    version: {},
    steps: [
      { verb: "create", rest: { metadata: { name: "w", finalizers: ["example.com/hold"] } } },
      { verb: "create", name: "x", rest: { metadata: { name: "x", finalizers: ["hold"] } } },
      { verb: "merge", name: "x", body: { metadata: { finalizers: null } } },
      { verb: "delete", name: "x" },
      { verb: "delete" },
      { verb: "delete", name: "." },
      { verb: "get" },
      { verb: "create", name: "late" },
      { verb: "merge", body: { metadata: { finalizers: null } } },
    ],
  },
  {
    name: "rules in CEL are checked",
    version: rules,
    steps: [
      { verb: "create", name: "forbidden", spec: { min: 1, max: 2 } },
      ...refused(
        { min: 3, max: 2 },
        { min: 1, max: 500 },
        { min: 1, max: 5000, mode: "a" },
        { min: 1, max: 2, share: 1.5 },
        { min: 1, max: 2, labels: { "x-a": "1", b: "2" } },
        { min: 1, max: 2, list: [{ n: 1 }, { n: 0 }] },
        { min: 1 },
        { min: 1, max: 2, mode: "a", share: 1, labels: { "x-a": "1" }, list: [{ n: 1 }] },
      ),
      { verb: "merge", body: { spec: { min: 0 } } },
      { verb: "merge", body: { spec: { mode: "b" } } },
      { verb: "merge", body: { spec: { min: 2 } } },
    ],
  },
  {
    name: "what an update leaves as it was may break a new rule",
    version: {
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                size: { type: "string" },
                share: { type: "number" },
                max: { type: "integer" },
                min: { type: "integer" },
              },
            },
          },
        },
      },
    },
    steps: [
      { verb: "create", spec: { share: 2, min: 1, max: 2 } },
      { verb: "update", definition: (group) => widgetDefinition(group, rules) },
      { verb: "merge", body: { spec: { max: 3 } } },
      { verb: "merge", body: { spec: { share: 3 } } },
    ],
  },
  {
    name: "objects are selected by fields that the definition names",
    version: { selectableFields: [{ jsonPath: ".spec.size" }, { jsonPath: ".spec.replicas" }] },
    steps: [
      { verb: "create" },
      { verb: "create", name: "x", spec: { size: "large", replicas: 2 } },
      { verb: "list", query: "fieldSelector=spec.size%3Dlarge" },
      { verb: "list", query: "fieldSelector=spec.replicas%3D1" },
      { verb: "list", query: "fieldSelector=spec.name%3Da" },
    ],
  },
  {
    name: "a body must be of the kind",
    version: {},
    steps: [
      { verb: "create", body: { kind: "Widget", metadata: { name: "w" } } },
      { verb: "create", body: { apiVersion: "v1", kind: "Pod", metadata: { name: "w" } } },
      { verb: "create", rest: { metadata: { name: "Bad_Name" } } },
      { verb: "create", rest: { metadata: { generateName: "w-", labels: { a: 1 } } } },
      { verb: "create", body: "{" },
      { verb: "create", body: [] },
    ],
  },
  ...SCHEMA_SEQUENCES,
];
