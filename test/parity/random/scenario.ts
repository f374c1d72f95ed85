/**
 * Random scenarios: a Job of some kind with some features, what its pods do by index and attempt, and what a user
 * does to it meanwhile. All of it from one seed.
 *
 * Invariant: every Job ends without further actions, whatever was done to it; and events that a controller could see in
 * either order are planned a second and a half apart: pods end at whole multiples of three seconds after they have
 * started, users act between. No action picks one of several pods that will end differently, unless an index
 * distinguishes them: the order in which the kubelet starts them says which of them fails. What remains to chance is
 * found by playing twice (agreement.ts). Leaves out gangs, takeovers and selectors of their own.
 */
import { Chance } from "../../simulation/chance.ts";
import type { Action, PodOutcome, Scenario } from "../scenario.ts";

const STEP_MS = 3_000;
const MIN_RUN_STEPS = 2;
const MAX_RUN_STEPS = 4;
/** Of what users do, from the moment that all pods are ready, or, where they start late, made. */
const ACTION_OFFSET_MS = 1_500;
const MAX_SIZE = 6;
const MAX_ACTIONS = 3;
const MAX_FAILURES = 3;
const MAX_RULES = 3;
const GRACE_SECONDS = 5;
/** A Job of several indexes that fail again and again needs half of it. */
const TIMEOUT_MS = 900_000;
const MAIN = "main";
const EXIT_CODES = [1, 2, 42];
const IMAGE = "example.com/simulated";

type Fields = Record<string, any>;

/** A Job while it is drawn. */
interface Draft {
  readonly spec: Fields;
  readonly pod: {
    restartPolicy: string;
    terminationGracePeriodSeconds: number;
    containers: Fields[];
    initContainers: Fields[];
  };
  readonly outcome: Fields;
}

interface Feature {
  readonly name: string;
  apply(draft: Draft, chance: Chance): void;
}

const KINDS: readonly (Feature & { readonly weight: number })[] = [
  { name: "NonIndexed", weight: 3, apply: ({ spec }, chance) => void Object.assign(spec, sizes(chance)) },
  {
    name: "Indexed",
    weight: 5,
    apply: ({ spec }, chance) => void Object.assign(spec, { completionMode: "Indexed" }, sizes(chance)),
  },
  {
    name: "elastic Indexed",
    weight: 3,
    apply({ spec }, chance) {
      const size = chance.integer(2, MAX_SIZE);
      Object.assign(spec, { completionMode: "Indexed", completions: size, parallelism: size });
    },
  },
  { name: "work queue", weight: 2, apply: ({ spec }, chance) => void (spec["parallelism"] = chance.integer(1, 4)) },
];

