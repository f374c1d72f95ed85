/**
 * Claims to devices: how many a request means when it does not say so. Leaves out the rules of what they may ask for,
 * and that their specs do not change.
 */
import type { KubeObject } from "../../types.ts";
import type { Strategy } from "../definition.ts";

type Request = Readonly<Record<string, any>>;

function counted(request: Request): Request {
  const allocationMode = request["allocationMode"] ?? "ExactCount";
  return { ...request, allocationMode, ...(allocationMode === "ExactCount" ? { count: request["count"] ?? 1 } : {}) };
}

function withCounts(spec: Request | undefined): Request {
  const requests: readonly Request[] | null | undefined = spec?.["devices"]?.requests;
  if (!requests) return spec ?? {};
  const each = requests.map((request) => ({
    ...request,
    ...(request["exactly"] === undefined ? {} : { exactly: counted(request["exactly"]) }),
    ...(request["firstAvailable"] === undefined ? {} : { firstAvailable: request["firstAvailable"].map(counted) }),
  }));
  return { ...spec, devices: { ...spec!["devices"], requests: each } };
}

export const resourceClaimStrategy: Strategy = {
  prepareCreate: (claim) => ({ ...claim, spec: withCounts(claim["spec"]), status: {} }),
  prepareUpdate: (claim) => ({ ...claim, spec: withCounts(claim["spec"]) }),
};

function templateDefaults(template: KubeObject): KubeObject {
  return { ...template, spec: { ...template["spec"], spec: withCounts(template["spec"]?.spec) } };
}
export const resourceClaimTemplateStrategy: Strategy = {
  prepareCreate: templateDefaults,
  prepareUpdate: templateDefaults,
};
