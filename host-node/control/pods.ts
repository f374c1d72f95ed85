/**
 * What a test does to existing pods: it fails them, lets them succeed or hang, evicts or deletes them. And how
 * later containers end.
 */
import { PODS, resourcePath } from "../../cluster/client/client.ts";
import { SIMULATE_ANNOTATION, OutcomeError, parseOutcome } from "../../cluster/kubelet/simulation-outcome.ts";
import { similarNames } from "../../cluster/values/similar-names.ts";
import { checkedInteger, checkedText, checkFields } from "./check-input.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";
import { evict } from "./nodes.ts";
import type { Order, Script, ScriptedRuntime } from "./scripted-runtime.ts";
import { findPods, indexOf, type PodTarget, podTarget } from "./targets.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

const MAX_INDEX = 2 ** 31 - 1;
const MAX_TEXT_LENGTH = 4_096;
const MAX_SCRIPTS = 1_000;
const ENDED: readonly (string | undefined)[] = ["Succeeded", "Failed"];

/** Which of the pods. */
export interface PodFilter {
  /** The completion index. */
  readonly index?: number | undefined;
}

export interface ContainerEnd extends PodFilter {
  /** 1 to 255. */
  readonly exitCode?: number | undefined;
  /** `OOMKilled`, for example; `Error` unless given. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** One main container; all of them unless given. */
  readonly container?: string | undefined;
}

/** A pod in short. */
export interface PodState {
  readonly namespace: string;
  readonly name: string;
  /** Null: it has none. */
  readonly index: number | null;
  readonly phase: string;
  /** Null: nowhere yet. */
  readonly node: string | null;
  readonly terminating: boolean;
}

export interface PodsContext {
  readonly api: ClusterApi;
  readonly runtime: ScriptedRuntime;
  settle(): Promise<void>;
}

/** The pods of a selector. Each call searches for them again, and returns those that it has changed. */
export class PodControls {
  readonly #context: PodsContext;
  readonly #target: PodTarget;
  readonly #filter: PodFilter;

  /** @throws ControlError 400 */
  constructor(context: PodsContext, selector: string, filter: PodFilter) {
    this.#context = context;
    this.#target = podTarget(selector);
    this.#filter = checkedFilter(filter, ["index"]);
  }

  /** @throws ControlError 404 when the named Job or pod does not exist */
  list(): PodState[] {
    return this.#found(this.#filter).map(stateOf);
  }

