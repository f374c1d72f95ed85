/**
 * Time for components that measure silence by heartbeats. A virtual clock may leave heartbeats out; the time without
 * them does not count as silence.
 */
import type { Clock } from "../../bindings/js/host.ts";

/** The clock's time minus the time whose heartbeats were left out, in milliseconds: only differences mean anything. */
export function livedTimeMs(clock: Clock): number {
  return clock.now() - (clock.leftOutMs?.() ?? 0);
}
