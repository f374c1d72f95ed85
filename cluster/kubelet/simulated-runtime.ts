/**
 * A container runtime without containers. Outcomes are data (simulation-outcome.ts), time comes from the clock and
 * chance from `random`, so a run on a virtual clock repeats exactly.
 *
 * Invariant: a container costs two timers and one small record, whatever it pretends to do, so 100,000 pods are cheap.
 * The outcome comes from the pod's annotation, else from the first rule that matches, else it is exit 0 after one to
 * three seconds.
 */
import type { Clock, Timer } from "../../bindings/js/host.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import type {
  ContainerEvents,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  UnsupportedField,
  VolumeFiles,
} from "./container-runtime.ts";
import { expand } from "./env.ts";
import { outcomeFor, OutcomeError, parseOutcome, parseOutcomeText, SIMULATE_ANNOTATION } from "./simulation-outcome.ts";
import type { DurationRange, Outcome, OutcomePlan } from "./simulation-outcome.ts";
import type { Pod } from "../values/kinds.ts";

/** How long a container runs by default. */
export const DEFAULT_RUN_MS: DurationRange = [1_000, 3_000];
/** The most parsed annotations to cache. The pods of a Job share one text. */
const MAX_PARSED_ANNOTATIONS = 1_000;
/** The number of Jobs and completion indexes whose attempts are counted. The least recently used is evicted first. */
export const MAX_COUNTED_ATTEMPTS = 200_000;

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
const JOB_NAME = "batch.kubernetes.io/job-name";
const EXIT_CODE_SIGTERM = 143;
const EXIT_CODE_SIGKILL = 137;

/** The containers that a rule is for. Every given field must match. */
export interface SimulationMatch {
  readonly namespace?: string;
  readonly jobName?: string;
  readonly completionIndex?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Name of a container. Without it a rule is only for main containers. */
  readonly container?: string;
  /** Attempt as defined in simulation-outcome.ts, 0 for the first. */
  readonly attempt?: number;
}

export interface SimulationRule {
  readonly match?: SimulationMatch;
  /** Share of the containers that match, above 0 and at most 1; the next rule applies to the others. Absent: all. */
  readonly share?: number;
  /** Plain data in the schema of simulation-outcome.ts. */
  readonly outcome: unknown;
}

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /**
   * Random numbers for one start of a container, which `key` names: Job, completion index, container, attempt. So one
   * container's outcome does not depend on others. Absent: `random`.
   */
  readonly chanceOf?: (key: string) => () => number;
  /** The first rule that matches wins. */
  readonly rules?: readonly SimulationRule[];
  /** Decides whether a rule applies to a start: true: it does, false: not. Absent: match and share decide. */
  readonly decided?: (request: ContainerRequest, rule: number) => boolean | undefined;
  /** The text for readers of the log of a container without output. Absent: none. */
  readonly emptyLogText?: string;
}

export class SimulatedRuntime implements ContainerRuntime {
  readonly name = "simulated";
  readonly emptyLogText: string | undefined;
  readonly #options: SimulatedRuntimeOptions;
  readonly #rules: readonly { readonly match: SimulationMatch; readonly share: number; readonly plan: OutcomePlan }[];
  readonly #parsed = new BoundedMap<string, OutcomePlan | OutcomeError>(MAX_PARSED_ANNOTATIONS);
  /** Owners and their containers get numbers, because their texts are long and each index has a key. */
  readonly #series = new BoundedMap<string, number>(MAX_COUNTED_ATTEMPTS);
  #seriesSeen = 0;
  readonly #attempts = new BoundedMap<string, number>(MAX_COUNTED_ATTEMPTS);

