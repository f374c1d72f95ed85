/**
 * Simulated time in words, as the page shows it. Leaves out the axis of the picture, which writes its own, shorter
 * marks.
 */

/** `1.250 s`, `3 min 05.000 s`, `2 h 03 min 05.000 s`: an instant, always with milliseconds. */
export function instantText(ms: number): string {
  const total = Math.max(0, Math.round(ms));
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = ((total % 60_000) / 1000).toFixed(3);
  if (hours > 0) return `${hours} h ${pad(minutes)} min ${seconds.padStart(6, "0")} s`;
  return minutes > 0 ? `${minutes} min ${seconds.padStart(6, "0")} s` : `${seconds} s`;
}

/** `850 ms`, `12.3 s`, `3 min 5 s`, `2 h 3 min`: a length of time, rounded so that it is read at once. */
export function lengthText(ms: number): string {
  const total = Math.max(0, ms);
  if (total < 1000) return `${Math.round(total)} ms`;
  if (total < 59_950) return `${trimmed((total / 1000).toFixed(1))} s`;
  const seconds = Math.round(total / 1000);
  if (seconds < 3600) return joined(Math.floor(seconds / 60), "min", seconds % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
  return joined(Math.floor(minutes / 1440), "days", Math.floor((minutes % 1440) / 60), "h");
}

function joined(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

function trimmed(decimal: string): string {
  return decimal.replace(/\.0$/, "");
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}