const FEATURES: readonly (Feature & { readonly probability: number })[] = [
  {
    name: "pods that fail",
    probability: 0.6,
    apply({ spec, outcome }, chance) {
      if (spec["completionMode"] !== "Indexed") outcome["exitCodes"] = exitCodes(chance);
      else
        outcome["byIndex"] = Object.fromEntries(
          someIndexes(spec, chance).map((index) => [index, { exitCodes: exitCodes(chance) }]),
        );
    },
  },
  {
    name: "indexes that run for different times",
    probability: 0.5,
    apply({ spec, outcome }, chance) {
      if (spec["completionMode"] !== "Indexed") return;
      outcome["byIndex"] ??= {};
      for (const index of someIndexes(spec, chance))
        outcome["byIndex"][index] = { ...outcome["byIndex"][index], runMs: runMs(chance) };
    },
  },
  {
    name: "backoffLimit",
    probability: 0.5,
    apply: ({ spec }, chance) => void (spec["backoffLimit"] = chance.integer(0, 3)),
  },
  {
    name: "restartPolicy OnFailure",
    probability: 0.2,
    apply({ pod }) {
      pod.restartPolicy = "OnFailure";
    },
  },
  {
    name: "activeDeadlineSeconds",
    probability: 0.15,
    apply: ({ spec }, chance) => void (spec["activeDeadlineSeconds"] = chance.integer(2, 12) * 2),
  },
  { name: "suspended at first", probability: 0.1, apply: ({ spec }) => void (spec["suspend"] = true) },
  {
    name: "ttlSecondsAfterFinished",
    probability: 0.15,
    apply: ({ spec }, chance) => void (spec["ttlSecondsAfterFinished"] = chance.pick([0, 2, 5])),
  },
  {
    name: "backoffLimitPerIndex",
    probability: 0.4,
    apply({ spec }, chance) {
      if (spec["completionMode"] !== "Indexed") return;
      spec["backoffLimitPerIndex"] = chance.integer(0, 2);
      if (chance.isHit(0.7)) delete spec["backoffLimit"];
      if (chance.isHit(0.5)) spec["maxFailedIndexes"] = chance.integer(0, Math.min(2, spec["completions"]));
    },
  },
  {
    name: "podFailurePolicy",
    probability: 0.35,
    apply({ spec, pod }, chance) {
      if (pod.restartPolicy !== "Never") return;
      spec["podFailurePolicy"] = {
        rules: Array.from({ length: chance.integer(1, MAX_RULES) }, () => failureRule(spec, chance)),
      };
    },
  },
  {
    name: "podReplacementPolicy",
    probability: 0.3,
    apply({ spec }, chance) {
      spec["podReplacementPolicy"] =
        spec["podFailurePolicy"] === undefined ? chance.pick(["Failed", "TerminatingOrFailed"]) : "Failed";
    },
  },
  {
    name: "successPolicy",
    probability: 0.3,
    apply({ spec }, chance) {
      if (spec["completionMode"] !== "Indexed") return;
      spec["successPolicy"] = {
        rules: Array.from({ length: chance.integer(1, MAX_RULES) }, () => successRule(spec["completions"], chance)),
      };
    },
  },
  {
    name: "more containers",
    probability: 0.2,
    apply({ pod }, chance) {
      if (chance.isHit(0.5)) pod.containers.push({ name: "helper", image: IMAGE });
      if (chance.isHit(0.5)) pod.initContainers.push({ name: "first", image: IMAGE });
      if (chance.isHit(0.5)) pod.initContainers.push({ name: "proxy", image: IMAGE, restartPolicy: "Always" });
    },
  },
  {
    name: "pods that take their time to go",
    probability: 0.3,
    apply({ outcome }, chance) {
      if (chance.isHit(0.3)) outcome["ignoreSigterm"] = true;
      else outcome["sigterm"] = { exitCode: chance.pick([0, 143]), afterMs: STEP_MS };
    },
  },
  // What is done to them meets pods that rank alike, but for the second in which they were made.
  {
    name: "pods that start late",
    probability: 0.2,
    apply: ({ outcome }) => void (outcome["startDelayMs"] = 2 * STEP_MS),
  },
];

/**
 * What users do. `state`: whether the Job is suspended, and how many pods it may have at once, after what was done
 * before.
 */
interface Edit {
  readonly weight: number;
  /** It hits one pod, which an index names only where there are indexes. */
  readonly picksPod?: true;
  acts(draft: Draft, state: { isSuspended: boolean; parallelism: number }, chance: Chance): readonly Action[];
}

const EDITS: readonly Edit[] = [
  {
    weight: 5,
    acts(draft, state, chance) {
      const { spec } = draft;
      const isElastic = spec["completionMode"] === "Indexed" && spec["completions"] === spec["parallelism"];
      const least = areTold(draft) ? (isElastic ? 1 : 0) : state.parallelism;
      state.parallelism = chance.integer(least, MAX_SIZE);
      return [
        {
          patchJob: {
            spec: { parallelism: state.parallelism, ...(isElastic ? { completions: state.parallelism } : {}) },
          },
        },
      ];
    },
  },
  {
    weight: 3,
    acts(_draft, state) {
      state.isSuspended = !state.isSuspended;
      return [{ patchJob: { spec: { suspend: state.isSuspended } } }];
    },
  },
  {
    weight: 3,
    picksPod: true,
    acts({ spec }, _state, chance) {
      const index = spec["completionMode"] === "Indexed" ? { index: chance.integer(0, spec["completions"] - 1) } : {};
      return [
        chance.isHit(0.3)
          ? { evictPod: index }
          : { deletePod: index, ...(chance.isHit(0.3) ? { gracePeriodSeconds: 0 } : {}) },
      ];
    },
  },
  { weight: 1, acts: (_draft, _state, chance) => [{ deleteJob: chance.pick(["Background", "Foreground", "Orphan"]) }] },
  { weight: 1, acts: (_draft, _state, chance) => [{ patchJob: { spec: { backoffLimit: chance.integer(0, 3) } } }] },
  {
    weight: 1,
    acts: (_draft, _state, chance) => [{ patchJob: { spec: { activeDeadlineSeconds: chance.integer(4, 12) * 2 } } }],
  },
  {
    weight: 1,
    acts: (_draft, _state, chance) => [{ patchJob: { spec: { ttlSecondsAfterFinished: chance.pick([null, 2]) } } }],
  },
];

