/**
 * Refuses whole numbers that a double does not hold exactly, before the cluster would round them. Upstream keeps 64
 * bits. No field of Kubernetes needs them: versions are texts, and so can quantities be. Leaves out what components in
 * this process write, and bodies in YAML and protobuf.
 */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/apiserver/text.ts";
import type { ServerRequest, StreamingResponse } from "../../cluster/index.ts";
import { statusResponse } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

/** Where such a number could be. Texts may look like it, so what is found is read. */
const MANY_DIGITS = /[[:,\s-]\d{16,}\s*[,}\]]/;

export function withExactNumbers(handler: RequestHandler): RequestHandler {
  return { handle: (request) => refusal(request) ?? handler.handle(request) };
}

function refusal({ body = "" }: ServerRequest): ApiResponse | StreamingResponse | undefined {
  const text = textOf(body);
  if (!MANY_DIGITS.test(text)) return undefined;
  const found = firstInexact(text);
  if (found === undefined) return undefined;
  const kept = Number(found.source);
  return statusResponse(
    400,
    "BadRequest",
    `${found.path} is ${found.source}, which would be kept as ${kept}: whole numbers beyond ${Number.MAX_SAFE_INTEGER} are not kept exactly; write a quantity as a text, "${found.source}"`,
  );
}

class Inexact {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** The reviver of JSON.parse is also told how a number is written; TypeScript's own types do not know that yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

function firstInexact(text: string): { readonly path: string; readonly source: string } | undefined {
  const mark: Reviver = (_key, value, { source }) =>
    typeof value === "number" && /^-?[1-9]\d*$/.test(source ?? "") && String(value) !== source
      ? new Inexact(source!)
      : value;
  try {
    return find(JSON.parse(text, mark as (key: string, value: unknown) => unknown), "");
  } catch {
    // The cluster says what is wrong with it.
    return undefined;
  }
}

function find(value: unknown, path: string): { readonly path: string; readonly source: string } | undefined {
  if (value instanceof Inexact) return { path, source: value.source };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = find(member, Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}
