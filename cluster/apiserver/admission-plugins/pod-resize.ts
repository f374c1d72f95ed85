/**
 * Refuses a resize of a bound pod that its node could never hold. The kubelet decides whether the node has room now.
 * Source: plugin/pkg/admission/podresize.
 */
import { amountsOf, podAmounts } from "../../values/resource-amounts.ts";
import type { Node, Pod } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { RESIZE } from "../pods/resize.ts";
import { ApiError, forbidden } from "../contract/status-errors.ts";
import type { AdmissionPlugin } from "./chain.ts";

const OS_LABEL = "kubernetes.io/os";
/** Upstream reports cpu in thousandths, and memory in bytes. */
const RESOURCES = [
  { name: "cpu", unitMilli: 1 },
  { name: "memory", unitMilli: 1000 },
] as const;

export const podResize: AdmissionPlugin = {
  validate(object, current, request) {
    if (!isResize(request) || object === undefined || current === undefined) return;
    const { nodeName } = object.spec;
    if (!nodeName || deepEqual(object.spec, current.spec)) return;
    const { server } = request;
    const node = server.store(server.definition("", "nodes")).get(nodeName)?.object;
    if (node === undefined) throw refusal(object, `node ${JSON.stringify(nodeName)} not found`);
    const os = node.metadata.labels?.[OS_LABEL] ?? "linux";
    if (os !== "linux")
      throw refusal(
        object,
        `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${JSON.stringify(os)}`,
        "UnsupportedPlatform",
      );
    const lacks = lackOf(object as Pod, node);
    if (lacks.length > 0)
      throw refusal(object, `node didn't have enough allocatable resources: ${lacks.join("; ")}`, "NodeCapacity");
  },
};

/** Whether a request changes the resources that a pod requests. */
export function isResize({ definition, subresource }: ResourceRequest): boolean {
  return definition.group === "" && definition.resource === "pods" && subresource?.name === RESIZE;
}

function lackOf({ spec }: Pod, node: Node): string[] {
  const requests = podAmounts(spec, "requests");
  const allocatable = amountsOf(node.status?.allocatable);
  const amounts = RESOURCES.map(({ name, unitMilli }) => {
    const inUnits = (milli = 0): number => Math.ceil(milli / unitMilli);
    return { name, requested: inUnits(requests.get(name)), has: inUnits(allocatable.get(name)) };
  });
  return amounts
    .filter(({ requested, has }) => requested > has)
    .map(({ name, requested, has }) => `${name}, requested: ${requested}, allocatable: ${has}`);
}

function refusal({ metadata }: TypedObject, why: string, reason?: string): ApiError {
  const error = forbidden({ group: "", name: "pods" }, metadata.name, why);
  if (reason === undefined) return error;
  const { status } = error;
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