  /** @throws OutcomeError naming the rule and the field. */
  constructor(options: SimulatedRuntimeOptions) {
    this.#options = options;
    this.emptyLogText = options.emptyLogText;
    this.#rules = (options.rules ?? []).map(({ match = {}, share = 1, outcome }, index) => ({
      match,
      share,
      plan: parseOutcome(outcome, `rules[${index}].outcome`),
    }));
  }

  /** No field is unsupported: the runtime pretends to honour all of them. */
  unsupported(): readonly UnsupportedField[] {
    return [];
  }

  createPod(_pod: Pod, _files: VolumeFiles, done: (error?: string) => void): void {
    this.#options.clock.defer(() => done());
  }

  removePod(): void {}

  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const attempt = this.#countAttempt(request);
    const { clock, random, chanceOf } = this.#options;
    const chance = chanceOf?.(chanceKey(request, attempt)) ?? random;
    try {
      const outcome = this.#outcome(request, attempt, chance);
      return new SimulatedContainer({ clock, random: chance }, request, outcome, attempt, events);
    } catch (error) {
      if (!(error instanceof OutcomeError)) throw error;
      this.#options.clock.defer(() =>
        events.failed("CreateContainerConfigError", `annotation ${SIMULATE_ANNOTATION}: ${error.message}`),
      );
      return { stop: () => {} };
    }
  }

  /** @throws OutcomeError */
  #outcome(request: ContainerRequest, attempt: number, chance: () => number): Outcome {
    const { pod, container } = request;
    const name: string = container.name;
    const index = completionIndexOf(pod);
    const annotation = pod.metadata.annotations?.[SIMULATE_ANNOTATION];
    const fromAnnotation =
      annotation === undefined ? undefined : outcomeFor(this.#parse(annotation), name, !request.isInit, index);
    if (fromAnnotation !== undefined) return fromAnnotation;
    for (const [i, { match, share, plan }] of this.#rules.entries()) {
      const isTaken =
        this.#options.decided?.(request, i) ??
        (matches(match, request, index, attempt) && (share === 1 || chance() < share));
      if (!isTaken) continue;
      const outcome = outcomeFor(plan, name, !request.isInit || match.container !== undefined, index);
      if (outcome !== undefined) return outcome;
    }
    return request.isInit && container.restartPolicy === "Always" ? { runMs: "forever" } : {};
  }

  /** @throws OutcomeError */
  #parse(annotation: string): OutcomePlan {
    let plan = this.#parsed.get(annotation);
    if (plan === undefined) {
      try {
        plan = parseOutcomeText(annotation);
      } catch (error) {
        if (!(error instanceof OutcomeError)) throw error;
        plan = error;
      }
      this.#parsed.put(annotation, plan);
    }
    if (plan instanceof OutcomeError) throw plan;
    return plan;
  }

  /** Counts the starts of the same container for the same owner and completion index. */
  #countAttempt({ pod, container }: ContainerRequest): number {
    const owner =
      pod.metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid ?? pod.metadata.uid;
    const name = `${owner}/${container.name}`;
    const series = this.#series.get(name) ?? this.#seriesSeen++;
    this.#series.put(name, series);
    const key = `${series}/${completionIndexOf(pod) ?? ""}`;
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.put(key, attempt + 1);
    return attempt;
  }
}

class SimulatedContainer implements ContainerHandle {
  readonly #options: Pick<SimulatedRuntimeOptions, "clock" | "random">;
  readonly #request: ContainerRequest;
  readonly outcome: Outcome;
  readonly #events: ContainerEvents;
  readonly #exitCode: number;
  #timer: Timer | undefined;
  #logTimer: Timer | undefined;
  #killTimer: Timer | undefined;
  #isTerminating = false;
  #isOver = false;

  constructor(
    options: Pick<SimulatedRuntimeOptions, "clock" | "random">,
    request: ContainerRequest,
    outcome: Outcome,
    attempt: number,
    events: ContainerEvents,
  ) {
    this.#options = options;
    this.#request = request;
    this.outcome = outcome;
    this.#events = events;
    const { exitCodes = [0], startDelayMs = [0, 0] } = outcome;
    this.#exitCode = exitCodes[Math.min(attempt, exitCodes.length - 1)]!;
    this.#timer = options.clock.setTimer(drawMs(startDelayMs, options.random), () => this.#begin());
  }

