/**
 * What a host waits for when it asks what happened to a Job of a thousand failed pods: from the objects to the answer
 * as an object, and the parts of that. The pods are the recorded one of a real cluster, each with its own name, UID and
 * times.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Engine, EngineError } from "../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import type { Bench } from "./measure.ts";

const RECORDING = path.resolve(import.meta.dirname, "../vectors/recordings/pi-fails-twice.jsonl");
const AIM_MS = 5;
/** Pods of one Job fail one after another, by this time. */
const STEP_MS = 1_000;

interface FailedPod {
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
  readonly status: {
    readonly containerStatuses: readonly Record<string, unknown>[];
    readonly [field: string]: unknown;
  };
}

export async function accountBenches(isQuick: boolean): Promise<Bench[]> {
  await buildModule("engine");
  const module = await WebAssembly.compile(readFileSync(modulePath("engine")));
  const pods = isQuick ? 100 : 1_000;
  return [accountBench(module, pods, "small", smallPod), accountBench(module, pods, "whole", (pod) => pod)];
}

function accountBench(
  module: WebAssembly.Module,
  count: number,
  size: string,
  cut: (pod: FailedPod) => FailedPod,
): Bench {
  const { job, pod, nowMs } = recorded();
  const pods = Array.from({ length: count }, (_none, i) => podAt(cut(pod), i, nowMs - (count - i) * STEP_MS));
  const question = { job, pods };
  const text = JSON.stringify(question);
  return {
    title: `account of ${count.toLocaleString("en-US")} failed pods, ${size}: ${(text.length / 1e6).toFixed(2)} MB`,
    unit: { kind: "µs", per: "account", partsPerRun: 1 },
    async contenders() {
      const engine = await Engine.create(module);
      const answer = JSON.stringify(engine.account(text, nowMs));
      return [
        { name: "from objects", run: () => engine.account(question, nowMs) },
        { name: "aim", amount: (AIM_MS * count) / 1_000 },
        { name: "from text", run: () => engine.account(text, nowMs) },
        { name: "JSON.stringify", run: () => JSON.stringify(question) },
        { name: "parse in the engine", run: () => refused(engine, `${text}x`, nowMs) },
        { name: "JSON.parse of the answer", run: () => JSON.parse(answer) as unknown },
      ];
    },
  };
}

/** The Job of the recording, its first pod that failed, and a time after both. */
function recorded(): { job: object; pod: FailedPod; nowMs: number } {
  const responses = readFileSync(RECORDING, "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { response?: { kind?: string; status?: { phase?: string } } | null }).response);
  const job = responses.findLast((response) => response?.kind === "Job")!;
  const pod = responses.find((response) => response?.kind === "Pod" && response.status?.phase === "Failed")!;
  return { job, pod: pod as unknown as FailedPod, nowMs: Date.parse("2026-12-01T00:00:00Z") };
}

/** Little more than what is read of it. */
function smallPod({ metadata, spec, status }: FailedPod): FailedPod {
  const { name, uid, creationTimestamp, ownerReferences } = metadata;
  const { nodeName, restartPolicy, containers } = spec;
  return {
    metadata: { name, uid, creationTimestamp, ownerReferences },
    spec: { nodeName, restartPolicy, containers: (containers as { name: string }[]).map(({ name }) => ({ name })) },
    status,
  };
}

function podAt({ metadata, spec, status }: FailedPod, index: number, ms: number): FailedPod {
  const digits = String(index).padStart(5, "0");
  const time = new Date(ms).toISOString().replace(".000Z", "Z");
  const state = { terminated: { exitCode: 1, reason: "Error", startedAt: time, finishedAt: time } };
  return {
    metadata: {
      ...metadata,
      name: `pi-fails-twice-${digits}`,
      uid: `114f715b-c763-4698-83e6-462e406${digits}`,
      creationTimestamp: time,
    },
    spec,
    status: {
      ...status,
      startTime: time,
      containerStatuses: status.containerStatuses.map((container) => ({ ...container, state })),
    },
  };
}

/** The whole question is read before the engine sees that something follows its end. */
function refused(engine: Engine, text: string, nowMs: number): EngineError {
  try {
    engine.account(text, nowMs);
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error("the engine takes a question with something behind its end");
}
