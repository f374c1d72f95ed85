/**
 * How containers end, as rows of a form: which attempts, how many of them, their outcome, and when. Rows convert to the
 * rules of a scenario and back.
 *
 * Invariant: `rowsOf(rulesOf(rows))` are the same rows, and a rule that no row can express is kept as it is. Leaves out
 * the form itself, which shows `mistakesIn` beside its fields.
 */
import type { OutcomeRule } from "../../cluster/simulation/scenario.ts";

export const ENDINGS = [
  "succeeds",
  "exit-code",
  "out-of-memory",
  "image-pull-error",
  "hangs",
  "evicted",
  "never-scheduled",
] as const;
export type Ending = (typeof ENDINGS)[number];

/** The labels in the form. */
export const ENDING_LABELS: Readonly<Record<Ending, string>> = {
  "succeeds": "succeeds",
  "exit-code": "fails with exit code",
  "out-of-memory": "runs out of memory",
  "image-pull-error": "cannot pull its image",
  "hangs": "never ends",
  "evicted": "is evicted",
  "never-scheduled": "finds no node",
};

export interface OutcomeRow {
  /** Completion index; undefined: all. */
  readonly index?: number;
  /** 1 for the first attempt; undefined: all. */
  readonly attempt?: number;
  /** Above 0, up to 100; the next row applies to the others. */
  readonly percent: number;
  readonly ending: Ending;
  /** For `exit-code` alone. */
  readonly exitCode: number;
  /** The time until then is drawn from between both. Only for endings with a time. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** One row of the form, or a rule that it cannot show. */
export type FormRow = OutcomeRow | { readonly other: OutcomeRule };

export const NEW_ROW: OutcomeRow = { percent: 5, ending: "exit-code", exitCode: 137, fromSeconds: 20, toSeconds: 60 };

const MAX_INDEX = 2 ** 31 - 1;
const MAX_SECONDS = 1e9;
const OUT_OF_MEMORY = { exitCode: 137, reason: "OOMKilled" };
const NO_IMAGE = { failReason: "ErrImagePull", failMessage: "there is no such image" };
const FOREVER = { runMs: "forever" };

/** Whether the form asks for a time with this ending. */
export function hasTime(ending: Ending): boolean {
  return !["image-pull-error", "hangs", "never-scheduled"].includes(ending);
}

/** A sentence for each field that is wrong; empty: the row may be used. */
export function mistakesIn(row: OutcomeRow): Partial<Record<keyof OutcomeRow, string>> {
  const { index, attempt, percent, ending, exitCode, fromSeconds, toSeconds } = row;
  const mistakes: Partial<Record<keyof OutcomeRow, string>> = {};
  if (index !== undefined && !isWhole(index, 0, MAX_INDEX)) mistakes.index = "a completion index: 0, 1, 2…";
  if (attempt !== undefined && !isWhole(attempt, 1, MAX_INDEX)) mistakes.attempt = "the number of an attempt: 1, 2, 3…";
  if (!(percent > 0 && percent <= 100)) mistakes.percent = "a number above 0, up to 100";
  if (ending === "exit-code" && !isWhole(exitCode, 1, 255)) mistakes.exitCode = "an exit code from 1 to 255";
  if (!hasTime(ending)) return mistakes;
  if (!(fromSeconds >= 0 && fromSeconds <= MAX_SECONDS)) mistakes.fromSeconds = "seconds, from 0";
  if (!(toSeconds >= fromSeconds && toSeconds <= MAX_SECONDS))
    mistakes.toSeconds = "seconds, no fewer than at the beginning";
  return mistakes;
}

/** @param rows without mistakes */
export function rulesOf(rows: readonly FormRow[]): OutcomeRule[] {
  return rows.map((row) => ("other" in row ? row.other : ruleOf(row)));
}

export function rowsOf(rules: readonly OutcomeRule[]): FormRow[] {
  return rules.map((rule) => {
    const row = rowOf(rule);
    // The row must express all that the rule says.
    return row !== undefined && isSame(ruleOf(row), rule) ? row : { other: rule };
  });
}

function ruleOf(row: OutcomeRow): OutcomeRule {
  const { index, attempt, percent, ending } = row;
  const match = {
    ...(index === undefined ? {} : { completionIndex: index }),
    ...(attempt === undefined ? {} : { attempt: attempt - 1 }),
  };
  const range = [Math.round(row.fromSeconds * 1000), Math.round(row.toSeconds * 1000)] as const;
  return {
    ...(Object.keys(match).length === 0 ? {} : { match }),
    ...(percent === 100 ? {} : { share: percent / 100 }),
    ...becomes(ending, row.exitCode, range),
  };
}

function becomes(
  ending: Ending,
  exitCode: number,
  range: readonly [number, number],
): Pick<OutcomeRule, "outcome" | "pod"> {
  switch (ending) {
    case "succeeds":
      return { outcome: { runMs: range } };
    case "exit-code":
      return { outcome: { runMs: range, exitCode } };
    case "out-of-memory":
      return { outcome: { runMs: range, ...OUT_OF_MEMORY } };
    case "image-pull-error":
      return { outcome: NO_IMAGE };
    case "hangs":
      return { outcome: FOREVER };
    case "evicted":
      return { outcome: FOREVER, pod: { kind: "evicted", afterMs: range } };
    case "never-scheduled":
      return { outcome: {}, pod: { kind: "never-scheduled" } };
  }
}

/** The row that may mean this rule. */
function rowOf({ match = {}, share = 1, outcome, pod }: OutcomeRule): OutcomeRow | undefined {
  const range = pod?.kind === "evicted" ? pod.afterMs : rangeIn(outcome["runMs"]);
  const exitCode = outcome["exitCode"];
  const ending = endingOf(outcome, pod);
  if (ending === undefined || (hasTime(ending) && range === undefined)) return undefined;
  return {
    ...(match.completionIndex === undefined ? {} : { index: match.completionIndex }),
    ...(match.attempt === undefined ? {} : { attempt: match.attempt + 1 }),
    percent: Math.round(share * 1e6) / 1e4,
    ending,
    exitCode: ending === "exit-code" && typeof exitCode === "number" ? exitCode : NEW_ROW.exitCode,
    fromSeconds: range === undefined ? NEW_ROW.fromSeconds : range[0] / 1000,
    toSeconds: range === undefined ? NEW_ROW.toSeconds : range[1] / 1000,
  };
}

function endingOf(outcome: OutcomeRule["outcome"], pod: OutcomeRule["pod"]): Ending | undefined {
  if (pod !== undefined) return pod.kind;
  if (outcome["failReason"] !== undefined) return "image-pull-error";
  if (outcome["runMs"] === "forever") return "hangs";
  if (outcome["reason"] === "OOMKilled") return "out-of-memory";
  return outcome["exitCode"] === undefined ? "succeeds" : "exit-code";
}

function rangeIn(value: unknown): readonly [number, number] | undefined {
  const range = typeof value === "number" ? [value, value] : value;
  if (!Array.isArray(range) || range.length !== 2 || !range.every((ms) => typeof ms === "number")) return undefined;
  return range as unknown as [number, number];
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame((one as any)[name], (other as any)[name]));
}

function isWhole(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
