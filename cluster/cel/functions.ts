/**
 * The functions of CEL that Kubernetes adds to the language: of lists, regular expressions, texts, sets and quantities.
 * The sentences of errors are upstream's.
 */
import { type Environment, EvaluationError } from "@marcbachmann/cel-js";
import { regularExpression } from "../values/regular-expressions.ts";
import { charge } from "./cost.ts";
import { addQuantities, parseQuantity, type Quantity, quantityText } from "../values/quantities.ts";

type List = readonly unknown[];

/** A step of a regular expression: this many characters of the pattern with this many of the text. */
const STEP_OF_A_PATTERN = 4;
const STEP_OF_A_TEXT = 10;

/** A quantity as a value of CEL, which knows types by their classes. */
class CelQuantity {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  get milli(): bigint {
    return this.quantity.milli;
  }
}
class Sets {}

export function addFunctions(environment: Environment): Environment {
  addListFunctions(environment);
  addTextFunctions(environment);
  addSetFunctions(environment);
  addQuantityFunctions(environment);
  return environment;
}

function addListFunctions(environment: Environment): void {
  environment
    .registerFunction("list.isSorted(): bool", (list: List) =>
      list.every((item, place) => place === 0 || compare(list[place - 1], item) <= 0),
    )
    .registerFunction("list.sum(): dyn", (list: List) =>
      list.reduce((sum, item) => (sum as never) + (item as never), zero(list)),
    )
    .registerFunction("list.min(): dyn", (list: List) => extreme("min", list, -1))
    .registerFunction("list.max(): dyn", (list: List) => extreme("max", list, 1))
    .registerFunction("list.indexOf(dyn): int", (list: List, item: unknown) =>
      BigInt(list.findIndex((other) => isSame(other, item))),
    )
    .registerFunction("list.lastIndexOf(dyn): int", (list: List, item: unknown) =>
      BigInt(list.findLastIndex((other) => isSame(other, item))),
    );
}

function zero(list: List): unknown {
  return typeof list[0] === "number" ? 0 : 0n;
}

