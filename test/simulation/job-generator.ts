/**
 * Random Jobs: a kind of Job, and features of which each is there or not. A feature that the engine learns is one more
 * entry in a table; what must hold for it is an invariant's business.
 */
import type { Chance } from "./chance.ts";
import { DEFAULT_HABITS, type PodHabits } from "./pod-driver.ts";

export const NAMESPACE = "default";

/** A Job as a manifest, before the API server has defaulted it. */
export interface GeneratedJob {
  readonly spec: JobSpec;
  habits: PodHabits;
}

interface JobSpec {
  parallelism?: number;
  completions?: number;
  completionMode?: "Indexed";
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  managedBy?: string;
  readonly template: { readonly metadata: object; readonly spec: { restartPolicy: "Never" | "OnFailure"; terminationGracePeriodSeconds: number; readonly containers: readonly object[] } };
}

interface Feature {
  readonly name: string;
  apply(job: GeneratedJob, chance: Chance): void;
}

/** A Job is of one of these kinds. */
export const KINDS: readonly (Feature & { readonly weight: number })[] = [
  {
    name: "NonIndexed", weight: 4,
    apply({ spec }, chance) {
      spec.completions = chance.integer(0, 12);
      spec.parallelism = chance.integer(1, 6);
    },
  },
  {
    name: "Indexed", weight: 4,
    apply({ spec }, chance) {
      spec.completionMode = "Indexed";
      spec.completions = chance.integer(0, 12);
      spec.parallelism = chance.integer(1, 6);
    },
  },
  {
    name: "elastic Indexed", weight: 2,
    apply({ spec }, chance) {
      spec.completionMode = "Indexed";
      spec.completions = spec.parallelism = chance.integer(1, 6);
    },
  },
  {
    name: "work queue", weight: 2,
    apply({ spec }, chance) {
      spec.parallelism = chance.integer(1, 5);
    },
  },
];

/** A Job has each of these with its own probability. */
export const FEATURES: readonly (Feature & { readonly probability: number })[] = [
  { name: "backoffLimit", probability: 0.6, apply: ({ spec }, chance) => void (spec.backoffLimit = chance.integer(0, 5)) },
  {
    name: "restartPolicy OnFailure", probability: 0.3,
    apply(job) {
      job.spec.template.spec.restartPolicy = "OnFailure";
      job.habits = { ...job.habits, isOnFailure: true };
    },
  },
  { name: "activeDeadlineSeconds", probability: 0.2, apply: ({ spec }, chance) => void (spec.activeDeadlineSeconds = chance.integer(1, 120)) },
  { name: "parallelism 0 at first", probability: 0.05, apply: ({ spec }) => void (spec.parallelism = 0) },
  { name: "pods that fail", probability: 0.5, apply: (job, chance) => void (job.habits = { ...job.habits, failures: chance.pick([0, 0.3, 0.6, 1]) }) },
  { name: "pods that run long", probability: 0.3, apply: (job) => void (job.habits = { ...job.habits, maxRunMs: 60_000 }) },
  { name: "managedBy", probability: 0.05, apply: ({ spec }) => void (spec.managedBy = "example.com/other") },
];

export function generateJob(chance: Chance): GeneratedJob {
  const template = { metadata: {}, spec: { restartPolicy: "Never" as const, terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: "busybox" }] } };
  const job: GeneratedJob = { spec: { template }, habits: DEFAULT_HABITS };
  chance.weighted(KINDS).apply(job, chance);
  for (const feature of FEATURES) if (chance.isHit(feature.probability)) feature.apply(job, chance);
  return job;
}