  /** Their main containers end with this exit code, 1 unless given: at once, or as soon as they start. */
  fail(end: ContainerEnd = {}): Promise<PodState[]> {
    checkFields(end, "the options of fail", ["exitCode", "reason", "message", "index", "container"]);
    const { exitCode = 1, reason, message } = end;
    return this.#steer(end, {
      exitCode: checkedInteger(exitCode, "exitCode", 1, 255),
      ...(reason === undefined ? {} : { reason: checkedText(reason, "reason", MAX_TEXT_LENGTH) }),
      ...(message === undefined ? {} : { message: checkedText(message, "message", MAX_TEXT_LENGTH) }),
    });
  }

  /** Their main containers end with exit code 0: at once, or as soon as they start. */
  succeed(options: Pick<ContainerEnd, "index" | "container"> = {}): Promise<PodState[]> {
    checkFields(options, "the options of succeed", ["index", "container"]);
    return this.#steer(options, { exitCode: 0 });
  }

  /** Their main containers run until they are killed. They still obey SIGTERM. */
  hang(options: Pick<ContainerEnd, "index" | "container"> = {}): Promise<PodState[]> {
    checkFields(options, "the options of hang", ["index", "container"]);
    return this.#steer(options, "hang");
  }

  /** Asks the API to evict them. @throws RefusedError, status 429, when a PodDisruptionBudget protects one */
  evict(options: PodFilter = {}): Promise<PodState[]> {
    return this.#each(checkedFilter(options, ["index"], "evict"), (pod) => evict(this.#context.api, pod));
  }

  /** Deletes them, with their grace periods. */
  delete(options: PodFilter = {}): Promise<PodState[]> {
    return this.#each(checkedFilter(options, ["index"], "delete"), async ({ metadata: { namespace, name } }) => {
      await this.#context.api.write("DELETE", resourcePath(PODS, namespace, name), {});
    });
  }

  #steer({ container, ...filter }: Pick<ContainerEnd, "index" | "container">, order: Order): Promise<PodState[]> {
    return this.#each(checkedFilter({ index: filter.index }, ["index"]), async (pod) => {
      const containers: readonly string[] = pod.spec.containers.map(({ name }: { name: string }) => name);
      if (container !== undefined && !containers.includes(container))
        throw new ControlError(
          404,
          `pod ${pod.metadata.name} has no container ${container}; it has ${containers.join(", ")}`,
        );
      this.#context.runtime.steer(pod, container === undefined ? containers : [container], order);
    });
  }

  async #each(filter: PodFilter, act: (pod: Pod) => Promise<void>): Promise<PodState[]> {
    await this.#context.settle();
    const found = this.#found({ ...this.#filter, ...(filter.index === undefined ? {} : filter) });
    const live = found.filter(({ status }) => !ENDED.includes(status?.phase));
    if (live.length === 0) throw this.#noLivePods(found, filter.index ?? this.#filter.index);
    for (const pod of live) await act(pod);
    await this.#context.settle();
    return live.map(stateOf);
  }

  #found({ index }: PodFilter): Pod[] {
    const pods = findPods(this.#context.api, this.#target);
    return index === undefined ? pods : pods.filter((pod) => indexOf(pod) === index);
  }

  #noLivePods(found: readonly Pod[], index: number | undefined): ControlError {
    const which = `${this.#target.text}${index === undefined ? "" : ` with completion index ${index}`}`;
    const all = found.length > 0 ? found : findPods(this.#context.api, this.#target);
    const states = all.map((pod) => {
      const { name, phase, index: own } = stateOf(pod);
      return `${name} (${own === null ? "" : `index ${own}, `}${phase})`;
    });
    const there = states.length === 0 ? "there are none" : `there are ${states.slice(0, 10).join(", ")}`;
    return new ControlError(409, `no pod of ${which} is there that has not ended; ${there}`);
  }
}

export function stateOf(pod: Pod): PodState {
  const { metadata, spec, status } = pod;
  return {
    namespace: metadata.namespace!,
    name: metadata.name,
    index: indexOf(pod) ?? null,
    phase: status?.phase ?? "Pending",
    node: spec.nodeName ?? null,
    terminating: metadata.deletionTimestamp !== undefined,
  };
}

function checkedFilter(filter: PodFilter, fields: readonly string[], operation = "pods"): PodFilter {
  checkFields(filter, `the options of ${operation}`, fields);
  if (filter.index !== undefined) checkedInteger(filter.index, "index", 0, MAX_INDEX);
  return filter;
}

export interface Said {
  readonly selector: string;
  readonly script: Script;
}

/** The new outcomes, followed by the earlier ones. @throws ControlError 400 */
export function setOutcomes(said: readonly Said[], selector: string, script: object | null): readonly Said[] {
  const { isMeant } = podTarget(selector);
  const others = said.filter((each) => each.selector !== selector);
  if (script === null) return others;
  if (others.length >= MAX_SCRIPTS)
    throw new ControlError(400, `outcomes are given for ${MAX_SCRIPTS} selectors already; take some back with null`);
  const text = outcomeText(script);
  return [{ selector, script: (pod) => (isMeant(pod) ? text : undefined) }, ...others];
}

function outcomeText(script: object): string {
  try {
    parseOutcome(script, "");
    return JSON.stringify(script);
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    const { field = "", fields = [] } = error;
    const [meant] = similarNames(field, fields);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    throw new ControlError(400, `the outcome is not one of ${SIMULATE_ANNOTATION}: ${error.message}${hint}`);
  }
}
