/**
 * A transport over a cluster in the same process. Requests are handled at once, answers are delivered through
 * the clock's defer, so that a callback never runs inside the call that caused it. Lines of a stream that come
 * up at one instant arrive as one chunk.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../bindings/js/host.ts";
import type { StreamingResponse } from "./apiserver/server.ts";

export type Handler = (request: ApiRequest) => ApiResponse | StreamingResponse;

export function inMemoryTransport(handle: Handler, clock: Clock): Transport {
  return {
    send(request, done) {
      const response = handle(request);
      if ("body" in response) clock.defer(() => done(response));
      else collect(response, clock, done);
    },
    stream(request, sink) {
      const response = handle(request);
      let isClosed = false;
      if ("body" in response) {
        clock.defer(() => {
          if (!isClosed) sink.end(response);
        });
        return () => {
          isClosed = true;
        };
      }
      return deliver(response, sink, clock);
    },
  };
}

/** A stream read as one answer, which is there when it ends. */
function collect(response: StreamingResponse, clock: Clock, done: (response: ApiResponse) => void): void {
  let body = "";
  response.subscribe({
    data: (chunk) => { body += chunk; },
    end: () => clock.defer(() => done({ status: response.status, headers: response.headers, body })),
  });
}

function deliver(response: StreamingResponse, sink: StreamSink, clock: Clock): () => void {
  let isClosed = false;
  let isScheduled = false;
  let isOpen = false;
  let hasEnded = false;
  let waiting: (Uint8Array | string)[] = [];
  const flush = (): void => {
    isScheduled = false;
    if (isClosed) return;
    if (!isOpen) {
      isOpen = true;
      sink.open({ status: response.status, headers: response.headers });
    }
    const chunks = waiting;
    waiting = [];
    for (const chunk of merged(chunks)) if (!isClosed) sink.data(chunk);
    if (!hasEnded || isClosed) return;
    isClosed = true;
    sink.end();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.defer(flush);
  };
  const stop = response.subscribe({
    data(chunk) {
      waiting.push(chunk);
      schedule();
    },
    end() {
      hasEnded = true;
      schedule();
    },
  });
  schedule();
  return () => {
    isClosed = true;
    waiting = [];
    stop();
  };
}

/** Text is joined; bytes go through as they are. */
function merged(chunks: readonly (Uint8Array | string)[]): readonly (Uint8Array | string)[] {
  return chunks.every((chunk) => typeof chunk === "string") && chunks.length > 1 ? [chunks.join("")] : chunks;
}
