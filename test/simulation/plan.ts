/**
 * What one run is made of, drawn once from its seed: the kinds of faults that may come in it, the constants of the
 * engine and of the loop round it, and how large its Jobs are. A run has some kinds and not others, for faults hide one
 * another: what a lost answer breaks is not seen while every list is cut. Leaves out when a fault comes, which is the
 * weather's (faults.ts) and the course's.
 */
import type { EngineConstants } from "../../bindings/js/engine.ts";
import type { Chance } from "./chance.ts";

/** Faults that a run has or has not; the rest of what can go wrong is in every run. */
export const FAULT_KINDS = [
  "wrong documents",
  "error pages",
  "late requests",
  "doubled requests",
  "old pod lists",
  "statuses by others",
  "two replicas",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The constants of upstream's controller, and of this loop, as a run has them. */
export interface Tuning {
  readonly constants: EngineConstants;
  /** Requests under way at once. */
  readonly maxInFlight: number;
  /** Objects a list page. */
  readonly pageLimit: number;
  /** Lists come as the first events of a watch. */
  readonly streamsLists: boolean;
}

export interface Plan {
  readonly faults: ReadonlySet<FaultKind>;
  readonly tuning: Tuning;
  /** Jobs have up to this many completions and pods at once; with more than a few there are fewer Jobs. */
  readonly sizes: { readonly maxCompletions: number; readonly maxParallelism: number; readonly maxJobs: number };
}

const HAS_FAULT: Readonly<Record<FaultKind, number>> = {
  "wrong documents": 0.35,
  "error pages": 0.35,
  "late requests": 0.35,
  "doubled requests": 0.3,
  "old pod lists": 0.3,
  "statuses by others": 0.3,
  "two replicas": 0.25,
};

export const UPSTREAM_CONSTANTS: EngineConstants = {
  syncBatchPeriodMs: 1_000,
  syncBurst: 4,
  syncCoalesceMs: 10,
  syncRetryBaseMs: 1_000,
  syncRetryMaxMs: 60_000,
  podBackoffBaseMs: 10_000,
  podBackoffMaxMs: 600_000,
  maxUncountedPods: 500,
  maxPodsPerSync: 500,
};

/** Small ones are met by Jobs of a few pods. None makes a run longer than upstream's constants do. */
const DRAWN: { readonly [Name in keyof EngineConstants]: readonly number[] } = {
  syncBatchPeriodMs: [10, 300, 1_000, 5_000],
  syncBurst: [0, 1, 4, 20],
  syncCoalesceMs: [0, 10, 200],
  syncRetryBaseMs: [50, 1_000, 4_000],
  syncRetryMaxMs: [5_000, 60_000],
  podBackoffBaseMs: [100, 3_000, 10_000],
  podBackoffMaxMs: [10_000, 120_000, 600_000],
  maxUncountedPods: [1, 2, 3, 5, 500],
  maxPodsPerSync: [1, 2, 3, 7, 500],
};

const HAS_UPSTREAM_CONSTANTS = 0.4;
const STREAMS_LISTS = 0.3;
const HAS_LARGE_JOBS = 0.1;
/** Small, so that lists have several pages. */
const PAGE_LIMITS = [2, 7, 7, 7, 500];
const IN_FLIGHT_LIMITS = [1, 2, 5, 64, 64];
const SMALL_JOBS = { maxCompletions: 12, maxParallelism: 6, maxJobs: 40 };
const LARGE_JOBS = { maxCompletions: 40, maxParallelism: 25, maxJobs: 4 };

export function drawPlan(chance: Chance): Plan {
  const faults = new Set(FAULT_KINDS.filter((kind) => chance.isHit(HAS_FAULT[kind])));
  const isAsUpstream = chance.isHit(HAS_UPSTREAM_CONSTANTS);
  const drawn = Object.fromEntries(
    Object.entries(DRAWN).map(([name, values]) => [name, chance.pick(values)]),
  ) as unknown as EngineConstants;
  const tuning: Tuning = {
    constants: isAsUpstream ? UPSTREAM_CONSTANTS : drawn,
    maxInFlight: isAsUpstream ? 64 : chance.pick(IN_FLIGHT_LIMITS),
    pageLimit: chance.pick(PAGE_LIMITS),
    streamsLists: chance.isHit(STREAMS_LISTS),
  };
  return { faults, tuning, sizes: chance.isHit(HAS_LARGE_JOBS) ? LARGE_JOBS : SMALL_JOBS };
}

/** As the rest of a sentence. */
export function describePlan({ faults, tuning: { constants, ...loop }, sizes }: Plan): string {
  const others = Object.entries(constants).filter(
    ([name, value]) => value !== UPSTREAM_CONSTANTS[name as keyof EngineConstants],
  );
  return `${[...faults].join(", ") || "none of the drawn faults"}; ${JSON.stringify({ ...Object.fromEntries(others), ...loop, ...sizes })}`;
}
