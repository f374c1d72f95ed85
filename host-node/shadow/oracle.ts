/**
 * Says what the engine would write in a situation: a Job, its pods, a moment.
 *
 * Invariant: nothing is sent. Each question gets a new engine, which knows the situation and nothing else, as after a
 * restart. Everything that a Job controller must remember is stored in Kubernetes, so such an engine decides as one
 * that has been running, but for what docs/differences.md says of restarts. Leaves out what its requests are answered:
 * answering-server.ts.
 */
import type { Decision, EngineConstants } from "../../bindings/js/engine.ts";
import type { EngineModule } from "../engine-module.ts";
import { OfflineEngine } from "../../cluster/observed/offline-engine.ts";
import { AnsweringServer, type Situation, type Writes } from "./answering-server.ts";

const POD_BACKOFF_BASE_MS = 10_000;
const POD_BACKOFF_MAX_MS = 600_000;

/** What the engine would write at that moment, and what it would then wait for. */
export interface Intent extends Writes {
  readonly decisions: readonly Decision[];
  /** When the engine would look again without any event; Infinity: never. */
  readonly nextMs: number;
}

export class Oracle {
  readonly #module: EngineModule;
  readonly #constants: Partial<EngineConstants>;

  constructor(module: EngineModule, constants: Partial<EngineConstants> = {}) {
    this.#module = module;
    this.#constants = constants;
  }

  /** How long the next pod waits after this many failures in a row. */
  backOffMs(failures: number): number {
    const { podBackoffBaseMs = POD_BACKOFF_BASE_MS, podBackoffMaxMs = POD_BACKOFF_MAX_MS } = this.#constants;
    return Math.min(podBackoffBaseMs * 2 ** (failures - 1), podBackoffMaxMs);
  }

  /** @throws EngineError when the engine cannot read the situation */
  ask(situation: Situation): Intent {
    const engine = new OfflineEngine(this.#module, {
      instance: "shadow",
      removesFinished: false,
      constants: this.#constants,
    });
    const server = new AnsweringServer(situation);
    const { nowMs } = situation;
    engine.list("jobs", server.jobs, nowMs, server.version);
    engine.list("pods", server.pods, nowMs, server.version);
    const { goneJob } = server;
    if (goneJob !== undefined) engine.change("jobs", "DELETED", goneJob, nowMs);
    const { decisions, nextMs } = engine.run(nowMs, (request) => server.answer(request));
    return { ...server.written, decisions, nextMs };
  }
}
