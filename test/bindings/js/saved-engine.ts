/** Plays test/vectors/save/: an engine with requests under way, its save as bytes, and how it continues. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Engine, EngineConfiguration, EngineRequest, IngestKind } from "../../../bindings/js/engine.ts";
import type { HostState } from "../../../bindings/js/save.ts";
import { newEngine } from "./vector-files.ts";

interface Call {
  readonly nowMs: number;
  readonly maxRequests: number;
}

export interface SaveVector {
  readonly configuration: EngineConfiguration;
  readonly clockOffsetMs: number;
  readonly ingest: readonly {
    readonly source: number;
    readonly kind: IngestKind;
    readonly text: string;
    readonly nowMs: number;
  }[];
  readonly poll: Call;
  readonly openRequests: readonly number[];
  readonly goOn: Call;
}

export function loadSaveVector(): SaveVector {
  const file = path.resolve(import.meta.dirname, "../../vectors/save/two-jobs.json");
  return JSON.parse(readFileSync(file, "utf8")) as SaveVector;
}

/** An engine that has handed out the requests of the vector. */
export async function playToSave({ configuration, clockOffsetMs, ingest, poll }: SaveVector): Promise<{
  readonly engine: Engine;
  readonly host: HostState;
}> {
  const engine = await newEngine();
  engine.configure(configuration);
  engine.setClockOffset(clockOffsetMs);
  for (const { source, kind, text, nowMs } of ingest) engine.ingest(source, kind, text, nowMs);
  const { requests } = engine.poll(poll.nowMs, poll.maxRequests);
  return { engine, host: { nowMs: poll.nowMs, openRequests: requests.map(({ id }) => id) } };
}

/** What became of the open requests is unknown. @returns what is sent next */
export function goOn(engine: Engine, { openRequests }: HostState, { nowMs, maxRequests }: Call): EngineRequest[] {
  for (const id of openRequests) engine.settle(id, 0, -1, "", nowMs);
  return [...engine.poll(nowMs, maxRequests).requests, ...engine.poll(nowMs + 10_000, maxRequests).requests];
}
