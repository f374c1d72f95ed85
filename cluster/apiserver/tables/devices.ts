/** The tables of resource.k8s.io: claims to devices, and which node has which. */
import type { DeviceTaintRule, ResourceResourceClaim, ResourceSlice } from "../../values/kinds.ts";
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

/** Of classes and templates. */
export const deviceTable: TableDefinition = {
  columns: [column("Name"), column("Age")],
  cells: (object, nowMs) => [object.metadata.name, age(object, nowMs)],
};

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

export const resourceSliceTable: TableDefinition<ResourceSlice> = {
  columns: [column("Name"), column("Node"), column("Driver"), column("Pool"), column("Age")],
  cells: (slice, nowMs) => [
    slice.metadata.name,
    slice.spec.nodeName ?? "",
    slice.spec.driver,
    slice.spec.pool?.name ?? "",
    age(slice, nowMs),
  ],
};
