/** Chunks for tests of the page: with decisions and events, or with a Job too. Leaves out real runs. */
import type { Notice, Progress } from "../../../host-browser/messages.ts";
import type { Chunk } from "../../../host-browser/records.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";

export const SCENARIO: Scenario = { yaml: "kind: Job", seed: 1, nodes: DEFAULT_NODES, outcomes: [], inputs: [] };

/** Decisions and events at these instants; `hasJob`: a Job `pi` with one pod `pi-0-a`, which runs on `node-1`. */
export function chunk(decisionsMs: number[] = [], eventsMs: number[] = [], hasJob = false): Chunk {
  const rows = hasJob ? 1 : 0;
  const ints = (value: number, length = rows): Int32Array => new Int32Array(length).fill(value);
  const bytes = (value: number, length = rows): Uint8Array => new Uint8Array(length).fill(value);
  const zero = new Float64Array(rows);
  return {
    texts: hasJob ? ["node-1"] : [],
    jobs: hasJob ? [{ namespace: "default", name: "pi", uid: "u", createdMs: 0 }] : [],
    pods: {
      job: ints(0),
      index: ints(0),
      attempt: ints(0),
      createdMs: zero,
      decision: ints(-1),
      names: hasJob ? "pi-0-a" : "",
    },
    transitions: {
      pod: ints(0),
      atMs: zero,
      state: bytes(3),
      detail: ints(-1),
      restarts: ints(0),
      node: ints(0),
      decision: ints(-1),
    },
    versions: {
      job: ints(0),
      atMs: zero,
      active: ints(1),
      ready: ints(1),
      terminating: ints(0),
      succeeded: ints(0),
      failed: ints(0),
      phase: bytes(0),
      completions: ints(4),
      parallelism: ints(4),
      decision: ints(-1),
    },
    decisions: {
      job: ints(0, decisionsMs.length),
      atMs: Float64Array.from(decisionsMs),
      code: ints(-1, decisionsMs.length),
      nextMs: new Float64Array(decisionsMs.length).fill(NaN),
    },
    events: {
      job: ints(0, eventsMs.length),
      atMs: Float64Array.from(eventsMs),
      reason: ints(-1, eventsMs.length),
      isWarning: bytes(0, eventsMs.length),
      decision: ints(-1, eventsMs.length),
    },
    gaps: {
      job: ints(0, 0),
      index: ints(0, 0),
      fromMs: new Float64Array(),
      untilMs: new Float64Array(),
      decision: ints(0, 0),
    },
    nodes: { node: ints(0, 0), atMs: new Float64Array(), state: bytes(0, 0) },
    late: { table: new Uint8Array(), row: ints(0, 0), decision: ints(0, 0) },
    flags: [],
    buffer: new ArrayBuffer(0),
  };
}

export function progress(run: number, nowMs: number, more: Partial<Progress> = {}): Notice {
  return { kind: "progress", run, mode: "finished", nowMs, note: "", digest: "ab", chunk: chunk(), ...more };
}
