/**
 * Connects to a container engine from the options of a command, and reports in its output what happens with images.
 */
import { resolve } from "node:path";
import type { Clock } from "../../bindings/js/host.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { EventRecorder } from "../../cluster/client/event-recorder.ts";
import { findEngineSocket, type EngineName } from "../runtime/container-engine/engine-socket.ts";
import type { EngineRuntime, EngineRuntimeOptions } from "../runtime/container-engine/engine-runtime.ts";
import type { PullListener } from "../runtime/container-engine/images.ts";
import { UsageError } from "../usage-error.ts";
import type { Console } from "./console.ts";
import type { IsolationOptions } from "./isolation.ts";
import { NODE_NAME } from "../runtime/node.ts";
import { formatDuration } from "../words/duration.ts";

/** How often the progress of a pull is printed. */
const PROGRESS_MS = 2000;

/** The options of the command line that are about container engines. */
export interface ContainerEngineOptions {
  /** Undefined: the program searches for it. */
  readonly engineSocket?: string | undefined;
  readonly allowPrivileged: boolean;
  /** Where the volumes of claims are made, and stay. */
  readonly volumeFolder?: string | undefined;
}

/** For other runtimes. @throws UsageError for options that have no meaning with them */
export function refuseEngineOptions({ engineSocket, allowPrivileged }: ContainerEngineOptions, runtime: string): void {
  const given = engineSocket === undefined ? (allowPrivileged ? "--allow-privileged" : undefined) : "--engine-socket";
  if (given !== undefined)
    throw new UsageError(`${given} is given with --runtime ${runtime}; it is for --runtime docker and podman`);
}

/** @throws UsageError for options that have no meaning with images, and when there is no engine that can be used */
export async function connectEngine(
  name: EngineName,
  options: IsolationOptions & ContainerEngineOptions,
  { environment, workingDirectory }: Pick<Console, "environment" | "workingDirectory">,
  more: Pick<EngineRuntimeOptions, "findSecret" | "findClaimed" | "isInteractive" | "onPull" | "onEvent">,
): Promise<EngineRuntime> {
  const { isolation, shareProcesses, visible, network, allowHostPath, allowPrivileged, engineSocket } = options;
  const [given] = [
    ...(isolation ? [] : ["--no-isolation"]),
    ...(shareProcesses ? ["--share-processes"] : []),
    ...(visible.length > 0 ? ["--visible"] : []),
  ];
  if (given !== undefined)
    throw new UsageError(
      `${given} is given with --runtime ${name}, whose containers have the files of their images; it is for --runtime process`,
    );
  const named = engineSocket === undefined ? undefined : resolve(workingDirectory, engineSocket);
  const socketPath = findEngineSocket(name, named, environment);
  const volumeFolder = options.volumeFolder && resolve(workingDirectory, options.volumeFolder);
  // Most runs need no engine, so its client is loaded here.
  const { EngineRuntime: runtimes } = await import("../runtime/container-engine/engine-runtime.ts");
  return runtimes.connect({ name, socketPath, network, allowHostPath, allowPrivileged, volumeFolder, ...more });
}

/** Prints for each image that it is being pulled, the progress, and that it is present. */
export function tellPulls(now: () => number, tell: (text: string) => void): PullListener {
  const toldMs = new Map<string, number>();
  return {
    pulling: (image) => {
      toldMs.set(image, now());
      tell(`pulling image ${image}`);
    },
    progress: (image, doneBytes, totalBytes) => {
      if (now() - (toldMs.get(image) ?? 0) < PROGRESS_MS) return;
      toldMs.set(image, now());
      tell(`pulling image ${image}: ${megabytes(doneBytes)} of ${megabytes(totalBytes)}`);
    },
    pulled: (image, size, durationMs) => {
      toldMs.delete(image);
      tell(`pulled image ${image}, ${megabytes(size)}, in ${formatDuration(durationMs)}`);
    },
    present: () => {},
  };
}

/** Writes the events of images to the cluster, as its kubelet. */
export function imageEvents(clock: Clock, cluster: () => Cluster): NonNullable<EngineRuntimeOptions["onEvent"]> {
  let recorder: EventRecorder | undefined;
  return ({ pod, container, isInit }, reason, message) => {
    const { transport } = cluster();
    recorder ??= new EventRecorder({ transport, clock, random: Math.random, component: "kubelet", host: NODE_NAME });
    const fieldPath = `spec.${isInit ? "initContainers" : "containers"}{${container["name"]}}`;
    recorder.record({ apiVersion: "v1", kind: "Pod", object: pod, fieldPath }, "Normal", reason, message);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
