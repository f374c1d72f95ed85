/**
 * Pure functions that cache their latest results. A template makes thousands of pods that go through the same steps. So
 * a component mostly computes the same value again, and code that gets the same object again has nothing to do.
 *
 * Invariant: objects never change, so the same arguments give the same result. Arguments are compared by identity.
 */

/** How many results to cache: about the number of different steps that pods take at the same time. */
const CAPACITY = 8;

/** @param compute depends on nothing but its arguments */
export function memoize<Arguments extends readonly unknown[], Outcome>(
  compute: (...given: Arguments) => Outcome,
): (...given: Arguments) => Outcome {
  const calls: { readonly given: Arguments; readonly outcome: Outcome }[] = [];
  let oldest = 0;
  return (...given) => {
    for (let place = 0; place < calls.length; place++)
      if (isSame(calls[place]!.given, given)) return calls[place]!.outcome;
    const outcome = compute(...given);
    calls[oldest] = { given, outcome };
    oldest = (oldest + 1) % CAPACITY;
    return outcome;
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  for (let place = 0; place < b.length; place++) if (a[place] !== b[place]) return false;
  return a.length === b.length;
}
