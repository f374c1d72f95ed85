/** What may happen a thousand times a second is told once a minute, with how often it was. */
import type { Clock } from "../../bindings/js/host.ts";

const MIN_INTERVAL_MS = 60_000;

/**
 * @param tell gets how often it has happened since it was called last. @returns what is called each time that it
 * happens
 */
export function rarely(clock: Clock, tell: (times: number) => void): () => void {
  let toldMs = -Infinity;
  let times = 0;
  return () => {
    times++;
    if (clock.now() - toldMs < MIN_INTERVAL_MS) return;
    toldMs = clock.now();
    tell(times);
    times = 0;
  };
}
