/**
 * A kubelet and a scheduler that follow a script: each pod gets one by chance when it appears, and works through it
 * with the requests that real ones send. Pods may never be scheduled, restart their containers, end well or badly with
 * one exit code or another, be evicted, take long to end once they are deleted, or be on a node that is lost.
 *
 * Invariant: a pod that is over stays over, and times are those of the API server's clock.
 * Leaves out everything inside a pod; cluster/kubelet/ has a whole kubelet.
 */
import type { ApiRequest, Clock, Timer } from "../../bindings/js/host.ts";
import { formatTime } from "../../cluster/values/times.ts";
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
  /** No number of failures ends the Job. */
  readonly mayFailForEver: boolean;
}

export const DEFAULT_HABITS: PodHabits = { failures: 0.1, maxRunMs: 5_000, isOnFailure: false, mayFailForEver: false };

export const MAIN_CONTAINER = "main";
/** What containers fail with; policies speak of these. */
export const EXIT_CODES = [1, 2, 42, 137] as const;
const KILLED = 143;
/** The eviction API sets it, and so does a kubelet that evicts. */
export const DISRUPTION_TARGET = "DisruptionTarget";

const UNSCHEDULABLE = 0.03;
const VANISHES_WITHOUT_STATUS = 0.2;
const LOST_WHEN_DELETED = 0.1;
const SUCCEEDS_WHEN_DELETED = 0.15;
const MAX_SCHEDULING_MS = 800;
const MAX_STARTUP_MS = 2_000;
const MAX_TERMINATION_MS = 6_000;
const MAX_COLLECTION_MS = 20_000;
const MAX_CONTAINER_RESTARTS = 4;
/** Share of the failures. */
const EVICTED = 0.15;
/** Of failures, in the end: of those that would continue for ever. */
const MAX_FAILURES_IN_CALM = 0.5;

export interface PodDriverOptions {
  readonly clock: Clock;
  readonly chance: Chance;
  /** Carries a request out at once and says whether it worked. */
  readonly send: (request: ApiRequest) => boolean;
  readonly habitsOf: (jobUid: string | undefined) => PodHabits;
}

interface PodState {
  readonly phase: string;
  readonly isReady: boolean;
  readonly restartCount: number;
  /** Of the container that ends the pod; absent: they run. */
  readonly exitCode?: number;
}

/** What waits for the faults to stop before it continues. */
interface Held {
  readonly pod: PodFacts;
  readonly goOn: () => void;
}

export class PodDriver {
  readonly #options: PodDriverOptions;
  readonly #timers = new Map<string, Timer>();
  readonly #held = new Map<string, Held>();
  /** Pods with the condition DisruptionTarget, which stays. */
  readonly #disrupted = new Set<string>();
  #isCalm = false;

  constructor(options: PodDriverOptions) {
    this.#options = options;
  }

  podWritten({ type, before, after }: Write<PodFacts>): void {
    if (after.evidence.conditions.some((condition) => condition.type === DISRUPTION_TARGET))
      this.#disrupted.add(after.uid);
    if (type === "DELETED") this.#cancel(after.uid);
    else if (type === "ADDED") this.#schedule(after);
    else if (after.isDeleting && before?.isDeleting === false) this.#terminate(after);
    // Another client has ended it.
    else if (isOver(after) && !after.isDeleting) this.#cancel(after.uid);
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
        const binding = {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name: pod.name },
          target: { kind: "Node", name: chance.pick(NODES) },
        };
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
      const hasFailed = chance.isHit(
        this.#isCalm && habits.mayFailForEver ? Math.min(habits.failures, MAX_FAILURES_IN_CALM) : habits.failures,
      );
      if (!hasFailed || !habits.isOnFailure) {
        if (hasFailed && chance.isHit(EVICTED)) this.#disrupted.add(pod.uid);
        this.#patchStatus(pod, {
          phase: hasFailed ? "Failed" : "Succeeded",
          isReady: false,
          restartCount: restarts,
          exitCode: hasFailed ? chance.pick(EXIT_CODES) : 0,
        });
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
    const remove = (): boolean =>
      this.#options.send({
        method: "DELETE",
        path: pathOf(pod),
        headers: JSON_TYPE,
        body: JSON.stringify({ gracePeriodSeconds: 0 }),
      });
    // As upstream's pod garbage collector: what no kubelet ends, for there is none, is called failed and removed.
    const collect = (): void =>
      this.#after(pod, chance.integer(0, MAX_COLLECTION_MS), () => {
        if (!isOver(pod)) this.#patchStatus(pod, { phase: "Failed", isReady: false, restartCount: pod.restarts });
        remove();
      });
    if (!pod.isBound) {
      collect();
      return;
    }
    const end = (): void =>
      this.#after(pod, chance.integer(0, MAX_TERMINATION_MS), () => {
        const vanishes = !isOver(pod) && chance.isHit(VANISHES_WITHOUT_STATUS);
        if (!isOver(pod) && !vanishes) {
          const succeeds = chance.isHit(SUCCEEDS_WHEN_DELETED);
          this.#patchStatus(pod, {
            phase: succeeds ? "Succeeded" : "Failed",
            isReady: false,
            restartCount: pod.restarts,
            exitCode: succeeds ? 0 : KILLED,
          });
        }
        this.#after(pod, chance.integer(0, 500), () => {
          remove();
          if (vanishes) collect();
        });
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

  #patchStatus(pod: PodFacts, state: PodState): void {
    const { chance, clock } = this.#options;
    const time = formatTime(clock.now());
    // The one whose end is the pod's end; a pod may fail before its regular containers start.
    const decisive =
      state.phase === "Failed"
        ? chance.pick([...pod.containers, ...pod.initContainers.map(({ name }) => name)])
        : MAIN_CONTAINER;
    const isInit = !pod.containers.includes(decisive);
    const container = (name: string, isSidecar: boolean, runs: boolean, starts: boolean): object => {
      const { isReady, restartCount, exitCode = 0 } = state;
      const own = name === decisive ? exitCode : isSidecar ? chance.pick([0, KILLED]) : 0;
      const ended = {
        terminated: { exitCode: own, reason: own === 0 ? "Completed" : "Error", startedAt: time, finishedAt: time },
      };
      const status = runs
        ? { running: { startedAt: time } }
        : starts
          ? ended
          : { waiting: { reason: "PodInitializing" } };
      return {
        name,
        image: "busybox",
        imageID: "",
        ready: runs && isReady,
        started: runs,
        restartCount: name === decisive ? restartCount : 0,
        state: status,
      };
    };
    const runs = state.exitCode === undefined;
    const ready = { type: "Ready", status: state.isReady ? "True" : "False", lastTransitionTime: time };
    const disruption = {
      type: DISRUPTION_TARGET,
      status: "True",
      reason: "TerminationByKubelet",
      lastTransitionTime: time,
    };
    const status = {
      phase: state.phase,
      conditions: this.#disrupted.has(pod.uid) ? [ready, disruption] : [ready],
      containerStatuses: pod.containers.map((name) => container(name, false, runs, !isInit)),
      initContainerStatuses: pod.initContainers.map(({ name, restartPolicy }) =>
        container(name, restartPolicy === "Always", runs && restartPolicy === "Always", true),
      ),
    };
    this.#options.send({
      method: "PATCH",
      path: `${pathOf(pod)}/status`,
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ status }),
    });
  }
}

const JSON_TYPE = { "content-type": "application/json" };

function pathOf({ namespace, name }: PodFacts): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function isOver({ phase }: PodFacts): boolean {
  return phase === "Succeeded" || phase === "Failed";
}
