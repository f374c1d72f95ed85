/**
 * Validates a value against its shape: types, fields of the schema, items of a keyed list only once. The texts are
 * those of structured-merge-diff, which print values as Go does.
 */
import type { Json } from "../../values/types.ts";
import { goValue, isObject } from "../../values/json.ts";
import { itemElement, ListItemError } from "./list-items.ts";
import { fieldElement, type PathElement, printElement } from "./path-element.ts";
import { type ListShape, type MapShape, memberShape, type ScalarShape, type Shape, shapeFor } from "./shape.ts";

/** A value that does not match its shape. The message names all mistakes found. */
export class ShapeError extends Error {}

export interface ValidationOptions {
  /** An item may be twice in a list that is keyed. */
  readonly allowsDuplicates: boolean;
}

/** More than this is not reported. */
const MAX_ERRORS = 100;

/** @throws ShapeError */
export function validate(value: Json, shape: Shape, options: ValidationOptions): void {
  const walk = new Walk(options);
  walk.value(value, shape);
  if (walk.errors.length === 1) throw new ShapeError(walk.errors[0]);
  if (walk.errors.length > 1) throw new ShapeError(["errors:", ...walk.errors.map((error) => `  ${error}`)].join("\n"));
}

class Walk {
  readonly errors: string[] = [];
  readonly #path: PathElement[] = [];
  readonly #options: ValidationOptions;

  constructor(options: ValidationOptions) {
    this.#options = options;
  }

  value(value: Json, shape: Shape): void {
    if (value === null || this.errors.length >= MAX_ERRORS) return;
    const actual = shapeFor(shape, value);
    switch (actual.form) {
      case "scalar":
        return this.#scalar(value, actual);
      case "map":
        return this.#members(value, actual);
      case "list":
        return this.#items(value, actual);
    }
  }

  #scalar(value: Json, { scalar }: ScalarShape): void {
    const type = typeof value;
    if (scalar === "numeric" && type !== "number")
      this.#report(`expected numeric (int or float), got ${goTypeOf(value)}`);
    else if (scalar === "string" && type !== "string")
      this.#report(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
    else if (scalar === "boolean" && type !== "boolean") this.#report(`expected boolean, got &{${goValue(value)}}`);
    else if (scalar === "untyped" && type === "object") this.#report(`expected any scalar, got &{${goValue(value)}}`);
  }

  #members(value: Json, shape: MapShape): void {
    if (!isObject(value)) return this.#report(`expected map, got &{${goValue(value)}}`);
    for (const name in value) {
      const next = memberShape(shape, name);
      this.#path.push(fieldElement(name));
      if (next === undefined) this.#report("field not declared in schema");
      else this.value(value[name]!, next);
      this.#path.pop();
      if (next === undefined) return;
    }
  }

  #items(value: Json, shape: ListShape): void {
    if (!Array.isArray(value)) return this.#report(`expected list, got &{${goValue(value)}}`);
    const seen = new Set<PathElement>();
    for (let index = 0; index < value.length; index++) {
      const element = this.#element(value[index]!, index, shape);
      if (element === undefined) return;
      if (seen.has(element) && !this.#options.allowsDuplicates)
        this.#report(`duplicate entries for key ${printElement(element)}`);
      seen.add(element);
      this.#path.push(element);
      this.value(value[index]!, shape.element);
      this.#path.pop();
    }
  }

  /** Undefined: the item has no place in the list, which is reported. */
  #element(item: Json, index: number, shape: ListShape): PathElement | undefined {
    if (shape.elements === "atomic") return `i:${index}`;
    try {
      return itemElement(item, shape);
    } catch (error) {
      if (!(error instanceof ListItemError)) throw error;
      this.#report(`element ${index}: ${error.message}`);
      return undefined;
    }
  }

  #report(message: string): void {
    const path = this.#path.map(printElement).join("");
    this.errors.push(path === "" ? message : `${path}: ${message}`);
  }
}

/** Go's name of the type that a JSON value is decoded into. */
function goTypeOf(value: Json): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** A value as Go's %#v prints it. */
function goSyntax(value: Json): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isObject(value))
    return `map[string]interface {}{${Object.keys(value)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`)
      .join(", ")}}`;
  return value === null ? "interface {}(nil)" : JSON.stringify(value);
}
