/**
 * What the engine costs: pods a second taken in from lists, µs a sync after one pod event, bytes a live pod, bytes of
 * the module itself. Everything goes through the binding, as in a host. Leaves out the network and the API server:
 * answers are prepared.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Engine, type EngineRequest, IngestKind } from "../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import type { Bench, Contender, Contenders } from "./measure.ts";
import { FIRST_VERSION, jobText, listText, Patchable, podMaker, watchLine } from "./objects.ts";

const JOBS = 0;
const PODS = 1;
const PAGE_PODS = 500;
const POD_BYTES = 4096;
/** Between events, so that each finds a idle Job and causes one sync. */
const SETTLE_MS = 10_000;
const ROOM = 64;
const FORECASTS = 1_000;
/** What is aimed at. */
const AIM_LISTED_A_SECOND = 200_000;
const AIM_LIVE_BYTES = 256;
const AIM_FORECAST_MICROS = 50;
const AIM_GZIPPED_BYTES = 70_656;

const decoder = new TextDecoder();
const makePod = podMaker(POD_BYTES);

export async function engineBenches(isQuick: boolean): Promise<Bench[]> {
  await buildModule("engine");
  const module = await WebAssembly.compile(readFileSync(modulePath("engine")));
  const sizes = isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
  const listed = isQuick ? 2_000 : 10_000;
  return [
    listBench(module, listed),
    firstListBench(module, listed),
    syncBench(module, sizes, 10),
    syncBench(module, sizes, 20_000),
    liveMemoryBench(module, isQuick ? 20_000 : 100_000),
    churnMemoryBench(module, isQuick ? 20_000 : 1_000_000),
    forecastBench(module),
    sizeBench(),
  ];
}

async function configured(module: WebAssembly.Module): Promise<Engine> {
  const engine = await Engine.create(module);
  engine.configure({
    instance: "bench",
    sources: [
      { id: JOBS, resource: "jobs" },
      { id: PODS, resource: "pods" },
    ],
  });
  return engine;
}

function ingestList(engine: Engine, source: number, pages: Iterable<Uint8Array | string>, now: number): void {
  engine.ingest(source, IngestKind.listBegin, "", now);
  for (const page of pages) engine.ingest(source, IngestKind.page, page, now);
  engine.ingest(source, IngestKind.listEnd, "", now);
}

/** Pages of pods with the indexes `from` on, made one at a time. */
function* podPages(from: number, count: number, version: number, generation = 0): Generator<string> {
  for (let first = 0; first < count; first += PAGE_PODS) {
    const indexes = Array.from({ length: Math.min(PAGE_PODS, count - first) }, (_, i) => from + first + i);
    yield listText(
      "Pod",
      version,
      indexes.map((index) => makePod({ index, version, generation })),
    );
  }
}

function jobList(job: Parameters<typeof jobText>[0]): string[] {
  return [listText("Job", job.version, [jobText(job)])];
}

// ── taking lists in ─────────────────────────────────────────────────────────────────────────────────

/** Pods that are known, in a new version, as after a broken watch. */
function listBench(module: WebAssembly.Module, pods: number): Bench {
  return {
    title: `pod list, ${amount(pods)} known pods of 4 KiB`,
    unit: { kind: "/s", parts: "pods", partsPerRun: pods },
    contenders: () => listContenders(module, pods, [0]),
  };
}

/** Pods that are new, while those of the list before are gone. */
function firstListBench(module: WebAssembly.Module, pods: number): Bench {
  return {
    title: `pod list, ${amount(pods)} new pods of 4 KiB, as many gone`,
    unit: { kind: "/s", parts: "pods", partsPerRun: pods },
    contenders: () => listContenders(module, pods, [1, 2]),
  };
}

/** Lists of the generations in turn, each in a new version. */
async function listContenders(
  module: WebAssembly.Module,
  pods: number,
  generations: readonly number[],
): Promise<Contenders> {
  const engine = await configured(module);
  ingestList(engine, JOBS, jobList({ version: FIRST_VERSION, parallelism: pods, completions: pods, ready: pods }), 0);
  const lists = generations.map((generation) =>
    [...podPages(0, pods, FIRST_VERSION, generation)].map((page) => new Patchable(page, FIRST_VERSION)),
  );
  let version = FIRST_VERSION;
  const run = () => {
    version++;
    const pages = lists[version % lists.length]!;
    for (const page of pages) page.set(version);
    ingestList(
      engine,
      PODS,
      pages.map((page) => page.bytes),
      version,
    );
  };
  return [{ name: "stint", run }, { name: "aim", amount: (pods * 1000) / AIM_LISTED_A_SECOND }, jsonParse(lists[0]!)];
}

function jsonParse(pages: readonly Patchable[]): Contender {
  return {
    name: "JSON.parse",
    run() {
      let items = 0;
      for (const page of pages) items += (JSON.parse(decoder.decode(page.bytes)) as { items: unknown[] }).items.length;
      return items;
    },
  };
}

