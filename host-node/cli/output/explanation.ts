/**
 * The engine's decisions and explanations as lines for people. Pure functions.
 *
 * Invariant: everything that the engine took from the API passes `printable`.
 */
import type { Decision, Explanation } from "../../../bindings/js/engine.ts";
import { formatSpan } from "../duration.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

/** Absent where the engine does not tell them. */
const COUNTS = ["failed", "active", "ready", "terminating", "parallelism"];

/** `job pi: waiting 10 s before the next pod is created: 1 failure in a row; next: in 10 s`. */
export function decisionText({ namespace, job, message, nextMs }: Decision, nowMs: number): string {
  return `job ${jobName(namespace, job)}: ${printable(message)}${nextMs === null ? "" : `; next: ${nextText(nextMs, nowMs)}`}`;
}

export function explanationLines(explanation: Explanation, nowMs: number, style: Style): string[] {
  const { namespace, job, state, sentence, nextMs, decisions } = explanation;
  return [
    `${style.bold(`job ${jobName(namespace, job)}`)}  ${stateText(state, style)}`,
    `  ${printable(sentence)}`,
    `  ${countsText(explanation)}`,
    ...(hasEnded(state) ? [] : [`  next: ${nextMs === null ? "when the Job or a pod changes" : `${nextText(nextMs, nowMs)}, at ${timeText(nextMs, nowMs)} UTC`}`]),
    ...(decisions.length === 0 ? [] : ["", ...decisionLines(decisions, nowMs, style)]),
  ];
}

function decisionLines(decisions: readonly Decision[], nowMs: number, style: Style): string[] {
  const rows = decisions.map(({ atMs, message }) => [timeText(atMs, nowMs), printable(message)] as const);
  const width = Math.max("TIME (UTC)".length, ...rows.map(([time]) => time.length));
  return [style.dim(`  ${"TIME (UTC)".padEnd(width)}  DECISION`), ...rows.map(([time, message]) => `  ${style.dim(time.padEnd(width))}  ${message}`)];
}

function hasEnded(state: string): boolean {
  return state === "Complete" || state === "Failed";
}

function stateText(state: string, style: Style): string {
  const paint = state === "Complete" ? style.green : state === "Failed" ? style.red : style.yellow;
  return paint(printable(state));
}

function countsText(explanation: Explanation): string {
  const { succeeded, completions } = explanation;
  const all = typeof completions === "number" ? `${succeeded}/${completions}` : `${succeeded}`;
  return [`succeeded ${all}`, ...COUNTS.filter((name) => typeof explanation[name] === "number").map((name) => `${name} ${explanation[name]}`)].join("   ");
}

function jobName(namespace: string, job: string): string {
  return printable(namespace === "default" ? job : `${namespace}/${job}`);
}

function nextText(nextMs: number, nowMs: number): string {
  return nextMs <= nowMs ? "now" : `in ${formatSpan(nextMs - nowMs)}`;
}

/** `10:02:11`; with the date when that is not today. UTC, as in the engine's sentences. */
function timeText(timeMs: number, nowMs: number): string {
  const [date, time] = new Date(timeMs).toISOString().slice(0, "2026-01-01T00:00:00".length).split("T") as [string, string];
  return new Date(nowMs).toISOString().startsWith(date) ? time : `${date} ${time}`;
}
