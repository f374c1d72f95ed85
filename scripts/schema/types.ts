/**
 * The fields and types of a struct, read from its model class in @kubernetes/client-node, or from own-models.ts. Leaves
 * out what the models do not know: fields.ts has that, also the types that they call `string` or `any`.
 */
import * as models from "@kubernetes/client-node";
import { goStruct, typeName } from "./fields.ts";
import { isGone, newFieldsOf, type OwnField, ownFieldsOf } from "./own-models.ts";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

type Model = { getAttributeTypeMap(): readonly Attribute[] };

/** The fields of a struct and their types in Go's notation. @param reached gets the model classes of the types */
export function modelFields(className: string, reached: (className: string) => void): Map<string, string> {
  const model = (models as unknown as Record<string, Model | undefined>)[className];
  const known = ownFieldsOf(className)?.map(attributeOf) ?? model?.getAttributeTypeMap();
  if (!known) throw new Error(`${className} is not exported by @kubernetes/client-node`);
  const kept = known.filter(({ baseName }) => !isGone(className, baseName));
  const attributes = [...kept, ...newFieldsOf(className).map(attributeOf)];
  const declared = new Map(goStruct(typeName(className)).fields.map(({ name, type }) => [name, type]));
  return new Map(
    attributes.map((attribute) => {
      const { baseName } = attribute;
      return [baseName, fieldType(attribute, declared.get(baseName), reached)];
    }),
  );
}

function attributeOf({ name, type }: OwnField): Attribute {
  const isNumber = type === "int32" || type === "int64";
  return { baseName: name, type: isNumber ? "number" : type, format: isNumber ? type : "" };
}

/** @param declared what its row calls that which the models call `string` or `any` */
function fieldType(
  { type, format }: Attribute,
  declared: string | undefined,
  reached: (className: string) => void,
): string {
  const element = (name: string): string => {
    const list = /^Array<(.*)>$/.exec(name);
    if (list) return `[]${element(list[1]!)}`;
    const map = /^\{ \[key: string\]: (.*); \}$/.exec(name);
    if (map) return `map[string]${element(map[1]!)}`;
    if (name === "number") return format === "" ? "int32" : format.replace("double", "float64");
    if (name === "boolean") return "bool";
    if (name === "string" && format === "byte") return "bytes";
    if ((name === "string" || name === "any") && declared !== undefined) {
      if (ownFieldsOf(declared) !== undefined) reached(declared);
      return declared;
    }
    if (name === "Date") return "Time";
    if (name === "V1MicroTime") return "MicroTime";
    if (name === "string" || name === "any" || name === "IntOrString") return name;
    if (name === "object") return "any";
    reached(name);
    return typeName(name);
  };
  return element(type);
}
