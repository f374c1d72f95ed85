/** Durations as Go's time.ParseDuration reads them: `1h30m`, `-1.5s`, `300ms`. The errors are Go's. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** Go counts nanoseconds in 63 bits. */
const MAX_MS = 2 ** 63 / 1e6;

/** Milliseconds, which may be a fraction. @throws Error */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const invalid = (): Error => new Error(`time: invalid duration ${quoted}`);
  const [, sign, rest = ""] = /^([-+]?)(.*)$/su.exec(text)!;
  if (rest === "0") return 0;
  if (rest === "") throw invalid();
  let ms = 0;
  for (let left = rest; left !== "";) {
    const [number = ""] = /^\d*(?:\.\d*)?/.exec(left)!;
    if (!/\d/.test(number)) throw invalid();
    left = left.slice(number.length);
    const [unit = ""] = /^[^.\d]*/u.exec(left)!;
    if (unit === "") throw new Error(`time: missing unit in duration ${quoted}`);
    const unitMs = Object.hasOwn(UNIT_MS, unit) ? UNIT_MS[unit]! : undefined;
    if (unitMs === undefined) throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    ms += Number(number) * unitMs;
    left = left.slice(unit.length);
  }
  if (ms >= MAX_MS) throw invalid();
  return sign === "-" ? -ms : ms;
}
