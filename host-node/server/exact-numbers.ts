/**
 * Refuses whole numbers that a double does not hold exactly, before the cluster would round them. Upstream keeps 64
 * bits. No field of Kubernetes needs them: versions are texts, and so can quantities be. Leaves out what components in
 * this process write, and bodies in YAML and protobuf.
 */
import type { ApiResponse } from "../../bindings/js/host.ts";
import { textOf } from "../../cluster/values/text.ts";
import type { ServerRequest, StreamingResponse } from "../../cluster/index.ts";
import { statusResponse } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

/** Where such a number could be, or a text that looks like it. */
const MANY_DIGITS = /[[:,\s-]\d{16,}\s*[,}\]]/;
/**
 * The parts of JSON that say where a value is: texts, brackets, colons, commas. And whole numbers of many digits. A
 * text without an end goes to the end of the body: no part of it is scanned twice.
 */
const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:,]|(?<=[[:,\s])-?[1-9]\d{15,}(?=\s*[,}\]])/gs;

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

interface Place {
  /** The key as it is written; of a list, the position. */
  key: string | number;
}

/** Scans the text once, and makes no values: a body may have a million. */
function firstInexact(text: string): { readonly path: string; readonly source: string } | undefined {
  const places: Place[] = [];
  let latest = "";
  for (const [part] of text.matchAll(PARTS)) {
    const place = places.at(-1);
    if (part === "{") places.push({ key: "" });
    else if (part === "[") places.push({ key: 0 });
    else if (part === "}" || part === "]") places.pop();
    else if (part === ":" && place !== undefined) place.key = latest;
    else if (part === "," && typeof place?.key === "number") place.key++;
    else if (part.startsWith('"')) latest = part;
    else if (part !== "," && part !== ":" && String(Number(part)) !== part)
      return isJson(text) ? { path: pathOf(places), source: part } : undefined;
  }
  return undefined;
}

/** The cluster reports what is wrong with other texts. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function pathOf(places: readonly Place[]): string {
  let path = "";
  for (const { key } of places) {
    if (typeof key === "number") path += `[${key}]`;
    else path += path === "" ? JSON.parse(key) : `.${JSON.parse(key)}`;
  }
  return path;
}
