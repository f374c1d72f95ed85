/**
 * The exact run of a Job beside its forecast: what an outcome makes of it, and where each number lies between the
 * bounds.
 *
 * Invariant: a number outside the bounds is reported as outside. This happens only if pods ran longer or shorter than
 * --pod-duration, or if Stint has a bug.
 */
import type { Forecast } from "../../../bindings/js/engine.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { formatMeasured } from "../../words/duration.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";
import { type AmountRow, amountRows, amountText, INDENT, LABEL_COLUMNS, wrapped } from "./picture.ts";
import type { Measured, Position, SimulatedPod, SimulatedRun } from "./document.ts";
import type { Rehearsal } from "./rehearsal.ts";
import type { PodRun, RunObserver } from "./run-observer.ts";
import { timeline } from "./timeline.ts";

const VALUE_COLUMNS = 14;
/** A time within this distance of a bound counts as equal to it. */
const NEAR_MS = 1_000;

interface Measure {
  readonly row: AmountRow;
  /** Undefined: it has none, as the run has no end. */
  readonly value: number | undefined;
  readonly toleranceMs: number;
}

export interface Shown {
  readonly style: Style;
  readonly columns: number;
  readonly inAscii: boolean;
  /** The assumption of the forecast beside the run; "": the options give it. */
  readonly assumed: string;
  /** Opens the run in the playground; undefined: the address of no playground was given. */
  readonly link: string | undefined;
}

/** How long the pods of the run took; with restartPolicy OnFailure, their containers. Undefined: none has ended. */
function podTimes({ pods }: RunObserver, restarts: boolean): { leastMs: number; mostMs: number } | undefined {
  const times = pods.flatMap(({ createdMs, endMs, runs }) => {
    if (!restarts) return endMs === undefined ? [] : [endMs - createdMs];
    // The time before a container counts as its run, too.
    return runs.flatMap((run, i) => (run.endMs === undefined ? [] : [run.endMs - (i === 0 ? createdMs : run.startMs)]));
  });
  if (times.length === 0) return undefined;
  const sorted = times.toSorted((a, b) => a - b);
  return { leastMs: sorted[0]!, mostMs: sorted.at(-1)! };
}

function measuresOf(forecast: Forecast, run: RunObserver): Record<keyof ReturnType<typeof amountRows>, Measure> {
  const rows = amountRows(forecast);
  const { toleranceMs } = forecast.end;
  const { pods, end, deletedMs } = run;
  const starts = pods.reduce((sum, { containerStarts }) => sum + containerStarts, 0);
  const isOver = pods.every(({ endMs }) => endMs !== undefined);
  const podMs = pods.reduce((sum, { createdMs, endMs = 0 }) => sum + endMs - createdMs, 0);
  return {
    pods: { row: rows.pods, value: pods.length, toleranceMs: 0 },
    peak: { row: rows.peak, value: run.peak, toleranceMs: 0 },
    containerStarts: { row: rows.containerStarts, value: starts, toleranceMs: 0 },
    end: { row: rows.end, value: end?.atMs, toleranceMs },
    deletedMs: { row: rows.deletedMs, value: deletedMs, toleranceMs },
    statusBytes: { row: rows.statusBytes, value: run.statusBytes, toleranceMs: 0 },
    podTime: { row: rows.podTime, value: isOver ? podMs : undefined, toleranceMs: toleranceMs * pods.length },
  };
}

/**
 * Undefined: the run has no number, or there is no bound. @param hasEnded an unfinished run proves nothing about the
 * least
 */
function positionOf({ row, value, toleranceMs }: Measure, hasEnded: boolean): Position | undefined {
  if (value === undefined) return undefined;
  const { least, most } = row;
  const from = hasEnded ? (least?.value ?? null) : null;
  const to = most.value;
  if (from === null && to === null) return undefined;
  if ((from !== null && value < from - toleranceMs) || (to !== null && value > to + toleranceMs)) return "outside";
  const nearMs = Math.min(toleranceMs, NEAR_MS);
  if (to !== null && value >= to - nearMs) return "most";
  return from !== null && value <= from + nearMs ? "least" : "between";
}

const SAID: Readonly<Record<Position, string>> = {
  least: "the least",
  most: "the most",
  between: "",
  outside: "OUTSIDE",
};

