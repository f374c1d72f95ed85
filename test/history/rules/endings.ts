/**
 * Every Job comes to its end, so far as that is the controller's to bring about. At the end of the history nothing may
 * be left for it to do: a Job that has not ended waits for another client. Source: docs/spec/controller.md 3.3 to 3.6.
 */
import { hasEnded, hasFinished, isDeleting, isOurs, isSuspended, ownerOf, parallelismOf } from "../facts.ts";
import { finalState, type History, type JobLife } from "../history.ts";
import type { Rule } from "./rule.ts";

export const ENDINGS: readonly Rule[] = [
  {
    name: "every Job comes to its end",
    *breaches(history) {
      for (const job of history.jobs.values()) {
        const state = finalState(job)?.object;
        if (
          state === undefined ||
          hasFinished(state) ||
          isDeleting(state) ||
          !isOurs(state) ||
          isSuspended(state) ||
          parallelismOf(state) === 0
        )
          continue;
        if (!hasRunningPods(history, job))
          yield `Job ${job.name} has not ended, although it waits for no pod or client`;
      }
    },
  },
  {
    name: "a controller removes a Job only when it has ended",
    *breaches(history) {
      for (const { user, verb, resource, status, uid, namespace, name } of history.writes) {
        if (verb !== "delete" || resource !== "jobs" || status >= 300 || !history.isController(user)) continue;
        const lives = [...history.jobs.values()].filter((job) =>
          uid === undefined ? job.name === `${namespace}/${name}` : job.uid === uid,
        );
        if (!lives.some(({ versions }) => versions.some(({ object }) => hasFinished(object))))
          yield `${user} removed Job ${namespace}/${name}, which had not ended`;
      }
    },
  },
];

function hasRunningPods(history: History, job: JobLife): boolean {
  return history.podsOf(job.uid).some((pod) => {
    const state = finalState(pod)?.object;
    return state !== undefined && ownerOf(state) === job.uid && !hasEnded(state);
  });
}
