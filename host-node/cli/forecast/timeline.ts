/**
 * A run as a picture of characters: a row for each completion index, or for each of the pods that run at once, with a
 * bar for each attempt. Too many rows are merged: the most important state hides the others of its column.
 *
 * It needs no colour: each state has its own character. Where the locale has no Unicode, these are ASCII.
 */
import { formatMeasured } from "../../words/duration.ts";
import type { Style } from "../../words/style.ts";
import type { PodRun, RunObserver } from "./run-observer.ts";
import { type Span, timeScale } from "./time-scale.ts";

/** More rows are merged. */
export const MAX_ROWS = 16;
const MAX_PICTURE_COLUMNS = 100;
const MIN_PICTURE_COLUMNS = 10;
const RESULT_COLUMNS = 20;
const INDENT = "  ";
/** An endless run is drawn this share longer than the time before it. */
const ENDLESS_SHARE = 0.5;
const MIN_ENDLESS_MS = 1_000;

/** In merged rows an earlier state hides a later one. */
const STATES = ["failed", "running", "succeeded", "pending", "waits", "nothing"] as const;
type State = (typeof STATES)[number];
type Glyphs = Readonly<Record<State | "axis" | "tick" | "fold" | "times", string>>;

const UNICODE: Glyphs = {
  failed: "✗",
  succeeded: "✓",
  running: "█",
  pending: "░",
  waits: "·",
  nothing: " ",
  axis: "─",
  tick: "┬",
  fold: "╱",
  times: "×",
};
const ASCII: Glyphs = {
  failed: "x",
  succeeded: "o",
  running: "=",
  pending: "-",
  waits: ".",
  nothing: " ",
  axis: "-",
  tick: "+",
  fold: "/",
  times: "x",
};
const MEANINGS: Readonly<Record<Exclude<State, "nothing">, string>> = {
  pending: "pending",
  running: "running",
  failed: "failed",
  succeeded: "succeeded",
  waits: "waits to be tried again",
};

interface Bar extends Span {
  readonly state: "pending" | "running";
  readonly end?: "failed" | "succeeded";
}

interface Row {
  readonly label: string;
  /** The text at its end. */
  readonly result: string;
  readonly cells: readonly State[];
}

/** Whether a locale names another character set than UTF-8. Without a name it counts as UTF-8. */
export function isAscii(environment: Readonly<Record<string, string | undefined>>): boolean {
  const locale = environment["LC_ALL"] || environment["LC_CTYPE"] || environment["LANG"] || "";
  return locale === "C" || locale === "POSIX" || (locale.includes(".") && !/\.utf-?8/i.test(locale));
}

/** Lines without line ends. */
export function timeline(run: RunObserver, style: Style, columns: number, inAscii: boolean): string[] {
  const glyphs = inAscii ? ASCII : UNICODE;
  const lanes = lanesOf(run.pods);
  const endMs = run.end?.atMs;
  const lastMs = run.pods.reduce((latest, pod) => Math.max(latest, lastOf(pod)), endMs ?? 1);
  const drawnMs = endMs === undefined ? Math.ceil(lastMs + Math.max(MIN_ENDLESS_MS, lastMs * ENDLESS_SHARE)) : lastMs;
  const groups = grouped(lanes);
  const labelColumns = Math.max(...groups.map(({ label }) => label.length));
  const room = columns - 2 * INDENT.length - labelColumns - RESULT_COLUMNS;
  const width = Math.max(MIN_PICTURE_COLUMNS, Math.min(MAX_PICTURE_COLUMNS, room));
  const bars = new Map(run.pods.map((pod) => [pod, barsOf(pod, drawnMs)]));
  const spans = [...bars.values()].flat();
  const scale = timeScale(spans, drawnMs, width);
  const rows = groups.map(({ label, lanes: members }): Row => {
    const cells = members.map((pods) =>
      cellsOf(
        pods.flatMap((pod) => bars.get(pod)!),
        scale.columnOf,
        width,
      ),
    );
    const isOne = cells.length === 1;
    return {
      label,
      result: resultOf(members.flat(), isOne, glyphs),
      cells: isOne ? cells[0]! : together(cells, width),
    };
  });
  const margin = " ".repeat(INDENT.length + labelColumns + INDENT.length);
  const begins = run.pods.map(({ createdMs }): Instant => [createdMs, formatMeasured(createdMs, drawnMs)]);
  const { labels, ticks } = ticksOf(
    [[0, formatMeasured(0, drawnMs)], [drawnMs, endMs === undefined ? "for ever" : formatMeasured(drawnMs)], ...begins],
    scale.columnOf,
    columns - margin.length,
  );
  const axis = axisOf(ticks, scale.folded, scale.columnOf, Math.min(width, scale.columnOf(drawnMs) + 1), glyphs);
  const shown = new Set(rows.flatMap(({ cells }) => cells));
  return [
    `${margin}${labels}`.trimEnd(),
    `${margin}${style.dim(axis)}`,
    ...rows.map(({ label, result, cells }) =>
      `${INDENT}${label.padEnd(labelColumns)}${INDENT}${painted(cells, glyphs, style)}  ${result}`.trimEnd(),
    ),
    "",
    ...legend(shown, scale.folded.length > 0, glyphs, style, columns),
  ];
}

