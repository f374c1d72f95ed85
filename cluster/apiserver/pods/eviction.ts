/**
 * `POST pods/NAME/eviction`: a delete with a reason. Without plugins it is always allowed. Pods that have ended, or not
 * begun, may always be evicted.
 */
import type { Eviction, Pod } from "../../values/kinds.ts";
import { keyOf, type Outcome, type ResourceRequest } from "../contract/context.ts";
import { readBody, reviewedPart } from "../verbs/create.ts";
import { type BodyKind, normalize } from "../schema/decode.ts";
import { checkOptions } from "../verbs/delete-options.ts";
import { deleteObject } from "../verbs/delete.ts";
import { structType } from "../schema/schema.ts";
import { badRequest, notFound, success } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { writeOptions } from "../verbs/write-options.ts";
import { withCondition } from "./binding.ts";

const versions = ["policy/v1", "policy/v1beta1"];

export function evict(request: ResourceRequest<Pod>): Outcome {
  const { server, definition, name } = request;
  const options = writeOptions(request.query, "CreateOptions");
  const given = readBody(request, evictionBody(request.body), options.fieldValidation);
  if (given.metadata.name !== name) throw badRequest("name in URL does not match name in Eviction object");
  const eviction = reviewedPart(given, request) as Eviction;
  const deleteOptions = checkOptions({ ...eviction.deleteOptions, ...(options.isDryRun && { dryRun: ["All"] }) });
  const store = server.store(definition);
  const stored = store.get(keyOf(request.namespace, name));
  if (!stored) throw notFound({ group: "", name: "pods" }, name);
  const { object: pod } = stored;
  const isOver =
    pod.metadata.deletionTimestamp !== undefined || ["Succeeded", "Failed"].includes(pod.status?.phase ?? "");
  if (!isOver && pod.status?.phase !== "Pending") server.plugins?.reviewEviction(pod, request, deleteOptions.isDryRun);
  if (!deleteOptions.isDryRun) {
    const status = withCondition(pod.status ?? {}, {
      type: "DisruptionTarget",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: formatTime(server.clock.now()),
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
    store.put(stored.key, normalize({ ...pod, status }, definition.body.type));
  }
  deleteObject(deleteOptions, request);
  return { code: 201, status: success(undefined, 201) };
}

/** Both versions decode; a body without a version counts as the newer one. */
export function evictionBody(body: string): BodyKind {
  const apiVersion = versions.find((version) => body.includes(`"${version}"`)) ?? versions[0]!;
  return {
    kind: "Eviction",
    apiVersion,
    version: apiVersion.split("/")[1]!,
    goType: "policy.Eviction",
    type: structType("Eviction"),
    isRegistered: () => false,
  };
}
