/**
 * The engine's decisions and explanations as lines for people. Pure functions.
 *
 * Invariant: everything that the engine took from the API passes `printable`.
 */
import type { Account, Decision, Explanation, PodGroup, Remedy } from "../../bindings/js/engine.ts";
import { ageText, spanText } from "../../cluster/values/time-span.ts";
import { hungLines } from "./broken-lines.ts";
import { counted } from "./counted.ts";
import { failureLines } from "./failure-lines.ts";
import { holdSentences } from "./holds.ts";
import { qualifiedName } from "./job-name.ts";
import type { EndedPod, LastFailure } from "./job-view.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

const INDENT = "  ";
const LOG_COMMAND = "kubectl logs ";
const COUNT_SEPARATOR = "   ";
/** Pods that have ended before. */
const SHOWN_ENDED = 3;
/** On a narrower terminal the terminal wraps the lines. */
const MIN_COLUMNS = 32;
/** Reasons of pods that need no help. */
const FINE_REASONS = new Set([
  "Ready",
  "Running",
  "Pending",
  "Ended",
  "Terminating",
  "ContainerCreating",
  "PodInitializing",
]);
/** The value of `backoffLimit` in Jobs with a limit per index. */
const NO_BACKOFF_LIMIT = 2 ** 31 - 1;
/** The state of a Job that this controller leaves to another one. This controller does nothing next. */
const FOREIGN = "Foreign";
/** Only this sentence has the name of the other controller. */
const MANAGER = /^not run: spec\.managedBy says that (\S+) manages this Job$/;
/** Counts that the engine may leave out. */
const COUNTS = ["active", "ready", "terminating", "parallelism"];

/** `job pi: creating 1 pod: …`, and the next step, unless the sentence names it. Names are padded to `nameWidth`. */
export function decisionText(decision: Decision, nowMs: number, nameWidth = 0): string {
  const { namespace, job, code, message, nextMs, numbers } = decision;
  const saysNext = "remainingMs" in numbers || "delayMs" in numbers;
  const next =
    nextMs === null || saysNext
      ? ""
      : `; ${code === "WaitingForPods" ? "deadline" : "next:"} ${nextText(nextMs, nowMs)}`;
  return `job ${`${qualifiedName(namespace, job)}:`.padEnd(nameWidth + 1)} ${printable(message)}${next}`;
}

/** The context in which an explanation is shown. */
export interface ExplanationContext {
  /** Width of the terminal, at which lines are broken. The default is Infinity: no terminal. */
  readonly columns?: number | undefined;
  /** The options that kubectl needs to find the Job, each with a space before it. */
  readonly kubectlOptions?: string;
  /** Those of them that choose the cluster. */
  readonly clusterOptions?: string;
  /** Whether kubectl reaches the cluster; it does unless given. */
  readonly hasKubectl?: boolean;
  /** The next step, in words. Without it, `nextMs` of the explanation gives it. */
  readonly next?: string | undefined;
  readonly lastFailure?: LastFailure | undefined;
  /** Other pods that have ended, the newest first. */
  readonly ended?: readonly EndedPod[] | undefined;
  /** What holds the Job, and what to do. */
  readonly account?: Account | undefined;
  /** Sentences about the explanation itself. */
  readonly remarks?: readonly string[];
}

/** A whole explanation as lines: state, sentence, counts, next step, pods, Warnings and decisions. */
export function explanationLines(
  explanation: Explanation,
  nowMs: number,
  style: Style,
  {
    columns = Infinity,
    kubectlOptions = "",
    clusterOptions = "",
    hasKubectl = true,
    next,
    lastFailure,
    ended = [],
    account,
    remarks = [],
  }: ExplanationContext = {},
): string[] {
  const { namespace, job, state, code = "", sentence, nextMs, decisions, pods = [] } = explanation;
  const indented = (text: string, separator?: string): string[] =>
    hungLines(text, Math.max(MIN_COLUMNS, columns), { indent: INDENT, separator });
  const whatNext =
    next ??
    (nextMs === null
      ? (account?.next.sentence ?? "when the Job or a pod changes")
      : `${nextText(nextMs, nowMs)}, at ${timeText(nextMs, nowMs)} UTC`);
  const holds = holdSentences(account);
  return [
    `${style.bold(`job ${qualifiedName(namespace, job)}`)}  ${stateText(explanation, style)}`,
    ...indented(printable(sentence)),
    ...holds.flatMap((hold) => indented(printable(hold)).map(style.yellow)),
    ...indented(countsText(explanation), COUNT_SEPARATOR),
    ...(hasEnded(state) || state === FOREIGN ? [] : [`  next: ${whatNext}`]),
    // The controller keeps nothing else about an ended Job.
    ...(state === "Failed" && hasKubectl
      ? [
          `  its events: kubectl describe job ${printable(job)}${kubectlOptions}`,
          `  its output: kubectl logs -l job-name=${printable(job)} --prefix${kubectlOptions}`,
        ]
      : []),
    ...(lastFailure === undefined ? [] : failureLines(lastFailure, style, columns)),
    ...endedTexts(ended).flatMap((text) => indented(printable(text))),
    ...(hasKubectl ? remedyLines(shownRemedies(account, lastFailure, state), clusterOptions, style) : []),
    ...remarks.flatMap((remark) => indented(printable(remark)).map(style.dim)),
    ...(code === "" || state === "Complete" ? [] : [style.dim(`  more: stint explain ${printable(code)}`)]),
    ...(pods.length === 0 ? [] : ["", ...podLines(pods, nowMs, style)]),
    ...(decisions.length === 0 ? [] : ["", ...decisionLines(decisions, nowMs, style)]),
  ];
}