function lastOf({ createdMs, runs, endMs }: PodRun): number {
  const last = runs.at(-1);
  return endMs ?? last?.endMs ?? last?.startMs ?? createdMs;
}

interface Lane {
  readonly label: string;
  readonly number: number;
  readonly pods: PodRun[];
}

/** A row for each index that has had a pod; else a row for each of the pods at once, reused by later pods. */
function lanesOf(pods: readonly PodRun[]): Lane[] {
  const lanes: Lane[] = [];
  const ofIndex = new Map<number, Lane>();
  for (const pod of pods) {
    const { index, createdMs } = pod;
    let lane =
      index === undefined
        ? lanes.find((each) => (each.pods.at(-1)!.endMs ?? Infinity) <= createdMs)
        : ofIndex.get(index);
    if (lane === undefined) {
      lane = { label: index === undefined ? "place" : "index", number: index ?? lanes.length + 1, pods: [] };
      lanes.push(lane);
      if (index !== undefined) ofIndex.set(index, lane);
    }
    lane.pods.push(pod);
  }
  return lanes.toSorted((a, b) => a.number - b.number);
}

function grouped(lanes: readonly Lane[]): { readonly label: string; readonly lanes: readonly PodRun[][] }[] {
  if (lanes.length === 1 && lanes[0]!.label === "place") return [{ label: "pods", lanes: [lanes[0]!.pods] }];
  const size = Math.ceil(lanes.length / MAX_ROWS);
  const groups: { label: string; lanes: PodRun[][] }[] = [];
  for (let from = 0; from < lanes.length; from += size) {
    const members = lanes.slice(from, from + size);
    const [first, last] = [members[0]!, members.at(-1)!];
    const plural = first.label === "index" ? "indexes" : "places";
    groups.push({
      label: size === 1 ? `${first.label} ${first.number}` : `${plural} ${first.number}-${last.number}`,
      lanes: members.map(({ pods }) => pods),
    });
  }
  return groups;
}

function barsOf({ createdMs, runs, endMs: podEndMs, phase }: PodRun, endMs: number): Bar[] {
  const bars: Bar[] = [];
  const ended = phase === "Succeeded" ? "succeeded" : "failed";
  const firstMs = runs[0]?.startMs ?? podEndMs ?? endMs;
  if (firstMs > createdMs || runs.length === 0)
    bars.push({
      fromMs: createdMs,
      toMs: firstMs,
      state: "pending",
      ...(runs.length === 0 && podEndMs !== undefined ? { end: ended } : {}),
    });
  for (const [i, { startMs, endMs: runEndMs, exitCode }] of runs.entries()) {
    const isLast = i === runs.length - 1;
    const how = isLast && podEndMs !== undefined ? ended : exitCode === 0 ? "succeeded" : "failed";
    bars.push({
      fromMs: startMs,
      toMs: runEndMs ?? podEndMs ?? endMs,
      state: "running",
      ...(runEndMs === undefined && podEndMs === undefined ? {} : { end: how }),
    });
  }
  return bars;
}

/** Each bar has at least one column, and pushes the next one on if it needs that. */
function cellsOf(bars: readonly Bar[], columnOf: (ms: number) => number, width: number): State[] {
  const cells = Array.from({ length: width }, (): State => "nothing");
  let free = 0;
  let hasFailed = false;
  for (const { fromMs, toMs, state, end } of bars) {
    // A wait for the scheduler that is too short to be seen.
    if (state === "pending" && end === undefined && columnOf(toMs) <= columnOf(fromMs)) continue;
    const from = Math.min(width - 1, Math.max(columnOf(fromMs), free));
    const to = Math.min(width, Math.max(columnOf(toMs), from + 1));
    if (hasFailed) cells.fill("waits", free, from);
    cells.fill(state, from, to);
    if (end !== undefined) cells[to - 1] = end;
    hasFailed = end === "failed";
    free = to;
  }
  return cells;
}

