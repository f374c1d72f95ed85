/**
 * The JSONPath of printer columns and selectable fields: `.spec.list[0].name`, `.metadata.labels['a/b']`, `[*]`, and
 * filters that compare, `.status.conditions[?(@.type=="Ready")].status`. Leaves out unions, slices and `..`: a path
 * with them finds nothing. Source: client-go, util/jsonpath.
 */
import type { Json } from "../../values/types.ts";
import { isObject } from "../../values/json.ts";

type Step = (values: readonly Json[]) => Json[];

/** Finds what a path leads to. */
export type JsonPath = (root: Json) => readonly Json[];

const token =
  /^(?:\.((?:[^.[\]\\]|\\.)+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|(\[\*\]|\.\*)|\[\?\((.*?)\)\])/;
/** The text in the parentheses, without the spaces around it. */
const condition = /^@([^=!<>]*)(?:(==|!=|<=|>=|<|>)(.*))?$/;

/** @returns undefined for an invalid path */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  for (let rest = text === "." ? "" : text; rest !== "";) {
    const match = token.exec(rest);
    if (match === null) return undefined;
    const step = stepOf(match);
    if (step === undefined) return undefined;
    steps.push(step);
    rest = rest.slice(match[0].length);
  }
  return (root) => steps.reduce<readonly Json[]>((values, step) => step(values), [root]);
}

function stepOf([, name, single, double, index, wildcard, inner]: RegExpExecArray): Step | undefined {
  if (wildcard !== undefined) return (values) => values.flatMap(children);
  if (index !== undefined) return (values) => values.flatMap((value) => at(value, Number(index)));
  if (inner !== undefined) return filter(inner);
  const key = (name ?? single ?? double ?? "").replaceAll(/\\(.)/g, "$1");
  return (values) => values.flatMap((value) => (isObject(value) && Object.hasOwn(value, key) ? [value[key]!] : []));
}

function children(value: Json): Json[] {
  return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
}

function at(value: Json, index: number): Json[] {
  const item = Array.isArray(value) ? value.at(index) : undefined;
  return item === undefined ? [] : [item];
}

/** Undefined: the filter compares with an invalid value. */
function filter(inner: string): Step | undefined {
  const match = condition.exec(inner.trim());
  if (match === null) return undefined;
  const [, left, operator, right] = match;
  const path = parseJsonPath(left!.trim());
  const wanted = right === undefined ? null : literal(right.trim());
  if (path === undefined || wanted === undefined) return undefined;
  const passes = (item: Json): boolean => {
    const found = path(item);
    return found.length > 0 && (operator === undefined || compares(found[0]!, operator, wanted));
  };
  return (values) => values.flatMap((value) => children(value).filter(passes));
}

function literal(text: string): Json | undefined {
  const quoted = /^'(.*)'$/s.exec(text);
  if (quoted !== null) return quoted[1]!;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function compares(value: Json, operator: string, wanted: Json): boolean {
  switch (operator) {
    case "==":
      return value === wanted;
    case "!=":
      return value !== wanted;
  }
  if (value === null || wanted === null || typeof value !== typeof wanted) return false;
  switch (operator) {
    case "<":
      return value < wanted;
    case "<=":
      return value <= wanted;
    case ">":
      return value > wanted;
    default:
      return value >= wanted;
  }
}
