/**
 * What the containers of a Job do in one run: outcomes that are made to reach the bounds of its forecast, and random
 * ones. Each is written from the rules of docs/spec/controller.md, not from the forecast.
 */
import type { Chance } from "../simulation/chance.ts";
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
  /** How many pods are evicted, each 2 s after it has started; 0 unless given. */
  readonly evictions?: number;
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
const LATER_MS = 4 * 3_600_000;
const HANGS = { endsAtMs: Infinity, exitCode: 0 } as const;

interface Facts extends Pace {
  readonly width: number;
  readonly limit: number;
  readonly isQueue: boolean;
  /** An exit code for each action; undefined: no rule has it. "Count" is there always. */
  readonly codes: Readonly<Record<string, number | undefined>>;
}

function factsOf(spec: JobSpec, pace: Pace): Facts {
  const parallelism = spec.parallelism ?? 1;
  const isQueue = spec.completions === undefined && spec.parallelism !== undefined;
  const completions = isQueue ? Infinity : (spec.completions ?? 1);
  const codes: Record<string, number | undefined> = {};
  for (const code of [3, ...EXIT_CODES]) {
    const rule = spec.podFailurePolicy?.rules.find(({ onExitCodes }) => onExitCodes?.values.includes(code));
    codes[rule?.action ?? "Count"] ??= code;
  }
  const perIndex = spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  return { ...pace, width: Math.min(parallelism, completions), limit: spec.backoffLimit ?? perIndex, isQueue, codes };
}

/** @param randoms how many random outcomes there are besides the others */
export function outcomesFor(spec: JobSpec, chance: Chance, randoms: number, pace = VIRTUAL_PACE): Outcome[] {
  const facts = factsOf(spec, pace);
  const { leastMs, mostMs } = pace;
  const restarts = spec.template.spec.restartPolicy === "OnFailure";
  const ends = [leastMs, mostMs].flatMap((runMs) => [
    always(`all succeed in ${runMs} ms`, { runMs, exitCode: 0 }),
    always(`all fail in ${runMs} ms`, { runMs, exitCode: facts.codes["Count"]! }),
    ...(restarts ? restarting(runMs, facts) : failing(runMs, spec, facts)),
  ]);
  return [
    ...ends,
    ...(restarts ? [] : [...leastFailing(facts), ...failingIndexes(spec, facts)]),
    ...bySuccess(spec, facts),
    ...atOnce(facts),
    ...evicted(facts, spec),
    ...(spec.activeDeadlineSeconds === undefined
      ? []
      : [
          { ...always("all hang", HANGS), isTimed: false },
          { ...always("none starts", null), isTimed: false },
          { ...always("all hang, and ignore SIGTERM", HANGS), isTimed: false, ignoresSigterm: true },
        ]),
    ...Array.from({ length: randoms }, (_none, i) => random(i, facts, chance.fork(`random ${i}`))),
  ];
}

function always(name: string, act: Act): Outcome {
  return { name, act: () => act, isTimed: true };
}

/** As many fail as may, and then all succeed. */
function failing(runMs: number, spec: JobSpec, { limit, codes, isQueue, leastMs, mostMs }: Facts): Outcome[] {
  const perIndex = spec.backoffLimitPerIndex;
  const ignored = codes["Ignore"] === undefined ? 0 : DISRUPTIONS;
  const make = (name: string, mayFail: (start: Start) => boolean, restMs = runMs): Outcome => {
    let failures = 0;
    const decided = new Map<number, Act>();
    return {
      name: `${name}, ${runMs} ms`,
      isTimed: true,
      act(start) {
        const before = decided.get(start.pod);
        if (before !== undefined) return before;
        const mayGoOn = failures < limit + ignored && mayFail(start);
        const code = failures < ignored ? codes["Ignore"]! : codes["Count"]!;
        const act = mayGoOn ? { runMs, exitCode: code } : { runMs: restMs, exitCode: 0 };
        if (mayGoOn) failures++;
        decided.set(start.pod, act);
        return act;
      },
    };
  };
  const inIndex = ({ podOfIndex }: Start): boolean => perIndex === undefined || podOfIndex < perIndex + ignored;
  return [
    make("as many fail as may", inIndex),
    make("the first index fails as often as it may", (start) => (start.index ?? 0) === 0 && inIndex(start), leastMs),
    make(
      "pods fail one at a time",
      (start) => (isQueue || start.pod === 0 || start.pod >= spec.parallelism!) && inIndex(start),
      isQueue ? mostMs : runMs,
    ),
  ];
}

/** Containers restart as often as they may, and then succeed. */
function restarting(runMs: number, { limit }: Facts): Outcome[] {
  const most = Math.max(limit, 1);
  return [most - 1, most, 1].map((times) => ({
    name: `${times} restarts, then success, ${runMs} ms`,
    isTimed: true,
    act: ({ restarts }) => ({ runMs, exitCode: restarts < times ? 1 : 0 }),
  }));
}

/** The Job fails with as few pods as it can: the first are replaced one at a time, and then all fail together. */
function leastFailing({ width, limit, codes, leastMs }: Facts): Outcome[] {
  if (limit > 100 || width === 0) return [];
  const replaced = Math.max(0, limit + 1 - width);
  let waitMs = 5_000;
  for (let i = 1; i <= replaced; i++) waitMs += Math.min(10_000 * 2 ** (i - 1), 600_000) + 4_000;
  return [
    {
      name: "as few fail as can",
      isTimed: false,
      act: ({ pod }) =>
        // One of the first, and then each that replaces it.
        pod < replaced && (pod === 0 || pod >= width)
          ? { runMs: leastMs, exitCode: codes["Count"]! }
          : pod >= width && pod < width + replaced - 1
            ? { runMs: leastMs, exitCode: codes["Count"]! }
            : { endsAtMs: waitMs, exitCode: codes["Count"]! },
    },
  ];
}

