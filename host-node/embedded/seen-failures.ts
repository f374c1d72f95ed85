/**
 * Remembers the last failure of each Job of an embedded cluster, with the end of its log, also when the pod is gone: a
 * drained pod is deleted with all that says who drained it.
 */
import type { Account, AccountQuestion } from "../../bindings/js/engine.ts";
import type { Stored } from "../../cluster/apiserver/storage/store.ts";
import type { Event, Job, Pod } from "../../cluster/values/kinds.ts";
import { answerOf } from "../../cluster/observed/offline-engine.ts";
import { LastFailures } from "../words/last-failures.ts";
import type { EmbeddedCluster, EmbeddedClusterOptions } from "./embedded.ts";

export class SeenFailures {
  readonly failures = new LastFailures((question) => this.#account(question));
  readonly #now: () => number;
  #embedded: EmbeddedCluster | undefined;

  /** @param now the time of the cluster */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** An option of the cluster. */
  readonly onOutput: NonNullable<EmbeddedClusterOptions["onOutput"]> = (pod, container, attempt, _stream, line) =>
    this.failures.line(pod.metadata.uid, container, attempt, line);

  /** Call it once, before anything runs in the cluster. */
  watch(embedded: EmbeddedCluster): void {
    // Without a built-in controller no engine explains the Jobs.
    if (!embedded.hasController) return;
    this.#embedded = embedded;
    embedded.cluster.observe(({ resource, type, stored }) => {
      if (type === "DELETED") {
        if (resource === "jobs") this.failures.forget(stored.bare as Job);
        else if (resource === "pods") this.failures.gone(stored.bare as Pod);
      } else if (resource === "pods") this.failures.pod(stored.bare as Pod);
      else if (resource === "jobs") this.failures.job(jobOf(stored));
      else if (resource === "events") this.failures.event(stored.bare as Event);
    });
  }

  #account(question: AccountQuestion): Account | undefined {
    // The engine may have trapped; it will be replaced soon.
    return answerOf(() => this.#embedded?.engine.account(question, this.#now()));
  }
}

/** Who has suspended a Job is among the owners of its fields, which are made only when a client reads them. */
function jobOf(stored: Pick<Stored, "bare" | "object">): Job {
  const job = stored.bare as Job;
  return job.spec?.suspend === true ? (stored.object as Job) : job;
}
