/**
 * Sees a run as it happens and remembers what the tests of lessons ask for: when something was visible, and how each
 * Job ended. It knows nothing of how the page keeps its history.
 */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { Write } from "../../../cluster/apiserver/server.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import type { Sight } from "../../../host-browser/catalogue/lesson.ts";
import type { PodState } from "../../../host-browser/records.ts";
import type { FlagRecord } from "../../../cluster/simulation/recorder.ts";

interface Seen {
  readonly atMs: number;
  readonly what: string;
}

export class Witness {
  readonly #seen: Seen[] = [];
  readonly #podStates = new Map<string, string>();
  readonly #released = new Set<string>();
  /** The last version of each Job, in the order of their creation. */
  readonly #jobs = new Map<string, { job: KubeObject; isDeleted: boolean }>();

  onWrite({ resource, type, object }: Write, nowMs: number): void {
    if (resource === "pods") this.#seePod(object, type === "DELETED", nowMs);
    else if (resource === "jobs") this.#seeJob(object, type === "DELETED", nowMs);
    else if (resource === "events") this.#see(nowMs, `event ${object["reason"]}`);
  }

  onDecisions(decisions: readonly Decision[], nowMs: number): void {
    for (const { code } of decisions) this.#see(nowMs, `decision ${code}`);
  }

  onFlag({ atMs, kind, problem }: FlagRecord): void {
    if (problem !== undefined) throw new Error(`${kind}: ${problem}`);
    this.#see(atMs, `flag ${kind}`);
  }

  /** When it was visible; undefined: never. */
  find(sight: Sight): number | undefined {
    const { nth = 1 } = sight;
    return this.#seen.filter(({ what }) => what === nameOf(sight))[nth - 1]?.atMs;
  }

  /** All that can be found, for the message of a test that did not find something. */
  get sights(): string {
    return [...new Set(this.#seen.map(({ what }) => what))].join(", ");
  }

  /** How each Job ended, in the words of `# Ends:`; empty: it did not end. */
  get ends(): string[] {
    return [...this.#jobs.values()].map(({ job, isDeleted }) => {
      const { conditions = [], succeeded = 0, failed = 0 } = job["status"] ?? {};
      const end = conditions.find(({ type, status }: any) => /^(Complete|Failed)$/.test(type) && status === "True");
      return end === undefined
        ? ""
        : `${end.type} (${end.reason}), succeeded ${succeeded}, failed ${failed}${isDeleted ? ", deleted" : ""}`;
    });
  }

  #see(atMs: number, what: string): void {
    this.#seen.push({ atMs, what });
  }

  #seePod(pod: KubeObject, isDeleted: boolean, nowMs: number): void {
    if (!isDeleted && pod.metadata.finalizers === undefined && !this.#released.has(pod.metadata.uid)) {
      this.#released.add(pod.metadata.uid);
      this.#see(nowMs, "released true");
    }
    const state = isDeleted ? "GONE" : stateOf(pod);
    if (this.#podStates.get(pod.metadata.uid) === state) return;
    this.#podStates.set(pod.metadata.uid, state);
    this.#see(nowMs, `pod ${state}`);
  }

  #seeJob(job: KubeObject, isDeleted: boolean, nowMs: number): void {
    const before = numbersOf(this.#jobs.get(job.metadata.uid)?.job);
    const now = numbersOf(job);
    this.#jobs.set(job.metadata.uid, { job, isDeleted });
    if (isDeleted) this.#see(nowMs, `deleted ${job.metadata.name}`);
    for (const [field, value] of Object.entries(now))
      if (value !== before[field]) this.#see(nowMs, `job ${job.metadata.name} ${field} ${value}`);
  }
}

function numbersOf(job: KubeObject | undefined): Record<string, number> {
  const {
    active = 0,
    ready = 0,
    terminating = 0,
    succeeded = 0,
    failed = 0,
    uncountedTerminatedPods,
  } = job?.["status"] ?? {};
  const uncounted = (Object.values(uncountedTerminatedPods ?? {}) as string[][]).flat().length;
  return { active, ready, terminating, succeeded, failed, uncounted };
}

function nameOf(sight: Sight): string {
  if ("decision" in sight) return `decision ${sight.decision}`;
  if ("pod" in sight) return `pod ${sight.pod}`;
  if ("event" in sight) return `event ${sight.event}`;
  if ("flag" in sight) return `flag ${sight.flag}`;
  if ("released" in sight) return "released true";
  if ("deleted" in sight) return `deleted ${sight.deleted}`;
  return `job ${sight.job} ${sight.field} ${sight.is}`;
}

function stateOf({ metadata, spec, status = {} }: KubeObject & { spec?: any; status?: any }): keyof typeof PodState {
  if (status.phase === "Succeeded") return "SUCCEEDED";
  if (status.phase === "Failed") return "FAILED";
  if (metadata.deletionTimestamp !== undefined) return "TERMINATING";
  const containers: any[] = status.containerStatuses ?? [];
  const waits = containers.flatMap(({ state }) => state?.waiting?.reason ?? []);
  if (waits.some((reason) => !/^(ContainerCreating|PodInitializing)$/.test(reason))) return "WAITING";
  if (status.conditions?.some(({ type, status }: any) => type === "Ready" && status === "True")) return "READY";
  if (status.phase === "Running") return "RUNNING";
  return spec?.nodeName === undefined ? "PENDING" : "STARTING";
}
