/**
 * Random Jobs: a kind of Job, and features of which each is there or not. A feature that the engine learns is one more
 * entry in a table; what must hold for it is an invariant's business.
 */
import type { LabelSelector } from "../naive/label-selector.ts";
import type { FailureRule, SuccessRule } from "../naive/policies.ts";
import type { Chance } from "./chance.ts";
import { REVISION_ANNOTATION } from "./facts.ts";
import { DEFAULT_HABITS, EXIT_CODES, MAIN_CONTAINER, type PodHabits } from "./pod-driver.ts";
import type { Plan } from "./plan.ts";
import { drawManager, type Role } from "./role.ts";

const MAX_RULES = 4;
/** So many of the Jobs ask for a gang, where there are gangs. */
const GANGS = 0.6;
/** The label in the selector of Jobs with manualSelector; few values, so that selectors overlap. */
export const COLOR = "example.com/color";
const COLORS = ["red", "blue"];
/** A label that people put on pods of all kinds. */
export const TOUCHED = "example.com/touched";
const DISRUPTION_TARGET = { type: "DisruptionTarget", status: "True" };

/** A Job as a manifest, before the API server has defaulted it. */
export interface GeneratedJob {
  readonly spec: JobSpec;
  habits: PodHabits;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: "Always";
}

interface SchedulingPolicy {
  readonly gang: { readonly minCount?: number };
}

interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: "Indexed";
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  podFailurePolicy?: { readonly rules: readonly FailureRule[] };
  successPolicy?: { readonly rules: readonly SuccessRule[] };
  managedBy?: string;
  manualSelector?: true;
  selector?: LabelSelector;
  scheduling?: { readonly schedulingPolicy: SchedulingPolicy };
  readonly template: {
    readonly metadata: {
      readonly annotations: Readonly<Record<string, string>>;
      labels?: Readonly<Record<string, string>>;
    };
    readonly spec: {
      restartPolicy: "Never" | "OnFailure";
      readonly terminationGracePeriodSeconds: number;
      readonly containers: Container[];
      readonly initContainers: Container[];
    };
  };
}

interface Feature {
  readonly name: string;
  apply(job: GeneratedJob, chance: Chance): void;
}

interface Kind {
  readonly name: string;
  readonly weight: number;
  apply(job: GeneratedJob, chance: Chance, sizes: Plan["sizes"]): void;
}

/** A Job is of one of these kinds. */
export const KINDS: readonly Kind[] = [
  {
    name: "NonIndexed",
    weight: 4,
    apply({ spec }, chance, { maxCompletions, maxParallelism }) {
      spec.completions = chance.integer(0, maxCompletions);
      spec.parallelism = chance.integer(1, maxParallelism);
    },
  },
  {
    name: "Indexed",
    weight: 4,
    apply({ spec }, chance, { maxCompletions, maxParallelism }) {
      spec.completionMode = "Indexed";
      spec.completions = chance.integer(0, maxCompletions);
      spec.parallelism = chance.integer(1, maxParallelism);
    },
  },
  {
    name: "elastic Indexed",
    weight: 2,
    apply({ spec }, chance, { maxParallelism }) {
      spec.completionMode = "Indexed";
      spec.completions = spec.parallelism = chance.integer(1, maxParallelism);
    },
  },
  {
    name: "work queue",
    weight: 2,
    apply({ spec }, chance, { maxParallelism }) {
      spec.parallelism = chance.integer(1, maxParallelism - 1);
    },
  },
];

