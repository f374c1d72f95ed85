/**
 * Updates the engine's sentences for a later instant: the rest of a wait shrinks, a grace period ends, and a time of
 * day gets its date when the day is over. Everything else in a sentence changes only with a new explanation.
 */
import type { Explanation, PodGroup } from "../../bindings/js/engine.ts";
import { spanText } from "../../cluster/values/time-span.ts";

/** The parts of an explanation on which its sentence depends. */
export type Spoken = Pick<Explanation, "sentence" | "numbers" | "deadlineMs" | "pods">;

/** Numbers that are moments, not spans. */
export const MOMENTS: ReadonlySet<string> = new Set(["sinceMs", "lastFailureMs", "startMs"]);

const MS_PER_DAY = 86_400_000;

/** The sentence that the engine made at one instant, as it reads at a later one. Both are since 1970. */
export function sentenceAt(spoken: Spoken, fromMs: number, atMs: number): string {
  const { deadlineMs, numbers = {}, pods = [], sentence } = spoken;
  let text = sentence;
  const { remainingMs } = numbers;
  if (remainingMs !== undefined)
    text = replaceFirst(text, spanText(remainingMs), spanText(remainingMs - (atMs - fromMs)));
  if (typeof deadlineMs === "number") {
    const words = "activeDeadlineSeconds end it in ";
    text = replaceFirst(text, words + spanText(deadlineMs - fromMs), words + spanText(deadlineMs - atMs));
  }
  for (const group of pods) text = withGrace(text, group, fromMs, atMs);
  return dayOf(fromMs) === dayOf(atMs) ? text : withDates(text, spoken, fromMs);
}

/** A grace period may have ended meanwhile. */
function withGrace(text: string, { graceMs, sinceMs }: PodGroup, fromMs: number, atMs: number): string {
  if (graceMs === undefined || sinceMs === null) return text;
  const isNews = sinceMs + graceMs >= fromMs && sinceMs + graceMs < atMs;
  const words = `, grace ${spanText(graceMs)}`;
  return isNews ? replaceFirst(text, words, `${words} is over`) : text;
}

/** Adds the date to times of the day on which the sentence was made, when it is shown on a later day. */
function withDates(text: string, { numbers = {}, pods = [] }: Spoken, fromMs: number): string {
  const moments = Object.entries(numbers).flatMap(([name, value]) => (MOMENTS.has(name) ? [value] : []));
  for (const { sinceMs } of pods) if (sinceMs !== null) moments.push(sinceMs);
  return [...new Set(moments)]
    .filter((ms) => dayOf(ms) === dayOf(fromMs))
    .reduce((dated, ms) => {
      const [date, time] = new Date(ms).toISOString().slice(0, 19).split("T");
      return dated.replaceAll(new RegExp(`(?<!\\d{4}-\\d\\d-\\d\\d )${time!}`, "g"), `${date!} ${time!}`);
    }, text);
}

function dayOf(ms: number): number {
  return Math.floor(ms / MS_PER_DAY);
}

function replaceFirst(text: string, from: string, to: string): string {
  const at = text.indexOf(from);
  return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length);
}
