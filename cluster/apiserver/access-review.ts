/** `POST selfsubjectaccessreviews`: may I? In this cluster everybody may do everything. */
import type { KubeObject } from "../types.ts";
import type { Outcome, ResourceRequest } from "./context.ts";
import { readBody } from "./create.ts";
import { invalid } from "./status-errors.ts";
import { writeOptions } from "./write-options.ts";

export function reviewAccess(request: ResourceRequest): Outcome {
  const { body, group } = request.definition;
  const options = writeOptions(request.query, "CreateOptions");
  const review = readBody(request, body, options.fieldValidation);
  const { resourceAttributes, nonResourceAttributes } = review["spec"];
  if (Boolean(resourceAttributes) === Boolean(nonResourceAttributes)) {
    // Upstream quirk: the kind is missing from this answer.
    throw invalid({ group, name: "" }, "", [
      {
        kind: "Invalid",
        field: "spec.resourceAttributes",
        value: resourceAttributes ?? null,
        detail: "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      },
    ]);
  }
  const answer = {
    kind: body.kind,
    apiVersion: body.apiVersion,
    metadata: {},
    spec: review["spec"],
    status: { allowed: true },
  };
  // A review is answered, not stored: it has no name, uid or version.
  return { code: 201, object: answer as unknown as KubeObject };
}
