/** Histories for the tests of the picture: written by hand, or made by the thousand from a seed. */
import { type Chunk, JobPhase, type JobRecord, type NodeState, NONE, PodState } from "../../../host-browser/records.ts";
import type { FlagRecord } from "../../../cluster/simulation/recorder.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";

interface PodRow {
  readonly job: number;
  readonly index: number;
  readonly attempt: number;
  readonly createdMs: number;
  readonly decision: number;
  readonly name: string;
}
type Row = readonly number[];

/** Collects rows in any order, and gives them as one chunk or several, sorted by time. */
export class Sample {
  readonly #texts: string[] = [];
  readonly #jobs: JobRecord[] = [];
  readonly #pods: PodRow[] = [];
  readonly #transitions: Row[] = [];
  readonly #versions: Row[] = [];
  readonly #decisions: Row[] = [];
  readonly #events: Row[] = [];
  readonly #gaps: Row[] = [];
  readonly #nodes: Row[] = [];
  readonly #flags: FlagRecord[] = [];

  text(text: string): number {
    if (text === "") return NONE;
    const id = this.#texts.indexOf(text);
    return id >= 0 ? id : this.#texts.push(text) - 1;
  }

  job(name: string, createdMs = 0): number {
    return this.#jobs.push({ namespace: "default", name, uid: `uid-${name}`, createdMs }) - 1;
  }

  /** Pods must be made in the order of their times. */
  pod(job: number, index: number, attempt: number, createdMs: number, name: string): number {
    const pod = this.#pods.push({ job, index, attempt, createdMs, decision: NONE, name }) - 1;
    this.state(pod, createdMs, PodState.PENDING);
    return pod;
  }

  state(pod: number, atMs: number, state: PodState, detail = "", node = ""): void {
    this.#transitions.push([pod, atMs, state, this.text(detail), 0, this.text(node), NONE]);
  }

  version(
    job: number,
    atMs: number,
    phase: JobPhase,
    counts: Partial<Record<"active" | "succeeded" | "failed" | "completions" | "parallelism", number>> = {},
  ): void {
    const { active = 0, succeeded = 0, failed = 0, completions = NONE, parallelism = 1 } = counts;
    this.#versions.push([job, atMs, active, active, 0, succeeded, failed, phase, completions, parallelism, NONE]);
  }

  decision(job: number, atMs: number, code: string, nextMs = NaN): number {
    return this.#decisions.push([job, atMs, this.text(code), nextMs]) - 1;
  }

  event(job: number, atMs: number, reason: string, isWarning = false): void {
    this.#events.push([job, atMs, this.text(reason), isWarning ? 1 : 0]);
  }

  gap(job: number, index: number, fromMs: number, untilMs: number, decision = NONE): void {
    this.#gaps.push([job, index, fromMs, untilMs, decision]);
  }

  node(name: string, atMs: number, state: NodeState): void {
    this.#nodes.push([this.text(name), atMs, state]);
  }

  flag(flag: FlagRecord): void {
    this.#flags.push(flag);
  }