/** The scenario of a seed. @param performance the how-manieth time that it is played: a separate name for each */
export function randomScenario(seed: number, performance = 1): Scenario {
  const chance = new Chance(seed, "parity");
  const draft: Draft = {
    spec: {},
    pod: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: GRACE_SECONDS,
      containers: [{ name: MAIN, image: IMAGE }],
      initContainers: [],
    },
    outcome: { runMs: runMs(chance) },
  };
  chance.weighted(KINDS).apply(draft, chance);
  for (const feature of FEATURES) if (chance.isHit(feature.probability)) feature.apply(draft, chance);
  const { spec, pod, outcome } = draft;
  return {
    name: performance === 1 ? `r${seed}` : `r${seed}-${performance}`,
    rows: [],
    job: { ...spec, template: { spec: pod } },
    outcome: outcome as PodOutcome,
    actions: drawActions(draft, chance.fork("actions")),
    until: "over",
    isRandom: true,
    timeoutMs: TIMEOUT_MS,
  };
}

function drawActions(draft: Draft, chance: Chance): readonly Action[] {
  const { spec, outcome } = draft;
  const state = { isSuspended: spec["suspend"] === true, parallelism: spec["parallelism"] as number };
  const size = Math.min(spec["completions"] ?? Infinity, spec["parallelism"]);
  const first = outcome["startDelayMs"] === undefined ? { pods: { Ready: size } } : { created: size };
  const actions: Action[] = [];
  const add = (acts: readonly Action[], afterMs: number): void =>
    void actions.push(...acts.map((act) => ({ ...act, afterMs })));
  if (state.isSuspended) {
    state.isSuspended = false;
    actions.push({ patchJob: { spec: { suspend: false } }, when: { condition: "Suspended" }, afterMs: STEP_MS });
  }
  const edits = areTold(draft) ? EDITS : EDITS.filter(({ picksPod }) => picksPod !== true);
  const count = chance.pick([0, 1, 1, 2, MAX_ACTIONS]);
  for (let nth = 0; nth < count; nth++) {
    const acts = chance.weighted(edits).acts(draft, state, chance);
    if (nth === 0) actions.push(...acts.map((act) => ({ ...act, when: first, afterMs: ACTION_OFFSET_MS })));
    else add(acts, STEP_MS);
  }
  if (state.isSuspended) add([{ patchJob: { spec: { suspend: false } } }], STEP_MS);
  if (state.parallelism === 0) add([{ patchJob: { spec: { parallelism: 2 } } }], STEP_MS);
  return actions;
}

/** Whether an index tells the pods apart, or nothing does because all do the same. */
const areTold = ({ spec, outcome }: Draft): boolean =>
  spec["completionMode"] === "Indexed" || outcome["exitCodes"] === undefined;

const runMs = (chance: Chance): number => chance.integer(MIN_RUN_STEPS, MAX_RUN_STEPS) * STEP_MS;

function sizes(chance: Chance): Fields {
  return { completions: chance.integer(1, MAX_SIZE), parallelism: chance.integer(1, MAX_SIZE) };
}

function someIndexes({ completions }: Fields, chance: Chance): number[] {
  const all = Array.from({ length: completions as number }, (_none, index) => index);
  const some = all.filter(() => chance.isHit(0.4));
  return some.length > 0 ? some : [chance.pick(all)];
}

/** By attempt: some failures, and then a success, which repeats. */
function exitCodes(chance: Chance): number[] {
  return [...Array.from({ length: chance.integer(1, MAX_FAILURES) }, () => chance.pick(EXIT_CODES)), 0];
}

function failureRule({ backoffLimitPerIndex }: Fields, chance: Chance): Fields {
  const action = chance.pick([
    "FailJob",
    "Ignore",
    "Count",
    ...(backoffLimitPerIndex === undefined ? [] : ["FailIndex"]),
  ]);
  if (chance.isHit(0.2)) return { action, onPodConditions: [{ type: "DisruptionTarget" }] };
  const values = EXIT_CODES.filter(() => chance.isHit(0.5));
  const onExitCodes = {
    operator: chance.pick(["In", "In", "NotIn"]),
    values: values.length > 0 ? values : [EXIT_CODES[0]],
  };
  return { action, onExitCodes: { ...onExitCodes, ...(chance.isHit(0.5) ? { containerName: MAIN } : {}) } };
}

function successRule(completions: number, chance: Chance): Fields {
  const first = chance.integer(0, completions - 1);
  const last = chance.integer(first, completions - 1);
  const indexes = { succeededIndexes: first === last ? String(first) : `${first}-${last}` };
  const count = { succeededCount: chance.integer(1, last - first + 1) };
  return chance.pick([indexes, { succeededCount: chance.integer(1, completions) }, { ...indexes, ...count }]);
}
