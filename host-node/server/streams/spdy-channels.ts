/**
 * The channels of exec and attach over SPDY/3.1, protocol `v4.channel.k8s.io`: a stream each, which the client opens
 * and names in the header `streamtype`. Leaves out older versions of the protocol.
 */
import { type Channels, terminalSize, type WantedStreams } from "./channels.ts";
import type { SpdySession, SpdyStream } from "./spdy/session.ts";

export const SPDY_COMMAND_PROTOCOL = "v4.channel.k8s.io";
const MAX_SIZE_BYTES = 4096;

/** Collects the streams of a client until all requested ones are open. */
export class SpdyChannels {
  readonly #wanted: readonly string[];
  readonly #streams = new Map<string, SpdyStream>();
  readonly #ready: (streams: ReadonlyMap<string, SpdyStream>) => void;

  /** @param ready is called when all streams are open */
  constructor(wanted: WantedStreams, ready: (streams: ReadonlyMap<string, SpdyStream>) => void) {
    this.#ready = ready;
    this.#wanted = [
      "error",
      ...(["stdin", "stdout", "stderr"] as const).filter((name) => wanted[name]),
      ...(wanted.tty ? ["resize"] : []),
    ];
  }

  /** The client has opened a stream. */
  add(stream: SpdyStream): void {
    const type = stream.headers.get("streamtype") ?? "";
    if (!this.#wanted.includes(type) || this.#streams.has(type)) {
      stream.destroy();
      return;
    }
    this.#streams.set(type, stream);
    if (this.#streams.size === this.#wanted.length) this.#ready(this.#streams);
  }
}

export function spdyChannels(session: SpdySession, streams: ReadonlyMap<string, SpdyStream>): Channels {
  return {
    stdin: streams.get("stdin"),
    stdout: streams.get("stdout"),
    stderr: streams.get("stderr"),
    onResize(resized) {
      let text = "";
      streams.get("resize")?.on("data", (chunk: Buffer) => {
        text = (text + chunk.toString()).slice(-MAX_SIZE_BYTES);
        const lines = text.split("\n");
        text = lines.pop()!;
        for (const size of lines.map(terminalSize)) if (size !== undefined) resized(size.columns, size.rows);
      });
    },
    onClose: (closed) => session.onClose(closed),
    end: (status) => streams.get("error")!.end(JSON.stringify(status), () => session.close()),
  };
}
