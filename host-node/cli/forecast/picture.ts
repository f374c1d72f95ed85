/**
 * A forecast as text for people: a paragraph, the numbers, and a picture of the retries on a line of time. The line is
 * not to scale: a wait of ten minutes and one of ten seconds are both to be seen, so a column is a power of time.
 */
import type { Forecast, ForecastAmount } from "../../../bindings/js/engine.ts";
import { formatSpan } from "../duration.ts";
import { printable } from "../output/printable.ts";
import type { Style } from "../output/style.ts";

const LABEL_COLUMNS = 18;
const INDENT = "  ";
/** Lines of the picture; more tries are only counted. */
const MAX_LINES = 12;
const TIME_COLUMNS = 14;
const WAIT = "·";
const POD = "█";
const MAX_PICTURE_COLUMNS = 60;
/** The roughest that time is shown: a second. */
const SECOND_MS = 1000;

export function forecastText(name: string, forecast: Forecast, style: Style, columns: number): string {
  const { pods, containerStarts, peak, end, deletedMs, statusBytes, podTime } = forecast;
  const rows: [string, string][] = [
    ["pods", between(pods.least, pods.most, String)],
    ["at once", upTo(peak, String)],
    ["container starts", between(containerStarts.least, containerStarts.most, String)],
    ["ends", between(end.earliestMs, end.latestMs, formatSpan)],
    ["deleted", between(deletedMs.earliestMs, deletedMs.latestMs, formatSpan)],
    ["status", upTo(statusBytes, (bytes) => `${bytes} bytes`)],
    ["pod time", upTo(podTime.mostMs, formatSpan)],
    ...(podTime.cpuSeconds === null
      ? []
      : [["processor", `up to ${podTime.cpuSeconds} CPU-seconds`] as [string, string]]),
    ...(podTime.memoryByteSeconds === null
      ? []
      : [["memory", `up to ${podTime.memoryByteSeconds} byte-seconds`] as [string, string]]),
  ];
  return [
    style.bold(printable(name)),
    ...wrapped(printable(forecast.text), columns - INDENT.length).map((line) => INDENT + line),
    "",
    ...rows.map(([label, value]) => `${INDENT}${style.dim(label.padEnd(LABEL_COLUMNS))}${printable(value)}`),
    ...picture(forecast, style, columns),
    "",
  ].join("\n");
}

function between(least: ForecastAmount, most: ForecastAmount, show: (value: number) => string): string {
  if (least.value === null) return most.value === null ? open(most) : `within ${show(most.value)}`;
  if (most.value === null) return `${show(least.value)} or more: ${open(most)}`;
  const [from, to] = [show(least.value), show(most.value)];
  return from === to ? from : `${from}${mark(least)} to ${to}${mark(most)}`;
}

const mark = ({ is }: ForecastAmount): string => (is === "exact" ? "" : " (a bound)");

function upTo(amount: ForecastAmount, show: (value: number) => string): string {
  if (amount.value === null) return open(amount);
  return `up to ${show(amount.value)}${mark(amount)}`;
}

function open(amount: ForecastAmount): string {
  const { is, by } = amount as ForecastAmount & { readonly by: string };
  if (is === "unbounded") return by.endsWith("ttlSecondsAfterFinished") ? `never, without ${by}` : `no limit: ${by}`;
  return by === "assumptions.podMs" ? "not known without --pod-duration" : `not known without ${by}`;
}

/** A line a try: when it begins, what it waits for, how long it runs. */
function picture({ retries }: Forecast, style: Style, columns: number): string[] {
  const { tries, givesUpMs, by, of, pods } = retries;
  if (tries.length === 0) return [];
  const shown = tries.slice(0, MAX_LINES);
  const left = tries.length + retries.omitted - shown.length;
  const width = Math.min(MAX_PICTURE_COLUMNS, columns - INDENT.length - TIME_COLUMNS - 12);
  const endMs = Math.max(givesUpMs ?? 0, shown.at(-1)!.atMs, SECOND_MS);
  const columnOf = (ms: number): number =>
    Math.round((Math.log2(1 + ms / SECOND_MS) / Math.log2(1 + endMs / SECOND_MS)) * Math.max(10, width));
  const what = (count: number): string => `${count} ${count === 1 ? of : `${of}s`}`;
  const lines = shown.map(({ atMs, pods: count }) => {
    const line = WAIT.repeat(columnOf(atMs)) + POD;
    return `${INDENT}${formatSpan(atMs).padStart(TIME_COLUMNS - 2)}  ${style.yellow(line)} ${what(count)}`;
  });
  const total = of === "pod" ? `after ${what(pods)}` : `in ${pods} ${pods === 1 ? "pod" : "pods"}`;
  return [
    "",
    `${INDENT}${style.bold(`if every ${of} fails`)}`,
    ...lines,
    ...(left > 0 ? [`${INDENT}${"".padStart(TIME_COLUMNS)}and ${left} more`] : []),
    ...(givesUpMs === null
      ? []
      : [`${INDENT}${formatSpan(givesUpMs).padStart(TIME_COLUMNS - 2)}  ${style.red("gives up")} ${total}: ${by}`]),
  ];
}

function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
