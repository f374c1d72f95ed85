/**
 * The response to one request: its status, the headers that every response has, and its body, which is written on first
 * read. Leaves out the content of the body: render.ts writes the outcome of an operation.
 */
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { RandomUid } from "../../values/names.ts";
import { write } from "./render.ts";
import type { Document } from "../contract/output.ts";
import type { ApiError } from "../contract/status-errors.ts";
import type { Warnings } from "../contract/warnings.ts";

type Headers = Record<string, string | readonly string[]>;

const textHeaders = { "content-type": "text/plain; charset=utf-8" };

/** Writes responses with the headers that every response has. */
export class Answer {
  readonly warnings: Warnings;
  readonly #random: () => number;
  readonly #isLocal: boolean;

  /** @param isLocal the request came from a component in this process */
  constructor(random: () => number, warnings: Warnings, isLocal: boolean) {
    this.#random = random;
    this.warnings = warnings;
    this.#isLocal = isLocal;
  }

  headers(own: Headers): Headers {
    return headersOf(new RandomUid(this.#random), own, this.warnings);
  }

  ok(status: number, body: string | (() => string), headers: Headers): ApiResponse {
    if (this.#isLocal) return new LocalAnswer(status, body, headers, new RandomUid(this.#random), this.warnings);
    if (typeof body === "string") return { status, headers: this.headers(headers), body };
    return {
      status,
      headers: this.headers(headers),
      // A getter, because the response to a write is mostly not read. It is an own property, so that a copy has it too.
      get body() {
        return body();
      },
    };
  }

  error({ status, isIndented }: ApiError, wantsIndent: boolean): ApiResponse {
    const retryAfterSeconds = status.details?.retryAfterSeconds;
    const headers = {
      "content-type": "application/json",
      ...(retryAfterSeconds && { "retry-after": String(retryAfterSeconds) }),
    };
    return this.ok(status.code!, write(status, isIndented || wantsIndent), headers);
  }

  document(document: Document | undefined): ApiResponse {
    return document ? this.ok(document.code, document.body, document.headers) : this.notFoundPage();
  }

  notFoundPage(): ApiResponse {
    return this.ok(404, "404 page not found\n", textHeaders);
  }
}

/**
 * The response to a component in this process, which mostly reads only the status. Headers and body are built lazily.
 */
class LocalAnswer implements ApiResponse {
  readonly status: number;
  readonly #body: string | (() => string);
  readonly #headers: Headers;
  readonly #auditId: RandomUid;
  readonly #warnings: Warnings;

  constructor(status: number, body: string | (() => string), headers: Headers, auditId: RandomUid, warnings: Warnings) {
    this.status = status;
    this.#body = body;
    this.#headers = headers;
    this.#auditId = auditId;
    this.#warnings = warnings;
  }

  get headers(): ApiResponse["headers"] {
    return headersOf(this.#auditId, this.#headers, this.#warnings);
  }

  get body(): string {
    return typeof this.#body === "string" ? this.#body : this.#body();
  }
}

function headersOf(auditId: RandomUid, own: Headers, warnings: Warnings): Headers {
  const headers: Headers = { "audit-id": auditId.toString(), "cache-control": "no-cache, private" };
  for (const name in own) headers[name] = own[name]!;
  if (warnings.count > 0) headers["warning"] = warnings.headers();
  return headers;
}
