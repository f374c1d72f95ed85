/** Further time formats of components: MicroTime and Go durations. times.ts has metav1.Time. */

/** metav1.MicroTime of an instant: `2026-01-02T03:04:05.678000Z`. */
export function formatMicroTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 23)}000Z`;
}

/** A duration as Go prints it, cut to whole seconds: `10s`, `1m20s`, `5m0s`, `1h0m0s`. */
export function goDuration(durationMs: number): string {
  const totalSeconds = Math.floor(durationMs / 1000);
  const seconds = totalSeconds % 60;
  const minutes = Math.floor(totalSeconds / 60) % 60;
  const hours = Math.floor(totalSeconds / 3600);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
