/**
 * Requests that can be sent to two servers, and what their answers leave behind: later requests name versions, uids and
 * continue tokens by words, because each server has its own.
 */
import { Agent, request as httpsRequest } from "node:https";
import { toProtobuf } from "../../../cluster/apiserver/protobuf/envelope.ts";
import type { Json, JsonObject } from "../../../cluster/index.ts";

export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/**
 * One request. Path and body may have words of `Memory` in them.
 */
export interface Ask {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** A text is sent as it is, and anything else as JSON; as protobuf, if `type` says so. */
  readonly body?: Json;
  /** Content-Type; of a body `application/json` unless given. Empty: none. */
  readonly type?: string;
  /** `application/json` unless given. */
  readonly accept?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Where a server is, and who asks. */
export interface Server {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
}

/** What one server has said of the objects of one sequence. */
export class Memory {
  readonly #words = new Map<string, string>();

  /** @param namespace that of the sequence: `<ns>` */
  constructor(namespace: string) {
    this.#words.set("ns", namespace);
  }

  /**
   * `<uid:NAME>` and `<rv:NAME>` are those of an object when it was last seen, `<rv0:NAME>` its first version,
   * `<rv:list>` and `<continue>` those of the last list.
   */
  fill(text: string): string {
    return text
      .replaceAll("<ns>", this.#words.get("ns")!)
      .replaceAll(/<((?:uid|rv0?|continue)(?::[^<>]*)?)>/g, (_all, word: string) => this.#words.get(word) ?? "1");
  }

  learn(body: unknown): void {
    const { metadata } = (body ?? {}) as { metadata?: Record<string, unknown> };
    if (typeof metadata !== "object" || metadata === null) return;
    const { name, uid, resourceVersion, continue: token } = metadata as Record<string, string | undefined>;
    if (name === undefined) {
      if (resourceVersion !== undefined) this.#words.set("rv:list", resourceVersion);
      if (token !== undefined) this.#words.set("continue", encodeURIComponent(token));
      return;
    }
    if (uid !== undefined) this.#words.set(`uid:${name}`, uid);
    if (resourceVersion === undefined) return;
    this.#words.set(`rv:${name}`, resourceVersion);
    if (!this.#words.has(`rv0:${name}`)) this.#words.set(`rv0:${name}`, resourceVersion);
  }
}

export function send({ url, token, agent }: Server, asked: Ask, memory: Memory): Promise<Answer> {
  const { method, path, type, accept = "application/json" } = asked;
  const body = bodyOf(asked, memory);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(accept !== "" && { accept }),
    ...(body !== undefined && { "content-length": body.length }),
    ...(type === undefined
      ? body !== undefined && { "content-type": "application/json" }
      : type && { "content-type": type }),
  };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(new URL(url), { method, path: memory.fill(path), headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
      response.on("error", reject);
    });
    request.on("error", (error) => reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })));
    request.end(body);
  });
}

function bodyOf({ body, type }: Ask, memory: Memory): Buffer | undefined {
  if (body === undefined) return undefined;
  const text = memory.fill(typeof body === "string" ? body : JSON.stringify(body));
  return type === PROTOBUF && typeof body !== "string"
    ? Buffer.from(toProtobuf(JSON.parse(text) as JsonObject)!)
    : Buffer.from(text);
}
