/**
 * API times: RFC 3339 text in, UTC text out. A Time has whole seconds, a MicroTime exactly six fractional
 * digits. The errors are those of Go's time.Parse. Leaves out the clock: milliseconds come from the caller.
 */

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const canonicalMicroTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const elements: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d{2}/, "01"],
  [/^-/, "-"],
  [/^\d{2}/, "02"],
  [/^T/, "T"],
  [/^\d{2}/, "15"],
  [/^:/, ":"],
  [/^\d{2}/, "04"],
  [/^:/, ":"],
  [/^\d{2}/, "05"],
];
const zone = /^(Z|[-+]\d{2}:\d{2})/;

/** Caches the last formatted second, because many objects are written in the same second. */
let lastSecond = NaN;
let lastText = "";

/** `2026-11-21T09:48:50Z`, cut to whole seconds. */
export function formatTime(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  if (second !== lastSecond) {
    lastText = `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

/** Milliseconds since 1970 of a stored time; NaN for an invalid one. */
export function parseTime(text: string | null | undefined): number {
  return text ? Date.parse(text) : Number.NaN;
}

/**
 * A Time as the server writes it.
 * @throws Error with the text of Go's time.Parse
 */
export function normalizeTime(text: string): string {
  return text === lastText ? text : normalized(text, false);
}

/**
 * A MicroTime as the server writes it.
 * @throws Error with the text of Go's time.Parse
 */
export function normalizeMicroTime(text: string): string {
  return normalized(text, true);
}

function normalized(text: string, micro: boolean): string {
  const isCanonical = (micro ? canonicalMicroTime : canonicalTime).test(text);
  if (!isCanonical) check(text, micro);
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new Error(`parsing time "${text}": ${outOfRange(text)} out of range`);
  if (isCanonical) return text;
  const seconds = new Date(timeMs).toISOString().slice(0, 19);
  return micro ? `${seconds}${/\.\d{6}/.exec(text)![0]}Z` : `${seconds}Z`;
}

function check(text: string, micro: boolean): void {
  let rest = text;
  const fail = (element: string): never => {
    throw new Error(
      `parsing time "${text}" as "${micro ? microTimeLayout : timeLayout}": cannot parse "${rest}" as "${element}"`,
    );
  };
  for (const [pattern, element] of elements) {
    const match = pattern.exec(rest);
    if (!match) fail(element);
    else rest = rest.slice(match[0].length);
  }
  const fraction = (micro ? /^\.\d{6}/ : /^([.,]\d+)?/).exec(rest);
  if (!fraction) fail(".000000");
  else rest = rest.slice(fraction[0].length);
  const offset = zone.exec(rest);
  if (!offset) fail("Z07:00");
  else if (offset[0].length < rest.length)
    throw new Error(`parsing time "${text}": extra text: "${rest.slice(offset[0].length)}"`);
}

function outOfRange(text: string): string {
  const [month, hour, minute] = [text.slice(5, 7), text.slice(11, 13), text.slice(14, 16)].map(Number);
  if (month! < 1 || month! > 12) return "month";
  if (hour! > 23) return "hour";
  if (minute! > 59) return "minute";
  return Number(text.slice(17, 19)) > 59 ? "second" : "day";
}
