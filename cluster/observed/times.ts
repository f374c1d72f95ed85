/** When an object was last written, as far as the object itself says so. */
import type { Observed } from "./story.ts";

/** The members with times of writes; those of a Job's or pod's spec are none. */
const STATUS_TIMES = ["startTime", "completionTime"];
const CONDITION_TIMES = ["lastTransitionTime"];
const CONTAINER_TIMES = ["startedAt", "finishedAt"];
const CONTAINERS = ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"];

type Data = Readonly<Record<string, any>>;

/** The latest time that the object names, in milliseconds since 1970; 0: none. */
export function lastWriteMs(object: Observed): number {
  const { metadata, status = {} } = object as { readonly metadata: Data; readonly status?: Data };
  const graceMs = Number(metadata["deletionGracePeriodSeconds"] ?? 0) * 1000;
  const times = [
    millis(metadata["creationTimestamp"]),
    // It says when the grace period ends.
    millis(metadata["deletionTimestamp"]) - graceMs,
    ...list(metadata["managedFields"]).map(({ time }) => millis(time)),
    ...STATUS_TIMES.map((name) => millis(status[name])),
    ...list(status["conditions"]).flatMap((condition) => CONDITION_TIMES.map((name) => millis(condition[name]))),
    ...CONTAINERS.flatMap((name) => list(status[name])).flatMap(containerTimes),
  ];
  return Math.max(0, ...times);
}

function containerTimes({ state = {}, lastState = {} }: Data): number[] {
  return [state.running, state.terminated, lastState.terminated].flatMap((part: Data = {}) =>
    CONTAINER_TIMES.map((name) => millis(part[name])),
  );
}

function list(value: unknown): readonly Data[] {
  return Array.isArray(value) ? value : [];
}

function millis(time: unknown): number {
  return Date.parse(String(time)) || 0;
}
