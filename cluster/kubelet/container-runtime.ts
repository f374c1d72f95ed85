/**
 * The seam between the kubelet, which decides when a container starts, restarts and stops, and a runtime,
 * which makes it happen. A runtime never retries, never counts restarts and never touches the API.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type { ContainerKind } from "./container-status.ts";
import type { Container, Pod, Probe as ProbeSpec } from "../values/kinds.ts";

/** A field of a pod that a runtime does not honour, with the reason in a few words. */
export interface UnsupportedField {
  /** Path in the pod: `spec.containers[0].image`. */
  readonly path: string;
  readonly why: string;
  /**
   * Set if this holds for every pod on this runtime, and is no reason to change the pod: a run prints it once, in place
   * of a warning.
   */
  readonly note?: string;
}

/** A file of a volume, made from a ConfigMap or a Secret. */
export interface VolumeFile {
  /** Path in the volume. Its folders are created. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** Files by the name of their volume. Volumes of other kinds are left out. */
export type VolumeFiles = ReadonlyMap<string, readonly VolumeFile[]>;

/** A container to start. */
export interface ContainerRequest {
  readonly pod: Pod;
  /** Its address. */
  readonly podIP: string;
  /** The entry of a list of containers of the spec, with $(VAR) in command and args expanded. */
  readonly container: Container;
  /** The container is from another list than spec.containers. */
  readonly isInit: boolean;
  /** The number of earlier starts of this container: its restartCount. */
  readonly attempt: number;
  /**
   * The environment, fully resolved, also from the pod, ConfigMaps and Secrets. In the order of the manifest, each name
   * once.
   */
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

export interface ContainerExit {
  /** 0–255; 128 + signal for a process ended by a signal. */
  readonly exitCode: number;
  readonly signal?: number;
  /** `Completed`, `Error`, `OOMKilled`… The kubelet fills in Completed or Error when it is absent. */
  readonly reason?: string;
  readonly message?: string;
}

/** What a runtime reports about one start of one container. Never called inside startContainer or stop. */
export interface ContainerEvents {
  started(): void;
  /** Output as it comes, after `started`. The kubelet keeps it, up to a limit. */
  output(stream: "stdout" | "stderr", chunk: Uint8Array | string): void;
  /** The container has ended. Called once, also after stop or kill, and nothing follows. */
  exited(exit: ContainerExit): void;
  /**
   * The container could not be started. `reason` is a waiting reason (`ErrImagePull`, `CreateContainerConfigError`) or
   * `StartError`, which counts as exit code 128. Called instead of `started`.
   */
  failed(reason: string, message: string): void;
}

/** `error`: the probe could not be carried out. */
export interface ProbeResult {
  readonly result: "success" | "failure" | "error";
  /** What the command printed, or what went wrong. */
  readonly output: string;
}

export type Probe = (spec: ProbeSpec, podIP: string, done: (result: ProbeResult) => void) => void;

/** A container that was started, or is starting. */
export interface ContainerHandle {
  /**
   * Asks the container to end (SIGTERM) and makes it end (SIGKILL) after the grace period in seconds; 0: at once. A
   * second call may shorten the period.
   */
  stop(gracePeriodSeconds: number): void;
  /**
   * Carries out a probe of the container's spec once, in the running container. `done` is called once, after
   * timeoutSeconds at the latest, and never inside this call; not at all when the container ends meanwhile.
   */
  readonly probe?: Probe | undefined;
}

/** The place of a container in its pod, for events. */
export interface ContainerPlace {
  /** The list of the pod's spec: `containers`. */
  readonly list: string;
  readonly name: string;
}

/** The part of a container's record that probes read and write. */
export interface ProbedRecord extends ContainerPlace {
  readonly kind: ContainerKind;
  /** The entry of its list, with its probes. */
  readonly container: Container;
  /** What probes have found out. */
  probed: { started: boolean; ready: boolean };
  /** The present attempt. */
  readonly run: { readonly handle: ContainerHandle | undefined } | undefined;
}

/** What probes need of their kubelet. */
export interface ProbeHost {
  readonly clock: Clock;
  event(pod: Pod, type: "Normal" | "Warning", reason: string, message: string, container?: ContainerPlace): void;
}

/** A container that has just started, and the callbacks of its pod worker. */
export interface ProbedContainer {
  readonly host: ProbeHost;
  readonly pod: Pod;
  readonly record: ProbedRecord;
  readonly podIP: string;
  /** Its `probed` has changed. */
  changed(): void;
  /** The container has failed a probe and must end. @param message of the event */
  kill(message: string, graceSeconds: number): void;
}

export interface RunningProbes {
  stop(): void;
}

/**
 * Sets `probed` of the record at once, and again with every result that counts. Undefined: the container is not probed.
 */
export type StartProbes = (container: ProbedContainer) => RunningProbes | undefined;

export interface ContainerRuntime {
  /** `simulated`, `process`. Shown as the runtime of the node. */
  readonly name: string;
  /** `startProbes` of probes.ts. Undefined: probes are not run, and containers count as started and ready. */
  readonly startProbes?: StartProbes;
  /**
   * The text for readers of the log of a container that has started and printed nothing. It is no output of the
   * container: only readers of its log get it. Undefined: none.
   */
  readonly emptyLogText?: string | undefined;
  /** The fields of this pod that this runtime does not honour. */
  unsupported(pod: Pod): readonly UnsupportedField[];
  /**
   * Makes what the containers of one pod share: its volumes with `files` in them. An error is the message of a pod that
   * cannot start yet; the kubelet retries. `done` is never called inside createPod.
   * @param evict the pod exceeds a limit, and has to end at once; may be called from `done` to removePod
   */
  createPod(pod: Pod, files: VolumeFiles, done: (error?: string) => void, evict: (message: string) => void): void;
  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle;
  /** Frees what createPod made. All containers of the pod have ended. */
  removePod(podUid: string): void;
}
