/** The common part of protobuf and YAML in front of the cluster: bodies that it cannot read, as it knows JSON. */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { JsonObject, ServerRequest } from "../../cluster/index.ts";
import type { RequestHandler } from "./https-server.ts";

/** Bytes of a body that an error shows. */
const SHOWN_BYTES = 30;

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * The real API server's words for a body that cannot be read. @param known the kind that the body names, if that can be
 * read
 */
export function unreadable(
  why: string,
  known: Kind | undefined,
  bytes: Uint8Array,
  request: ServerRequest,
  handler: RequestHandler,
): string {
  const expected = expectedKind(request, handler).kind;
  if (known !== undefined && known.kind !== "") {
    const version = known.apiVersion.split("/").at(-1);
    return `${known.kind} in version "${version}" cannot be handled as a ${expected}: ${why}`;
  }
  const start = Buffer.from(bytes.subarray(0, SHOWN_BYTES));
  const text = start[0] === 0x7b ? start.toString() : start.toString("hex");
  const shown = bytes.length === 0 ? "<empty>" : `${text}${bytes.length > SHOWN_BYTES ? " ..." : ""}`;
  return `the object provided is unrecognized (must be of type ${expected}): ${why} (${shown})`;
}

/** The kind of the body that a path takes, as discovery has it. */
export function expectedKind({ method, path, headers }: ServerRequest, handler: RequestHandler): Kind {
  if (method === "DELETE") return { kind: "DeleteOptions", apiVersion: "v1" };
  const [, root = "", rest = ""] = /^(\/api\/[^/?]+|\/apis\/[^/?]+\/[^/?]+)\/([^?]*)/.exec(path) ?? [];
  const parts = rest.split("/");
  const isNamespaced = parts[0] === "namespaces" && parts.length > 2 && parts[2] !== "status";
  const [resource, , subresource] = isNamespaced ? parts.slice(2) : parts;
  const name = subresource === undefined ? resource : `${resource}/${subresource}`;
  const answer = handler.handle({ method: "GET", path: root, headers: { ...headers, accept: "application/json" } });
  const groupVersion = root.replace(/^\/apis?\//, "");
  const resources = "body" in answer && answer.status === 200 ? resourcesOf(answer) : [];
  const found = resources.find((other) => other["name"] === name);
  const { kind = "", group, version } = (found ?? {}) as Record<string, string | undefined>;
  return { kind, apiVersion: group !== undefined && version !== undefined ? `${group}/${version}` : groupVersion };
}

function resourcesOf({ body }: ApiResponse): readonly JsonObject[] {
  return ((JSON.parse(textOf(body)) as JsonObject)["resources"] ?? []) as JsonObject[];
}

export function withHeader(request: ServerRequest, name: string, value: string): ServerRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}
