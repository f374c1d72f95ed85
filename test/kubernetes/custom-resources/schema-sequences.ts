/** Sequences about the schema of `spec`: each kind of schema is applied, and expressions write names of fields. */
import type { Sequence, Step } from "./play.ts";
import { widgetDefinition } from "./widgets.ts";

/** Words that are reserved in CEL. */
const RESERVED =
  "as break const continue else for function if import let loop package namespace return var void while".split(" ");
/** Words of its grammar. */
const LITERALS = ["true", "false", "null", "in"];

const SCHEMAS: readonly object[] = [
  { type: "object" },
  { type: "array", items: { type: "string" } },
  { type: "object", additionalProperties: { type: "string" } },
  { type: "object", additionalProperties: true },
  { type: "string", default: "a" },
  { type: "integer", default: 1 },
  { type: "object", default: { a: 1 }, properties: { a: { type: "integer" } } },
  { type: "array", default: ["a"], items: { type: "string" } },
  { type: "string", enum: ["a", "b"] },
  { type: "object", properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }] },
  { type: "object", properties: { a: { type: "string" } }, not: { required: ["a"] } },
  { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
  { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["n"],
    items: { type: "object", required: ["n"], properties: { n: { type: "string" } } },
  },
  { type: "object", "x-kubernetes-validations": [{ rule: "true", message: "m" }] },
  { type: "string", example: { a: 1 } },
  { type: "object", additionalProperties: { type: "array", items: { type: "object", additionalProperties: true } } },
  { type: "object", externalDocs: { url: "x" } },
  // These are no schemas of the API.
  { nosuch: 1 },
  { type: 5 },
];

function withSpec(verb: "apply" | "update", spec: object, query?: string): Step {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return {
    verb,
    definition: (group) => widgetDefinition(group, { schema, subresources: {} }),
    ...(query !== undefined && { query }),
  };
}

/** The names of the fields of `spec.m`, beside words of CEL. */
const NAMES = ["plain", "a-b", "a.b", "a/b", "a__b", "__namespace__", "oldSelf", "has", "size"];
const fields = Object.fromEntries([...NAMES, ...RESERVED, ...LITERALS].map((name) => [name, { type: "string" }]));
const m = Object.fromEntries(Object.keys(fields).map((name) => [name, "x"]));

/** A definition with these rules, all of which a Widget with `spec.m` breaks if they can be read. */
const withRules = (...rules: readonly string[]): Step =>
  withSpec("update", {
    type: "object",
    properties: {
      size: { type: "string" },
      m: {
        type: "object",
        properties: fields,
        "x-kubernetes-validations": rules.map((rule) => ({ rule, message: `broken: ${rule}` })),
      },
    },
  });
const breaking: Step = { verb: "create", spec: { m } };

export const SCHEMA_SEQUENCES: readonly Sequence[] = [
  {
    name: "a definition is applied, whatever schema it has",
    steps: SCHEMAS.map((schema) => withSpec("apply", schema, "fieldManager=a")),
  },
  {
    name: "a reserved word is the name of a field with and without underscores",
    version: {},
    steps: [
      withRules(...RESERVED.flatMap((word) => [`!has(self.${word})`, `!has(self.__${word}__)`])),
      breaking,
      withRules(...RESERVED.flatMap((word) => [`self.${word} == ''`, `self.__${word}__ == ''`])),
      breaking,
      withRules(...LITERALS.flatMap((word) => [`!has(self.__${word}__)`, `self.__${word}__.size() == 0`])),
      breaking,
      withRules("self.?namespace.orValue('') == ''", "self.?__in__.orValue('') == ''", "self.package.startsWith('y')"),
      breaking,
    ],
  },
  {
    name: "signs in the name of a field are written out",
    version: {},
    steps: [
      withRules(
        "self.a__dash__b == ''",
        "self.a__dot__b == ''",
        "self.a__slash__b == ''",
        "self.a__underscores__b == ''",
        "self.__underscores__namespace__underscores__ == ''",
        "!has(self.has)",
        "self.size.size() == 0",
        "self.oldSelf == ''",
      ),
      breaking,
    ],
  },
];
