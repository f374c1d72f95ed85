/** Outcomes in which pods are evicted: by the eviction API, so that rules on DisruptionTarget match. */
import { DISRUPTIONS, EVICTED_RUN_MS, type Facts, heldBack, LATER_MS, type Outcome } from "./script.ts";
import type { JobSpec } from "./specs.ts";

/** Pods are evicted while they run. */
export function evicted({ limit, isQueue }: Facts, spec: JobSpec): Outcome[] {
  const hasIgnore = spec.podFailurePolicy?.rules.some(({ action }) => action === "Ignore") ?? false;
  const most = hasIgnore ? DISRUPTIONS : Math.min(limit, 6);
  const held = heldBack(spec);
  return [most, 1].map((evictions) => ({
    name: `${evictions} are evicted`,
    act: ({ index }) =>
      isQueue || (index !== undefined && held.has(index))
        ? { endsAtMs: LATER_MS, exitCode: 0 }
        : { runMs: EVICTED_RUN_MS, exitCode: 0 },
    isTimed: false,
    evictions,
    spares: ({ podOfIndex }) => evictions > 1 && podOfIndex >= (spec.backoffLimitPerIndex ?? Infinity),
    ignoresSigterm: evictions === most,
  }));
}

/** What evictions alone can do: rules for them match, and pods that restart their containers fail for good. */
export function byEvictions(spec: JobSpec, { ofEvicted, codes, limit, leastMs, mostMs, isQueue }: Facts): Outcome[] {
  const { backoffLimitPerIndex: perIndex, maxFailedIndexes = Infinity, completions = 1 } = spec;
  const restarts = spec.template.spec.restartPolicy === "OnFailure";
  const outcomes: Outcome[] = [];
  if (ofEvicted === "FailJob") {
    const one = { evictions: 1, evictedAfterMs: leastMs, isTimed: true };
    const act: Outcome["act"] = ({ pod }) => (pod === 0 ? { runMs: mostMs, exitCode: 0 } : null);
    outcomes.push(
      { ...one, name: "an eviction fails the Job", act: () => ({ runMs: mostMs, exitCode: 0 }) },
      { ...one, name: "an eviction fails the Job before the other pods start", act, isTimed: false },
    );
  }
  if (perIndex !== undefined && restarts) {
    const last = Math.min(maxFailedIndexes, completions - 1);
    outcomes.push({
      name: "the pods of the first indexes are evicted",
      act: ({ index }) => (index! <= last ? { runMs: mostMs, exitCode: 0 } : null),
      isTimed: false,
      evictions: (last + 1) * (perIndex + 1),
    });
  }
  // Those that are evicted do not count; then as many fail as may.
  if (ofEvicted === "Ignore" && codes["Ignore"] === undefined)
    for (const evictedAfterMs of [leastMs, mostMs]) {
      const held = heldBack(spec);
      let failures = 0;
      outcomes.push({
        name: `${DISRUPTIONS} are evicted after ${evictedAfterMs} ms, and then as many fail as may`,
        act: ({ index, pod, podOfIndex }) => {
          if (pod < DISRUPTIONS) return { runMs: mostMs + leastMs, exitCode: 0 };
          if (failures < limit && podOfIndex < (perIndex ?? Infinity) + DISRUPTIONS) {
            failures++;
            return { runMs: evictedAfterMs, exitCode: codes["Count"]! };
          }
          const waits = isQueue || (index !== undefined && held.has(index));
          return waits ? { endsAtMs: LATER_MS, exitCode: 0 } : { runMs: evictedAfterMs, exitCode: 0 };
        },
        isTimed: !isQueue && held.size === 0,
        evictions: DISRUPTIONS,
        evictedAfterMs,
      });
    }
  return outcomes;
}
