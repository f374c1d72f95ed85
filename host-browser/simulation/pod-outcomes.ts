/**
 * Rules about pods as a whole: those that no node takes, and those that are evicted some time after they began to run.
 *
 * Invariant: the first rule that matches a pod decides, when the pod is created. Chance comes from the seed and from
 * what the pod is (Job, completion index, attempt), so a change elsewhere does not change it. Leaves out how containers
 * end: cluster/kubelet/simulated-runtime.ts has those rules.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { Write } from "../../cluster/apiserver/server.ts";
import { BoundedMap } from "../../cluster/bounded-map.ts";
import type { KubeObject } from "../../cluster/types.ts";
import type { OutcomeRule, PodOutcome } from "../scenario.ts";
import { keyedRandom } from "./random.ts";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const JOB_NAME = "batch.kubernetes.io/job-name";
/** For how many Jobs and completion indexes attempts are counted. The one unused longest is forgotten first. */
const MAX_COUNTED_ATTEMPTS = 200_000;

type PodRule = OutcomeRule & { readonly pod: PodOutcome };
type Evicted = Extract<PodOutcome, { kind: "evicted" }>;

export interface PodOutcomesOptions {
  readonly rules: readonly OutcomeRule[];
  readonly seed: number;
  readonly clock: Clock;
  evict(namespace: string, name: string, uid: string): void;
}

export class PodOutcomes {
  readonly #options: PodOutcomesOptions;
  readonly #rules: readonly PodRule[];
  readonly #attempts = new BoundedMap<string, number>(MAX_COUNTED_ATTEMPTS);
  /** Uids of pods that exist. */
  readonly #unschedulable = new Set<string>();
  readonly #toEvict = new Map<string, number>();

  constructor(options: PodOutcomesOptions) {
    this.#options = options;
    this.#rules = options.rules.filter((rule): rule is PodRule => rule.pod !== undefined);
  }

  /** Whether no node takes this pod, whatever it asks for. */
  fitsNowhere(pod: KubeObject): boolean {
    return this.#unschedulable.has(pod.metadata.uid);
  }

  onWrite({ resource, type, object: pod, previous }: Write): void {
    if (resource !== "pods" || this.#rules.length === 0) return;
    const { uid, namespace = "", name } = pod.metadata;
    if (type === "ADDED") this.#decide(pod);
    else if (type === "DELETED") {
      this.#unschedulable.delete(uid);
      this.#toEvict.delete(uid);
    } else if (pod["status"]?.phase === "Running" && previous?.["status"]?.phase !== "Running") {
      const afterMs = this.#toEvict.get(uid);
      if (afterMs === undefined) return;
      this.#toEvict.delete(uid);
      this.#options.clock.setTimer(afterMs, () => this.#options.evict(namespace, name, uid));
    }
  }

  #decide(pod: KubeObject): void {
    const { uid, namespace = "", name, labels = {}, annotations = {}, ownerReferences } = pod.metadata;
    const owner = ownerReferences?.find((reference) => reference.controller === true)?.uid ?? uid;
    const index = annotations[COMPLETION_INDEX];
    const counted = `${owner}/${index ?? ""}`;
    const attempt = this.#attempts.get(counted) ?? 0;
    this.#attempts.put(counted, attempt + 1);
    const chance = keyedRandom(this.#options.seed, `${namespace}/${labels[JOB_NAME] ?? name}/${index}/pod/${attempt}`);
    const rule = this.#rules.find(
      ({ match = {}, share = 1 }) =>
        (match.jobName === undefined || match.jobName === labels[JOB_NAME]) &&
        (match.completionIndex === undefined || `${match.completionIndex}` === index) &&
        (match.attempt === undefined || match.attempt === attempt) &&
        (share === 1 || chance() < share),
    );
    if (rule?.pod.kind === "never-scheduled") this.#unschedulable.add(uid);
    else if (rule !== undefined) this.#toEvict.set(uid, drawn(rule.pod as Evicted, chance));
  }
}

function drawn({ afterMs: [fromMs, toMs] }: Evicted, chance: () => number): number {
  return fromMs + Math.floor(chance() * (toMs - fromMs + 1));
}
