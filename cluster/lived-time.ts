import type { Clock } from "../bindings/js/host.ts";

/** The time of a clock without what passed without its heartbeats, in milliseconds: for how long all is silent. */
export function livedTimeMs(clock: Clock): number {
  return clock.now() - (clock.leftOutMs?.() ?? 0);
}
