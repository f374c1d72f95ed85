/**
 * Which failed pod of an index may wait for its successor: whichever the rule of controller.md S19 keeps, in some order
 * of the pods.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayBeDelayed } from "./backoff.ts";

interface Failure {
  readonly uid: number;
  readonly indexFailures: number;
  readonly indexIgnoredFailures: number;
  readonly finishMs: number;
}

/** The one that S19 keeps of pods in this order. */
function kept(pods: readonly Failure[]): Failure {
  const absoluteFailures = (pod: Failure): number => pod.indexFailures + pod.indexIgnoredFailures;
  return pods.reduce((current, later) =>
    absoluteFailures(later) >= absoluteFailures(current) && later.finishMs >= current.finishMs ? later : current,
  );
}

function* ordersOf<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [i, first] of items.entries()) for (const rest of ordersOf(items.toSpliced(i, 1))) yield [first, ...rest];
}

function subsetsOf<T>(items: readonly T[]): T[][] {
  return items.reduce<T[][]>((subsets, item) => [...subsets, ...subsets.map((subset) => [...subset, item])], [[]]);
}

test("failures count that some order leaves, with or without those that need not wait, and no others", () => {
  const few = fc.integer({ min: 0, max: 3 });
  const failure = fc.record({
    indexFailures: few,
    indexIgnoredFailures: fc.integer({ min: 0, max: 1 }),
    finishMs: few,
    waits: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(failure, { minLength: 1, maxLength: 4 }), (list) => {
      const pods = list.map((facts, uid) => ({ uid, ...facts }));
      const waiting = pods.filter(({ waits }) => waits);
      const candidates = subsetsOf(pods.filter(({ waits }) => !waits))
        .map((others) => [...waiting, ...others])
        .filter(({ length }) => length > 0);
      const uids = new Set(candidates.flatMap((some) => [...ordersOf(some)]).map((order) => kept(order).uid));
      expect(new Set(mayBeDelayed(pods, waiting).map(({ uid }) => uid))).toEqual(uids);
    }),
    { numRuns: 2_000, seed: 1 },
  );
});
