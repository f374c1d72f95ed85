/**
 * The kinds that only `stint serve` and `stint run` have, each with objects to begin with and with changes to them.
 * They go through fewer parts of the API than those of kinds.ts: what the server does for all kinds is tried there.
 *
 * Nothing here may touch the sequences of other kinds, which run at the same time. So no PriorityClass or StorageClass
 * is the default, and what selects requests selects a group that no server serves.
 */
import type { TriedKind } from "../kinds.ts";
import { DEVICE_KINDS } from "./devices.ts";
import { NETWORK } from "./network.ts";
import { RULE_KINDS } from "./rules.ts";
import { STORAGE } from "./storage.ts";
import { WORKLOADS } from "./workloads.ts";

export const SERVED_KINDS: readonly TriedKind[] = [
  ...WORKLOADS,
  ...NETWORK,
  ...STORAGE,
  ...DEVICE_KINDS,
  ...RULE_KINDS,
];
