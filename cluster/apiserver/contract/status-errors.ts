/**
 * The Status bodies of failed requests. The class ApiError carries them from the code that fails to the code that
 * writes the answer. The functions here have the exact texts. Keys are in the server's order.
 */
import { goJsonKind, quote } from "../../values/json.ts";

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Partial<StatusCause>[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** A resource or kind in a message: `jobs.batch`, `pods`. */
export interface GroupName {
  readonly group: string;
  readonly name: string;
}

/** Thrown when a request fails; it carries the Status of the answer. */
export class ApiError extends Error {
  readonly status: Status;
  /** The response is indented, whatever the client asked for. */
  readonly isIndented: boolean;

  constructor(status: Status, isIndented = false) {
    super(status.message);
    this.status = status;
    this.isIndented = isIndented;
  }
}

interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly continue?: string;
  readonly isIndented?: boolean;
}

/** An error whose Status has the given parts. */
export function failure({ code, reason, message, details, continue: token, isIndented }: Failure): ApiError {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: token === undefined ? {} : { continue: token },
    status: "Failure",
    message,
    ...(reason !== undefined && { reason }),
    ...(details && { details: orderDetails(details) }),
    code,
  };
  return new ApiError(status, isIndented);
}

function orderDetails({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  return {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    ...(uid && { uid }),
    ...(causes && causes.length > 0 && { causes }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  };
}

/** The Status of a success, for example the answer to a DELETE. */
export function success(details?: StatusDetails, code?: number): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    ...(details && { details: orderDetails(details) }),
    ...(code !== undefined && { code }),
  };
}

/** `jobs.batch`; the core group has no suffix. */
export function qualified({ group, name }: GroupName): string {
  return group === "" ? name : `${name}.${group}`;
}

function about(resource: GroupName, name: string): StatusDetails {
  return { name, group: resource.group, kind: resource.name };
}

export const notFound = (resource: GroupName, name: string): ApiError =>
  failure({
    code: 404,
    reason: "NotFound",
    message: `${qualified(resource)} "${name}" not found`,
    details: about(resource, name),
  });

export const alreadyExists = (
  resource: GroupName,
  name: string,
  prefix = "",
  suffix = "",
  retryAfterSeconds?: number,
): ApiError =>
  failure({
    code: 409,
    reason: "AlreadyExists",
    message: `${prefix}${qualified(resource)} "${name}" already exists${suffix}`,
    details: { ...about(resource, name), ...(retryAfterSeconds && { retryAfterSeconds }) },
  });

export const conflict = (resource: GroupName, name: string, message: string): ApiError =>
  failure({
    code: 409,
    reason: "Conflict",
    message: `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${message}`,
    details: about(resource, name),
  });

export const modified = (resource: GroupName, name: string): ApiError =>
  conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );

export const forbidden = (
  resource: GroupName,
  name: string,
  message: string,
  causes?: readonly StatusCause[],
): ApiError =>
  failure({
    code: 403,
    reason: "Forbidden",
    message: `${qualified(resource)}${name === "" ? "" : ` "${name}"`} is forbidden: ${message}`,
    details: { ...about(resource, name), ...(causes && { causes }) },
  });

export const badRequest = (message: string): ApiError => failure({ code: 400, reason: "BadRequest", message });

/** The answer for a plain Go error: neither reason nor details. */
export const plainError = (message: string): ApiError => failure({ code: 500, message });

export const pathNotFound = (): ApiError =>
  failure({ code: 404, reason: "NotFound", message: "the server could not find the requested resource", details: {} });

export const methodNotAllowed = (): ApiError =>
  failure({
    code: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
    details: {},
  });

/** Formats that the real API server accepts beside JSON, and this one does not. */
const NOT_READ = ["application/yaml", "application/vnd.kubernetes.protobuf"];

/** The API server's text, without the refused type in the list of accepted types. */
export const unsupportedBody = (mediaType: string): ApiError =>
  failure({
    code: 415,
    reason: "UnsupportedMediaType",
    message: `the body of the request was in an unknown format - accepted media types include: application/json${NOT_READ.includes(mediaType) ? "" : `, ${NOT_READ.join(", ")}`}`,
  });

export const unsupportedPatch = (): ApiError =>
  failure({ code: 415, reason: "UnsupportedMediaType", message: "415: Unsupported Media Type", details: {} });

export const bodyTooLarge = (limitBytes: number): ApiError =>
  failure({ code: 413, reason: "RequestEntityTooLarge", message: `Request entity too large: limit is ${limitBytes}` });

export const expired = (message: string, token?: string): ApiError =>
  failure({ code: 410, reason: "Expired", message, ...(token !== undefined && { continue: token }) });

export const resourceVersionTooLarge = (given: number, current: number): ApiError =>
  failure({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${given}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });

/** One violated rule. `value` is rendered into the message unless it is left out. */
export interface FieldError {
  readonly kind:
    | "Required"
    | "Invalid"
    | "NotSupported"
    | "Forbidden"
    | "Duplicate"
    | "TooLong"
    | "TooMany"
    | "NotFound";
  readonly field: string;
  /** JSON. */
  readonly value?: unknown;
  readonly detail?: string;
}

const prefixes: Readonly<Record<FieldError["kind"], string>> = {
  Required: "Required value",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Forbidden: "Forbidden",
  Duplicate: "Duplicate value",
  TooLong: "Too long",
  TooMany: "Too many",
  NotFound: "Not found",
};
const withValue = new Set<FieldError["kind"]>(["Invalid", "NotSupported", "Duplicate", "TooMany", "NotFound"]);

/** A violated rule; admission returns it as a finished cause. */
export type Violation = FieldError | StatusCause;

function causeOf(error: Violation): StatusCause {
  if ("reason" in error) return error;
  const value = withValue.has(error.kind)
    ? `: ${goJsonKind(error.value) === "string" ? quote(String(error.value)) : JSON.stringify(error.value ?? null)}`
    : "";
  const detail = error.detail ? `: ${error.detail}` : "";
  return { reason: `FieldValue${error.kind}`, message: `${prefixes[error.kind]}${value}${detail}`, field: error.field };
}

/** A response names at most this many violations, as admission does. An object can have a million. */
const MAX_CAUSES = 256;

/** The 422 for one or more violated rules. `kind` carries the Kind, not the resource. */
export function invalid(kind: GroupName, name: string, errors: readonly Violation[]): ApiError {
  return invalidFromCauses(kind, name, errors.slice(0, MAX_CAUSES).map(causeOf));
}

/** The same, from finished causes. The message names each of them once. */
export function invalidFromCauses(kind: GroupName, name: string, causes: readonly StatusCause[]): ApiError {
  const lines = [...new Set(causes.map((cause) => `${cause.field}: ${cause.message}`))];
  const list = lines.length === 1 ? lines[0]! : `[${lines.join(", ")}]`;
  return failure({
    code: 422,
    reason: "Invalid",
    message: `${qualified(kind)} ${quote(name)} is invalid: ${list}`,
    details: { ...about(kind, name), causes },
  });
}