// ── syncs ───────────────────────────────────────────────────────────────────────────────────────────

/** One pod turns ready or stops being ready: its event, the status write that follows, and the answer to that. */
function syncBench(module: WebAssembly.Module, sizes: readonly number[], intervals: number): Bench {
  return {
    title: `sync after one pod event, ${amount(sizes[0]!)} pods, ${amount(intervals)} intervals`,
    unit: { kind: "µs", per: "sync", partsPerRun: 1 },
    async contenders() {
      const contenders: Contender[] = [];
      for (const size of sizes)
        contenders.push({ name: `${amount(size)} pods`, run: await oneEvent(module, size, intervals) });
      return contenders as [Contender, ...Contender[]];
    },
  };
}

async function oneEvent(module: WebAssembly.Module, pods: number, intervals: number): Promise<() => void> {
  const engine = await configured(module);
  // Every second index below has succeeded, and the pods have those above.
  const completedIndexes = Array.from({ length: intervals }, (_, i) => 2 * i).join(",");
  const first = 2 * intervals;
  const job = { parallelism: pods, completions: first + pods + 1, completedIndexes, succeeded: intervals };
  let now = 0;
  ingestList(engine, JOBS, jobList({ ...job, version: FIRST_VERSION, ready: pods }), now);
  ingestList(engine, PODS, podPages(first, pods, FIRST_VERSION), now);
  for (const request of engine.poll(now, ROOM).requests)
    throw new Error(`the Job is not at rest: ${request.method} ${request.path} ${decoder.decode(request.body)}`);

  const turns = [false, true].map((ready) => ({
    line: new Patchable(
      watchLine("MODIFIED", makePod({ index: first + (pods >> 1), version: FIRST_VERSION, ready })),
      FIRST_VERSION,
    ),
    answer: new Patchable(jobText({ ...job, version: FIRST_VERSION, ready: ready ? pods : pods - 1 }), FIRST_VERSION),
  }));
  let version = FIRST_VERSION;
  return () => {
    const { line, answer } = turns[version & 1]!;
    version++;
    line.set(version);
    answer.set(version);
    now += SETTLE_MS;
    engine.ingest(PODS, IngestKind.watchLines, line.bytes, now);
    now = engine.poll(now, ROOM).nextWakeUpMs;
    const { requests } = engine.poll(now, ROOM);
    const [write] = requests;
    if (requests.length !== 1 || !write!.path.endsWith("/status"))
      throw new Error(`one status write was expected, not ${requests.map((request) => request.path).join()}`);
    engine.settle(write!.id, 200, -1, answer.bytes, now);
    engine.poll(now, ROOM);
  };
}

// ── memory ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * Memory grows by doubling, so its size says little: counted are the pods that fit between one growth and the next,
 * once there are `pods` of them.
 */
function liveMemoryBench(module: WebAssembly.Module, pods: number): Bench {
  return {
    title: `memory of a live pod, at ${amount(pods)} pods and more`,
    unit: { kind: "bytes", per: "pod" },
    async contenders() {
      const bytes = await bytesPerPod(module, pods);
      return [
        { name: "stint", run: () => bytes },
        { name: "aim", amount: AIM_LIVE_BYTES },
      ];
    },
  };
}

async function bytesPerPod(module: WebAssembly.Module, pods: number): Promise<number> {
  const engine = await configured(module);
  ingestList(
    engine,
    JOBS,
    jobList({ version: FIRST_VERSION, parallelism: 2 ** 24, completions: 2 ** 24, ready: 0 }),
    0,
  );
  ingestList(engine, PODS, podPages(0, PAGE_PODS, FIRST_VERSION), 0);
  let grownAt = 0;
  let known = 0;
  let bytes = engine.memoryBytes;
  for (;;) {
    const lines = Array.from({ length: 50 }, () =>
      watchLine("ADDED", makePod({ index: PAGE_PODS + known, version: FIRST_VERSION + ++known })),
    );
    engine.ingest(PODS, IngestKind.watchLines, lines.join(""), 0);
    if (engine.memoryBytes === bytes) continue;
    // What was there before is full now.
    if (known >= pods) return bytes / 2 / (known - grownAt);
    grownAt = known;
    bytes = engine.memoryBytes;
  }
}

