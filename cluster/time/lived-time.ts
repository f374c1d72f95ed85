/**
 * Time as whoever measures silence by heartbeats must count it. A virtual clock may leave heartbeats out; what passes
 * meanwhile is held against nobody.
 */
import type { Clock } from "../../bindings/js/host.ts";

/** The clock's time without what has passed without its heartbeats, in milliseconds: only differences mean anything. */
export function livedTimeMs(clock: Clock): number {
  return clock.now() - (clock.leftOutMs?.() ?? 0);
}
