/**
 * A kubelet and a scheduler that follow a script: each pod gets one by chance when it appears, and works through it with
 * the requests that real ones send. Pods may never be scheduled, restart their containers, end well or badly, take long
 * to end once they are deleted, or be on a node that nobody hears of any more.
 *
 * Invariant: a pod that is over stays over, and times are those of the API server's clock.
 * Leaves out everything inside a pod; cluster/kubelet/ has a whole kubelet.
 */
import type { ApiRequest, Clock, Timer } from "../../bindings/js/host.ts";
import { formatTime } from "../../cluster/apiserver/times.ts";
import type { Chance } from "./chance.ts";
import type { PodFacts } from "./facts.ts";
import type { Write } from "./ledger.ts";

const NODES = ["node-a", "node-b"];

/** How the pods of one Job tend to go. */
export interface PodHabits {
  /** Share of the pods, or of the runs of a container that is restarted, that fail. */
  readonly failures: number;
  readonly maxRunMs: number;
  readonly isOnFailure: boolean;
}

export const DEFAULT_HABITS: PodHabits = { failures: 0.1, maxRunMs: 5_000, isOnFailure: false };

const UNSCHEDULABLE = 0.03;
const VANISHES_WITHOUT_STATUS = 0.2;
const LOST_WHEN_DELETED = 0.1;
const SUCCEEDS_WHEN_DELETED = 0.15;
const MAX_SCHEDULING_MS = 800;
const MAX_STARTUP_MS = 2_000;
const MAX_TERMINATION_MS = 6_000;
const MAX_CONTAINER_RESTARTS = 4;

export interface PodDriverOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  /** Carries a request out at once and says whether it worked. */
  readonly send: (request: ApiRequest) => boolean;
  readonly habitsOf: (jobUid: string | undefined) => PodHabits;
}

/** What waits for the faults to stop before it goes on. */
interface Held {
  readonly pod: PodFacts;
  readonly goOn: () => void;
}

export class PodDriver {
  readonly #options: PodDriverOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #held = new Map<string, Held>();
  #isCalm = false;

  constructor(options: PodDriverOptions) {
    this.#options = options;
  }

  podWritten({ type, before, after }: Write<PodFacts>): void {
    if (type === "DELETED") this.#cancel(after.uid);
    else if (type === "ADDED") this.#schedule(after);
    else if (after.isDeleting && before?.isDeleting === false) this.#terminate(after);
  }

  /** From now on every pod comes to its end: what was lost is found. */
  calm(): void {
    this.#isCalm = true;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { goOn } of held) goOn();
  }

  #schedule(pod: PodFacts): void {
    const { chance } = this.#options;
    const bind = (): void =>
      this.#after(pod, chance.integer(0, MAX_SCHEDULING_MS), () => {
        const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: pod.name }, target: { kind: "Node", name: chance.pick(NODES) } };
        if (this.#post(`${pathOf(pod)}/binding`, binding)) this.#start(pod);
      });
    if (!this.#isCalm && chance.isHit(UNSCHEDULABLE)) this.#held.set(pod.uid, { pod, goOn: bind });
    else bind();
  }

  #start(pod: PodFacts): void {
    const { chance } = this.#options;
    const habits = this.#options.habitsOf(pod.jobUid);
    this.#after(pod, chance.integer(0, MAX_STARTUP_MS), () => {
      this.#patchStatus(pod, { phase: "Running", isReady: chance.isHit(0.8), restartCount: 0 });
      this.#run(pod, habits, 0);
    });
  }

  #run(pod: PodFacts, habits: PodHabits, restarts: number): void {
    const { chance } = this.#options;
    this.#after(pod, chance.integer(0, habits.maxRunMs), () => {
      const hasFailed = chance.isHit(habits.failures);
      if (!hasFailed || !habits.isOnFailure) {
        this.#patchStatus(pod, { phase: hasFailed ? "Failed" : "Succeeded", isReady: false, restartCount: restarts, exitCode: hasFailed ? 1 : 0 });
        return;
      }
      const next = Math.min(restarts + 1, MAX_CONTAINER_RESTARTS);
      this.#patchStatus(pod, { phase: "Running", isReady: chance.isHit(0.8), restartCount: next });
      this.#run(pod, next === MAX_CONTAINER_RESTARTS ? { ...habits, failures: 0 } : habits, next);
    });
  }

  // The pod has been marked; its containers get their time, and the kubelet's own DELETE removes it.
  #terminate(pod: PodFacts): void {
    const { chance } = this.#options;
    this.#cancel(pod.uid);
    if (!pod.isBound) return;
    const remove = (): void => void this.#options.send({ method: "DELETE", path: pathOf(pod), headers: JSON_TYPE, body: JSON.stringify({ gracePeriodSeconds: 0 }) });
    const end = (): void =>
      this.#after(pod, chance.integer(0, MAX_TERMINATION_MS), () => {
        if (!isOver(pod) && !chance.isHit(VANISHES_WITHOUT_STATUS)) {
          const succeeds = chance.isHit(SUCCEEDS_WHEN_DELETED);
          this.#patchStatus(pod, { phase: succeeds ? "Succeeded" : "Failed", isReady: false, restartCount: pod.restarts, exitCode: succeeds ? 0 : 143 });
        }
        this.#after(pod, chance.integer(0, 500), remove);
      });
    if (!this.#isCalm && chance.isHit(LOST_WHEN_DELETED)) this.#held.set(pod.uid, { pod, goOn: end });
    else end();
  }

  #after(pod: PodFacts, delayMs: number, callback: () => void): void {
    this.#timers.set(pod.uid, this.#options.clock.setTimer(delayMs, callback));
  }

  #cancel(uid: string): void {
    this.#timers.get(uid)?.cancel();
    this.#timers.delete(uid);
    this.#held.delete(uid);
  }

  #post(path: string, body: object): boolean {
    return this.#options.send({ method: "POST", path, headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  #patchStatus(pod: PodFacts, { phase, isReady, restartCount, exitCode }: { phase: string; isReady: boolean; restartCount: number; exitCode?: number }): void {
    const time = formatTime(this.#options.clock.now());
    const state = exitCode === undefined ? { running: { startedAt: time } } : { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: time, finishedAt: time } };
    const container = { name: "main", image: "busybox", imageID: "", ready: isReady, started: exitCode === undefined, restartCount, state };
    const ready = { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: time };
    const status = { phase, conditions: [ready], containerStatuses: [container] };
    this.#options.send({ method: "PATCH", path: `${pathOf(pod)}/status`, headers: { "content-type": "application/merge-patch+json" }, body: JSON.stringify({ status }) });
  }
}

const JSON_TYPE = { "content-type": "application/json" };

function pathOf({ namespace, name }: PodFacts): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function isOver({ phase }: PodFacts): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
