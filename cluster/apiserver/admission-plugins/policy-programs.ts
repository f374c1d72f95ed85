/**
 * Compiles and evaluates the expressions of a ValidatingAdmissionPolicy. A policy is compiled once. Leaves out
 * `authorizer`, and audit annotations.
 */
import { EvaluationError } from "@marcbachmann/cel-js";
import { BudgetError, CostBudget } from "../../cel/cost.ts";
import { celEnvironment, compile, type Program } from "../../cel/environment.ts";
import type { KubeObject } from "../../values/types.ts";
import { quote } from "../../values/json.ts";
import { byteLength } from "../../values/text.ts";
import { aggregated } from "./webhook-matching.ts";
import { type PolicySpec, policyVariables, type Validation } from "./policy.ts";

/** The variables of the expressions, by name. */
export type Activation = Readonly<Record<string, unknown>>;

/** Why a write may not happen. */
export interface Objection {
  readonly message: string;
  readonly reason?: string;
}

const MAX_MESSAGE_BYTES = 5 * 1024;

export class PolicyPrograms {
  readonly #spec: PolicySpec;
  readonly #conditions: readonly LazyProgram[];
  readonly #variables: ReadonlyMap<string, LazyProgram>;
  readonly #validations: readonly ValidationPrograms[];

  constructor(spec: PolicySpec) {
    const environment = celEnvironment(policyVariables(spec));
    const program = (expression: string): LazyProgram => once(() => compile(expression, environment, "any"));
    this.#spec = spec;
    this.#conditions = (spec.matchConditions ?? []).map(({ expression }) => program(expression));
    this.#variables = new Map((spec.variables ?? []).map(({ name, expression }) => [name, program(expression)]));
    this.#validations = (spec.validations ?? []).map((validation) => ({
      validation,
      test: program(validation.expression),
      ...(validation.messageExpression?.trim() && { message: program(validation.messageExpression) }),
    }));
  }

  /** The policy's objections to a write. @param given all variables but `variables` */
  objections(given: Activation): readonly Objection[] {
    const budget = new CostBudget();
    const activation = { ...given, variables: this.#lazyVariables(given) };
    try {
      if (!this.#meetsConditions(activation, budget)) return [];
      return this.#validations.flatMap((programs) => this.#objection(programs, activation, budget));
    } catch (error) {
      return this.#failures(error as Error);
    }
  }

  #objection(programs: ValidationPrograms, activation: Activation, budget: CostBudget): readonly Objection[] {
    const { expression } = programs.validation;
    try {
      return evaluate(programs.test, expression, activation, budget) === true ? [] : [refusal(programs, activation)];
    } catch (error) {
      // Nothing is left for the others.
      if (error instanceof BudgetError) throw error;
      return this.#failures(error as Error);
    }
  }

  #failures({ message }: Error): readonly Objection[] {
    return this.#spec.failurePolicy === "Ignore" ? [] : [{ message }];
  }

  /** @throws Error with the reason why conditions could not be evaluated, if no other condition fails */
  #meetsConditions(activation: Activation, budget: CostBudget): boolean {
    const { matchConditions = [] } = this.#spec;
    const errors = new Set<string>();
    for (const [index, { expression }] of matchConditions.entries()) {
      try {
        if (evaluate(this.#conditions[index]!, expression, activation, budget) !== true) return false;
      } catch (error) {
        errors.add((error as Error).message);
      }
    }
    if (errors.size > 0) throw new Error(aggregated(errors));
    return true;
  }

  /** Each variable is evaluated lazily, on first use, and then cached. */
  #lazyVariables(given: Activation): object {
    const variables = {};
    const activation = { ...given, variables };
    for (const [name, program] of this.#variables) {
      const get = once(() => program().evaluate(activation));
      Object.defineProperty(variables, name, { enumerable: true, get: () => ofVariable(name, get) });
    }
    return variables;
  }
}

interface ValidationPrograms {
  readonly validation: Validation;
  readonly test: LazyProgram;
  readonly message?: LazyProgram;
}

type LazyProgram = () => Program;

/** Caches the result of the first call, also if that is an error. */
function once<T>(make: () => T): () => T {
  let outcome: (() => T) | undefined;
  return () => {
    if (outcome !== undefined) return outcome();
    try {
      const value = make();
      outcome = () => value;
    } catch (error) {
      outcome = () => {
        throw error;
      };
    }
    return outcome();
  };
}

function ofVariable<T>(name: string, get: () => T): T {
  try {
    return get();
  } catch (error) {
    throw new EvaluationError(`composited variable ${quote(name)} fails to evaluate: ${(error as Error).message}`);
  }
}

function evaluate(program: LazyProgram, expression: string, activation: Activation, budget: CostBudget): unknown {
  try {
    return program().evaluate(activation, budget);
  } catch (error) {
    if (error instanceof BudgetError) throw error;
    throw new Error(`expression '${expression}' resulted in error: ${(error as Error).message}`);
  }
}

function refusal({ validation, message }: ValidationPrograms, activation: Activation): Objection {
  const { expression, message: fixed = "", reason = "Invalid" } = validation;
  const text = textOf(message, activation) || fixed.trim() || `failed expression: ${expression.trim()}`;
  return { message: text, reason };
}

/** Empty if there is no text, or none that can be shown. */
function textOf(program: LazyProgram | undefined, activation: Activation): string {
  try {
    const value = program?.().evaluate(activation);
    const text = typeof value === "string" ? value.trim() : "";
    return text.includes("\n") || byteLength(text) > MAX_MESSAGE_BYTES ? "" : text;
  } catch {
    return "";
  }
}

const compiled = new WeakMap<KubeObject, PolicyPrograms>();

/** Objects in a store never change. */
export function programsOf(policy: KubeObject): PolicyPrograms {
  const known = compiled.get(policy) ?? new PolicyPrograms(policy["spec"]);
  compiled.set(policy, known);
  return known;
}
