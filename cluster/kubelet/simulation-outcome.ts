/**
 * How a simulated container ends, as data: the schema of an outcome, and its reader, which refuses what it does not
 * know.
 *
 * The same schema serves the rules of a SimulatedRuntime and the pod annotation `stint.dev/simulate`:
 *
 *     {
 *       "startDelayMs": 200,             before the container runs; number, or [from, to] to draw from; default 0
 *       "runMs": [500, 900],             how long it runs; number, [from, to], or "forever"; default [1000, 3000]
 *       "exitCode": 1,                   0 to 255; default 0
 *       "exitCodes": [1, 1, 0],          by attempt instead; the last one repeats
 *       "signal": 9, "reason": "OOMKilled", "message": "…",      shown in state.terminated when the exit code is not 0
 *       "logs": ["index $(JOB_COMPLETION_INDEX) done"],          printed evenly over the run; $(VAR) is the container's
 *       environment
 *       "sigterm": { "exitCode": 0, "afterMs": 100 },            how it answers SIGTERM; default exit code 143 at once
 *       "ignoreSigterm": true,           it must be killed (137) when the grace period is over
 *       "failReason": "ErrImagePull", "failMessage": "…",        it never starts; or with "StartError" fails with 128
 *       "readyAfterMs": 5000,            from then on its startup and readiness probes succeed; number, or [from, to]
 *       "hangsAfterMs": 60000,           from then on all of its probes fail
 *       "byIndex": { "3": { … } },       what differs for a completion index
 *       "byContainer": { "setup": { … } }      what differs for a container; the only way to speak of init containers
 *     }
 *
 * An attempt is a start of the container of that name in any pod of the same Job (of the same completion index where
 * there is one): pods that replace failed ones continue the count. The fields outside byContainer are only for main
 * containers. Without an entry there, sidecars run for ever and init containers exit 0. A container has probes only if
 * one of the two fields about them is there, and the runtime is a ProbedSimulation.
 */

/** The pod annotation that carries an outcome. */
export const SIMULATE_ANNOTATION = "stint.dev/simulate";

export type DurationRange = readonly [fromMs: number, toMs: number];

export interface Outcome {
  readonly startDelayMs?: DurationRange;
  readonly runMs?: DurationRange | "forever";
  /** By attempt; the last one repeats. */
  readonly exitCodes?: readonly number[];
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly logs?: readonly string[];
  readonly sigterm?: { readonly exitCode: number; readonly afterMs: number } | "ignore";
  readonly failReason?: string;
  readonly failMessage?: string;
  readonly readyAfterMs?: DurationRange;
  readonly hangsAfterMs?: DurationRange;
}

/** An outcome, with its variants by completion index and by container. */
export interface OutcomePlan {
  readonly base: Outcome;
  readonly byIndex: ReadonlyMap<number, OutcomePlan>;
  readonly byContainer: ReadonlyMap<string, OutcomePlan>;
}

/** What is wrong with an outcome: path, what was given, what is allowed. */
export class OutcomeError extends Error {
  /** The name of the field, without its path; undefined: it is about no field. */
  readonly field: string | undefined;
  /** The names that are allowed, if it is the name that is wrong. */
  readonly fields: readonly string[] | undefined;

  constructor(message: string, field?: string, fields?: readonly string[]) {
    super(message);
    this.field = field;
    this.fields = fields;
  }
}

export const MAX_DURATION_MS = 1e12;
const MAX_SIGNAL = 64;
/** Levels of byIndex and byContainer. More than one of each says nothing. */
export const MAX_VARIANT_DEPTH = 8;

