/**
 * The numbers of a scenario that a reader can turn: fields of its first Job, and what becomes of its pods.
 *
 * Invariant: turning a knob changes its number in the manifest and nothing else, so comments and order stay. Leaves out
 * fields in flow style (`{parallelism: 2}`), and how a knob looks.
 */
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { type FormRow, NEW_ROW, type OutcomeRow, rowsOf, rulesOf } from "../share/outcome-form.ts";
import { fieldAt } from "./editor/yaml-path.ts";

export interface Knob {
  /** The field, or what becomes of pods: `spec.parallelism`, `pods that fail`. */
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly min: number;
  /** At least, for a slider; the value may be above it. */
  readonly reach: number;
  /** The scenario with this value, a whole number from `min` on. */
  turn(value: number): Scenario;
}

interface Field {
  readonly path: string;
  /** The number that counts where the manifest has none. Undefined: the field is turned only where it is written. */
  readonly byDefault?: number;
  readonly min: number;
  readonly reach: number;
  readonly unit?: string;
}

const FIELDS: readonly Field[] = [
  { path: "spec.completions", min: 1, reach: 20 },
  { path: "spec.parallelism", byDefault: 1, min: 0, reach: 10 },
  { path: "spec.backoffLimit", byDefault: 6, min: 0, reach: 10 },
  { path: "spec.backoffLimitPerIndex", min: 0, reach: 10 },
  { path: "spec.maxFailedIndexes", min: 0, reach: 10 },
  { path: "spec.activeDeadlineSeconds", min: 1, reach: 300, unit: "s" },
];
/** Where each index has a limit, the Job as a whole has none unless it is written. */
const PER_INDEX = "spec.backoffLimitPerIndex";
const MOST_SECONDS = 120;

/** Empty: the manifest has no Job with a field a line. */
export function knobsOf(scenario: Scenario): readonly Knob[] {
  const lines = scenario.yaml.split("\n");
  const job = firstJobOf(lines);
  if (job === undefined) return [];
  const places = new Map(FIELDS.map(({ path }) => [path, numberAt(lines, job, path)] as const));
  const fields = FIELDS.flatMap((field) => {
    const place = places.get(field.path);
    if (place === "no number") return [];
    if (place !== undefined) return [fieldKnob(scenario, field, place.value, (value) => place.with(value))];
    const isLimited = field.path === "spec.backoffLimit" && places.get(PER_INDEX) !== undefined;
    const spec = specOf(lines, job);
    if (field.byDefault === undefined || isLimited || spec === undefined) return [];
    return [fieldKnob(scenario, field, field.byDefault, (value) => spec.add(field.path.split(".")[1]!, value))];
  });
  return [...fields, ...podKnobs(scenario)];
}

function fieldKnob(
  scenario: Scenario,
  { path, min, reach, unit = "" }: Field,
  value: number,
  yamlWith: (value: number) => string,
): Knob {
  return { name: path, unit, value, min, reach, turn: (next) => ({ ...scenario, yaml: yamlWith(next) }) };
}

/** The lines of a document, from the first one to before the last. */
interface Part {
  readonly from: number;
  readonly to: number;
}

function firstJobOf(lines: readonly string[]): Part | undefined {
  const marks = lines.flatMap((line, i) => (/^---(\s|$)/.test(line) ? [i] : []));
  const parts = [-1, ...marks].map((mark, i): Part => ({ from: mark + 1, to: marks[i] ?? lines.length }));
  return parts.find(({ from, to }) => lines.slice(from, to).some((line) => /^kind:\s*Job\s*(#.*)?$/.test(line)));
}

interface Place {
  readonly value: number;
  /** The manifest with another value here. */
  with(value: number): string;
}

/** Undefined: the field is not written. */
function numberAt(lines: readonly string[], job: Part, path: string): Place | "no number" | undefined {
  for (let i = job.from; i < job.to; i++) {
    const place = fieldAt(lines, i);
    if (place?.valueFrom === undefined || place.path.join(".") !== path) continue;
    const [digits] = /^\d+(?=\s*(#.*)?$)/.exec(lines[i]!.slice(place.valueFrom)) ?? [];
    if (digits === undefined) return "no number";
    const { valueFrom } = place;
    const before = lines[i]!.slice(0, valueFrom);
    const after = lines[i]!.slice(valueFrom + digits.length);
    return { value: Number(digits), with: (value) => lines.with(i, `${before}${value}${after}`).join("\n") };
  }
  return undefined;
}

/** The spec of the Job, to which a field can be added. */
function specOf(lines: readonly string[], job: Part): { add(name: string, value: number): string } | undefined {
  const at = lines.findIndex((line, i) => i >= job.from && i < job.to && /^spec:\s*(#.*)?$/.test(line));
  const first = lines.findIndex((line, i) => i > at && i < job.to && /^\s+[^\s#]/.test(line));
  if (at < 0 || first < 0) return undefined;
  const indent = /^\s+/.exec(lines[first]!)![0];
  return { add: (name, value) => lines.toSpliced(at + 1, 0, `${indent}${name}: ${value}`).join("\n") };
}

/** How many pods fail, and how long pods take. */
function podKnobs(scenario: Scenario): Knob[] {
  const rows = rowsOf(scenario.outcomes);
  const withRows = (next: readonly FormRow[]): Scenario => ({ ...scenario, outcomes: rulesOf(next) });
  const isOfAll = (row: FormRow): row is OutcomeRow =>
    !("other" in row) && row.index === undefined && row.attempt === undefined;
  const failing = rows.findIndex((row) => isOfAll(row) && row.ending === "exit-code");
  const rest = rows.findIndex((row) => isOfAll(row) && row.ending === "succeeds" && row.percent === 100);
  const percent = failing < 0 ? 0 : (rows[failing] as OutcomeRow).percent;
  const fail: Knob = {
    name: "pods that fail",
    unit: "%",
    value: percent,
    min: 0,
    reach: 100,
    turn(value) {
      if (failing < 0) return withRows(value === 0 ? rows : [{ ...NEW_FAILURE, percent: value }, ...rows]);
      if (value === 0) return withRows(rows.toSpliced(failing, 1));
      return withRows(rows.with(failing, { ...(rows[failing] as OutcomeRow), percent: value }));
    },
  };
  if (rest < 0) return [fail];
  const row = rows[rest] as OutcomeRow;
  const mean = Math.round((row.fromSeconds + row.toSeconds) / 2);
  const take: Knob = {
    name: "pods take, on average",
    unit: "s",
    value: mean,
    min: 1,
    reach: MOST_SECONDS,
    // As wide as before, in proportion.
    turn(value) {
      const factor = value / Math.max(mean, 0.5);
      return withRows(
        rows.with(rest, { ...row, fromSeconds: row.fromSeconds * factor, toSeconds: row.toSeconds * factor }),
      );
    },
  };
  return [fail, take];
}

const NEW_FAILURE: OutcomeRow = { ...NEW_ROW, exitCode: 1, fromSeconds: 1, toSeconds: 10 };
