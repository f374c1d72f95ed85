/**
 * Pure functions that know their latest outcomes. Pods come by the thousand from one template and go the same way, so a
 * component that has just made a value mostly makes it again, and whoever gets the same object again has nothing to
 * look at.
 *
 * Invariant: objects never change here, so what was given before gives the same now. Arguments are told apart by
 * identity.
 */

/** Outcomes that are known: as many kinds of steps as pods take between them at one time. */
const CAPACITY = 8;

/** @param compute depends on nothing but its arguments */
export function remembering<Arguments extends readonly unknown[], Outcome>(
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
