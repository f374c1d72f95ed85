/**
 * `stint controller` behind a proxy that makes life hard, with Jobs of every kind, for some minutes: nothing is lost,
 * nothing is counted twice, no pod is left with a finalizer, and its memory does not grow.
 */
import type { Line } from "../../history/format.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { startFaultProxy } from "../fault-proxy.ts";
import { recordHistory } from "../history-recorder.ts";
import { startKwok } from "../kwok.ts";
import { usageOf } from "../process-usage.ts";
import { explanationOf, startStintController } from "../stint-controller.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { stagesWithFailures } from "./stages.ts";
import { runJob } from "./workload.ts";

const NAMESPACE = "soak";
/**
 * A history is held in memory, and the server's log of it on disk: some 20 MB and 100 MB for six minutes of eight
 * lanes.
 */
export const MAX_RECORDED_MINUTES = 60;
/** The controller's: the history tells by it who wrote what. */
const USER = "stint";
const SAMPLE_MS = 5_000;
/** More than the first eight delays of the retry backoff (183 s): a Job may meet that many failures in a row. */
const JOB_TIMEOUT_MS = 240_000;
/** What the second half may be above the first, after a warm-up: garbage that is not yet collected. */
const MEMORY_TOLERANCE = 1.15;

export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Jobs at once. */
  readonly lanes: number;
  readonly onProgress?: (line: string) => void;
}

export interface SoakReport {
  readonly jobs: number;
  readonly findings: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  /** Largest resident size of the first half after the warm-up, and of the second. */
  readonly memory: { readonly firstHalfBytes: number; readonly secondHalfBytes: number };
  /** What the controller has warned of, by kind of sentence. */
  readonly warnings: number;
  /** What the API server has seen, for test/history/. None of a run longer than {@link MAX_RECORDED_MINUTES}. */
  readonly history: readonly Line[] | undefined;
}

/** @throws Error when a part cannot be started */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const controlPlane = await startControlPlane({
    ...(options.minutes > MAX_RECORDED_MINUTES ? {} : { audit: "objects" }),
    users: [{ name: USER, groups: ["system:masters"] }],
  });
  try {
    return await soakOn(controlPlane, options);
  } finally {
    await controlPlane.stop();
  }
}

async function soakOn(
  controlPlane: ControlPlane,
  { minutes, seed, lanes, onProgress }: SoakOptions,
): Promise<SoakReport> {
  const recorder = minutes > MAX_RECORDED_MINUTES ? undefined : await recordHistory(controlPlane);
  await startKwok(controlPlane, { stages: await stagesWithFailures() });
  await startUpstreamController(controlPlane, { controllers: ["garbage-collector-controller"], clientQps: -1 });
  const client = controlPlane.client();
  await client.succeed("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  const proxy = await startFaultProxy(controlPlane, seed);
  const controller = await startStintController(controlPlane, {
    kubeconfig: proxy.kubeconfig(USER),
    flags: ["--default-controller", "--pod-backoff-base=500ms"],
  });
  const endMs = performance.now() + minutes * 60_000;
  const findings: string[] = [];
  const sizes: number[] = [];
  let jobs = 0;
  let ended = 0;
  const sampler = setInterval(() => {
    if (controller.running.exited) return;
    sizes.push(usageOf(controller.pid).residentBytes);
    const left = Math.max(0, Math.round((endMs - performance.now()) / 1000));
    const size = Math.round(sizes.at(-1)! / 1e6);
    onProgress?.(`${left} s to go: ${ended} Jobs, ${findings.length} findings, ${size} MB`);
  }, SAMPLE_MS);
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      findings.push(
        ...(await runJob({
          client,
          namespace: NAMESPACE,
          number: jobs++,
          timeoutMs: JOB_TIMEOUT_MS,
          explain: (name) => explanationOf(controller, NAMESPACE, name),
        })),
      );
      ended++;
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    if (controller.running.exited)
      findings.push(`the controller has ended; the end of its log:\n${controller.log().slice(-3000)}`);
  } finally {
    clearInterval(sampler);
  }
  const warmUp = Math.floor(sizes.length / 4);
  const middle = Math.floor((warmUp + sizes.length) / 2);
  const memory = {
    firstHalfBytes: Math.max(...sizes.slice(warmUp, middle)),
    secondHalfBytes: Math.max(...sizes.slice(middle)),
  };
  if (memory.secondHalfBytes > memory.firstHalfBytes * MEMORY_TOLERANCE)
    findings.push(`its memory grew from ${memory.firstHalfBytes} to ${memory.secondHalfBytes} bytes`);
  const warnings = controller
    .log()
    .split("\n")
    .filter((line) => line.includes('"level":"warn"')).length;
  const faults = { ...proxy.counts };
  await controller.stop();
  await proxy.stop();
  client.close();
  const history = await recorder?.finish([{ user: USER, program: "stint" }]);
  return { jobs: ended, findings, faults, memory, warnings, history };
}
