/**
 * The whole schema against Go's own types: what each field is declared as, and objects with random values in every
 * field, which are equal as JSON and byte by byte as protobuf. So no number of the tables can be wrong.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { normalize } from "../../../cluster/apiserver/schema/decode.ts";
import { openEnvelope, fromEnvelope, toProtobuf } from "../../../cluster/apiserver/protobuf/envelope.ts";
import { kindType } from "../../../cluster/apiserver/protobuf/plan.ts";
import { mergeKeyOf, type StructType, type Type } from "../../../cluster/apiserver/schema/schema.ts";
import { fieldNumbers } from "../../../cluster/apiserver/schema/schema-served.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { type FieldFacts, GoTypes, type RandomObject } from "./go-types.ts";
import { kinds, MODULE } from "./kinds.ts";

const OBJECTS_OF_A_KIND = 20;

const unavailable = whyUnavailable();
if (unavailable !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${unavailable}`);

const programs: GoTypes[] = [];
const facts: [path: string, fields: FieldFacts[]][] = [];
const objects: RandomObject[] = [];
beforeAll(async () => {
  if (unavailable !== undefined) return;
  const go = await GoTypes.build(MODULE);
  programs.push(go);
  facts.push(...Object.entries(await go.facts(kinds)));
  objects.push(...(await go.objects(OBJECTS_OF_A_KIND, kinds)));
});
afterAll(() => programs.forEach((go) => go.remove()));

function typeOf(kind: string): StructType {
  const [version, name] = kind.split("#") as [string, string];
  const type = kindType(version, name);
  if (!type) throw new Error(`the schema lacks ${kind}`);
  return type;
}

/** All structs that the kinds reach. */
function reached(): StructType[] {
  const found = new Set<StructType>();
  const visit = (type: Type): void => {
    if (type.form === "list" || type.form === "map") visit(type.element);
    if (type.form !== "struct" || found.has(type)) return;
    found.add(type);
    for (const field of type.fields.values()) visit(field.type);
  };
  kinds.forEach((kind) => visit(typeOf(kind)));
  return [...found];
}

describe.skipIf(unavailable)("declarations", () => {
  test("every struct has the fields of a struct in Go, in its order and with its numbers", () => {
    const declared = facts.map(([path, fields]) => ({ path, text: textOf(fields) }));
    const wrong = reached().filter((type) => {
      const text = schemaText(type);
      return !declared.some(({ path, text: other }) => path.endsWith(`.${type.goName}`) && other === text);
    });
    const shown = wrong.map((type) => ({
      schema: `${type.name} ${schemaText(type)}`,
      go: declared.filter(({ path }) => path.endsWith(`.${type.goName}`)).map(({ path, text }) => `${path} ${text}`),
    }));
    expect(shown).toEqual([]);
  });
});

function textOf(fields: readonly FieldFacts[]): string {
  return fields
    .map(({ name, type, number, pointer, mergeKey, strategy = "", list }) =>
      [name, type, number === "" ? "-" : number, pointer ? "*" : "", mergeText(mergeKey, strategy, list)].join(" "),
    )
    .join();
}

function mergeText(mergeKey: string | undefined, strategy: string, isList: true | undefined): string {
  const strategies = strategy.split(",");
  if (strategies.includes("merge")) return isList ? `merge ${mergeKey ?? ""}` : "";
  return strategies.includes("replace") && !isList ? "merge replace" : "";
}

function typeText(type: Type): string {
  if (type.form === "list") return `[]${typeText(type.element)}`;
  if (type.form === "map") return `map[string]${typeText(type.element)}`;
  return type.form === "struct" ? type.goName : (type as { readonly scalar: string }).scalar;
}

function schemaText(type: StructType): string {
  const numbers = fieldNumbers(type.name);
  return type.names
    .map((name, index) => {
      const number = numbers[index]!;
      const key = mergeKeyOf(type.name, name);
      return [
        name,
        typeText(type.fields.get(name)!.type),
        number.replace("*", ""),
        number.endsWith("*") ? "*" : "",
        key === undefined ? "" : `merge ${key}`,
      ].join(" ");
    })
    .join();
}

describe.skipIf(unavailable).each(kinds)("random objects of %s", (kind) => {
  const ofKind = (): RandomObject[] => objects.filter(({ name }) => name === kind);

  test("are written as Go writes them", () => {
    expect(ofKind()).toHaveLength(OBJECTS_OF_A_KIND);
    for (const { json, protobuf } of ofKind()) {
      const bytes = toProtobuf(json)!;
      // Objects first: their difference can be read.
      expect(open(bytes, kind)).toEqual(open(protobuf, kind));
      expect(Buffer.compare(bytes, protobuf)).toBe(0);
    }
  });

  test("are read as Go reads them", () => {
    for (const { read, protobuf } of ofKind()) {
      const object = normalize(open(protobuf, kind), typeOf(kind));
      expect(object).toEqual(read);
      // Also the order of the fields.
      expect(JSON.stringify(object)).toBe(JSON.stringify(read));
    }
  });
});

function open(bytes: Uint8Array, kind: string): JsonObject {
  const [apiVersion, name] = kind.split("#") as [string, string];
  return fromEnvelope(openEnvelope(bytes), { apiVersion, kind: name });
}
