/** The tables of resource.k8s.io: claims to devices, and the taints of devices. */
import type { DeviceTaintRule, ResourceResourceClaim } from "../../values/kinds.ts";
import { age, since } from "./duration.ts";
import { column, type TableDefinition } from "./table.ts";

function claimState({ metadata, ["status"]: status }: ResourceResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const isAllocated = status?.allocation !== undefined;
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isAllocated && (status.reservedFor ?? []).length > 0 ? ["reserved"] : []),
  ].join(",");
}

export const deviceTaintRuleTable: TableDefinition<DeviceTaintRule> = {
  columns: [column("Name"), column("Key"), column("Value"), column("Effect"), column("TimeAdded"), column("Age")],
  cells: (rule, nowMs) => {
    const { key, value = "", effect, timeAdded } = rule.spec.taint;
    return [rule.metadata.name, key, value, effect, since(timeAdded, nowMs), age(rule, nowMs)];
  },
};

export const resourceClaimTable: TableDefinition<ResourceResourceClaim> = {
  columns: [column("Name"), column("State"), column("Age")],
  cells: (claim, nowMs) => [claim.metadata.name, claimState(claim), age(claim, nowMs)],
};