/** As many indexes fail as it takes, and the others hang. */
function failingIndexes(
  { maxFailedIndexes = Infinity, backoffLimitPerIndex, completions }: JobSpec,
  { codes, leastMs }: Facts,
): Outcome[] {
  if (backoffLimitPerIndex === undefined) return [];
  const last = Math.min(maxFailedIndexes, completions! - 1);
  const make = (name: string, exitCode: number): Outcome => ({
    name,
    isTimed: false,
    act: ({ index }) => (index! <= last ? { runMs: leastMs, exitCode } : { endsAtMs: LATER_MS, exitCode: 0 }),
  });
  const atOnce = codes["FailIndex"];
  return [
    make("the first indexes fail", codes["Count"]!),
    ...(atOnce === undefined ? [] : [make("the first indexes fail at once", atOnce)]),
  ];
}

/** One index succeeds after another; and those that a successPolicy needs succeed last. */
function bySuccess(spec: JobSpec, { limit, codes, leastMs }: Facts): Outcome[] {
  const inTurn: Outcome = {
    name: "one succeeds after the other",
    isTimed: false,
    act: ({ index, pod }) => ({ endsAtMs: ((index ?? pod) + 1) * 5_000, exitCode: 0 }),
  };
  const policy = spec.successPolicy;
  if (policy === undefined) return [inTurn];
  const held = heldBack(spec);
  const perIndex = spec.backoffLimitPerIndex ?? Infinity;
  const ignored = codes["Ignore"] === undefined ? 0 : DISRUPTIONS;
  const failFirst = (isHeld: (index: number) => boolean): ((start: Start) => Act) => {
    let failures = 0;
    return ({ index, podOfIndex }) => {
      if (podOfIndex < perIndex + ignored && failures < limit + ignored) {
        const exitCode = failures++ < ignored ? codes["Ignore"]! : codes["Count"]!;
        return { runMs: leastMs, exitCode };
      }
      return isHeld(index!) ? { endsAtMs: LATER_MS, exitCode: 0 } : { runMs: leastMs, exitCode: 0 };
    };
  };
  const maxFailed = spec.backoffLimitPerIndex === undefined ? 0 : Math.min(spec.maxFailedIndexes ?? 99, 99);
  let failed = 0;
  return [
    inTurn,
    { name: "what the policy needs succeeds last", isTimed: false, act: failFirst((index) => held.has(index)) },
    {
      name: "what the policy needs fails as far as it may, and succeeds last",
      isTimed: false,
      act: ({ index, podOfIndex }) => {
        if (!held.has(index!))
          return { runMs: leastMs, exitCode: podOfIndex < perIndex && limit > 99 ? codes["Count"]! : 0 };
        if (podOfIndex === 0 && failed >= maxFailed) return { endsAtMs: LATER_MS, exitCode: 0 };
        if (podOfIndex === 0) failed++;
        return { runMs: leastMs, exitCode: codes["Count"]! };
      },
    },
  ];
}

/** The indexes that must not succeed, so that no rule of the successPolicy matches. */
function heldBack({ successPolicy, completions }: JobSpec): ReadonlySet<number> {
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

/** A rule ends the Job while all others hang. */
function atOnce({ codes, leastMs }: Facts): Outcome[] {
  const exitCode = codes["FailJob"];
  if (exitCode === undefined) return [];
  return [
    { ...always("the first failure fails the Job", { runMs: leastMs, exitCode }) },
    {
      name: "the first pod fails the Job, the others hang",
      isTimed: false,
      act: ({ pod }) => (pod === 0 ? { runMs: leastMs, exitCode } : { endsAtMs: LATER_MS, exitCode: 0 }),
    },
  ];
}

/** Pods are deleted while they run. */
function evicted({ limit, mostMs }: Facts, spec: JobSpec): Outcome[] {
  const hasIgnore = spec.podFailurePolicy?.rules.some(({ action }) => action === "Ignore") ?? false;
  const most = hasIgnore ? DISRUPTIONS : Math.min(limit, 6);
  const held = heldBack(spec);
  return [most, 1].map((evictions) => ({
    name: `${evictions} are evicted`,
    act: ({ index }) =>
      index !== undefined && held.has(index) ? { endsAtMs: LATER_MS, exitCode: 0 } : { runMs: mostMs / 2, exitCode: 0 },
    isTimed: false,
    evictions,
    spares: ({ podOfIndex }) => evictions > 1 && podOfIndex >= (spec.backoffLimitPerIndex ?? Infinity),
    ignoresSigterm: evictions === most,
  }));
}

function random(number: number, { codes, leastMs, mostMs }: Facts, chance: Chance): Outcome {
  const failures = chance.pick([0.2, 0.5, 0.8]);
  let ignored = 0;
  return {
    name: `random ${number}`,
    isTimed: true,
    act() {
      const runMs = chance.isHit(0.5) ? chance.integer(leastMs, mostMs) : chance.pick([leastMs, mostMs]);
      if (!chance.isHit(failures)) return { runMs, exitCode: 0 };
      const exitCode = chance.pick(Object.values(codes).filter((code) => code !== undefined));
      if (exitCode === codes["Ignore"] && ignored++ >= DISRUPTIONS) return { runMs, exitCode: codes["Count"]! };
      return { runMs, exitCode };
    },
  };
}
