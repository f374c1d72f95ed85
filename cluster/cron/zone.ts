/**
 * Time zones by name, from the data that the JavaScript engine has. Names are those of Go's time.LoadLocation: with
 * exact case, and no offsets such as `+01:00`.
 */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Formatters are slow to make. */
const MAX_KNOWN = 100;

export interface Zone {
  readonly isFixed: boolean;
  /** Local time minus UTC at an instant. */
  offsetMs(atMs: number): number;
}

export const UTC: Zone = { isFixed: true, offsetMs: () => 0 };

const known = new Map<string, Zone>([
  ["", UTC],
  ["UTC", UTC],
]);

/** @throws Error with Go's text, if the zone does not exist */
export function loadZone(name: string): Zone {
  const zone = known.get(name);
  if (zone !== undefined) return zone;
  if (/^[/\\]|\.\./.test(name)) throw new Error("time: invalid location name");
  const formatter = formatterOf(name);
  if (formatter === undefined) throw new Error(`unknown time zone ${name}`);
  const loaded = { isFixed: false, offsetMs: (atMs: number) => offsetIn(formatter, atMs) };
  if (known.size < MAX_KNOWN) known.set(name, loaded);
  return loaded;
}

function formatterOf(name: string): Intl.DateTimeFormat | undefined {
  // JavaScript accepts names in any case; Go looks for a file.
  if (!/[A-Z]/.test(name)) return undefined;
  try {
    const formatter = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" });
    const { timeZone } = formatter.resolvedOptions();
    return timeZone !== name && timeZone.toLowerCase() === name.toLowerCase() ? undefined : formatter;
  } catch {
    return undefined;
  }
}

/** From `1/1/1970, GMT+05:30`. */
function offsetIn(formatter: Intl.DateTimeFormat, atMs: number): number {
  const [, sign, hours, minutes = "0", seconds = "0"] =
    /GMT([-+])(\d+)(?::(\d+))?(?::(\d+))?$/.exec(formatter.format(atMs)) ?? [];
  if (sign === undefined) return 0;
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000;
  return sign === "-" ? -ms : ms;
}
