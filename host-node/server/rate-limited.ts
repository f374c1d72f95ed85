/** Reports something that may happen a thousand times a second at most once a minute, with the number of times. */
import type { Clock } from "../../bindings/js/host.ts";

const MIN_INTERVAL_MS = 60_000;

/** @param tell gets the number of times since the last report @returns a function to call each time that it happens */
export function rateLimited(clock: Clock, tell: (times: number) => void): () => void {
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
