/**
 * How much processor time and memory the containers of an engine use, as the engine counts it.
 *
 * Invariant: processor use is that between two samples of the engine, the first of which is the start of the container.
 * Memory is what the kernel cannot reclaim, as the kubelet counts it. A value that the engine does not give is left
 * out. Leaves out the machine: usage.ts measures it.
 */
import { MIN_WINDOW_MS, type Usage } from "../usage.ts";
import type { EngineClient } from "./engine-client.ts";

/** Sooner than metrics-server asks, because nothing is known of a container before the first sample. */
const SAMPLE_MS = 5000;
const NANOSECONDS_PER_MS = 1e6;

/** A container that is measured. */
export interface Measured {
  readonly place: { readonly podUid: string; readonly container: string };
  readonly container: { readonly id: string };
}

interface Counter {
  readonly atMs: number;
  readonly cpuMs: number;
  /** Undefined before the first sample. */
  readonly usage: Usage | undefined;
}

export class EngineMeter<Container extends Measured> {
  readonly #client: Pick<EngineClient, "json">;
  readonly #now: () => number;
  readonly #running: () => Iterable<Container>;
  readonly #counters = new WeakMap<Container, Counter>();
  #timer: NodeJS.Timeout | undefined;
  #isSampling = false;

  constructor(client: Pick<EngineClient, "json">, now: () => number, running: () => Iterable<Container>) {
    this.#client = client;
    this.#now = now;
    this.#running = running;
  }

  /** Measures periodically. */
  start(): void {
    this.#timer = setInterval(() => void this.sample(), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A container has started: it has used nothing. */
  begin(container: Container): void {
    this.#counters.set(container, { atMs: this.#now(), cpuMs: 0, usage: undefined });
  }

  /** By the uids of pods and the names of containers; those that have just started are missing. */
  usages(): ReadonlyMap<string, ReadonlyMap<string, Usage>> {
    const pods = new Map<string, Map<string, Usage>>();
    for (const running of this.#running()) {
      const usage = this.#counters.get(running)?.usage;
      const { podUid, container } = running.place;
      if (usage !== undefined) pods.set(podUid, (pods.get(podUid) ?? new Map<string, Usage>()).set(container, usage));
    }
    return pods;
  }

  /** Asks the engine for each container. A slow engine is not asked again meanwhile. */
  async sample(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    await Promise.all([...this.#running()].map((running) => this.#ask(running).catch(() => {}))); // It has ended.
    this.#isSampling = false;
  }

  async #ask(running: Container): Promise<void> {
    const query = { stream: "0", "one-shot": "1" };
    const stats = await this.#client.json("GET", `/containers/${running.container.id}/stats`, { query });
    // No use means no data, because a running process uses time: without control groups an engine counts nothing.
    const cpuNanoseconds: number = stats.cpu_stats?.cpu_usage?.total_usage ?? 0;
    const memory: number = stats.memory_stats?.usage ?? 0;
    const atMs = this.#now();
    const before = this.#counters.get(running);
    if (cpuNanoseconds === 0 || memory === 0 || before === undefined) return;
    const windowMs = atMs - before.atMs;
    if (windowMs < MIN_WINDOW_MS) return;
    const cpuMs = cpuNanoseconds / NANOSECONDS_PER_MS;
    const nanoCores = Math.round((Math.max(cpuMs - before.cpuMs, 0) / windowMs) * 1e9);
    // The first comes from control groups of version 1, which count groups below separately.
    const { total_inactive_file: whole, inactive_file: own } = stats.memory_stats.stats ?? {};
    const bytes = Math.max(memory - (whole ?? own ?? 0), 0);
    this.#counters.set(running, { atMs, cpuMs, usage: { nanoCores, bytes, atMs, windowMs } });
  }
}