/** The forecast of a Job, from its bytes to the object that a host gets. */
function forecastBench(module: WebAssembly.Module): Bench {
  return {
    title: "forecast of a Job of 4 KiB",
    unit: { kind: "µs", per: "Job", partsPerRun: FORECASTS },
    async contenders() {
      const engine = await Engine.create(module);
      const env = Array.from({ length: 68 }, (_none, i) => ({ name: `VARIABLE_${i}`, value: `the value of ${i}` }));
      const container = { image: "registry.example.com/team/main:1.2.3", command: ["sh", "-c", "x".repeat(500)], env };
      const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", ...container }] } };
      const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi" }, spec: { template } };
      const question = new TextEncoder().encode(JSON.stringify({ job, assumptions: { podMs: 60_000 } }));
      return [
        {
          name: `stint, ${amount(question.length)} bytes`,
          run() {
            for (let i = 0; i < FORECASTS; i++) engine.forecast(question, 0);
          },
        },
        { name: "aim", amount: (FORECASTS * AIM_FORECAST_MICROS) / 1000 },
      ];
    },
  };
}

/** As it is downloaded. */
function sizeBench(): Bench {
  const bytes = readFileSync(modulePath("engine"));
  return {
    title: "engine.wasm, gzipped",
    unit: { kind: "bytes", per: "module" },
    contenders: () => [
      { name: "stint", run: () => gzipSync(bytes, { level: 9 }).length },
      { name: "aim", amount: AIM_GZIPPED_BYTES },
      { name: "not gzipped", amount: bytes.length },
    ],
  };
}

/** Waves of a thousand pods: created, succeeded, counted, freed of their finalizer, deleted. */
function churnMemoryBench(module: WebAssembly.Module, pods: number): Bench {
  const early = pods / 10;
  return {
    title: `memory after ${amount(early)} pods came and went`,
    unit: { kind: "bytes", per: "engine" },
    async contenders() {
      const engine = await configured(module);
      const world = new World(engine, 1_000);
      world.churn(early);
      const earlyBytes = engine.memoryBytes;
      world.churn(pods - early);
      const bytes = engine.memoryBytes;
      return [
        { name: "stint", run: () => earlyBytes },
        { name: `${amount(pods)} pods`, run: () => bytes },
      ];
    },
  };
}

/** An API server with one Job that never completes: it takes every request and forgets pods that were deleted. */
class World {
  readonly #engine: Engine;
  readonly #parallelism: number;
  readonly #status: Record<string, unknown> = {};
  #running: number[] = [];
  #version = FIRST_VERSION;
  #now = 0;

  constructor(engine: Engine, parallelism: number) {
    this.#engine = engine;
    this.#parallelism = parallelism;
    ingestList(engine, JOBS, [listText("Job", this.#version, [this.#job()])], 0);
    ingestList(engine, PODS, [listText("Pod", this.#version, [])], 0);
    this.#answerAll();
  }

  /** Lets pods succeed and go until there were `count` of them. */
  churn(count: number): void {
    for (let left = count; left > 0;) {
      const ending = this.#running;
      if (ending.length === 0) throw new Error("the engine has created no pods");
      left -= ending.length;
      this.#running = [];
      this.#show("MODIFIED", ending, true);
      this.#show("DELETED", ending, false);
    }
  }

  #show(type: "MODIFIED" | "DELETED", indexes: readonly number[], hasFinalizer: boolean): void {
    const lines = indexes.map((index) =>
      watchLine(type, makePod({ index, version: ++this.#version, phase: "Succeeded", hasFinalizer })),
    );
    this.#engine.ingest(PODS, IngestKind.watchLines, lines.join(""), this.#now);
    this.#answerAll();
  }

  /** Until nothing is asked for and nothing is due soon. */
  #answerAll(): void {
    for (;;) {
      const { requests, nextWakeUpMs } = this.#engine.poll(this.#now, ROOM);
      for (const request of requests) this.#engine.settle(request.id, 200, -1, this.#answer(request), this.#now);
      if (requests.length > 0) continue;
      if (nextWakeUpMs > this.#now + SETTLE_MS) return;
      this.#now = nextWakeUpMs;
    }
  }

  #answer({ method, path, body }: EngineRequest): string {
    if (/\/events(\/|$)/.test(path)) return "{}";
    if (path.endsWith("/status")) {
      Object.assign(this.#status, (JSON.parse(decoder.decode(body)) as { status: object }).status);
      this.#status["uncountedTerminatedPods"] = withoutNulls(
        this.#status["uncountedTerminatedPods"] as Record<string, unknown>,
      );
      return this.#job();
    }
    const version = ++this.#version;
    if (method === "POST") {
      const index = Number(/"generateName":"indexed-(\d+)-"/.exec(decoder.decode(body))![1]);
      this.#running.push(index);
      return makePod({ index, version });
    }
    return makePod({
      index: Number(/indexed-(\d+)-/.exec(path)![1]),
      version,
      phase: "Succeeded",
      hasFinalizer: false,
    });
  }

  #job(): string {
    const job = JSON.parse(
      jobText({ version: ++this.#version, parallelism: this.#parallelism, completions: 2 ** 30, ready: 0 }),
    ) as Record<string, unknown>;
    return JSON.stringify({ ...job, status: this.#status });
  }
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function amount(count: number): string {
  return count.toLocaleString("en-US");
}
