/** The DeleteOptions of a request: from its body, or from the query if there is none. */
import type { ResourceRequest } from "../contract/context.ts";
import { conform, DecodeError, HEAD_TYPE } from "../schema/decode.ts";
import { parseJson } from "../../values/go-json.ts";
import { goJsonKind, isObject } from "../../values/json.ts";
import { mediaTypeOf } from "../http/negotiate.ts";
import { structType } from "../schema/schema.ts";
import { badRequest, type FieldError, unsupportedBody } from "../contract/status-errors.ts";
import { dryRunErrors, optionsError } from "./write-options.ts";

const policies = ["Foreground", "Background", "Orphan"] as const;

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: (typeof policies)[number];
  readonly isDryRun: boolean;
}

type Given = Omit<DeleteOptions, "isDryRun" | "propagationPolicy"> & {
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
};

/** @throws ApiError 400, 415, 422 */
export function deleteOptions(request: ResourceRequest): DeleteOptions {
  return checkOptions(request.body === "" ? fromQuery(request) : fromBody(request));
}

/** @throws ApiError 422 */
export function checkOptions({ dryRun = [], propagationPolicy, ...rest }: Given): DeleteOptions {
  const errors: FieldError[] = dryRunErrors(dryRun);
  if (propagationPolicy !== undefined && rest.orphanDependents !== undefined) {
    errors.push({
      kind: "Invalid",
      field: "propagationPolicy",
      value: propagationPolicy,
      detail: "orphanDependents and deletionPropagation cannot be both set",
    });
  } else if (propagationPolicy !== undefined && !(policies as readonly string[]).includes(propagationPolicy)) {
    errors.push({
      kind: "NotSupported",
      field: "propagationPolicy",
      value: propagationPolicy,
      detail: 'supported values: "Foreground", "Background", "Orphan", "nil"',
    });
  }
  if (errors.length > 0) optionsError("DeleteOptions", errors);
  return {
    ...rest,
    ...(propagationPolicy !== undefined && { propagationPolicy: propagationPolicy as (typeof policies)[number] }),
    isDryRun: dryRun.length > 0,
  };
}

function fromQuery({ query }: ResourceRequest): Given {
  const grace = query.integer("gracePeriodSeconds");
  return {
    ...(grace !== undefined && { gracePeriodSeconds: grace }),
    ...(query.has("orphanDependents") && { orphanDependents: query.boolean("orphanDependents") }),
    ...(query.has("propagationPolicy") && { propagationPolicy: query.text("propagationPolicy") }),
    dryRun: query.all("dryRun"),
  };
}

function fromBody({ headers, body, definition }: ResourceRequest): Given {
  const mediaType = mediaTypeOf(headers["content-type"] ?? "application/json");
  if (mediaType !== "application/json") throw unsupportedBody(mediaType);
  let parsed;
  try {
    parsed = parseJson(body);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
  if (!isObject(parsed))
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonKind(parsed)} into Go value of type ${HEAD_TYPE}`,
    );
  const { kind = "DeleteOptions", apiVersion = "meta.k8s.io/v1" } = parsed;
  const known = ["v1", "meta.k8s.io/v1", definition.body.apiVersion];
  if (kind !== "DeleteOptions" || !known.includes(String(apiVersion))) {
    throw badRequest(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return conform(parsed, structType("DeleteOptions")).object as unknown as Given;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
}
