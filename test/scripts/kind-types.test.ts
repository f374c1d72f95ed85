/** The interfaces that the generator writes, from tables that are small enough to read. */
import { expect, it } from "vitest";
import { readSchemaText } from "../../cluster/apiserver/schema/schema-text.ts";
import type { TypeText } from "../../cluster/apiserver/openapi/type-texts.ts";
import { kindTypes } from "../../scripts/schema/kind-types.ts";

function typesOf(texts: Readonly<Record<string, string>>, described: Readonly<Record<string, TypeText>> = {}): string {
  const types = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, readSchemaText(name, text)]));
  const [, ...interfaces] = kindTypes(["Pod"], types, described).split("\n\n");
  return interfaces.join("\n\n");
}

const POD = "kind,apiVersion,metadata:ObjectMeta!";

it("the writer of types writes a kind and what it reaches, and nothing else", () => {
  expect(typesOf({ Pod: `${POD},spec:PodSpec!`, PodSpec: "nodeName,hostPID:bool+", Node: POD })).toBe(
    `export interface Pod extends TypedObject<"Pod"> {
  spec: PodSpec;
}

export interface PodSpec {
  nodeName?: string;
  hostPID?: boolean;
}
`,
  );
});

it("the writer of types requires what Go always writes, as null if it writes null", () => {
  const written = typesOf({ Pod: `${POD},count:int32!,at:Time!,since:Time,ref:int32?,list:[]string!` });
  expect(written).toBe(
    `export interface Pod extends TypedObject<"Pod"> {
  count: number;
  at: string | null;
  since?: string;
  ref: number | null;
  list: string[];
}
`,
  );
});

it("the writer of types writes the types of JSON", () => {
  const fields = "size:Quantity,limits:map[string]Quantity,ports:[]IntOrString,raw:bytes,any:any,template:ObjectMeta";
  expect(typesOf({ Pod: `${POD},${fields}` })).toBe(
    `export interface Pod extends TypedObject<"Pod"> {
  size?: string;
  limits?: Record<string, string>;
  ports?: (number | string)[];
  raw?: string;
  any?: unknown;
  template?: Partial<ObjectMeta>;
}
`,
  );
});

it("the writer of types writes the first sentence of a description, in one line", () => {
  const fields = { a: "First, with 1.5 of it. Second.", b: "Ends a comment: */ or not", c: "" };
  const described = { Pod: { description: "A pod.\nMore", fields, required: [] } };
  expect(typesOf({ Pod: `${POD},a,b,c` }, described)).toBe(
    `/** A pod. */
export interface Pod extends TypedObject<"Pod"> {
  /** First, with 1.5 of it. */
  a?: string;
  /** Ends a comment: *\\/ or not. */
  b?: string;
  c?: string;
}
`,
  );
});

it("the writer of types refuses a type that no served kind reaches", () => {
  expect(() => typesOf({ Pod: `${POD},spec:PodSpec!` })).toThrow(
    "scripts/schema/fields/: no kind that is served reaches the type PodSpec",
  );
});