/** @throws OutcomeError */
export function parseOutcomeText(text: string): OutcomePlan {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new OutcomeError(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseOutcome(parsed, "");
}

/** @param path the path of the value, for errors. @throws OutcomeError */
export function parseOutcome(value: unknown, path: string): OutcomePlan {
  return parsePlan(value, path, 0);
}

/** @param depth levels of byIndex and byContainer around it */
function parsePlan(value: unknown, path: string, depth: number): OutcomePlan {
  if (depth > MAX_VARIANT_DEPTH)
    throw new OutcomeError(`${path} is level ${depth} of byIndex and byContainer; allowed are ${MAX_VARIANT_DEPTH}`);
  const fields = record(value, path || "the outcome");
  const outcome: { -readonly [field in keyof Outcome]: Outcome[field] } = {};
  const byIndex = new Map<number, OutcomePlan>();
  const byContainer = new Map<string, OutcomePlan>();
  for (const [name, field] of Object.entries(fields)) {
    const at = path === "" ? name : `${path}.${name}`;
    switch (name) {
      case "startDelayMs":
      case "readyAfterMs":
      case "hangsAfterMs":
        outcome[name] = duration(field, at);
        break;
      case "runMs":
        outcome.runMs = field === "forever" ? field : duration(field, at);
        break;
      case "exitCode":
        outcome.exitCodes = [integer(field, 0, 255, at)];
        break;
      case "exitCodes":
        outcome.exitCodes = list(field, at).map((code, index) => integer(code, 0, 255, `${at}[${index}]`));
        if (outcome.exitCodes.length === 0) fail(at, field, "a list of at least one exit code");
        break;
      case "signal":
        outcome.signal = integer(field, 1, MAX_SIGNAL, at);
        break;
      case "reason":
      case "message":
      case "failReason":
      case "failMessage":
        outcome[name] = text(field, at);
        break;
      case "logs":
        outcome.logs = list(field, at).map((line, index) => text(line, `${at}[${index}]`));
        break;
      case "sigterm":
        outcome.sigterm = sigterm(field, at);
        break;
      case "ignoreSigterm":
        if (typeof field !== "boolean") fail(at, field, "true or false");
        if (field === true) outcome.sigterm = "ignore";
        break;
      case "byIndex":
        for (const [index, plan] of Object.entries(record(field, at))) {
          const number = integer(Number(index), 0, 2 ** 31 - 1, `${at}.${index}`);
          byIndex.set(number, parsePlan(plan, `${at}.${index}`, depth + 1));
        }
        break;
      case "byContainer":
        for (const [container, plan] of Object.entries(record(field, at)))
          byContainer.set(container, parsePlan(plan, `${at}.${container}`, depth + 1));
        break;
      default:
        throw new OutcomeError(`${at} is not a field of an outcome; allowed are ${FIELDS.join(", ")}`, name, FIELDS);
    }
  }
  return { base: outcome, byIndex, byContainer };
}

const FIELDS = [
  "startDelayMs",
  "runMs",
  "exitCode",
  "exitCodes",
  "signal",
  "reason",
  "message",
  "logs",
  "sigterm",
  "ignoreSigterm",
  "failReason",
  "failMessage",
  "readyAfterMs",
  "hangsAfterMs",
  "byIndex",
  "byContainer",
];

/**
 * The outcome of one container: the general fields, overridden by those for this container. Undefined: the plan says
 * nothing about this container.
 */
export function outcomeFor(
  plan: OutcomePlan,
  container: string,
  isMain: boolean,
  completionIndex: number | undefined,
): Outcome | undefined {
  const ofIndex = completionIndex === undefined ? undefined : plan.byIndex.get(completionIndex);
  const layers = [
    ...(isMain ? [plan.base, ofIndex?.base] : []),
    plan.byContainer.get(container)?.base,
    completionIndex === undefined ? undefined : plan.byContainer.get(container)?.byIndex.get(completionIndex)?.base,
    ofIndex?.byContainer.get(container)?.base,
  ].filter((layer) => layer !== undefined);
  return layers.length === 0 ? undefined : Object.assign({}, ...layers);
}

function sigterm(value: unknown, path: string): { exitCode: number; afterMs: number } {
  const { exitCode, afterMs = 0, ...rest } = record(value, path);
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined)
    throw new OutcomeError(`${path}.${unknown} is not a field of sigterm; allowed are exitCode and afterMs`, unknown, [
      "exitCode",
      "afterMs",
    ]);
  return {
    exitCode: integer(exitCode, 0, 255, `${path}.exitCode`),
    afterMs: integer(afterMs, 0, MAX_DURATION_MS, `${path}.afterMs`),
  };
}

function duration(value: unknown, path: string): DurationRange {
  if (!Array.isArray(value)) {
    const ms = integer(value, 0, MAX_DURATION_MS, path);
    return [ms, ms];
  }
  if (value.length !== 2) fail(path, value, "milliseconds, or [from, to]");
  const from = integer(value[0], 0, MAX_DURATION_MS, `${path}[0]`);
  return [from, integer(value[1], from, MAX_DURATION_MS, `${path}[1]`)];
}

function integer(value: unknown, min: number, max: number, path: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max)
    fail(path, value, `an integer from ${min} to ${max}`);
  return value;
}

function text(value: unknown, path: string): string {
  if (typeof value !== "string") fail(path, value, "a string");
  return value;
}

function list(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) fail(path, value, "a list");
  return value;
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, value, "an object");
  return value as Record<string, unknown>;
}

function fail(path: string, given: unknown, allowed: string): never {
  const field = /([^.[\]]+)(?:\[\d+\])*$/.exec(path)?.[1];
  throw new OutcomeError(`${path} is ${JSON.stringify(given) ?? "absent"}; allowed is ${allowed}`, field);
}
