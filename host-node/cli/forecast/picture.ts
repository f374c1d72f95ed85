/**
 * A forecast as text for people: a paragraph, the numbers, and a picture of the retries on a line of time. The line is
 * not to scale, so that a wait of ten minutes and one of ten seconds are both visible: a column is a power of time.
 */
import type { Forecast, ForecastAmount } from "../../../bindings/js/engine.ts";
import { NEVER_MS, spanText } from "../../../cluster/values/time-span.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";

export const LABEL_COLUMNS = 18;
export const INDENT = "  ";
/** Lines of the picture; more tries are only counted. */
const MAX_LINES = 12;
const TIME_COLUMNS = 14;
/** At the end of a line. Few pods take as much as some do, so that pictures of Jobs can be compared. */
const MIN_COUNT_COLUMNS = 12;
const WAIT = "·";
const POD = "█";
const MAX_PICTURE_COLUMNS = 60;
/** The finest unit of time that is shown: a second. */
const SECOND_MS = 1000;

/** A number of a forecast, or two with the truth between them. */
export interface AmountRow {
  readonly label: string;
  /** Undefined: only the most is known. */
  readonly least?: ForecastAmount;
  readonly most: ForecastAmount;
  show(value: number): string;
}

const bytes = (value: number): string => `${value} bytes`;

/** If retries continue for more than a hundred years, their number means nothing. */
const ENDLESS = "any number";

export const amountRows = (forecast: Forecast) => {
  const isEndless = (forecast.retries.givesUpMs ?? 0) > NEVER_MS;
  const counting = ({ most }: { readonly most: ForecastAmount }) => ({
    show: (value: number): string => (isEndless && value === most.value ? ENDLESS : String(value)),
  });
  return {
    pods: { label: "pods", ...forecast.pods, ...counting(forecast.pods) },
    peak: { label: "at once", most: forecast.peak, show: String },
    containerStarts: { label: "container starts", ...forecast.containerStarts, ...counting(forecast.containerStarts) },
    end: { label: "ends", least: forecast.end.earliestMs, most: forecast.end.latestMs, show: spanText },
    deletedMs: {
      label: "deleted",
      least: forecast.deletedMs.earliestMs,
      most: forecast.deletedMs.latestMs,
      show: spanText,
    },
    statusBytes: { label: "status", most: forecast.statusBytes, show: bytes },
    podTime: { label: "pod time", most: forecast.podTime.mostMs, show: spanText },
  } satisfies Readonly<Record<string, AmountRow>>;
};

/** Facts that the forecast of one set of assumptions lacks. */
export interface Beside {
  /** How many pods there are at once if none is evicted. Undefined: the forecast says it. */
  readonly calmPeak: ForecastAmount | undefined;
  /** How many pods there are if none fails. Undefined: that depends on more. */
  readonly cleanPods: number | undefined;
}

export function forecastText(
  name: string,
  forecast: Forecast,
  { calmPeak, cleanPods }: Beside,
  style: Style,
  columns: number,
): string {
  const { cpuSeconds, memoryByteSeconds } = forecast.podTime;
  const rows: [string, string][] = [
    ...Object.entries(amountRows(forecast)).map(([field, row]): [string, string] => [
      row.label,
      field === "peak" ? peakText(row, calmPeak) : field === "pods" ? podsText(row, cleanPods) : amountText(row),
    ]),
    ...(cpuSeconds === null ? [] : [["processor", `up to ${cpuSeconds} CPU-seconds`] as [string, string]]),
    ...(memoryByteSeconds === null ? [] : [["memory", `up to ${memoryByteSeconds} byte-seconds`] as [string, string]]),
  ];
  return [
    style.bold(printable(name)),
    ...wrapped(printable(inFlags(forecast.text)), columns - INDENT.length).map((line) => INDENT + line),
    "",
    ...rows.map(([label, value]) => `${INDENT}${style.dim(label.padEnd(LABEL_COLUMNS))}${printable(value)}`),
    ...picture(forecast, style, columns),
    "",
  ].join("\n");
}

export function amountText({ least, most, show }: AmountRow): string {
  if (least !== undefined) return between(least, most, show);
  return most.value === null ? open(most) : `up to ${show(most.value)}${mark(most)}`;
}

