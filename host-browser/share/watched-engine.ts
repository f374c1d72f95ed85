/**
 * Wraps an engine to which a recording is replayed, and reports to a recorder of the page's history what the calls
 * show: objects, decisions, requests and their answers.
 *
 * Invariant: the engine does the same as without it. Times are reported in whole milliseconds of wall time since the
 * recording began, and the end of an instant is reported before the next one. Leaves out what a controller cannot see:
 * events of others.
 */
import {
  type Decision,
  type Engine,
  type EngineRequest,
  type EngineConfiguration,
  ErrorCode,
  type Explanation,
  IngestKind,
  type PollResult,
} from "../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { ReplayedEngine } from "../../bindings/js/replay.ts";
import type { Write } from "../../cluster/apiserver/server.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import type { FlagRecord } from "../../cluster/simulation/recorder.ts";
import { type Done, ownAfterAll } from "../history/own-after-all.ts";
import type { RecordedObjects } from "./recorded-objects.ts";

/** The reports that a recorder of a run gets; cluster/simulation/ makes the same ones for a simulated run. */
export interface Told {
  onWrite(write: Write, nowMs: number): void;
  onDecisions(decisions: readonly Decision[], nowMs: number): void;
  onRequest(id: number, request: ApiRequest, nowMs: number): void;
  /** A new controller begins: its decisions count from 1. */
  onController?(): void;
  /** The request has been answered. Writes reported until `onSent` are its effects. */
  onDone?(id: number, nowMs: number): Done | undefined;
  /** The request is on its way; writes reported from now on need not be its effects. */
  onSent(): void;
  onAnswer(id: number, response: ApiResponse, nowMs: number): void;
  onFlag(flag: FlagRecord): void;
  onInstant(nowMs: number, explain: (namespace: string, name: string) => Explanation | undefined): void;
}

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array | string): string => (typeof bytes === "string" ? bytes : decoder.decode(bytes));

/** The time of a recording, and the recorder that gets the reports. One for all engines of a recording. */
export class Teller {
  readonly told: Told;
  readonly objects: RecordedObjects;
  readonly #startMs: number;
  nowMs = 0;
  /** Wall time minus the clock of the calls. */
  #offsetMs = 0;
  #engine: Engine | undefined;
  #engines = 0;
  #requests = 0;

  constructor(told: Told, objects: RecordedObjects, startMs: number) {
    this.told = told;
    this.objects = objects;
    this.#startMs = startMs;
  }

  readonly explain = (namespace: string, name: string): Explanation | undefined =>
    this.#engine?.explain(namespace, name, this.#startMs + this.nowMs - this.#offsetMs);

  /** @param engine a new one: a recording has another after each start of the controller */
  watch(engine: Engine): ReplayedEngine {
    const isRestart = this.#engines++ > 0;
    return {
      configure: (configuration) => {
        engine.configure(configuration);
        this.#offsetMs = 0;
        this.told.onController?.();
        if (isRestart)
          this.told.onFlag({ atMs: this.nowMs, kind: "restart-controller", label: "a new controller began" });
        this.#engine = engine;
        // The requests of the engine before are never settled here, and the new one reuses their ids.
        this.#underWay.clear();
        this.#sources = configuration.sources ?? [];
      },
      setClockOffset: (offsetMs) => {
        engine.setClockOffset(offsetMs);
        this.#offsetMs = offsetMs;
      },
      ingest: (source, kind, bytes, now) => {
        this.moveTo(now);
        const code = engine.ingest(source, kind, bytes, now);
        if (code === ErrorCode.ok) this.#tell(this.#writesOf(source, kind, textOf(bytes)));
        return code;
      },
      poll: (now, max) => {
        this.moveTo(now);
        return this.#polled(engine.poll(now, max));
      },
      settle: (id, status, retryAfterMs, body, now) => {
        this.moveTo(now);
        const code = engine.settle(id, status, retryAfterMs, body, now);
        this.#settled(id, status, textOf(body));
        return code;
      },
    };
  }

  /** Nothing more happens at the present instant. */
  moveTo(now: number): void {
    // Clocks of machines are set back now and then; a history never goes back.
    const nowMs = Math.max(this.nowMs, Math.floor(now + this.#offsetMs - this.#startMs));
    if (nowMs > this.nowMs) this.told.onInstant(this.nowMs, this.explain);
    this.nowMs = nowMs;
  }

  #sources: NonNullable<EngineConfiguration["sources"]> = [];
  /** Requests under way, by the engine's id: their id here, and their method. */
  readonly #underWay = new Map<number, { readonly id: number; readonly method: string }>();

  #writesOf(source: number, kind: IngestKind, text: string): Write[] {
    const resource = this.#sources.find(({ id }) => id === source)?.resource ?? "";
    switch (kind) {
      case IngestKind.listBegin:
        this.objects.beginList(resource);
        return [];
      case IngestKind.page:
        return this.objects.page(resource, text);
      case IngestKind.listEnd:
        return this.objects.endList(resource);
      case IngestKind.watchLines:
        return this.objects.watchLines(resource, text);
      default:
        return [];
    }
  }

  #polled(result: PollResult): PollResult {
    if (result.decisions.length > 0) this.told.onDecisions(result.decisions, this.nowMs);
    for (const request of result.requests) {
      const id = this.#requests++;
      this.#underWay.set(request.id, { id, method: request.method });
      this.told.onRequest(id, apiRequest(request), this.nowMs);
      this.told.onSent();
    }
    return result;
  }

  #settled(engineId: number, status: number, body: string): void {
    const request = this.#underWay.get(engineId);
    if (request === undefined) return;
    this.#underWay.delete(engineId);
    if (status >= 200 && status < 300 && body !== "") {
      const object = JSON.parse(body) as Partial<KubeObject>;
      const done = this.told.onDone?.(request.id, this.nowMs);
      if (done !== undefined) ownAfterAll(done, request.method, object);
      this.#tell(this.objects.answer(request.method, object));
      this.told.onSent();
    }
    this.told.onAnswer(request.id, { status, headers: {}, body }, this.nowMs);
  }

  #tell(writes: readonly Write[]): void {
    for (const write of writes) this.told.onWrite(write, this.nowMs);
  }
}

function apiRequest({ method, path, accept, contentType, body, decision }: EngineRequest): ApiRequest {
  return { method, path, headers: { accept, "content-type": contentType }, body, decision };
}