function together(rows: readonly (readonly State[])[], width: number): State[] {
  return Array.from({ length: width }, (_none, column) =>
    STATES.find((state) => rows.some((cells) => cells[column] === state))!,
  );
}

type Instant = readonly [ms: number, label: string];

/** Ticks at the instants whose labels do not overlap; the first and the second are among them. */
function ticksOf(
  instants: readonly Instant[],
  columnOf: (ms: number) => number,
  room: number,
): { readonly labels: string; readonly ticks: readonly number[] } {
  const taken: { readonly at: number; readonly label: string }[] = [];
  for (const [ms, label] of instants) {
    const at = columnOf(ms);
    const isFree = taken.every((other) => at + label.length < other.at || at > other.at + other.label.length);
    if (isFree && at + label.length <= room) taken.push({ at, label });
  }
  let labels = "";
  for (const { at, label } of taken.toSorted((a, b) => a.at - b.at)) labels = labels.padEnd(at) + label;
  return { labels, ticks: taken.map(({ at }) => at) };
}

function axisOf(
  ticks: readonly number[],
  folded: readonly Span[],
  columnOf: (ms: number) => number,
  width: number,
  { axis, tick, fold }: Glyphs,
): string {
  const line = Array.from({ length: width }, () => axis);
  for (const { fromMs, toMs } of folded) {
    const middle = Math.floor((columnOf(fromMs) + columnOf(toMs)) / 2);
    line.fill(fold, Math.max(0, middle - 1), middle + 1);
  }
  for (const at of ticks) if (at < width) line[at] = tick;
  return line.join("");
}

function painted(cells: readonly State[], glyphs: Glyphs, style: Style): string {
  const paint = { failed: style.red, succeeded: style.green, running: style.yellow, pending: style.dim } as const;
  const parts: string[] = [];
  for (let from = 0; from < cells.length;) {
    let to = from + 1;
    while (to < cells.length && cells[to] === cells[from]) to++;
    const state = cells[from]!;
    const text = glyphs[state].repeat(to - from);
    parts.push(state === "nothing" ? text : state === "waits" ? style.dim(text) : paint[state](text));
    from = to;
  }
  return parts.join("");
}

/** The exit codes of one row in their order, or how many pods of merged rows ended in each way. */
function resultOf(pods: readonly PodRun[], isOne: boolean, { times }: Glyphs): string {
  const codes = pods
    .flatMap(({ runs, exitCode }) => (runs.length > 0 ? runs.map((run) => run.exitCode) : [exitCode]))
    .filter((code) => code !== undefined);
  const counted: { readonly code: number; count: number }[] = [];
  for (const code of codes) {
    const last = counted.at(-1);
    if (last?.code === code) last.count++;
    else counted.push({ code, count: 1 });
  }
  const own = `exit ${counted.map(({ code, count }) => (count === 1 ? code : `${code}${times}${count}`)).join(", ")}`;
  if (isOne && codes.length > 0 && own.length <= RESULT_COLUMNS - 2) return own;
  const failed = pods.filter(({ phase }) => phase === "Failed" || phase === "Deleted").length;
  const succeeded = pods.filter(({ phase }) => phase === "Succeeded").length;
  const parts = [failed > 0 ? `${failed} failed` : "", succeeded > 0 ? `${succeeded} done` : ""];
  return parts.filter((part) => part !== "").join(", ");
}

function legend(shown: ReadonlySet<State>, hasFolds: boolean, glyphs: Glyphs, style: Style, columns: number): string[] {
  const entries = (["pending", "running", "failed", "succeeded", "waits"] as const)
    .filter((state) => shown.has(state))
    .map((state) => `${glyphs[state]} ${MEANINGS[state]}`);
  if (hasFolds) entries.push(`${glyphs.fold.repeat(2)} a long time without change`);
  const lines = [""];
  for (const entry of entries) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = entry;
    else if (INDENT.length + line.length + 3 + entry.length <= columns) lines[lines.length - 1] = `${line}   ${entry}`;
    else lines.push(entry);
  }
  return lines.map((line) => `${INDENT}${style.dim(line)}`);
}
