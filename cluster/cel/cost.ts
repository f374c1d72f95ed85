/**
 * Limits the cost of expressions, in steps: one with loops over long lists could keep the server busy.
 *
 * Invariant: every evaluated part of an expression costs a step, and more if it yields a long text or list. A nested
 * evaluation, such as a variable of a policy, is charged to the outer expression, too. Leaves out upstream's estimate
 * before anything runs. The limits are upstream's, with about as much work in a step.
 */

/** Of one expression: PerCallLimit. */
const CALL_LIMIT = 1_000_000;
/** Limit for all rules of an object, or all expressions of a policy, for one write: RuntimeCELCostBudget. */
const TOTAL_LIMIT = 10_000_000;
/** Characters that cost a step where they are read. */
const CHARACTERS_OF_A_STEP = 100;
const ITEMS_OF_A_STEP = 10;

/** An expression costs more than it may. */
export class CallCostError extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** Several expressions together exceed their budget. */
export class BudgetError extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

/** The remaining budget of several expressions together. */
export class CostBudget {
  left = TOTAL_LIMIT;
}

/** Made once, because an expression may catch it a million times. */
const exceeded = new CallCostError();

/** The expression that is evaluated now. */
let meter: { left: number } | undefined;

/** @throws CallCostError when nothing is left for the present expression */
export function charge(steps: number): void {
  if (meter !== undefined && (meter.left -= steps) < 0) throw exceeded;
}

/** Charges the cost of reading a value. */
export function chargeFor(value: unknown): void {
  if (typeof value === "string") charge(1 + value.length / CHARACTERS_OF_A_STEP);
  else if (Array.isArray(value)) charge(1 + value.length / ITEMS_OF_A_STEP);
  else charge(1);
}

/**
 * Evaluates an expression within the limits.
 * @throws CallCostError, or BudgetError if it costs more than is left of a budget
 */
export function metered<T>(evaluate: () => T, budget: CostBudget | undefined): T {
  const outer = meter;
  const limit = Math.min(CALL_LIMIT, outer?.left ?? Infinity);
  const own = { left: limit };
  meter = own;
  try {
    const value = evaluate();
    // Some operators ignore an error of one side when the other side determines the result.
    if (own.left < 0) throw exceeded;
    return value;
  } finally {
    meter = outer;
    const cost = limit - own.left;
    if (outer !== undefined) outer.left -= cost;
    if (budget !== undefined && (budget.left -= cost) < 0) throw new BudgetError();
  }
}
