/**
 * Has a long run's garbage collected early. V8 lets a heap with much garbage grow to more than three times of what is
 * alive before it collects all of it, since it looks at the heap alone. A buffer lies outside of the heap but counts as
 * memory, so a large one makes V8 collect soon. It takes next to none: nothing is written into it, nobody keeps it, and
 * the system gives pages to what is written alone. Browsers with another engine lose nothing by it.
 *
 * Collecting more often costs processor time, some 15 % of a run with 20,000 pods, whose memory falls by a tenth
 * (`npm run bench:playground -- --only scrub`).
 */

const BUFFER_BYTES = 128 * 1024 * 1024;
/** Often enough that little garbage is made in between, and seldom enough that runs of a moment have none of it. */
const INTERVAL_MS = 400;

/**
 * Returns a function to be called at each step of a run.
 * @param now milliseconds on a clock that never steps back
 * @param allocate makes a buffer of that many bytes, and throws where there is no room for it: it is not tried again
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