function extreme(name: string, list: List, sign: number): unknown {
  if (list.length === 0) throw new EvaluationError(`${name} called on empty list`);
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

function compare(a: any, b: any): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares items of sets and lists: texts, numbers and truth values. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (isNumber(a) && isNumber(b) && a == b);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function addTextFunctions(environment: Environment): void {
  environment
    .registerFunction("string.find(string): string", (text: string, pattern: string): string => {
      charge(text.length);
      return regex(pattern).exec(text)?.[0] ?? "";
    })
    .registerFunction("string.findAll(string): list<string>", (text: string, pattern: string) => findAll(text, pattern))
    .registerFunction("string.findAll(string, int): list<string>", (text: string, pattern: string, limit: bigint) =>
      limit < 0n ? findAll(text, pattern) : findAll(text, pattern).slice(0, Number(limit)),
    )
    .registerFunction("string.replace(string, string): string", (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction("string.replace(string, string, int): string", replaceSome)
    .registerFunction("string.charAt(int): string", (text: string, place: bigint) => [...text][Number(place)] ?? "")
    .registerFunction("string.reverse(): string", (text: string) => [...text].toReversed().join(""))
    .registerFunction("string.format(list): string", format);
}

function regex(pattern: string): ReturnType<typeof regularExpression> {
  try {
    return regularExpression(pattern);
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

/** The library's own function takes JavaScript's regular expressions. */
export function matches(text: string, pattern: string): boolean {
  charge((text.length / STEP_OF_A_TEXT) * (pattern.length / STEP_OF_A_PATTERN));
  return regex(pattern).test(text);
}

function findAll(text: string, pattern: string): string[] {
  charge(text.length);
  return Array.from(regex(pattern).matchAll(text), ([found]) => found);
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  let left = limit < 0n ? Infinity : Number(limit);
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

/** `"%s has %d".format([name, count])`. */
function format(text: string, values: List): string {
  let next = 0;
  return text.replace(
    /%(?:%|(?:\.(\d+))?([a-zA-Z]))/g,
    (whole, digits: string | undefined, verb: string | undefined) => {
      if (verb === undefined) return "%";
      if (next >= values.length) throw new EvaluationError(`index ${next} out of range`);
      return formatOne(whole, verb, digits, values[next++]);
    },
  );
}

function formatOne(whole: string, verb: string, digits: string | undefined, value: any): string {
  switch (verb) {
    case "s":
      return shown(value);
    case "d":
      return String(value);
    case "f":
      return Number(value).toFixed(Number(digits ?? 6));
    case "e":
      return Number(value).toExponential(Number(digits ?? 6));
    case "b":
      return BigInt(value).toString(2);
    case "o":
      return BigInt(value).toString(8);
    case "x":
      return BigInt(value).toString(16);
    case "X":
      return BigInt(value).toString(16).toUpperCase();
    default:
      throw new EvaluationError(`unrecognized formatting clause "${whole.slice(1)}"`);
  }
}

function shown(value: any): string {
  if (value instanceof Map) return `{${[...value].map(([name, item]) => `${shown(name)}: ${shown(item)}`).join(", ")}}`;
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  return value instanceof CelQuantity ? quantityText(value.quantity) : String(value);
}

function addSetFunctions(environment: Environment): void {
  const contains = (list: List, items: List): boolean => {
    charge(list.length * items.length);
    return items.every((item) => list.some((other) => isSame(other, item)));
  };
  environment
    .registerType("kubernetes.Sets", Sets)
    .registerConstant("sets", "kubernetes.Sets", new Sets())
    .registerFunction("kubernetes.Sets.contains(list, list): bool", (_: Sets, list: List, items: List) =>
      contains(list, items),
    )
    .registerFunction(
      "kubernetes.Sets.equivalent(list, list): bool",
      (_: Sets, list: List, items: List) => contains(list, items) && contains(items, list),
    )
    .registerFunction("kubernetes.Sets.intersects(list, list): bool", (_: Sets, list: List, items: List) =>
      items.some((item) => contains(list, [item])),
    );
}

const QUANTITY = "kubernetes.Quantity";

function addQuantityFunctions(environment: Environment): void {
  const of = (milli: bigint): CelQuantity => new CelQuantity({ milli, format: "decimal" });
  environment
    .registerType(QUANTITY, CelQuantity)
    .registerFunction(`quantity(string): ${QUANTITY}`, (text: string) => new CelQuantity(readQuantity(text)))
    .registerFunction("isQuantity(string): bool", isQuantity)
    .registerFunction(
      `${QUANTITY}.isGreaterThan(${QUANTITY}): bool`,
      (a: CelQuantity, b: CelQuantity) => a.milli > b.milli,
    )
    .registerFunction(
      `${QUANTITY}.isLessThan(${QUANTITY}): bool`,
      (a: CelQuantity, b: CelQuantity) => a.milli < b.milli,
    )
    .registerFunction(`${QUANTITY}.compareTo(${QUANTITY}): int`, (a: CelQuantity, b: CelQuantity) =>
      BigInt(compare(a.milli, b.milli)),
    )
    .registerFunction(`${QUANTITY}.sign(): int`, (a: CelQuantity) => BigInt(compare(a.milli, 0n)))
    .registerFunction(`${QUANTITY}.isInteger(): bool`, (a: CelQuantity) => a.milli % 1000n === 0n)
    .registerFunction(`${QUANTITY}.asInteger(): int`, (a: CelQuantity) => {
      if (a.milli % 1000n !== 0n) throw new EvaluationError("cannot convert value to integer");
      return a.milli / 1000n;
    })
    .registerFunction(`${QUANTITY}.asApproximateFloat(): double`, (a: CelQuantity) => Number(a.milli) / 1000)
    .registerFunction(
      `${QUANTITY}.add(${QUANTITY}): ${QUANTITY}`,
      (a: CelQuantity, b: CelQuantity) => new CelQuantity(addQuantities(a.quantity, b.quantity)),
    )
    .registerFunction(`${QUANTITY}.add(int): ${QUANTITY}`, (a: CelQuantity, b: bigint) => of(a.milli + b * 1000n))
    .registerFunction(`${QUANTITY}.sub(${QUANTITY}): ${QUANTITY}`, (a: CelQuantity, b: CelQuantity) =>
      of(a.milli - b.milli),
    )
    .registerFunction(`${QUANTITY}.sub(int): ${QUANTITY}`, (a: CelQuantity, b: bigint) => of(a.milli - b * 1000n))
    .registerOperator(`${QUANTITY} == ${QUANTITY}`, (a: CelQuantity, b: CelQuantity) => a.milli === b.milli);
}

function readQuantity(text: string): Quantity {
  try {
    return parseQuantity(text);
  } catch (error) {
    throw new EvaluationError((error as Error).message);
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
