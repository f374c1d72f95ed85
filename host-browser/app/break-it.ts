/**
 * What can be done to a thing in the picture: the entries of the break-it menu. Each is one action of a scenario.
 * Leaves out when it happens: the page adds the instant of the playhead.
 */
import type { Action } from "../../cluster/simulation/scenario.ts";

/** The target of a menu. Names are those of API objects. */
export interface Target {
  readonly namespace: string;
  /** Absent: the menu is for no pod. */
  readonly pod?: string;
  /** When the pod was created. */
  readonly podCreatedMs?: number;
  readonly node?: string;
  readonly job?: string;
  /** Of the Job at that instant. */
  readonly parallelism?: number;
  readonly completions?: number;
  /** Only these can be given other completions. */
  readonly isElastic?: boolean;
  readonly isSuspended?: boolean;
}

export interface MenuEntry {
  readonly label: string;
  readonly action: Action;
  /** The instant of the action; absent: that of the playhead. */
  readonly atMs?: number;
}

export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

const DOWN_MS = 5_000;
const ERRORS_MS = 20_000;
const LATE_MS = 2_000;
const NO_SCHEDULING_MS = 30_000;

/** Things with their own menu, of the entries that fit only them. */
export type Thing = "node" | "controller";

/** From the thing itself to the whole cluster. */
export function menuFor(target: Target, thing?: Thing): MenuGroup[] {
  const groups =
    thing === "controller"
      ? [controllerGroup("Controller")]
      : thing === "node"
        ? [nodeGroup(target)]
        : [podGroup(target), nodeGroup(target), jobGroup(target), controlPlaneGroup()];
  return groups.filter(({ entries }) => entries.length > 0);
}

function podGroup({ namespace, pod, podCreatedMs: atMs }: Target): MenuGroup {
  if (pod === undefined) return { title: "", entries: [] };
  return {
    title: `Pod ${pod}`,
    entries: [
      { label: "Delete it", action: { kind: "delete-pod", namespace, name: pod } },
      { label: "Evict it", action: { kind: "evict-pod", namespace, name: pod } },
      ...(atMs === undefined
        ? []
        : [
            {
              label: "Never schedule it, from its creation on",
              atMs,
              action: { kind: "never-schedule", namespace, name: pod } as const,
            },
          ]),
    ],
  };
}

function nodeGroup({ node }: Target): MenuGroup {
  if (node === undefined) return { title: "", entries: [] };
  return {
    title: `Node ${node}`,
    entries: [
      { label: "Drain it", action: { kind: "drain", node } },
      { label: "Cordon it: no new pods", action: { kind: "cordon", node } },
      { label: "Uncordon it", action: { kind: "uncordon", node } },
      { label: "Lose it: the machine is gone", action: { kind: "lose-node", node } },
    ],
  };
}

function jobGroup(target: Target): MenuGroup {
  const { namespace, job } = target;
  if (job === undefined) return { title: "", entries: [] };
  const flip: MenuEntry =
    target.isSuspended === true
      ? { label: "Resume it", action: { kind: "resume", namespace, name: job } }
      : { label: "Suspend it", action: { kind: "suspend", namespace, name: job } };
  return {
    title: `Job ${job}`,
    entries: [
      flip,
      ...scales(target, namespace, job),
      { label: "Delete it", action: { kind: "delete-job", namespace, name: job } },
    ],
  };
}

/** Twice and half of the present parallelism. An elastic Job gets as many completions. */
function scales({ parallelism, isElastic }: Target, namespace: string, name: string): MenuEntry[] {
  if (parallelism === undefined) return [];
  const sizes = [...new Set([parallelism === 0 ? 1 : parallelism * 2, Math.floor(parallelism / 2)])];
  return sizes
    .filter((size) => size !== parallelism)
    .map((size) => ({
      label: isElastic === true && size > 0 ? `Scale to ${size} indexes` : `Scale to parallelism ${size}`,
      action: {
        kind: "scale",
        namespace,
        name,
        parallelism: size,
        ...(isElastic === true && size > 0 ? { completions: size } : {}),
      },
    }));
}

function controlPlaneGroup(): MenuGroup {
  const { title, entries } = controllerGroup("Control plane");
  const stop: MenuEntry = {
    label: `Nothing is scheduled for ${NO_SCHEDULING_MS / 1000} s`,
    action: { kind: "stop-scheduler", forMs: NO_SCHEDULING_MS },
  };
  return { title, entries: [...entries, stop] };
}

function controllerGroup(title: string): MenuGroup {
  return {
    title,
    entries: [
      {
        label: `Restart the controller (${DOWN_MS / 1000} s down)`,
        action: { kind: "restart-controller", downMs: DOWN_MS },
      },
      {
        label: `API server answers 500 for ${ERRORS_MS / 1000} s`,
        action: { kind: "api-errors", status: 500, forMs: ERRORS_MS },
      },
      {
        label: `API server answers 429 for ${ERRORS_MS / 1000} s`,
        action: { kind: "api-errors", status: 429, forMs: ERRORS_MS },
      },
      {
        label: `API answers come ${LATE_MS / 1000} s late for ${ERRORS_MS / 1000} s`,
        action: { kind: "slow-api", delayMs: LATE_MS, forMs: ERRORS_MS },
      },
    ],
  };
}
