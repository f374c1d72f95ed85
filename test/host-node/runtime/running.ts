/** Helpers of the runtime tests: run one container to its end and collect what the runtime reports of it. */
import { existsSync, readFileSync } from "node:fs";
import type {
  ContainerExit,
  ContainerHandle,
  ContainerRuntime,
  VolumeFiles,
} from "../../../cluster/kubelet/container-runtime.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";
import type { PodStreams } from "../../../host-node/runtime/container-streams.ts";

/** The address of every pod. */
export const POD_IP = "127.200.0.1";

let made = 0;

/** A pod with one container `main` that runs this command. */
export function podOf(command: readonly string[], container: object = {}, spec: object = {}): Pod {
  const uid = `uid-${++made}`;
  return {
    metadata: {
      name: `pod-${made}`,
      namespace: "default",
      uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { containers: [{ name: "main", image: "none", command, ...container }], ...spec },
  } as unknown as Pod;
}

export interface Run {
  readonly handle: ContainerHandle;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly started: Promise<void>;
  /** Resolves once standard output holds this text. */
  readonly outputHas: (text: string) => Promise<void>;
  readonly end: Promise<{
    readonly exit?: ContainerExit;
    readonly failed?: { readonly reason: string; readonly message: string };
  }>;
}

export function start(
  runtime: ContainerRuntime,
  pod: Pod,
  env: readonly { name: string; value: string }[] = [],
  index = 0,
): Run {
  const text = { stdout: "", stderr: "" };
  const waiting: { text: string; resolve: () => void }[] = [];
  let finish!: (value: Awaited<Run["end"]>) => void;
  const end = new Promise<Awaited<Run["end"]>>((resolve) => (finish = resolve));
  const began = Promise.withResolvers<void>();
  const handle = runtime.startContainer(
    { pod, podIP: POD_IP, container: pod.spec.containers[index]!, isInit: false, attempt: 0, env },
    {
      started: () => began.resolve(),
      output: (stream, chunk) => {
        text[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
        for (const waiter of waiting) if (text.stdout.includes(waiter.text)) waiter.resolve();
      },
      exited: (exit) => finish({ exit }),
      failed: (reason, message) => finish({ failed: { reason, message } }),
    },
  );
  const outputHas = (wanted: string): Promise<void> =>
    new Promise((resolve) => {
      if (text.stdout.includes(wanted)) resolve();
      else waiting.push({ text: wanted, resolve });
    });
  return { handle, stdout: () => text.stdout, stderr: () => text.stderr, started: began.promise, outputHas, end };
}

/**
 * Resolves once a command can join the container `main`. Its output may come earlier than the runtime learns of its
 * process, on a busy machine.
 */
export async function canJoin({ streams }: { readonly streams: PodStreams }, podUid: string): Promise<void> {
  while (!streams.isReady(podUid, "main")) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Creates the pod, runs its container and waits for its end. */
export async function run(
  runtime: ContainerRuntime,
  pod: Pod,
  env: readonly { name: string; value: string }[] = [],
): Promise<Awaited<Run["end"]> & { stdout: string; stderr: string }> {
  await createPod(runtime, pod);
  const running = start(runtime, pod, env);
  const end = await running.end;
  return { ...end, stdout: running.stdout(), stderr: running.stderr() };
}

/** It uses as much as it wants. */
const NEVER_EVICTED = (message: string): never => {
  throw new Error(`the pod should have been evicted: ${message}`);
};

export function createPod(runtime: ContainerRuntime, pod: Pod, files: VolumeFiles = new Map()): Promise<void> {
  return new Promise((resolve, reject) =>
    runtime.createPod(
      pod,
      files,
      (error) => (error === undefined ? resolve() : reject(new Error(error))),
      NEVER_EVICTED,
    ),
  );
}

/** Whether a process runs; one that has ended and waits for its parent to notice does not. */
export function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return false;
  try {
    return !/\) Z /.test(readFileSync(path, "latin1"));
  } catch {
    return false;
  }
}

/** Waits until a process is gone; the test's own time limit is the limit. */
export async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
