/**
 * The body of a request, up to a limit.
 *
 * Invariant: nothing longer than the limit is held in memory. A body that is not needed is still received and dropped,
 * because a client whose connection is cut while it sends may never see the answer. A client that sends for too long is
 * cut off. The server's time-out for requests limits how long that takes.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_THROWN_AWAY_BYTES = 256 * 1024 * 1024;

/**
 * Reads a body. `done` gets undefined if the body is longer than `maxBytes`; then the rest is not read. It is not
 * called if the request never ends.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= maxBytes) return;
    request.off("data", onData).off("end", onEnd);
    done(undefined);
  };
  const onEnd = (): void => done(Buffer.concat(chunks));
  // A request that does not end needs no answer.
  request
    .on("data", onData)
    .on("end", onEnd)
    .on("error", () => {});
}

/**
 * Sends a whole answer at once, but ends it only after the rest of the body was received and dropped. Otherwise a
 * connection that is not kept alive would be closed while the client still sends.
 *
 * @param body none for a HEAD
 */
export function answerEarly(request: IncomingMessage, response: ServerResponse, body: Uint8Array | undefined): void {
  if (request.complete) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  if (body !== undefined && body.length > 0) response.write(body);
  let thrownAway = 0;
  request.on("data", (chunk: Buffer) => {
    thrownAway += chunk.length;
    if (thrownAway > MAX_THROWN_AWAY_BYTES) request.destroy();
  });
  request
    .on("end", () => response.end())
    .on("error", () => {})
    .resume();
}
