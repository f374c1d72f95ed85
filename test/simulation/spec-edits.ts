/**
 * What people change in the spec of a Job that runs, or is over. Every edit is of a field that may change; whether this
 * value may be had just now is the API server's to say, and what it refuses changes nothing.
 */
import type { Chance } from "./chance.ts";
import { type JobFacts, REVISION_ANNOTATION } from "./facts.ts";

const MAX_SIZE = 7;
const MAX_DEADLINE_SECONDS = 120;

interface Edit {
  readonly weight: number;
  /** The patch of the spec. Undefined: not of this Job. */
  patch(job: JobFacts, chance: Chance): object | undefined;
}

const EDITS: readonly Edit[] = [
  {
    weight: 4,
    patch(job, chance) {
      const isElastic = job.isIndexed && job.completions === job.parallelism && chance.isHit(0.7);
      const parallelism = chance.integer(isElastic ? 1 : 0, MAX_SIZE);
      if (job.gangSize !== undefined && chance.isHit(0.4))
        return { scheduling: { schedulingPolicy: { gang: { minCount: parallelism === 0 ? null : parallelism } } } };
      return isElastic ? { parallelism, completions: parallelism } : { parallelism };
    },
  },
  {
    weight: 1,
    patch: (_job, chance) => ({
      activeDeadlineSeconds: chance.isHit(0.5) ? chance.integer(1, MAX_DEADLINE_SECONDS) : null,
    }),
  },
  { weight: 4, patch: ({ isSuspended }) => ({ suspend: !isSuspended }) },
  {
    weight: 1,
    patch: (job, chance) =>
      job.backoffLimitPerIndex === undefined
        ? { backoffLimit: chance.integer(0, 6) }
        : { maxFailedIndexes: chance.pick([null, chance.integer(0, 4)]) },
  },
  {
    weight: 1,
    patch: ({ onlyReplaceFailed }) => ({ podReplacementPolicy: onlyReplaceFailed ? "TerminatingOrFailed" : "Failed" }),
  },
  { weight: 1, patch: (_job, chance) => ({ ttlSecondsAfterFinished: chance.pick([null, 0, 5, 60]) }) },
  {
    weight: 2,
    patch: ({ isSuspended, templateRevision }) =>
      isSuspended
        ? { template: { metadata: { annotations: { [REVISION_ANNOTATION]: String(Number(templateRevision) + 1) } } } }
        : undefined,
  },
];

export function editOf(job: JobFacts, chance: Chance): object | undefined {
  return chance.weighted(EDITS).patch(job, chance);
}