/** A Job has each of these with its own probability. */
export const FEATURES: readonly (Feature & { readonly probability: number })[] = [
  {
    name: "backoffLimit",
    probability: 0.6,
    apply: ({ spec }, chance) => void (spec.backoffLimit = chance.integer(0, 5)),
  },
  {
    name: "restartPolicy OnFailure",
    probability: 0.3,
    apply(job) {
      job.spec.template.spec.restartPolicy = "OnFailure";
      job.habits = { ...job.habits, isOnFailure: true };
    },
  },
  {
    name: "activeDeadlineSeconds",
    probability: 0.2,
    apply: ({ spec }, chance) => void (spec.activeDeadlineSeconds = chance.integer(1, 120)),
  },
  { name: "parallelism 0 at first", probability: 0.05, apply: ({ spec }) => void (spec.parallelism = 0) },
  {
    name: "pods that fail",
    probability: 0.5,
    apply: (job, chance) => void (job.habits = { ...job.habits, failures: chance.pick([0, 0.3, 0.6, 1]) }),
  },
  {
    name: "pods that run long",
    probability: 0.3,
    apply: (job) => void (job.habits = { ...job.habits, maxRunMs: 60_000 }),
  },
  { name: "suspended at first", probability: 0.1, apply: ({ spec }) => void (spec.suspend = true) },
  {
    name: "podReplacementPolicy Failed",
    probability: 0.2,
    apply: ({ spec }) => void (spec.podReplacementPolicy = "Failed"),
  },
  {
    name: "ttlSecondsAfterFinished",
    probability: 0.25,
    apply: ({ spec }, chance) => void (spec.ttlSecondsAfterFinished = chance.pick([0, 1, 10, 90])),
  },
  {
    name: "more containers",
    probability: 0.3,
    apply(
      {
        spec: {
          template: { spec },
        },
      },
      chance,
    ) {
      if (chance.isHit(0.5)) spec.containers.push({ name: "helper", image: "busybox" });
      if (chance.isHit(0.5)) spec.initContainers.push({ name: "first", image: "busybox" });
      if (chance.isHit(0.5)) spec.initContainers.push({ name: "proxy", image: "busybox", restartPolicy: "Always" });
    },
  },
  {
    name: "backoffLimitPerIndex",
    probability: 0.4,
    apply({ spec }, chance) {
      if (spec.completionMode !== "Indexed") return;
      spec.backoffLimitPerIndex = chance.integer(0, 2);
      if (chance.isHit(0.7)) delete spec.backoffLimit;
      if (chance.isHit(0.6)) spec.maxFailedIndexes = chance.integer(0, Math.min(2, spec.completions!));
    },
  },
  {
    name: "podFailurePolicy",
    probability: 0.35,
    apply(job, chance) {
      const { spec } = job;
      if (spec.template.spec.restartPolicy !== "Never") return;
      delete spec.podReplacementPolicy;
      const rules = Array.from({ length: chance.integer(0, MAX_RULES) }, () => failureRule(spec, chance));
      spec.podFailurePolicy = { rules };
      job.habits = { ...job.habits, mayFailForEver: rules.some(({ action }) => action === "Ignore") };
    },
  },
  {
    name: "manualSelector",
    probability: 0.3,
    apply({ spec }, chance) {
      const color = chance.pick(COLORS);
      spec.manualSelector = true;
      spec.template.metadata.labels = { [COLOR]: color };
      spec.selector = chance.pick([
        { matchLabels: { [COLOR]: color } },
        { matchExpressions: [{ key: COLOR, operator: "In", values: COLORS }] },
        {
          matchExpressions: [
            { key: COLOR, operator: "Exists" },
            { key: TOUCHED, operator: "DoesNotExist" },
          ],
        },
      ]);
    },
  },
  {
    name: "successPolicy",
    probability: 0.35,
    apply({ spec }, chance) {
      if (spec.completionMode !== "Indexed" || spec.completions === 0) return;
      spec.successPolicy = {
        rules: Array.from({ length: chance.integer(1, MAX_RULES) }, () => successRule(spec.completions!, chance)),
      };
    },
  },
];

function failureRule({ backoffLimitPerIndex, template: { spec } }: JobSpec, chance: Chance): FailureRule {
  const action = chance.pick(
    backoffLimitPerIndex === undefined ? ["FailJob", "Ignore", "Count"] : ["FailJob", "Ignore", "Count", "FailIndex"],
  );
  if (chance.isHit(0.3)) return { action, onPodConditions: [DISRUPTION_TARGET] };
  const values = EXIT_CODES.filter(() => chance.isHit(0.4));
  if (values.length === 0) values.push(EXIT_CODES[0]);
  const { name } = chance.pick([...spec.containers, ...spec.initContainers]);
  return {
    action,
    onExitCodes: {
      operator: chance.pick(["In", "NotIn"]),
      values,
      ...(chance.isHit(0.5) ? { containerName: name } : {}),
    },
  };
}

function successRule(completions: number, chance: Chance): SuccessRule {
  const first = chance.integer(0, completions - 1);
  const last = chance.integer(first, completions - 1);
  const indexes = { succeededIndexes: first === last ? String(first) : `${first}-${last}` };
  const kind = chance.pick(["indexes", "count", "both"]);
  if (kind === "indexes") return indexes;
  if (kind === "count") return { succeededCount: chance.integer(0, completions) };
  return { ...indexes, succeededCount: chance.integer(0, last - first + 1) };
}

// Without a minCount it is as large as parallelism.
function gangPolicy({ parallelism = 1 }: JobSpec, chance: Chance): SchedulingPolicy {
  if (parallelism === 0 || chance.isHit(0.5)) return { gang: {} };
  return { gang: { minCount: chance.integer(1, parallelism) } };
}

export function generateJob(chance: Chance, role: Role, sizes: Plan["sizes"]): GeneratedJob {
  const template = {
    metadata: { annotations: { [REVISION_ANNOTATION]: "1" } },
    spec: {
      restartPolicy: "Never" as const,
      terminationGracePeriodSeconds: 5,
      containers: [{ name: MAIN_CONTAINER, image: "busybox" }],
      initContainers: [],
    },
  };
  const job: GeneratedJob = { spec: { template }, habits: DEFAULT_HABITS };
  chance.weighted(KINDS).apply(job, chance, sizes);
  for (const feature of FEATURES) if (chance.isHit(feature.probability)) feature.apply(job, chance);
  const managedBy = drawManager(role, chance);
  if (managedBy !== undefined) job.spec.managedBy = managedBy;
  if (role.gangScheduling && chance.isHit(GANGS))
    job.spec.scheduling = { schedulingPolicy: gangPolicy(job.spec, chance) };
  return job;
}
