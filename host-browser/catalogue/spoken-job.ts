/** Which Job of a run a bookmark is about. */
import type { Bookmark } from "./lesson.ts";

interface NamedJob {
  readonly name: string;
  readonly createdMs: number;
}

/** Its position in `jobs`. Of Jobs with the same name it is the one that was created last, up to the instant. */
export function spokenJob(jobs: readonly NamedJob[], { job, shows, atMs }: Bookmark): number {
  const name = job ?? ("job" in shows ? shows.job : "deleted" in shows ? shows.deleted : jobs[0]?.name);
  const last = jobs.findLastIndex((each) => each.name === name && each.createdMs <= atMs);
  return last >= 0
    ? last
    : Math.max(
        0,
        jobs.findIndex((each) => each.name === name),
      );
}
