/**
 * Carries a watch or a followed log to one client, over HTTP or over a WebSocket.
 *
 * Invariant: nothing goes out that is not on the disk. A client that does not read its watch costs what is on its way
 * to it, and gets the rest from the history; one that does not read its log is cut off at MAX_UNREAD_BYTES.
 */
import type { Writable } from "node:stream";
import type { StreamingResponse } from "../../../cluster/index.ts";
import type { Durability } from "../durability.ts";

/** Bytes of a followed log that may wait for one client. */
export const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** The connection to a client. */
export interface Outlet {
  /** The buffer of bytes that the client has not read. Its `close` means that the client is gone. */
  readonly buffer: Pick<Writable, "writableLength" | "writableNeedDrain" | "destroy" | "once">;
  /** One event of a watch, or a piece of a log. */
  send(chunk: Uint8Array | string): void;
  /** The stream is over. */
  end(): void;
}

export function carryStream(stream: StreamingResponse, { buffer, send, end }: Outlet, durability: Durability): void {
  const close = stream.subscribe({
    data: (chunk) =>
      durability.after(() => {
        send(chunk);
        if (buffer.writableLength > MAX_UNREAD_BYTES) buffer.destroy();
      }),
    hasRoom(resume) {
      if (!durability.isPending && !buffer.writableNeedDrain) return true;
      if (buffer.writableNeedDrain) buffer.once("drain", resume);
      else durability.after(resume);
      return false;
    },
    end: () => durability.after(end),
  });
  buffer.once("close", close);
}