function endedTexts(ended: readonly EndedPod[]): string[] {
  const others = ended.length - SHOWN_ENDED;
  return [
    ...ended.slice(0, SHOWN_ENDED).map(({ pod, cause }) => `before: pod ${pod}: ${cause}`),
    ...(others > 0 ? [`before: ${counted(others, "other pod")}, which --output json names`] : []),
  ];
}

// The log is shown already, or the command for it.
function shownRemedies(account: Account | undefined, failure: LastFailure | undefined, state: string): Remedy[] {
  const hasLog = state === "Failed" || (failure?.log.length ?? 0) > 0;
  return (account?.remedies ?? []).filter(({ command }) => !(hasLog && command.startsWith(LOG_COMMAND)));
}

// A command is one line: it is there to be copied.
export function remedyLines(
  remedies: readonly Pick<Remedy, "sentence" | "command">[],
  clusterOptions: string,
  style: Style,
): string[] {
  return remedies.flatMap(({ sentence, command }) => [
    `${INDENT}to do: ${printable(sentence)}`,
    style.dim(`${INDENT}${INDENT}${printable(command)}${clusterOptions}`),
  ]);
}

// The sentence contains the message of a waiting pod, so the table leaves it out.
function podLines(pods: readonly PodGroup[], nowMs: number, style: Style): string[] {
  const rows = pods.map(({ reason, count, pod, sinceMs }) => [
    String(count),
    printable(reason),
    printable(pod),
    sinceMs === null ? "" : `${timeText(sinceMs, nowMs)}, for ${ageText(nowMs - sinceMs)}`,
  ]);
  const header = ["PODS", "STATE OR REASON", "THE OLDEST", "SINCE (UTC)"];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const lineOf = ([count = "", ...others]: readonly string[]): string => {
    const padded = others.map((cell, i) => cell.padEnd(widths[i + 1]!));
    return `  ${[count.padStart(widths[0]!), ...padded].join("  ")}`.trimEnd();
  };
  return [
    style.dim(lineOf(header)),
    ...rows.map((row, i) => (isTrouble(pods[i]!.reason) ? style.yellow(lineOf(row)) : lineOf(row))),
  ];
}

function isTrouble(reason: string): boolean {
  return !FINE_REASONS.has(reason);
}

function decisionLines(decisions: readonly Decision[], nowMs: number, style: Style): string[] {
  const rows = decisions.map(({ atMs, message }) => [timeText(atMs, nowMs), printable(message)] as const);
  const width = Math.max("TIME (UTC)".length, ...rows.map(([time]) => time.length));
  return [
    style.dim(`  ${"TIME (UTC)".padEnd(width)}  DECISION`),
    ...rows.map(([time, message]) => `  ${style.dim(time.padEnd(width))}  ${message}`),
  ];
}

function hasEnded(state: string): boolean {
  return state === "Complete" || state === "Failed";
}

function stateText({ state, sentence }: Explanation, style: Style): string {
  const paint = state === "Complete" ? style.green : state === "Failed" ? style.red : style.yellow;
  return paint(
    printable(state === FOREIGN ? `Managed by ${MANAGER.exec(sentence)?.[1] ?? "another controller"}` : state),
  );
}

function countsText(explanation: Explanation): string {
  const { succeeded, completions, failed, backoffLimit } = explanation;
  const all = typeof completions === "number" ? `${succeeded}/${completions}` : `${succeeded}`;
  const limit =
    typeof backoffLimit === "number" && backoffLimit < NO_BACKOFF_LIMIT ? ` (backoffLimit ${backoffLimit})` : "";
  return [
    `succeeded ${all}`,
    ...(typeof failed === "number" ? [`failed ${failed}${limit}`] : []),
    ...COUNTS.filter((name) => typeof explanation[name] === "number").map((name) => `${name} ${explanation[name]}`),
  ].join(COUNT_SEPARATOR);
}

export function nextText(nextMs: number, nowMs: number): string {
  return nextMs <= nowMs ? "now" : `in ${spanText(nextMs - nowMs)}`;
}

/** `10:02:11`; with the date when that is not today. UTC, as in the engine's sentences. */
export function timeText(timeMs: number, nowMs: number): string {
  const [date, time] = new Date(timeMs).toISOString().slice(0, "2026-01-01T00:00:00".length).split("T") as [
    string,
    string,
  ];
  return new Date(nowMs).toISOString().startsWith(date) ? time : `${date} ${time}`;
}
