/** Finds the Jobs that a user may have meant, nearest first. Pure. */
import { distanceOf, mostChanges } from "../../cluster/values/similar-names.ts";

/** The most suggestions. */
const MAX_SIMILAR = 5;

export interface JobName {
  readonly namespace: string;
  readonly name: string;
}

/** Jobs of the same or nearly the same name, or one that contains the other; those of the wanted namespace first. */
export function similarJobs(wanted: JobName, jobs: readonly JobName[]): JobName[] {
  const scored = jobs.map((job) => ({
    job,
    distance: distanceOf(wanted.name, job.name),
    isElsewhere: Number(job.namespace !== wanted.namespace),
  }));
  const near = scored.filter(
    ({ job, distance }) =>
      distance <= mostChanges(wanted.name) || job.name.includes(wanted.name) || wanted.name.includes(job.name),
  );
  near.sort((a, b) => a.isElsewhere - b.isElsewhere || a.distance - b.distance || (a.job.name < b.job.name ? -1 : 1));
  return near.slice(0, MAX_SIMILAR).map(({ job }) => job);
}
