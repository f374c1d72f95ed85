/**
 * The part of a pod's status about one container, in the API's shape (docs/spec/api.md 5.6), and what else the
 * kubelet's pure rules (phase, conditions) need to know.
 */
import type { Container, PodSpec } from "../values/kinds.ts";

export interface TerminatedState {
  exitCode: number;
  signal?: number;
  reason: string;
  message?: string;
  /** metav1.Time; absent when the container never ran under this kubelet. */
  startedAt?: string;
  finishedAt?: string;
  containerID?: string;
}

/** Exactly one of the three is present. */
export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: TerminatedState;
}

export interface ContainerStatus {
  name: string;
  state: ContainerState;
  lastState: { terminated?: TerminatedState };
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
  /** Not reported for an ephemeral container. */
  started?: boolean;
  /** What the node has given it; reported by a kubelet that can resize. */
  allocatedResources?: Readonly<Record<string, string>>;
  /** What it runs with. */
  resources?: object;
}

/**
 * `init`: runs to completion before the next. `sidecar`: an init container with restartPolicy Always. `ephemeral`: was
 * added to a pod that was there already.
 */
export type ContainerKind = "init" | "sidecar" | "main" | "ephemeral";

/** A container as the rules for phase and conditions see it. */
export interface ContainerView {
  readonly kind: ContainerKind;
  readonly status: ContainerStatus;
  /** True if the container has ended, but its restart policy will start it again. */
  readonly willRestart: boolean;
}

/** The entries of a pod's spec with their kinds, init containers first, in the order in which they start. */
export function containersOf(podSpec: Partial<PodSpec>): { kind: ContainerKind; container: Container }[] {
  const init: readonly Container[] = podSpec.initContainers ?? [];
  const main: readonly Container[] = podSpec.containers ?? [];
  return [
    ...init.map((container) => ({
      kind: container.restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
      container,
    })),
    ...main.map((container) => ({ kind: "main" as const, container })),
  ];
}
