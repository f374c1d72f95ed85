/**
 * The body of a request, up to a limit.
 *
 * Invariant: nothing longer than the limit is held in memory. A body that is not wanted is received all the same and
 * thrown away, because a client that is cut off in the middle of it may never see the answer; who sends too much of
 * that is cut off. How long that takes is limited by the server's own time-out of requests.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_THROWN_AWAY_BYTES = 256 * 1024 * 1024;

/**
 * `done` gets undefined when the body is longer than `maxBytes`: then the rest is not read. It is not called for a
 * request that never ends.
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
  // Without an end there is no request: nothing to answer.
  request
    .on("data", onData)
    .on("end", onEnd)
    .on("error", () => {});
}

/**
 * Sends a whole answer at once, and ends it when what is left of the body has come and gone: ended before, a connection
 * that is not kept would be closed under a client that is still sending.
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
