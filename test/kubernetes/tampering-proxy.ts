/**
 * Makes a bad controller of a good one: changes its requests on their way to a real API server. Plain HTTP on loopback;
 * each request goes on with the user's token, which client-go does not send there, so that the server takes it for the
 * controller's own. Leaves out faults of the network (fault-proxy.ts): what is sent arrives.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { type ControlPlane, kubeconfigText } from "./control-plane.ts";

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is sent in the place of a request, one after the other; the controller gets the last answer. */
export type Tampering = (request: Passing) => readonly Passing[];

export interface TamperingProxy {
  /** Path of a kubeconfig that leads through it. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

export async function startTamperingProxy(
  { url, caFile, token, processes }: ControlPlane,
  user: string,
  tampering: Tampering,
): Promise<TamperingProxy> {
  const agent = new Agent({ ca: readFileSync(caFile), keepAlive: true });
  const send = ({ method, path, body }: Passing, headers: IncomingMessage["headers"]): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      httpsRequest(
        new URL(path, url),
        {
          method,
          headers: { ...headers, ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }) },
          agent,
        },
        resolve,
      )
        .once("error", reject)
        .end(body);
    });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { host: _host, connection: _connection, "content-length": _length, ...sent } = request.headers;
    const headers = { ...sent, authorization: `Bearer ${token(user)}` };
    const asked = { method: request.method!, path: request.url!, body: (await buffer(request)).toString("utf8") };
    let answer: IncomingMessage | undefined;
    for (const passing of tampering(asked)) {
      answer?.resume();
      answer = await send(passing, headers);
    }
    response.writeHead(answer!.statusCode!, answer!.headers);
    response.flushHeaders();
    response.on("close", () => answer!.destroy());
    answer!.on("error", () => response.destroy()).pipe(response);
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: processes.write(
      `tampering-${port}.kubeconfig`,
      kubeconfigText({ server: `http://127.0.0.1:${port}`, user, token: token(user), namespace: "default" }),
    ),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}
