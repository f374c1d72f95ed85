/**
 * The control API over HTTP: `/control/v1/…`, by which a test in any language moves time and decides how pods end.
 *
 * Invariant: only the administrator may call, and calls are carried out one after another. Every refusal is a Status
 * that says what was given and what is allowed. Leaves out what the calls do (control-calls.ts).
 */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { ADMINISTRATOR } from "../../cluster/apiserver/access/users.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { ServerRequest } from "../../cluster/index.ts";
import { RefusedError } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";
import { CONTROL_PATH } from "../server/control-path.ts";
import { CONTROL_CALLS, type CallTarget, type ControlCall, type Given } from "./control-calls.ts";
import { statusResponse } from "../server/guard.ts";

/** A script for an outcome may name many completion indexes. */
const MAX_BODY_BYTES = 256 * 1024;
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "RequestEntityTooLarge",
};

export class ControlApi {
  readonly #target: CallTarget;
  /** The end of the calls that have come so far. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(target: CallTarget) {
    this.#target = target;
  }

  /** Whether a request is for this API, and not for the cluster's. */
  takes(path: string): boolean {
    return /^\/control(?:[/?]|$)/.test(path);
  }

  async answer(request: ServerRequest): Promise<ApiResponse> {
    try {
      const { call, given } = readRequest(request);
      const result = this.#previous.then(() => call.run(this.#target, given));
      this.#previous = result.catch(() => {});
      return responseOf(await result);
    } catch (error) {
      if (error instanceof ControlError) return refusal(error.code, error.message);
      if (error instanceof RefusedError) return refusal(error.status, error.message);
      if (error instanceof Refusal) return refusal(error.code, error.message);
      throw error;
    }
  }
}

/** A request that is no call. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function readRequest(request: ServerRequest): { readonly call: ControlCall; readonly given: Given } {
  if (request.user !== ADMINISTRATOR)
    throw new Refusal(
      403,
      `the user is ${JSON.stringify(request.user?.name ?? "")}; the control API is for the administrator alone, whose token is in the kubeconfig that the server wrote`,
    );
  const { pathname, searchParams } = new URL(request.path, "https://localhost");
  const call = findCall(request.method, pathname);
  const given = call.method === "GET" ? Object.fromEntries(searchParams) : fieldsOf(request);
  checkFields(call, given);
  return { call, given };
}

/** @throws Refusal that lists the known calls */
function findCall(method: string, path: string): ControlCall {
  const there = CONTROL_CALLS.filter((call) => path === `${CONTROL_PATH}/${call.path}`);
  const call = there.find((one) => one.method === method);
  if (call !== undefined) return call;
  if (there.length > 0)
    throw new Refusal(405, `the method is ${method}; ${path} allows ${there.map((one) => one.method).join(", ")}`);
  const all = CONTROL_CALLS.map((one) => `${one.method} ${CONTROL_PATH}/${one.path}`).join(", ");
  throw new Refusal(404, `there is no ${method} ${path}; there are ${all}`);
}

function fieldsOf({ path, body }: ServerRequest): Given {
  if (body === undefined || body.length === 0) return {};
  if (body.length > MAX_BODY_BYTES)
    throw new Refusal(413, `the body of ${path} has ${body.length} bytes; allowed are ${MAX_BODY_BYTES}`);
  let value: unknown;
  try {
    value = JSON.parse(textOf(body));
  } catch (error) {
    throw new Refusal(400, `the body of ${path} is no JSON: ${(error as Error).message}; allowed is a JSON object`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Refusal(400, `the body of ${path} is no JSON object, which it has to be`);
  return value as Given;
}

function checkFields({ method, path, required, optional }: ControlCall, given: Given): void {
  const call = `${method} ${CONTROL_PATH}/${path}`;
  const unknown = Object.keys(given).find((name) => ![...required, ...optional].includes(name));
  if (unknown !== undefined) {
    const known = [...required, ...optional.map((name) => `${name} (optional)`)];
    const allowed = known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`;
    throw new Refusal(400, `${call} was given the field ${JSON.stringify(unknown)}; ${allowed}`);
  }
  const missing = required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined)
    throw new Refusal(
      400,
      `${call} was not given the field ${JSON.stringify(missing)}, which it needs${method === "GET" ? `: ?${missing}=…` : ""}`,
    );
}

function responseOf(result: object | Uint8Array): ApiResponse {
  const isFile = result instanceof Uint8Array;
  return {
    status: 200,
    headers: { "content-type": isFile ? "application/jsonl" : "application/json", "cache-control": "no-store" },
    body: isFile ? result : `${JSON.stringify(result)}\n`,
  };
}

function refusal(code: number, message: string): ApiResponse {
  return statusResponse(code, REASONS[code] ?? "InternalError", message);
}