  stop(gracePeriodSeconds: number): void {
    if (this.#isOver) return;
    const { sigterm = { exitCode: EXIT_CODE_SIGTERM, afterMs: 0 } } = this.outcome;
    if (!this.#isTerminating && sigterm !== "ignore") {
      this.#timer?.cancel();
      this.#timer = this.#options.clock.setTimer(sigterm.afterMs, () => this.#end({ exitCode: sigterm.exitCode }));
    }
    this.#isTerminating = true;
    this.#killTimer?.cancel();
    this.#killTimer = this.#options.clock.setTimer(gracePeriodSeconds * 1000, () =>
      this.#end({ exitCode: EXIT_CODE_SIGKILL }),
    );
  }

  #begin(): void {
    const { failReason, failMessage = "simulated", runMs = DEFAULT_RUN_MS, logs = [] } = this.outcome;
    if (failReason !== undefined) {
      this.#release();
      this.#events.failed(failReason, failMessage);
      return;
    }
    this.#events.started();
    // The kubelet may have stopped it from within `started`.
    if (this.#isOver || this.#isTerminating) return;
    const durationMs = runMs === "forever" ? Infinity : drawMs(runMs, this.#options.random);
    this.#print(logs, 0, durationMs);
    if (durationMs !== Infinity) this.#timer = this.#options.clock.setTimer(durationMs, () => this.#end(this.#exit()));
  }

  /** Prints the lines evenly over the run; in a run without end they are one second apart. */
  #print(lines: readonly string[], index: number, durationMs: number): void {
    const line = lines[index];
    if (line === undefined) return;
    const variables = new Map(this.#request.env.map(({ name, value }) => [name, value]));
    this.#events.output("stdout", `${expand(line, variables)}\n`);
    if (index + 1 === lines.length) return;
    const intervalMs = durationMs === Infinity ? 1000 : Math.floor(durationMs / lines.length);
    this.#logTimer = this.#options.clock.setTimer(intervalMs, () => this.#print(lines, index + 1, durationMs));
  }

  #exit(): Parameters<ContainerEvents["exited"]>[0] {
    const { signal, reason, message } = this.outcome;
    if (this.#exitCode === 0) return { exitCode: 0 };
    return {
      exitCode: this.#exitCode,
      ...(signal === undefined ? {} : { signal }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    };
  }

  #end(exit: Parameters<ContainerEvents["exited"]>[0]): void {
    this.#release();
    this.#events.exited(exit);
  }

  #release(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#logTimer?.cancel();
    this.#killTimer?.cancel();
  }
}

/** Draws a duration from the range. A fixed one draws no random number. */
export function drawMs([fromMs, toMs]: DurationRange, random: () => number): number {
  return fromMs === toMs ? fromMs : fromMs + Math.floor(random() * (toMs - fromMs + 1));
}

/** The outcome of a container of this runtime; undefined: it could not be read. */
export function outcomeOf(handle: ContainerHandle): Outcome | undefined {
  return handle instanceof SimulatedContainer ? handle.outcome : undefined;
}

/** A key without uid and generated name: the same in runs that differ only elsewhere. */
function chanceKey({ pod, container }: ContainerRequest, attempt: number): string {
  const { namespace = "", name, labels = {} } = pod.metadata;
  const index = completionIndexOf(pod) ?? "";
  return `${namespace}/${labels[JOB_NAME] ?? name}/${index}/${container.name}/${attempt}`;
}

function matches(
  match: SimulationMatch,
  request: ContainerRequest,
  completionIndex: number | undefined,
  attempt: number,
): boolean {
  const { labels = {}, annotations = {}, namespace } = request.pod.metadata;
  return (
    (match.namespace === undefined || match.namespace === namespace) &&
    (match.jobName === undefined || match.jobName === labels[JOB_NAME]) &&
    (match.completionIndex === undefined || match.completionIndex === completionIndex) &&
    (match.container === undefined ? !request.isInit : match.container === request.container.name) &&
    (match.attempt === undefined || match.attempt === attempt) &&
    contains(labels, match.labels) &&
    contains(annotations, match.annotations)
  );
}

function contains(actual: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => actual[key] === value);
}

function completionIndexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX];
  return text === undefined ? undefined : Number(text);
}
