/** Finds the names that a user may have meant, nearest first. Pure. */

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
      distance <= Math.max(1, Math.floor(wanted.name.length / 3)) ||
      job.name.includes(wanted.name) ||
      wanted.name.includes(job.name),
  );
  near.sort((a, b) => a.isElsewhere - b.isElsewhere || a.distance - b.distance || (a.job.name < b.job.name ? -1 : 1));
  return near.slice(0, MAX_SIMILAR).map(({ job }) => job);
}

/**
 * Letters to change, add, leave out, or swap with their neighbour, to get from one to the other (optimal string
 * alignment).
 */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
