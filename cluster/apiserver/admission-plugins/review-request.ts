/** The request of an AdmissionReview: which user does what to which object, in the version that a webhook wants. */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { deleteOptions } from "../verbs/delete-options.ts";
import { namespaceOf, type Subject } from "./matching.ts";

const OPTIONS = { CREATE: "Create", UPDATE: "Update", DELETE: "Delete" };
const DRY_RUN = { dryRun: ["All"] };

/** What a review says about a write, beside its uid. `heard`: the resource as which the webhook matches it. */
export function requestOf(subject: Subject, heard: ResourceDefinition): JsonObject {
  const { request, object, current, operation } = subject;
  const { definition, subresource, user } = request;
  const options = optionsOf(operation, request);
  const namespace = namespaceOf(subject);
  return {
    kind: kindOf(heard, request),
    resource: resourceOf(heard),
    ...(subresource && { subResource: subresource.name }),
    requestKind: kindOf(definition, request),
    requestResource: resourceOf(definition),
    ...(subresource && { requestSubResource: subresource.name }),
    name: (object ?? current)!.metadata.name,
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: {
      username: user?.name ?? "system:apiserver",
      ...(user?.uid && { uid: user.uid }),
      groups: [...(user?.groups ?? ["system:masters", "system:authenticated"])],
    },
    object: converted(object, definition, heard),
    oldObject: converted(current, definition, heard),
    dryRun: options["dryRun"] !== undefined,
    options,
  };
}

/** A subresource may have its own kind, of another group. */
function kindOf({ group, version, body: { kind } }: ResourceDefinition, { subresource }: ResourceRequest): JsonObject {
  return { ...(subresource?.groupVersion ?? { group, version }), kind: subresource?.kind ?? kind };
}

function resourceOf({ group, version, resource }: ResourceDefinition): JsonObject {
  return { group, version, resource };
}

function optionsOf(operation: Subject["operation"], request: ResourceRequest): JsonObject {
  const head = { kind: `${OPTIONS[operation]}Options`, apiVersion: "meta.k8s.io/v1" };
  if (operation === "DELETE") {
    const { isDryRun, ...given } = deleteOptions(request);
    return { ...(given as JsonObject), ...head, ...(isDryRun && DRY_RUN) };
  }
  const { query } = request;
  const [fieldManager, fieldValidation] = [query.text("fieldManager"), query.text("fieldValidation")];
  return {
    ...head,
    ...(query.has("dryRun") && DRY_RUN),
    ...(fieldManager !== "" && { fieldManager }),
    ...(fieldValidation !== "" && { fieldValidation }),
  };
}

/** An object in the version that a webhook asks for. */
export function converted(
  object: KubeObject | undefined,
  from: ResourceDefinition,
  to: ResourceDefinition,
): JsonObject | null {
  if (object === undefined) return null;
  if (from === to) return object as unknown as JsonObject;
  const stored = from.conversion?.toStored(object) ?? object;
  return (to.conversion?.fromStored(stored) ?? stored) as unknown as JsonObject;
}

export function convertedBack(object: JsonObject, from: ResourceDefinition, to: ResourceDefinition): JsonObject {
  return converted(object as unknown as KubeObject, from, to)!;
}
