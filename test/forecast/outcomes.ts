/**
 * What the containers of a Job do in one run: outcomes that are made to reach the bounds of its forecast, and random
 * ones. Each is written from the rules of docs/spec/controller.md, not from the forecast.
 */
import type { Chance } from "../simulation/chance.ts";
import { byEvictions, evicted } from "./evictions.ts";
import {
  type Act,
  DISRUPTIONS,
  type Facts,
  factsOf,
  HANGS,
  heldBack,
  LATER_MS,
  type Outcome,
  type Start,
  VIRTUAL_PACE,
} from "./script.ts";
import type { JobSpec } from "./specs.ts";

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
    ...byEvictions(spec, facts),
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
  const last = (spec.completions ?? 1) - 1;
  const isLast = ({ index, pod }: Start): boolean => (index === undefined ? pod >= last : index === last);
  const make = (name: string, mayFail: (start: Start) => boolean, restMs = runMs, isTimed = true): Outcome => {
    let failures = 0;
    const decided = new Map<number, Act>();
    return {
      name: `${name}, ${runMs} ms`,
      isTimed,
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
    make("the last completion fails as often as it may", (start) => isLast(start) && inIndex(start)),
    ...(isQueue ? [make("as many fail as may, and the others wait for them", inIndex, LATER_MS, false)] : []),
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
        // More are not needed, and do not start.
        replaced === 0 && pod > limit
          ? null
          : // One of the first, and then each that replaces it.
            pod < replaced && (pod === 0 || pod >= width)
            ? { runMs: leastMs, exitCode: codes["Count"]! }
            : pod >= width && pod < width + replaced - 1
              ? { runMs: leastMs, exitCode: codes["Count"]! }
              : { endsAtMs: waitMs, exitCode: codes["Count"]! },
    },
  ];
}

/** As many indexes fail as it takes, and the others do not start. */
function failingIndexes(
  { maxFailedIndexes = Infinity, backoffLimitPerIndex, completions }: JobSpec,
  { codes, leastMs, width }: Facts,
): Outcome[] {
  if (backoffLimitPerIndex === undefined) return [];
  const last = Math.min(maxFailedIndexes, completions! - 1);
  const make = (name: string, exitCode: number): Outcome => ({
    name,
    isTimed: false,
    act: ({ index }) => (index! <= last ? { runMs: leastMs, exitCode } : null),
  });
  const together: Outcome = {
    name: "the first indexes fail one after the other, and the last of them together",
    isTimed: false,
    act: ({ index, podOfIndex }) => {
      const exitCode = codes["Count"]!;
      if (index! > last) return null;
      const isHeld = index! > last - width && podOfIndex === backoffLimitPerIndex;
      return isHeld ? { endsAtMs: LATER_MS, exitCode } : { runMs: leastMs, exitCode };
    },
  };
  const atOnce = codes["FailIndex"];
  return [
    make("the first indexes fail", codes["Count"]!),
    together,
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

/** A rule ends the Job before any other pod has started. */
function atOnce({ codes, leastMs }: Facts): Outcome[] {
  const exitCode = codes["FailJob"];
  if (exitCode === undefined) return [];
  return [
    { ...always("the first failure fails the Job", { runMs: leastMs, exitCode }) },
    {
      name: "the first pod fails the Job, the others do not start",
      isTimed: false,
      act: ({ pod }) => (pod === 0 ? { runMs: leastMs, exitCode } : null),
    },
  ];
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
