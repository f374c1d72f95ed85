/** Sends many requests side by side, and counts the events of many watches. Answers are read and thrown away. */
import { Agent, request as httpsRequest } from "node:https";
import type { IncomingMessage } from "node:http";
import type { BenchServer } from "./servers.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
}

const NEWLINE = "\n".charCodeAt(0);

export class Clients {
  readonly #server: BenchServer;
  readonly #agent: Agent;

  constructor(server: BenchServer) {
    this.#server = server;
    this.#agent = new Agent({ ca: server.ca, keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** @returns the size of the answer in bytes. @throws Error for a status that is not 2xx */
  async send(request: Request): Promise<number> {
    const response = await this.#open(request);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    return bytes;
  }

  /** Sends `count` requests, `parallel` at a time. */
  async sendAll(count: number, parallel: number, requestOf: (index: number) => Request): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) await this.send(requestOf(next++));
    };
    await Promise.all(Array.from({ length: parallel }, work));
  }

  /**
   * Watches a collection from now on.
   * @returns a promise for each watch, kept when it has got `events` events; it has begun when this resolves
   */
  async watch(path: string, watches: number, events: number): Promise<Promise<void>[]> {
    const responses = await Promise.all(Array.from({ length: watches }, () => this.#open({ method: "GET", path })));
    return responses.map(async (response) => {
      let lines = 0;
      for await (const chunk of response) {
        for (const byte of chunk as Buffer) if (byte === NEWLINE) lines++;
        if (lines >= events) break;
      }
      if (lines < events) throw new Error(`a watch of ${path} ended after ${lines} of ${events} events`);
    });
  }

  async #open({ method, path, body, accept = "application/json" }: Request): Promise<IncomingMessage> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { url, token } = this.#server;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept,
        ...(text !== undefined && {
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          "content-length": Buffer.byteLength(text),
        }),
      };
      httpsRequest(`${url}${path}`, { method, headers, agent: this.#agent }, resolve).on("error", reject).end(text);
    });
    if (response.statusCode! < 200 || response.statusCode! > 299) {
      let answer = "";
      for await (const chunk of response) answer += String(chunk);
      throw new Error(`${method} ${path} is answered ${response.statusCode}: ${answer}`);
    }
    return response;
  }
}
