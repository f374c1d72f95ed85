/**
 * How the parts of an object merge: which lists are keyed, which maps are one value. The shapes of the served kinds
 * come from their fields (schema.ts) and the marks of these (schema-served.ts). Other sources, such as the schema of a
 * custom resource, can build their own shapes.
 */
import type { Json } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";
import type { UnknownFields } from "../schema/new-fields.ts";
import { isAtomic, listTypeOf, type ListType } from "../schema/schema-served.ts";
import type { Scalar, StructType, Type } from "../schema/schema.ts";

export type Shape = ScalarShape | ListShape | MapShape | { readonly form: "deduced" };

export interface ScalarShape {
  readonly form: "scalar";
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

export interface ListShape {
  readonly form: "list";
  readonly element: Shape;
  /** What identifies elements: some of their fields, or in a set their value. An atomic list is one value. */
  readonly elements: "atomic" | "set" | readonly ListKey[];
}

export interface ListKey {
  readonly name: string;
  /** The value for an element without the field. Undefined: none. */
  readonly absent?: Json;
}

/** A struct, or a map. */
export interface MapShape {
  readonly form: "map";
  readonly isAtomic: boolean;
  /** The shape of a field of a struct. */
  field(name: string): Shape | undefined;
  /** The shape of all other members. Undefined: there are none. */
  readonly others: Shape | undefined;
}

/** A value without a schema: objects merge member by member, lists are one value each. */
export const deduced: Shape = { form: "deduced" };
const deducedMap: MapShape = { form: "map", isAtomic: false, field: () => undefined, others: deduced };
const deducedList: ListShape = { form: "list", element: deduced, elements: "atomic" };
const untyped: ScalarShape = { form: "scalar", scalar: "untyped" };

/** The shape of a value: its own, or for a value without a schema one deduced from its JSON type. */
export function shapeFor(shape: Shape, value: Json | undefined): ScalarShape | ListShape | MapShape {
  if (shape.form !== "deduced") return shape;
  return Array.isArray(value) ? deducedList : isObject(value) || value === null ? deducedMap : untyped;
}

/** Whether values of this shape are atomic. */
export function isWhole(shape: ScalarShape | ListShape | MapShape): boolean {
  if (shape.form === "map") return shape.isAtomic;
  return shape.form === "scalar" || shape.elements === "atomic";
}

/** The shape of a member; undefined: a member of this name cannot exist. */
export function memberShape(shape: MapShape, name: string): Shape | undefined {
  return shape.field(name) ?? shape.others;
}

/** Fields that schemas still have, and that no component reads, `Struct.field`. */
const formerFields: ReadonlySet<string> = new Set(["ObjectMeta.selfLink"]);

/** What a version that knows all fields hides. */
const nothing: UnknownFields = new Map();
const structShapes = new WeakMap<UnknownFields, WeakMap<StructType, MapShape>>();
const ownShapes = new WeakMap<StructType, MapShape>();

/** The shape of a struct of the schema. @param hidden fields that are left out, as unknown to the server's version */
export function structShape(type: StructType, hidden: UnknownFields = nothing): MapShape {
  const own = ownShapes.get(type);
  if (own !== undefined) return own;
  const shapes = structShapes.get(hidden) ?? new WeakMap<StructType, MapShape>();
  structShapes.set(hidden, shapes);
  const known = shapes.get(type) ?? new StructShape(type, hidden);
  shapes.set(type, known);
  return known;
}

/** Gives the struct of a custom resource the shape that its schema says. */
export function setShape(type: StructType, shape: MapShape): void {
  ownShapes.set(type, shape);
}

class StructShape implements MapShape {
  readonly form = "map";
  readonly others = undefined;
  readonly isAtomic: boolean;
  readonly #type: StructType;
  readonly #hidden: UnknownFields;
  readonly #fields = new Map<string, Shape>();

  constructor(type: StructType, hidden: UnknownFields) {
    this.#type = type;
    this.#hidden = hidden;
    this.isAtomic = isAtomic(type.name);
  }

  field(name: string): Shape | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    if (this.#hidden.get(this.#type.name)?.has(name)) return undefined;
    const field = this.#type.fields.get(name);
    if (field === undefined && !formerFields.has(`${this.#type.name}.${name}`)) return undefined;
    const shape =
      field === undefined ? untyped : fieldShape(field.type, this.#hidden, listTypeOf(this.#type.name, name));
    this.#fields.set(name, shape);
    return shape;
  }
}

function fieldShape(type: Type, hidden: UnknownFields, listType?: ListType): Shape {
  switch (type.form) {
    case "struct":
      return structShape(type, hidden);
    case "scalar":
      return scalarShape(type.scalar);
    case "map":
      return {
        form: "map",
        isAtomic: listType?.type === "atomic",
        field: () => undefined,
        others: fieldShape(type.element, hidden),
      };
    case "list":
      return {
        form: "list",
        element: fieldShape(type.element, hidden),
        elements: listElements(listType, type.element),
      };
  }
}

function listElements(listType: ListType | undefined, element: Type): ListShape["elements"] {
  if (listType?.type === "set") return "set";
  if (listType?.type !== "map" || element.form !== "struct") return "atomic";
  return listType.keys.map(({ field, default: absent }) => {
    const key = element.fields.get(field)!.type;
    const isNumber = key.form === "scalar" && key.scalar === "int32";
    return { name: field, absent: absent ?? (isNumber ? 0 : "") };
  });
}

function scalarShape(scalar: Scalar): Shape {
  switch (scalar) {
    case "string":
    case "bytes":
      return { form: "scalar", scalar: "string" };
    case "int32":
    case "int64":
    case "float64":
      return { form: "scalar", scalar: "numeric" };
    case "bool":
      return { form: "scalar", scalar: "boolean" };
    case "any":
    case "JSONSchemaPropsOrArray":
    case "JSONSchemaPropsOrBool":
    case "JSONSchemaPropsOrStringArray":
      return deduced;
    case "Time":
    case "MicroTime":
    case "Quantity":
    case "IntOrString":
      return untyped;
  }
}
