/**
 * What an outcome of a Job is made of: the acts of its containers, how long they run, and what the Job's spec makes of
 * them. Leaves out the outcomes themselves (outcomes.ts, evictions.ts).
 */
import { EXIT_CODES, type JobSpec } from "./specs.ts";

/** One start of a main container. */
export interface Start {
  readonly index: number | undefined;
  /** Its pod's number among those of the Job, and of its index, in the order of creation; 0 is the first. */
  readonly pod: number;
  readonly podOfIndex: number;
  /** How often the container was started in this pod before. */
  readonly restarts: number;
}

/** `endsAtMs` counts from the creation of the Job. Null: the container is never started. */
export type Act =
  | { readonly runMs: number; readonly exitCode: number }
  | { readonly endsAtMs: number; readonly exitCode: number }
  | null;

export interface Outcome {
  readonly name: string;
  act(start: Start): Act;
  /** Each container runs as long as the pace says, unless it is stopped. */
  readonly isTimed: boolean;
  /** How many pods are evicted; 0 unless given. */
  readonly evictions?: number;
  /** So long after the start of their main container; 2 s unless given. */
  readonly evictedAfterMs?: number;
  /** Pods that are not evicted; none unless given. */
  spares?(start: Start): boolean;
  readonly ignoresSigterm?: boolean;
}

/** How long the containers of timed outcomes run. */
export interface Pace {
  readonly leastMs: number;
  readonly mostMs: number;
  /** What kubelet and scheduler may add to the time of a pod. */
  readonly startMs: number;
}

export const VIRTUAL_PACE: Pace = { leastMs: 1_000, mostMs: 40_000, startMs: 250 };
/** How many failures that a rule ignores the runs have. */
export const DISRUPTIONS = 2;
export const LATER_MS = 4 * 3_600_000;
/** Longer than a pod that is evicted and ignores SIGTERM is left alone. */
export const EVICTED_RUN_MS = 40_000;
export const HANGS = { endsAtMs: Infinity, exitCode: 0 } as const;

export interface Facts extends Pace {
  readonly width: number;
  readonly limit: number;
  readonly isQueue: boolean;
  /** An exit code for each action; undefined: no rule has it. "Count" is there always. */
  readonly codes: Readonly<Record<string, number | undefined>>;
  /** The action for pods that are evicted. Their exit code, 143, is in no rule. */
  readonly ofEvicted: string;
}

export function factsOf(spec: JobSpec, pace: Pace): Facts {
  const parallelism = spec.parallelism ?? 1;
  const isQueue = spec.completions === undefined && spec.parallelism !== undefined;
  const completions = isQueue ? Infinity : (spec.completions ?? 1);
  const codes: Record<string, number | undefined> = {};
  for (const code of [3, ...EXIT_CODES]) {
    const rule = spec.podFailurePolicy?.rules.find(({ onExitCodes }) => onExitCodes?.values.includes(code));
    codes[rule?.action ?? "Count"] ??= code;
  }
  const perIndex = spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const rules = spec.podFailurePolicy?.rules ?? [];
  const ofEvicted = rules.find(({ onPodConditions }) => onPodConditions !== undefined)?.action ?? "Count";
  return {
    ...pace,
    width: Math.min(parallelism, completions),
    limit: spec.backoffLimit ?? perIndex,
    isQueue,
    codes,
    ofEvicted,
  };
}

/** The indexes that must not succeed, so that no rule of the successPolicy matches. */
export function heldBack({ successPolicy, completions }: JobSpec): ReadonlySet<number> {
  return new Set(
    successPolicy?.rules.flatMap(({ succeededIndexes, succeededCount }) => {
      const needed = range(succeededIndexes ?? `0-${completions! - 1}`);
      return needed.slice((succeededCount ?? needed.length) - 1);
    }),
  );
}

function range(text: string): number[] {
  const [first, last] = text.split("-").map(Number);
  return Array.from({ length: (last ?? first!) - first! + 1 }, (_none, i) => first! + i);
}
