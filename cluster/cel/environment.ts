/**
 * The Common Expression Language (CEL) as Kubernetes has it: the language itself from a library, with the functions
 * that Kubernetes adds (functions.ts), and the values of JSON as CEL sees them.
 *
 * Invariant: no expression runs for long; cost.ts limits it. Leaves out the functions for URLs, IP addresses, versions
 * and the authorizer.
 */
import { Environment, EvaluationError, type ParseResult } from "@marcbachmann/cel-js";
import type { Json } from "../values/types.ts";
import { CallCostError, chargeFor, type CostBudget, metered } from "./cost.ts";
import { addFunctions, matches } from "./functions.ts";

/** Limits of an expression. A manifest of 1 MiB could otherwise keep the server busy. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100 };

let base: Environment | undefined;

/** An environment with these variables, each with its CEL type: `{ object: "dyn" }`. */
export function celEnvironment(variables: Readonly<Record<string, string>>): Environment {
  base ??= addFunctions(
    new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits: LIMITS }),
  );
  const environment = base.clone();
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
  return environment;
}

/** An expression that was read and checked. */
export interface Program {
  /** The variables that it names, those of its macros too. */
  readonly variables: ReadonlySet<string>;
  /**
   * @param budget shared by all expressions that belong together
   * @throws Error with one line that says why there is no value
   */
  evaluate(variables: Readonly<Record<string, unknown>>, budget?: CostBudget): unknown;
}

/** The expression has another type than required. */
export class WrongTypeError extends Error {
  constructor(types: readonly string[], given: string) {
    const wanted = types.length === 1 ? types[0] : `one of [${types.join(" ").replace("null", "null_type")}]`;
    super(`must evaluate to ${wanted} but got ${given.replace("<", "(").replace(">", ")")}`);
  }
}

/**
 * Compiles an expression, and checks its types.
 * @param types the allowed types of the result: `["bool"]`. A type known only at run time passes.
 * @throws Error with one line that says what is wrong; WrongTypeError in the words of the API server
 */
export function compile(expression: string, environment: Environment, types: readonly string[] | "any"): Program {
  const program = once(() => environment.parse(expression)) as ParseResult;
  const { valid, type = "", error } = program.check();
  if (!valid) throw new Error(firstLine(error!));
  if (types !== "any" && type !== "dyn" && !types.includes(type)) throw new WrongTypeError(types, type);
  const root = program.ast as unknown as Part;
  const variables = new Set(variablesIn(root));
  limitCost(root);
  return { variables, evaluate: (variables, budget) => metered(() => once(() => program({ ...variables })), budget) };
}

/** What the library passes to each part of an expression, which evaluates its own parts with it. */
interface Evaluator {
  run(part: Part, context: unknown): unknown;
}
interface Part {
  readonly op: string;
  readonly args: any;
  evaluate(evaluator: Evaluator, part: Part, context: unknown): unknown;
}

function* variablesIn(part: unknown): Generator<string> {
  if (Array.isArray(part)) for (const one of part) yield* variablesIn(one);
  else if (typeof part === "object" && part !== null && "op" in part) {
    const { op, args } = part as Part;
    if (op === "id") yield args as string;
    else yield* variablesIn(args);
  }
}

/** The library has no hook for this, so the first part of an expression changes how the others are evaluated. */
function limitCost(root: Part): void {
  let { evaluate } = root;
  const limited: Part["evaluate"] = (evaluator, part, context) => {
    // All expressions of an environment share one evaluator.
    if (!Object.hasOwn(evaluator, "run")) evaluator.run = (inner, at) => valueOf(inner, evaluator, at, inner.evaluate);
    return valueOf(part, evaluator, context, evaluate);
  };
  // The library replaces this function on its first call.
  Object.defineProperty(root, "evaluate", { get: () => limited, set: (next: typeof evaluate) => (evaluate = next) });
}

function valueOf(part: Part, evaluator: Evaluator, context: unknown, evaluate: Part["evaluate"]): unknown {
  const value =
    (part.op === "rcall" && part.args[0] === "matches" ? matched(part, evaluator, context) : undefined) ??
    evaluate.call(part, evaluator, part, context);
  chargeFor(value);
  return value;
}

/** Undefined for values that are no texts: the library reports these. */
function matched({ args: [, text, [pattern]] }: Part, evaluator: Evaluator, context: unknown): boolean | undefined {
  const given = [evaluator.run(text, context), evaluator.run(pattern, context)];
  return given.every((value) => typeof value === "string") ? matches(given[0]!, given[1]!) : undefined;
}

function once(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    throw error instanceof CallCostError ? error : new Error(firstLine(error as Error));
  }
}

/** The library's errors, and upstream's words for them. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^No such key: index out of bounds, index (-?\d+) .*/, "index out of bounds: $1"],
  [/^No such key:/, "no such key:"],
  [/^no such overload: .*/, "no such overload"],
  [/^\w+\(\) type error: cannot convert to (\w+)$/, "type conversion error from 'string' to '$1'"],
];

/** The library shows the expression below its sentence. */
function firstLine(error: Error): string {
  const [line = ""] = error.message.split("\n", 1);
  if (!(error instanceof EvaluationError)) return line;
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), line);
}

/** A value of JSON without a schema: whole numbers are `int`, others `double`. */
export function celValue(json: Json | undefined): unknown {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json !== "object" || json === null) return json ?? null;
  if (Array.isArray(json)) return json.map(celValue);
  return new Map(Object.entries(json).map(([name, value]) => [name, celValue(value)]));
}