export function whatIfText(name: string, forecast: Forecast, { observer, note }: Rehearsal, shown: Shown): string {
  const { style, columns, inAscii, assumed, link } = shown;
  const measures = Object.values(measuresOf(forecast, observer)).map((measure) => ({
    ...measure,
    where: positionOf(measure, observer.end !== undefined),
  }));
  const lines = measures.map(({ row, value, where }) => {
    const own = value === undefined ? "-" : row.show === spanText ? formatMeasured(value) : row.show(value);
    const said = where === undefined || SAID[where] === "" ? "" : `, ${SAID[where]}`;
    const text = `${INDENT}${style.dim(row.label.padEnd(LABEL_COLUMNS))}${own.padEnd(VALUE_COLUMNS)}`;
    const bounds = `${printable(amountText(row))}${where === "outside" ? style.red(said) : said}`;
    return `${text}${bounds}`;
  });
  const isOutside = measures.some(({ where }) => where === "outside");
  const paragraphs = [sentence(observer, note), assumed, isOutside ? OUTSIDE : ""].filter((text) => text !== "");
  return [
    style.bold(printable(name)),
    ...paragraphs.flatMap((text) => wrapped(printable(text), columns - INDENT.length).map((line) => INDENT + line)),
    "",
    ...(observer.pods.length === 0 ? [] : [...timeline(observer, style, columns, inAscii), ""]),
    `${INDENT}${style.bold("".padEnd(LABEL_COLUMNS) + "this run".padEnd(VALUE_COLUMNS) + "forecast")}`,
    ...lines,
    ...(link === undefined ? [] : ["", `${INDENT}${link}`]),
    "",
  ].join("\n");
}

const OUTSIDE =
  "A number lies outside the forecast: the pods of this run do not keep what the options assume, or Stint is wrong.";

function sentence({ pods, end }: RunObserver, note: string): string {
  const failed = pods.filter(({ phase }) => phase === "Failed" || phase === "Deleted").length;
  const count = pods.length === 1 ? "1 pod" : `${pods.length} pods`;
  const counts = failed === 0 ? count : `${count}, ${failed === pods.length ? "all" : failed} failed`;
  if (end === undefined) return `It does not end. ${note} So far: ${counts}.`.replace(/ {2,}/g, " ");
  const how = end.type === "Complete" ? "It succeeds" : `It fails (${end.reason})`;
  return `${how} after ${formatMeasured(end.atMs)}: ${counts}.`;
}

/** The run as JSON. */
export function whatIfJson(
  forecast: Forecast,
  { observer, note }: Rehearsal,
  outcome: string,
  link: string,
): SimulatedRun {
  const { end, pods } = observer;
  const measured = (measure: Measure): Measured => ({
    value: measure.value ?? null,
    is: positionOf(measure, end !== undefined) ?? null,
  });
  const { end: endMs, ...others } = measuresOf(forecast, observer);
  return {
    outcome: JSON.parse(outcome),
    end: end ?? null,
    note: note === "" ? null : note,
    pods: measured(others.pods),
    peak: measured(others.peak),
    containerStarts: measured(others.containerStarts),
    endMs: measured(endMs),
    deletedMs: measured(others.deletedMs),
    statusBytes: measured(others.statusBytes),
    podTime: measured(others.podTime),
    timeline: pods.map(podJson),
    playground: link,
  };
}

function podJson({ name, index, attempt, createdMs, runs, endMs, phase, exitCode, decision }: PodRun): SimulatedPod {
  return {
    pod: name,
    index: index ?? null,
    attempt,
    phase,
    createdMs,
    startMs: runs[0]?.startMs ?? null,
    endMs: endMs ?? null,
    exitCode: exitCode ?? null,
    // More than one: its containers were restarted.
    runs: runs.map((run) => ({ startMs: run.startMs, endMs: run.endMs ?? null, exitCode: run.exitCode ?? null })),
    decision: decision ?? null,
  };
}

/** The assumptions that the run implies and no option gives, and a sentence about them. */
export function assumedFrom(
  run: RunObserver,
  job: Readonly<Record<string, any>>,
): { readonly assumptions: object; readonly text: string } {
  const { template, podFailurePolicy } = job["spec"] ?? {};
  const restarts = template?.spec?.restartPolicy === "OnFailure";
  const times = podTimes(run, restarts);
  const rules: unknown = podFailurePolicy?.rules;
  const ignores = Array.isArray(rules) && rules.some((rule: { action?: string }) => rule?.action === "Ignore");
  // An outcome evicts no pod.
  const disruptions = ignores ? {} : { disruptions: 0 };
  if (times === undefined) return { assumptions: disruptions, text: "" };
  const { leastMs: least, mostMs: most } = times;
  const [from, to] = [formatMeasured(least), formatMeasured(most)];
  const what = `${restarts ? "containers" : "pods"} that take ${from === to ? from : `${from} to ${to}`}, as these do`;
  return {
    assumptions: { ...disruptions, podMs: { least, most } },
    text: `Beside it: the forecast for ${what}${ignores ? "" : ", if none is evicted"}.`,
  };
}
