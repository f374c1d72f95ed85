/**
 * Timestamps the naive way: a regular expression, and the platform's Date for the calendar.
 *
 * Written from docs/spec/api.md (metav1.Time, MicroTime) and RFC 3339; property tests compare the engine with it.
 */

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Milliseconds since 1970, cut to whole ones; NaN where the text is no instant of the years 0001 to 9999. */
export function parseTime(text: string): number {
  const match = PATTERN.exec(text);
  if (match === null) return NaN;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return NaN;
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return NaN;
  const offsetMs = (match[8] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  const fractionMs = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const ms = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs;
  const utcYear = new Date(ms).getUTCFullYear();
  return utcYear < 1 || utcYear > 9999 ? NaN : ms;
}

/** metav1.Time: whole seconds, `Z`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** metav1.MicroTime: six digits of a second, `Z`. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}