/** `4 if nothing fails, 6 at most`: the least may also be that of a Job that fails early. */
function podsText(row: AmountRow, clean: number | undefined): string {
  const { least, most } = row;
  const isWithin = clean !== undefined && (least?.value ?? 0) <= clean && (most.value ?? Infinity) >= clean;
  if (!isWithin || least?.value === most.value) return amountText(row);
  if (most.value !== null && row.show(most.value) === ENDLESS) return `${clean} if nothing fails, else ${ENDLESS}`;
  const rest = least?.value === clean && most.value !== null ? `${most.value} at most${mark(most)}` : undefined;
  return `${clean} if nothing fails, ${rest ?? `else ${amountText(row)}`}`;
}

/** The terms of the engine's interface, replaced by the flags that set them. */
function inFlags(text: string): string {
  return text.replaceAll("assumptions.podMs", "--pod-duration").replaceAll("assumptions.disruptions", "--disruptions");
}

/** More pods than the Job asks for exist at once only while evicted pods are still ending. */
function peakText(row: AmountRow, calm: ForecastAmount | undefined): string {
  if (calm === undefined || calm.value === row.most.value) return amountText(row);
  return `${amountText({ ...row, most: calm })}; up to ${row.most.value} while evicted pods end${mark(row.most)}`;
}

function between(least: ForecastAmount, most: ForecastAmount, show: (value: number) => string): string {
  if (least.value === null) return most.value === null ? open(most) : `within ${show(most.value)}`;
  if (most.value === null) return `${show(least.value)} or more: ${open(most)}`;
  const [from, to] = [show(least.value), show(most.value)];
  return from === to ? from : `${from}${mark(least)} to ${to}${mark(most)}`;
}

const mark = ({ is }: ForecastAmount): string => (is === "exact" ? "" : " (a bound)");

function open(amount: ForecastAmount): string {
  const { is, by } = amount as ForecastAmount & { readonly by: string };
  if (is === "unbounded") return by.endsWith("ttlSecondsAfterFinished") ? `never, without ${by}` : `no limit: ${by}`;
  return `not known without ${inFlags(by)}`;
}

/** A line a try: when it begins, what it waits for, how long it runs. */
function picture({ retries }: Forecast, style: Style, columns: number): string[] {
  const { tries, givesUpMs, by, of, pods } = retries;
  if (tries.length === 0) return [];
  const shown = tries.slice(0, MAX_LINES);
  const left = tries.length + retries.omitted - shown.length;
  const what = (count: number): string => `${count} ${count === 1 ? of : `${of}s`}`;
  const longest = `${POD} ${what(Math.max(...shown.map((one) => one.pods)))}`.length;
  const room = columns - INDENT.length - TIME_COLUMNS - Math.max(MIN_COUNT_COLUMNS, longest);
  const width = Math.min(MAX_PICTURE_COLUMNS, room);
  const endMs = Math.max(givesUpMs ?? 0, shown.at(-1)!.atMs, SECOND_MS);
  const columnOf = (ms: number): number =>
    Math.round((Math.log2(1 + ms / SECOND_MS) / Math.log2(1 + endMs / SECOND_MS)) * Math.max(10, width));
  const lines = shown.map(({ atMs, pods: count }) => {
    const line = WAIT.repeat(columnOf(atMs)) + POD;
    return `${INDENT}${spanText(atMs).padStart(TIME_COLUMNS - 2)}  ${style.yellow(line)} ${what(count)}`;
  });
  const isEndless = (givesUpMs ?? 0) > NEVER_MS;
  const total = isEndless
    ? "within 100 years"
    : of === "pod"
      ? `after ${what(pods)}`
      : `in ${pods} ${pods === 1 ? "pod" : "pods"}`;
  const end = (isEndless ? "" : spanText(givesUpMs ?? 0)).padStart(TIME_COLUMNS - 2);
  return [
    "",
    `${INDENT}${style.bold(`if every ${of} fails`)}`,
    ...lines,
    ...(left > 0 && !isEndless ? [`${INDENT}${"".padStart(TIME_COLUMNS)}and ${left} more`] : []),
    ...(givesUpMs === null
      ? []
      : [`${INDENT}${end}  ${style.red(isEndless ? "does not give up" : "gives up")} ${total}: ${by}`]),
  ];
}

export function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
