/**
 * The Common Expression Language (CEL) as Kubernetes has it: the language itself from a library, with the functions
 * that Kubernetes adds (functions.ts), and the values of JSON as CEL sees them.
 *
 * Leaves out the cost of an expression, which upstream limits, and the functions for URLs, IP addresses, versions and
 * the authorizer.
 */
import { Environment, EvaluationError, type ParseResult } from "@marcbachmann/cel-js";
import type { Json } from "../types.ts";
import { addFunctions } from "./functions.ts";

/** What an expression may be made of. A manifest of 1 MiB could otherwise keep the server busy. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 100 };

let base: Environment | undefined;

/** An environment that knows these variables, each with its CEL type: `{ object: "dyn" }`. */
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
  /** @throws Error with one line that says why there is no value */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/**
 * Reads an expression, and checks its types.
 * @param types what it may give: `["bool"]`. What only shows when it runs, is let pass.
 * @throws Error with one line that says what is wrong
 */
export function compile(expression: string, environment: Environment, types: readonly string[]): Program {
  const program = once(() => environment.parse(expression)) as ParseResult;
  const { valid, type = "", error } = program.check();
  if (!valid) throw new Error(firstLine(error!));
  if (type !== "dyn" && !types.includes(type)) throw new Error(`must evaluate to ${types.join(" or ")}`);
  return { evaluate: (variables) => once(() => program({ ...variables })) };
}

function once(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    throw new Error(firstLine(error as Error));
  }
}

/** The library shows the expression below its sentence. */
function firstLine(error: Error): string {
  const [line = ""] = error.message.split("\n", 1);
  return error instanceof EvaluationError ? line.replace(/^No such key:/, "no such key:") : line;
}

/** A value of JSON without a schema: whole numbers are `int`, others `double`. */
export function celValue(json: Json | undefined): unknown {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof json !== "object" || json === null) return json ?? null;
  if (Array.isArray(json)) return json.map(celValue);
  return new Map(Object.entries(json).map(([name, value]) => [name, celValue(value)]));
}
