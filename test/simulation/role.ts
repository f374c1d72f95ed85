/**
 * The controller of a run: upstream's, or one that runs the Jobs with its managedBy and keeps pods by its own
 * finalizer; and whether it schedules gangs. Each run draws one, and every process of that run has it.
 */
import type { EngineConfiguration } from "../../bindings/js/engine.ts";
import type { Chance } from "./chance.ts";

export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const RESERVED_MANAGER = "kubernetes.io/job-controller";
const OWN_NAME = "example.com/stint";
const OWN_FINALIZER = "example.com/stint-tracking";
const OTHER_MANAGER = "example.com/other";

export interface Role {
  /** It runs the Jobs with this spec.managedBy; undefined: those without one, or with upstream's. */
  readonly managedBy?: string;
  /** What keeps a pod until it is counted. */
  readonly finalizer: string;
  /** What another controller keeps pods by. */
  readonly othersFinalizer: string;
  /** Whose finished Jobs are removed when their time to live is over. */
  readonly removes: "everybody's" | "its own" | "none";
  readonly gangScheduling: boolean;
}

export function drawRole(chance: Chance): Role {
  const gangScheduling = chance.isHit(0.25);
  if (!chance.isHit(0.2))
    return { finalizer: TRACKING_FINALIZER, othersFinalizer: OWN_FINALIZER, removes: "everybody's", gangScheduling };
  return {
    managedBy: OWN_NAME,
    finalizer: OWN_FINALIZER,
    othersFinalizer: TRACKING_FINALIZER,
    removes: chance.pick(["its own", "none"]),
    gangScheduling,
  };
}

export function configurationOf({
  managedBy,
  finalizer,
  removes,
  gangScheduling,
}: Role): Omit<EngineConfiguration, "instance" | "sources"> {
  return {
    ...(managedBy === undefined ? {} : { managedBy, finalizer, removesFinished: removes === "its own" }),
    ...(gangScheduling ? { gangScheduling } : {}),
  };
}

/** Another controller's Job. @param manager its spec.managedBy */
export function isForeign({ managedBy }: Role, manager: string | undefined): boolean {
  if (managedBy !== undefined) return manager !== managedBy;
  return manager !== undefined && manager !== RESERVED_MANAGER;
}

/** The spec.managedBy of a new Job: mostly that of this controller's own. */
export function drawManager({ managedBy }: Role, chance: Chance): string | undefined {
  if (managedBy === undefined) return chance.isHit(0.07) ? OTHER_MANAGER : undefined;
  return chance.isHit(0.8) ? managedBy : chance.pick([undefined, RESERVED_MANAGER, OTHER_MANAGER]);
}
