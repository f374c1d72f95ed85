/**
 * `portforward`: carries between a client and ports of a pod. Over SPDY the client opens two streams for each
 * connection, one for data and one for an error. Over a WebSocket it names the ports in the address, and each has one
 * connection and two channels, whose first message is the number of the port.
 *
 * Invariant: the error of a connection is sent on its own channel, and the other connections continue. Source:
 * k8s.io/cri-streaming, portforward.
 */
import { Duplex, PassThrough } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Query } from "../../../cluster/apiserver/contract/query.ts";
import type { SpdyStream } from "./spdy/session.ts";
import { send } from "./websocket-channels.ts";

export const SPDY_PORT_PROTOCOL = "portforward.k8s.io";
/** SPDY in the messages of a WebSocket. */
export const TUNNEL_PROTOCOL = "SPDY/3.1+portforward.k8s.io";
export const PORT_PROTOCOL = "v4.channel.k8s.io";
/** A byte names the channel of a message, and each port has two channels. */
const MAX_PORTS = 128;
/** Connections whose second stream is missing. */
const MAX_HALVES = 64;

export interface ForwardedPod {
  readonly name: string;
  readonly uid: string;
  /** Connects to a port. Rejects when no process listens. */
  connect(port: number): Promise<Duplex>;
}

/** Takes the streams of one client, which come in pairs. */
export class ForwardedStreams {
  readonly #pod: ForwardedPod;
  readonly #halves = new Map<string, SpdyStream>();

  constructor(pod: ForwardedPod) {
    this.#pod = pod;
  }

  add(stream: SpdyStream): void {
    const { headers } = stream;
    const id = headers.get("requestid") ?? "";
    const type = headers.get("streamtype");
    const port = portIn(headers.get("port") ?? "");
    if (port === undefined || (type !== "data" && type !== "error")) {
      stream.destroy();
      return;
    }
    const other = this.#halves.get(id);
    if (other === undefined) {
      if (this.#halves.size >= MAX_HALVES) stream.destroy();
      else
        this.#halves.set(
          id,
          stream.once("close", () => this.#halves.delete(id)),
        );
    } else if (other.headers.get("streamtype") === type) stream.destroy();
    else {
      this.#halves.delete(id);
      const [data, error] = type === "data" ? [stream, other] : [other, stream];
      void forward(this.#pod, port, data, (message) => error.end(message));
    }
  }
}

/** The ports that a client names: `?ports=80&ports=443`, or `?ports=80,443`. Undefined: none, too many, or no ports. */
export function portsIn(query: Query): readonly number[] | undefined {
  const ports = query
    .all("ports")
    .flatMap((text) => text.split(","))
    .map(portIn);
  return ports.length > 0 && ports.length <= MAX_PORTS && ports.every((port) => port !== undefined) ? ports : undefined;
}

/** Forwards the ports of a client that speaks WebSocket, which is closed when all their connections have ended. */
export function forwardWebSocket(socket: WebSocket, pod: ForwardedPod, ports: readonly number[]): void {
  const open = new Set(ports.keys());
  const close = (i: number): void => {
    if (open.delete(i) && open.size === 0) socket.close(1000);
  };
  const connections = ports.map((port, i) => {
    const [data, error] = [2 * i, 2 * i + 1];
    const input = new PassThrough();
    const client = Duplex.from({
      readable: input,
      writable: async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks)
          await new Promise<void>((resolve) => send(socket, data, chunk, () => resolve()));
        close(i);
      },
    });
    const first = Buffer.alloc(2);
    first.writeUInt16LE(port);
    for (const channel of [data, error]) send(socket, channel, first);
    void forward(pod, port, client, (message) => {
      if (message === undefined) return;
      send(socket, error, Buffer.from(message));
      close(i);
    });
    return input;
  });
  socket.on("message", (message: RawData) => {
    const [channel, content] = [(message as Buffer)[0]!, (message as Buffer).subarray(1)];
    const input = channel % 2 === 0 ? connections[channel / 2] : undefined;
    if (input === undefined || content.length === 0 || input.write(content)) return;
    socket.pause();
    input.once("drain", () => socket.resume());
  });
  socket.on("error", () => socket.terminate());
  socket.once("close", () => connections.forEach((input) => input.end()));
}

/** @param ended is called once, with the reason if there is no connection */
async function forward(
  { name, uid, connect }: ForwardedPod,
  port: number,
  client: Duplex,
  ended: (message?: string) => void,
): Promise<void> {
  client.on("error", () => client.destroy());
  let target: Duplex;
  try {
    target = await connect(port);
  } catch (error) {
    ended(`error forwarding port ${port} to pod ${name}, uid ${uid}: ${(error as Error).message}`);
    client.destroy();
    return;
  }
  target.on("error", () => target.destroy());
  client.pipe(target);
  target.pipe(client);
  client.once("close", () => target.destroy());
  target.once("close", () => {
    ended();
    client.end();
  });
}

function portIn(text: string): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}
