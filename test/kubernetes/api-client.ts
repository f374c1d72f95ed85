/**
 * A small client of a real API server for tests: one request, or one watch until something holds. JSON only; it knows
 * the server by its own certificate and the user by a token. Leaves out retries: a test sees what the server says.
 */
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";

/** A little less than a test may take (vitest.config.ts), so that it is said what did not come. */
const WAIT_MS = 110_000;

export interface ApiResponse<Body> {
  readonly status: number;
  /** Parsed JSON; the text itself when the answer is not JSON. */
  readonly body: Body;
  /** The texts of its Warning headers, as they are in the header: `299 - "text"`. */
  readonly warnings: readonly string[];
}

export interface ApiClientOptions {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM of the certificate that the server must show. */
  readonly ca: string;
  /** Bearer token; none: an anonymous user. */
  readonly token?: string;
  /** Of every request, beside its own: those of impersonation. */
  readonly headers?: Readonly<Record<string, string>>;
}

interface WatchEvent<Item> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "ERROR";
  readonly object: Item;
}

export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #agent: Agent;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ ca: options.ca, keepAlive: true });
  }

  /**
   * One request.
   *
   * @param path with its query, from `/`
   * @param body an object to be sent as JSON, or a text to be sent as it is; undefined: none
   * @param contentType of a PATCH `application/merge-patch+json` or another form of patch
   * @param accept the form of the answer: a Table, for example
   * @throws Error when no answer comes; every status is an answer
   */
  async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json",
    accept?: string,
  ): Promise<ApiResponse<Body>> {
    const response = await this.#open(method, path, body, contentType, accept);
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
    const isJson = (response.headers["content-type"] ?? "").startsWith("application/json");
    const warnings = response.headersDistinct["warning"] ?? [];
    return { status: response.statusCode!, body: (isJson ? JSON.parse(text) : text) as Body, warnings };
  }

  /** As {@link request}, and the body alone. @throws Error with the server's message when the status is not 2xx */
  async succeed<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<Body> {
    const response = await this.request<Body>(method, path, body, contentType);
    if (response.status < 200 || response.status > 299)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body;
  }

  /**
   * Watches a collection from its present state on, until a predicate holds for one of its objects.
   *
   * @param path of the collection, with selectors in its query
   * @param holds of an object that is, was changed or was deleted (then with `deleted` true)
   * @returns that object
   * @throws Error when the server ends the watch, or nothing did within the time; with the last object seen
   */
  async waitFor<Item = Record<string, unknown>>(
    path: string,
    holds: (item: Item, deleted: boolean) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<Item> {
    const late = AbortSignal.timeout(timeoutMs);
    let last: unknown;
    try {
      for await (const event of this.watch<Item>(path, late)) {
        last = event.object;
        if (event.type !== "ERROR" && holds(event.object, event.type === "DELETED")) return event.object;
      }
    } catch (error) {
      if (!late.aborted) throw error;
    }
    throw new Error(
      `GET ${path}: what was waited for did not come ${late.aborted ? `within ${timeoutMs / 1000} s` : "before the watch ended"}; the last that did: ${JSON.stringify(last)}`,
    );
  }

  /**
   * The events of a watch, until the server ends it.
   *
   * @param path of the collection, with the version to begin at in its query
   * @param signal ends it
   * @throws Error when the watch is refused
   */
  async *watch<Item>(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent<Item>> {
    const response = await this.#open("GET", `${path}${path.includes("?") ? "&" : "?"}watch=1`);
    if (response.statusCode !== 200)
      throw new Error(`GET ${path}: the watch was refused with status ${response.statusCode}`);
    signal.addEventListener("abort", () => response.destroy());
    try {
      yield* events<Item>(response);
    } finally {
      response.destroy();
    }
  }

  /** Closes its idle connections. */
  close(): void {
    this.#agent.destroy();
  }

  #open(
    method: string,
    path: string,
    body?: unknown,
    contentType = "application/json",
    accept = "application/json",
  ): Promise<IncomingMessage> {
    const { url, token, headers: more } = this.#options;
    const bytes = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const headers = {
      ...more,
      accept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      // Node adds no length to a DELETE, and the server would read its body as the next request.
      ...(bytes === undefined ? {} : { "content-type": contentType, "content-length": bytes.length }),
    };
    return new Promise((resolve, reject) => {
      httpsRequest(new URL(path, url), { method, headers, agent: this.#agent }, resolve)
        .once("error", reject)
        .end(bytes);
    });
  }
}

/** The events of a watch: one JSON object a line. */
async function* events<Item>(response: IncomingMessage): AsyncGenerator<WatchEvent<Item>> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as WatchEvent<Item>;
  }
}
