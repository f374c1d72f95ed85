/**
 * The channels of exec and attach over a WebSocket: `v4.channel.k8s.io`, and `v5.channel.k8s.io`, in which a client can
 * close its standard input. The first byte of each message is the number of the channel.
 *
 * Invariant: while the reader of the standard input is slower, nothing more is read from the connection. Leaves out the
 * older protocols, and those that send base64.
 */
import { Readable, Writable } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { type Channels, terminalSize, type WantedStreams } from "./channels.ts";

/** The first that the client offers, too, is chosen. */
export const COMMAND_PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** Its message is the number of the channel that the client closes. */
const CLOSE = 255;

export function webSocketChannels(socket: WebSocket, wanted: WantedStreams): Channels {
  const stdin = wanted.stdin ? new Readable({ read: () => socket.resume() }) : undefined;
  let isInputOver = false;
  const endInput = (): void => {
    isInputOver = true;
    stdin?.push(null);
  };
  let resized = (_columns: number, _rows: number): void => {};
  socket.on("message", (data: RawData) => {
    const message = data as Buffer;
    const [channel, content] = [message[0], message.subarray(1)];
    if (channel === STDIN && stdin !== undefined && !isInputOver) {
      if (content.length > 0 && !stdin.push(content)) socket.pause();
    } else if (channel === CLOSE && content[0] === STDIN) endInput();
    else if (channel === RESIZE) {
      const size = terminalSize(content.toString());
      if (size !== undefined) resized(size.columns, size.rows);
    }
  });
  socket.on("error", () => socket.terminate());
  socket.once("close", endInput);
  const output = (channel: number): Writable => {
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => send(socket, channel, chunk, done) });
    return stream.on("error", () => {}); // The client is gone, which `close` says.
  };
  const channels = {
    stdin,
    stdout: wanted.stdout ? output(STDOUT) : undefined,
    stderr: wanted.stderr ? output(STDERR) : undefined,
  };
  // As a kubelet does: an empty message means that the channels are open.
  send(socket, wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR, Buffer.alloc(0));
  return {
    ...channels,
    onResize: (callback) => (resized = callback),
    onClose: (closed) => socket.once("close", closed),
    end(status) {
      send(socket, ERROR, Buffer.from(JSON.stringify(status)));
      socket.close(1000);
      // The client's answer to that must be read.
      socket.resume();
    },
  };
}

/** Sends one message on a channel. */
export function send(
  socket: WebSocket,
  channel: number,
  content: Uint8Array,
  done: (error?: Error | null) => void = () => {},
): void {
  socket.send(Buffer.concat([Buffer.of(channel), content]), done);
}
