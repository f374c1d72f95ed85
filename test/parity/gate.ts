/**
 * A gate between a controller and the API server: a reverse proxy on loopback that confines and, when asked to, holds
 * back.
 *
 * kube-controller-manager knows no namespaces: it lists and watches everything. The gate adds a field selector to those
 * requests, so that it sees the namespaces that are its own and no others, and is otherwise what it always is: the
 * controller of Jobs without managedBy. A write that is held never reaches the server and is never answered, so that a
 * controller stays exactly where it is until it is killed. Bytes are passed on as they are. Towards the controller it
 * is plain HTTP, over which client-go sends no token; the gate adds it.
 */
import { type IncomingMessage, createServer, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import type { HeldWrites } from "./scenario.ts";

/** Collections of all namespaces that the gate confines. */
const CONFINED = /^\/(api\/v1\/pods|apis\/batch\/v1\/jobs|apis\/scheduling\.k8s\.io\/\w+\/(workloads|podgroups))$/;

export interface GateOptions {
  /** `https://127.0.0.1:PORT` of the API server. */
  readonly url: string;
  /** PEM file of its certificate. */
  readonly caFile: string;
  /** Bearer token of the user that the controller works as. */
  readonly token: string;
  /** Added to lists and watches of all namespaces: `metadata.namespace!=other`. */
  readonly fieldSelector?: string;
  readonly hold?: HeldWrites;
}

export interface Gate {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Resolves when the first write is held. */
  readonly held: Promise<void>;
  stop(): Promise<void>;
}

export async function startGate({ url, caFile, token, fieldSelector, hold }: GateOptions): Promise<Gate> {
  const agent = new Agent({ ca: readFileSync(caFile), keepAlive: true });
  const authorization = `Bearer ${token}`;
  const holds = hold === undefined ? undefined : new RegExp(hold.requests);
  const arms = hold?.armedBy === undefined ? undefined : new RegExp(hold.armedBy);
  let isArmed = arms === undefined;
  let letThrough = hold?.after ?? 0;
  let onHeld = (): void => {};
  const held = new Promise<void>((resolve) => (onHeld = resolve));
  const isHeld = ({ method, url: path }: IncomingMessage): boolean => {
    if (method === "GET" || holds === undefined) return false;
    if (isArmed && holds.test(`${method} ${path}`)) return --letThrough < 0;
    isArmed ||= arms!.test(`${method} ${path}`);
    return false;
  };
  const server = createServer((request, response) => {
    if (isHeld(request)) onHeld();
    else pass(request, response, new URL(confined(request.url!, fieldSelector), url), { agent, authorization });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    stop: () => {
      agent.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function confined(path: string, fieldSelector: string | undefined): string {
  const url = new URL(path, "http://gate");
  if (fieldSelector === undefined || !CONFINED.test(url.pathname)) return path;
  const own = url.searchParams.get("fieldSelector");
  url.searchParams.set("fieldSelector", own ? `${own},${fieldSelector}` : fieldSelector);
  return url.pathname + url.search;
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { agent, authorization }: { readonly agent: Agent; readonly authorization: string },
): void {
  const { host: _host, ...headers } = request.headers;
  const onward = httpsRequest(
    url,
    { method: request.method!, headers: { ...headers, authorization }, agent },
    (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      // A watch may say nothing for long.
      response.flushHeaders();
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  response.on("close", () => onward.destroy());
  request.pipe(onward);
}
