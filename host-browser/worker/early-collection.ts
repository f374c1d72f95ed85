/**
 * Has a long run's garbage collected early. V8 lets a heap with much garbage grow to more than three times the size of
 * its live objects before it collects all of it, since it looks at the heap alone. A buffer lies outside the heap but
 * counts as memory, so a large one makes V8 collect soon. It takes next to no memory: no code writes to it or keeps it,
 * and the system only assigns pages that are written. Browsers with another engine lose nothing by it.
 *
 * Collecting more often costs processor time, some 15 % of a run with 20,000 pods, whose memory falls by a tenth
 * (`npm run bench:playground -- --only scrub`).
 */

const BUFFER_BYTES = 128 * 1024 * 1024;
/** Short enough that little garbage is made in between, and long enough that runs of a moment have none of it. */
const INTERVAL_MS = 400;

/**
 * Returns a function to be called at each step of a run.
 * @param now milliseconds on a clock that never steps back
 * @param allocate makes a buffer of that many bytes, and throws if memory is short: then it is not tried again
 */
export function earlyCollection(
  now: () => number,
  allocate: (bytes: number) => unknown = (bytes) => new ArrayBuffer(bytes),
): () => void {
  let nextMs = now() + INTERVAL_MS;
  return () => {
    const nowMs = now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + INTERVAL_MS;
    try {
      allocate(BUFFER_BYTES);
    } catch {
      nextMs = Infinity;
    }
  };
}
