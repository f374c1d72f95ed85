/**
 * Rules about pods as a whole: those that no node takes, and those that are evicted some time after they began to run.
 *
 * Invariant: of all rules, also those about containers, the first that matches a pod decides, when the pod is created;
 * its main containers then end as that rule says. Chance comes from the seed and from what the pod is (Job, completion
 * index, attempt), so a change elsewhere does not change it. Leaves out how containers end:
 * cluster/kubelet/simulated-runtime.ts, which asks here first. Rules that name a container are decided there alone.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { Write } from "../apiserver/server.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import type { ContainerRequest } from "../kubelet/container-runtime.ts";
import type { Pod } from "../values/kinds.ts";
import type { TypedObject } from "../values/types.ts";
import type { OutcomeRule, PodOutcome } from "./scenario.ts";
import { keyedRandom } from "../values/random.ts";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const JOB_NAME = "batch.kubernetes.io/job-name";
/** The number of Jobs and completion indexes whose attempts are counted. The least recently used is evicted first. */
const MAX_COUNTED_ATTEMPTS = 200_000;

type Evicted = Extract<PodOutcome, { kind: "evicted" }>;

export interface PodOutcomesOptions {
  readonly rules: readonly OutcomeRule[];
  readonly seed: number;
  readonly clock: Clock;
  evict(namespace: string, name: string, uid: string): void;
}

export class PodOutcomes {
  readonly #options: PodOutcomesOptions;
  readonly #attempts = new BoundedMap<string, number>(MAX_COUNTED_ATTEMPTS);
  /** By the uid of an existing pod: the rule that decides. Absent: no rule. */
  readonly #ruleOf = new Map<string, number>();
  readonly #toEvict = new Map<string, number>();

  constructor(options: PodOutcomesOptions) {
    this.#options = options;
  }

  /** Whether no node takes this pod, whatever it requests. */
  fitsNowhere(pod: TypedObject): boolean {
    return this.#options.rules[this.#ruleOf.get(pod.metadata.uid) ?? -1]?.pod?.kind === "never-scheduled";
  }

  /** Whether a container ends as this rule says; undefined: no rule decides for the whole pod. */
  decided({ pod, isInit, attempt }: ContainerRequest, rule: number): boolean | undefined {
    const { pod: becomes, match } = this.#options.rules[rule]!;
    const decides = this.#ruleOf.get(pod.metadata.uid) ?? Infinity;
    const isForPod = this.#options.rules[decides]?.pod !== undefined;
    if (isInit || match?.container !== undefined) return becomes === undefined ? undefined : false;
    if (becomes !== undefined) return rule === decides;
    // A restarted container is another attempt: rules about containers are matched again.
    if (attempt > 0 && !isForPod) return undefined;
    return rule === decides;
  }

  onWrite(write: Write): void {
    if (write.resource !== "pods") return;
    const { type, object: pod, previous } = write;
    const { uid, namespace = "", name } = pod.metadata;
    if (type === "ADDED") this.#decide(pod);
    else if (type === "DELETED") {
      this.#ruleOf.delete(uid);
      this.#toEvict.delete(uid);
    } else if ((pod as Pod).status?.phase === "Running" && (previous as Pod | undefined)?.status?.phase !== "Running") {
      const afterMs = this.#toEvict.get(uid);
      if (afterMs === undefined) return;
      this.#toEvict.delete(uid);
      this.#options.clock.setTimer(afterMs, () => this.#options.evict(namespace, name, uid));
    }
  }

  #decide(pod: TypedObject): void {
    const { uid, namespace = "", name, labels = {}, annotations = {}, ownerReferences } = pod.metadata;
    const owner = ownerReferences?.find((reference) => reference.controller === true)?.uid ?? uid;
    const index = annotations[COMPLETION_INDEX];
    const counted = `${owner}/${index ?? ""}`;
    const attempt = this.#attempts.get(counted) ?? 0;
    this.#attempts.put(counted, attempt + 1);
    const chance = keyedRandom(this.#options.seed, `${namespace}/${labels[JOB_NAME] ?? name}/${index}/pod/${attempt}`);
    const rule = this.#options.rules.findIndex(
      ({ match = {}, share = 1 }) =>
        match.container === undefined &&
        (match.jobName === undefined || match.jobName === labels[JOB_NAME]) &&
        (match.completionIndex === undefined || `${match.completionIndex}` === index) &&
        (match.attempt === undefined || match.attempt === attempt) &&
        (share === 1 || chance() < share),
    );
    if (rule < 0) return;
    this.#ruleOf.set(uid, rule);
    const { pod: becomes } = this.#options.rules[rule]!;
    if (becomes?.kind === "evicted") this.#toEvict.set(uid, drawn(becomes, chance));
  }
}

function drawn({ afterMs: [fromMs, toMs] }: Evicted, chance: () => number): number {
  return fromMs + Math.floor(chance() * (toMs - fromMs + 1));
}
