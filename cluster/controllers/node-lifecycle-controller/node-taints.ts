/**
 * The taints of a node that follow from its conditions: NoSchedule at once, and NoExecute where it is not ready, which
 * evicts its pods. Pure functions of the node. Source: pkg/controller/nodelifecycle, doNoScheduleTaintingPass and
 * processTaintBaseEviction.
 */
import { formatTime } from "../../values/times.ts";
import { conditionOf, conditionsOf } from "./node-health.ts";
import type { Node } from "../../values/kinds.ts";

const PREFIX = "node.kubernetes.io/";
const UNSCHEDULABLE = `${PREFIX}unschedulable`;
const NOT_READY = `${PREFIX}not-ready`;
const UNREACHABLE = `${PREFIX}unreachable`;

/** By type and status of a condition. */
const TAINT_OF_CONDITION: Readonly<Record<string, string>> = {
  "Ready False": NOT_READY,
  "Ready Unknown": UNREACHABLE,
  "MemoryPressure True": `${PREFIX}memory-pressure`,
  "DiskPressure True": `${PREFIX}disk-pressure`,
  "NetworkUnavailable True": `${PREFIX}network-unavailable`,
  "PIDPressure True": `${PREFIX}pid-pressure`,
};
const OWN_NO_SCHEDULE: readonly string[] = [...Object.values(TAINT_OF_CONDITION), UNSCHEDULABLE];
const OWN_NO_EXECUTE: readonly string[] = [NOT_READY, UNREACHABLE];

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/** Whether the node needs a NoExecute taint and has none. Replacing one by the other adds none. */
export function lacksNoExecute(node: Node): boolean {
  return wantedNoExecute(node) !== undefined && !taintsOf(node).some(isOwnNoExecute);
}

/**
 * The desired taints of the node; undefined: its present ones.
 * @param mayDrive whether a node that is not ready has a NoExecute taint
 */
export function wantedTaints(node: Node, mayDrive: boolean, nowMs: number): readonly NodeTaint[] | undefined {
  const taints = taintsOf(node);
  const noExecute = mayDrive ? wantedNoExecute(node) : undefined;
  const wanted: readonly NodeTaint[] = [
    ...noScheduleKeys(node).map((key) => ({ key, effect: "NoSchedule" })),
    ...(noExecute === undefined ? [] : [{ key: noExecute, effect: "NoExecute" }]),
  ];
  const has = (among: readonly NodeTaint[], { key, effect }: NodeTaint): boolean =>
    among.some((taint) => taint.key === key && taint.effect === effect);
  const kept = taints.filter((taint) => !isOwn(taint) || has(wanted, taint));
  const added = wanted.filter((taint) => !has(taints, taint));
  if (kept.length === taints.length && added.length === 0) return undefined;
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(nowMs) }))];
}

function noScheduleKeys(node: Node): readonly string[] {
  const keys = conditionsOf(node)
    .map(({ type, status }) => TAINT_OF_CONDITION[`${type} ${status}`])
    .filter((key) => key !== undefined);
  return node.spec?.unschedulable ? [...keys, UNSCHEDULABLE] : keys;
}

/** None for a node that has never reported, and for one that is ready. */
function wantedNoExecute(node: Node): string | undefined {
  return TAINT_OF_CONDITION[`Ready ${conditionOf(node, "Ready")?.status}`];
}

function taintsOf(node: Node): readonly NodeTaint[] {
  return node.spec?.taints ?? [];
}

function isOwn(taint: NodeTaint): boolean {
  return isOwnNoExecute(taint) || (taint.effect === "NoSchedule" && OWN_NO_SCHEDULE.includes(taint.key));
}

function isOwnNoExecute({ key, effect }: NodeTaint): boolean {
  return effect === "NoExecute" && OWN_NO_EXECUTE.includes(key);
}
