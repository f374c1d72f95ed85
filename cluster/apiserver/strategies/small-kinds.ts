/** The rules of Leases, ConfigMaps and Jobs: a few lines each. */
import type { KubeObject } from "../../types.ts";
import type { ResourceRequest } from "../context.ts";
import type { Strategy } from "../definition.ts";
import { deepEqual } from "../json.ts";
import { configKeyErrors } from "../names.ts";
import type { FieldError } from "../status-errors.ts";
import { dropSchedulingGroup, refuseGangResize } from "./gang.ts";

const maxConfigMapBytes = 1024 * 1024;

/** Jobs are defaulted and validated by admission; the server keeps a new one's status empty, and gangs as large as they are. */
export const jobStrategy: Strategy = {
  prepareCreate: (job, request) => ({ ...withoutDroppedGroup(job, request), status: {} }),
  prepareUpdate(job, current, request) {
    refuseGangResize(job, current, request);
    return withoutDroppedGroup(job, request);
  },
};

function withoutDroppedGroup(job: KubeObject, request: ResourceRequest): KubeObject {
  const template = job["spec"]?.template;
  const spec = dropSchedulingGroup(template?.spec, "spec.template.spec", request);
  return spec === template?.spec ? job : { ...job, spec: { ...job["spec"], template: { ...template, spec } } };
}

export const leaseStrategy: Strategy = {
  validate({ spec = {} }) {
    const errors: FieldError[] = [];
    if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0) {
      errors.push({ kind: "Invalid", field: "spec.leaseDurationSeconds", value: spec.leaseDurationSeconds, detail: "must be greater than 0" });
    }
    if (spec.leaseTransitions !== undefined && spec.leaseTransitions < 0) {
      errors.push({ kind: "Invalid", field: "spec.leaseTransitions", value: spec.leaseTransitions, detail: "must be greater than or equal to 0" });
    }
    return errors;
  },
};

export const configMapStrategy: Strategy = {
  validate(map, current) {
    const data: Record<string, string> = map["data"] ?? {};
    const binaryData: Record<string, string> = map["binaryData"] ?? {};
    const errors: FieldError[] = [];
    let bytes = 0;
    for (const [field, entries] of [["data", data], ["binaryData", binaryData]] as const) {
      for (const [key, value] of Object.entries(entries)) {
        for (const detail of configKeyErrors(key)) errors.push({ kind: "Invalid", field: `${field}[${key}]`, value: key, detail });
        bytes += field === "data" ? value.length : Math.floor((value.length * 3) / 4);
        if (field === "data" && key in binaryData) errors.push({ kind: "Invalid", field: `data[${key}]`, value: key, detail: "duplicate of key present in binaryData" });
      }
    }
    if (bytes > maxConfigMapBytes) errors.push({ kind: "TooLong", field: "", detail: `may not be more than ${maxConfigMapBytes} bytes` });
    return current?.["immutable"] ? [...errors, ...frozen(map, current)] : errors;
  },
};

function frozen(map: Record<string, any>, current: Record<string, any>): FieldError[] {
  return ["immutable", "data", "binaryData"]
    .filter((field) => !deepEqual(map[field], current[field]))
    .map((field) => ({ kind: "Forbidden", field, detail: "field is immutable when `immutable` is set" }));
}