  /** Chunks that end at each of these instants, and one with the rest. */
  chunks(...endsMs: readonly number[]): Chunk[] {
    const bounds = [-Infinity, ...endsMs, Infinity];
    return bounds.slice(1).map((untilMs, i) => this.#chunk(bounds[i]!, untilMs, i === 0));
  }

  timeline(nowMs: number): Timeline {
    const timeline = new Timeline();
    timeline.append(this.chunks()[0]!, nowMs);
    return timeline;
  }

  #chunk(afterMs: number, untilMs: number, isFirst: boolean): Chunk {
    const isIn = (atMs: number) => atMs > afterMs && atMs <= untilMs;
    const rowsOf = (rows: readonly Row[], time: number) =>
      rows.filter((row) => isIn(row[time]!)).sort((a, b) => a[time]! - b[time]!);
    const pods = this.#pods.filter((pod) => isIn(pod.createdMs));
    const transitions = rowsOf(this.#transitions, 1);
    const versions = rowsOf(this.#versions, 1);
    const decisions = rowsOf(this.#decisions, 1);
    const events = rowsOf(this.#events, 1);
    const gaps = rowsOf(this.#gaps, 2);
    const nodes = rowsOf(this.#nodes, 1);
    const ints = (rows: readonly Row[], column: number) => Int32Array.from(rows, (row) => row[column]!);
    const floats = (rows: readonly Row[], column: number) => Float64Array.from(rows, (row) => row[column]!);
    const bytes = (rows: readonly Row[], column: number) => Uint8Array.from(rows, (row) => row[column]!);
    return {
      texts: isFirst ? this.#texts : [],
      jobs: this.#jobs.filter((job) => isIn(job.createdMs)),
      pods: {
        job: Int32Array.from(pods, ({ job }) => job),
        index: Int32Array.from(pods, ({ index }) => index),
        attempt: Int32Array.from(pods, ({ attempt }) => attempt),
        createdMs: Float64Array.from(pods, ({ createdMs }) => createdMs),
        decision: Int32Array.from(pods, ({ decision }) => decision),
        names: pods.map(({ name }) => name).join("\n"),
      },
      transitions: {
        pod: ints(transitions, 0),
        atMs: floats(transitions, 1),
        state: bytes(transitions, 2),
        detail: ints(transitions, 3),
        restarts: ints(transitions, 4),
        node: ints(transitions, 5),
        decision: ints(transitions, 6),
      },
      versions: {
        job: ints(versions, 0),
        atMs: floats(versions, 1),
        active: ints(versions, 2),
        ready: ints(versions, 3),
        terminating: ints(versions, 4),
        succeeded: ints(versions, 5),
        failed: ints(versions, 6),
        phase: bytes(versions, 7),
        completions: ints(versions, 8),
        parallelism: ints(versions, 9),
        decision: ints(versions, 10),
      },
      decisions: {
        job: ints(decisions, 0),
        atMs: floats(decisions, 1),
        code: ints(decisions, 2),
        nextMs: floats(decisions, 3),
      },
      events: {
        job: ints(events, 0),
        atMs: floats(events, 1),
        reason: ints(events, 2),
        isWarning: bytes(events, 3),
        decision: new Int32Array(events.length).fill(NONE),
      },
      late: { table: new Uint8Array(), row: new Int32Array(), decision: new Int32Array() },
      gaps: {
        job: ints(gaps, 0),
        index: ints(gaps, 1),
        fromMs: floats(gaps, 2),
        untilMs: floats(gaps, 3),
        decision: ints(gaps, 4),
      },
      nodes: { node: ints(nodes, 0), atMs: floats(nodes, 1), state: bytes(nodes, 2) },
      flags: this.#flags.filter((flag) => isIn(flag.atMs)),
      buffer: new ArrayBuffer(0),
    };
  }
}

/** Numbers in [0, 1) from a seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A Job of `count` indexes, `parallelism` at once; some fail and are tried again after a back-off.
 * @param rampMs until so many are at work
 */
export function indexedRun(
  count: number,
  parallelism: number,
  seed: number,
  rampMs = 0,
): { sample: Sample; endMs: number } {
  const sample = new Sample();
  const random = randomOf(seed);
  const job = sample.job("pi");
  sample.version(job, 0, JobPhase.RUNNING, { completions: count, parallelism });
  const lanes = Array.from({ length: parallelism }, (_, lane) => Math.round((lane * rampMs) / parallelism));
  const made: { index: number; attempt: number; atMs: number; lane: number }[] = [];
  for (let index = 0; index < count; index++) {
    let lane = 0;
    for (let i = 1; i < lanes.length; i++) if (lanes[i]! < lanes[lane]!) lane = i;
    made.push({ index, attempt: 0, atMs: lanes[lane]!, lane });
    lanes[lane]! += Math.round(4_000 + random() * 6_000);
  }
  made.sort((a, b) => a.atMs - b.atMs);
  let endMs = 0;
  while (made.length > 0) {
    const { index, attempt, atMs, lane } = made.shift()!;
    const pod = sample.pod(job, index, attempt, atMs, `pi-${index}-${(index * 7919 + attempt).toString(36).slice(-5)}`);
    const node = `node-${1 + (lane % 3)}`;
    sample.state(pod, atMs + 100, PodState.STARTING, "", node);
    sample.state(pod, atMs + 900, PodState.RUNNING, "", node);
    const doneMs = atMs + 900 + Math.round(1_500 + random() * 3_000);
    const isFailed = attempt < 2 && random() < 0.2;
    sample.state(pod, doneMs, isFailed ? PodState.FAILED : PodState.SUCCEEDED, isFailed ? "exit code 1" : "", node);
    endMs = Math.max(endMs, doneMs);
    if (!isFailed) continue;
    const waitMs = 10_000 * 2 ** attempt;
    sample.gap(job, index, doneMs, doneMs + waitMs, sample.decision(job, doneMs, "IndexBackoff", doneMs + waitMs));
    const again = { index, attempt: attempt + 1, atMs: doneMs + waitMs, lane };
    let place = made.findIndex((other) => other.atMs > again.atMs);
    if (place < 0) place = made.length;
    made.splice(place, 0, again);
  }
  sample.decision(job, endMs + 10, "CompletionsReached");
  sample.version(job, endMs + 10, JobPhase.COMPLETE, { completions: count, parallelism, succeeded: count });
  return { sample, endMs: endMs + 20 };
}
