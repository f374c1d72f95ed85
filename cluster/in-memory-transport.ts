/**
 * A transport over a cluster in the same process. Requests are handled at once, answers are delivered through the
 * clock's defer, so that a callback never runs inside the call that caused it. Lines of a stream from one instant
 * arrive as one chunk. Bodies and watch events can also be objects. Then no JSON is written or read, which is most of
 * the cost of a watch. The objects belong to the server, are shared by all, and never change.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../bindings/js/host.ts";
import type { ServerRequest } from "./apiserver/context.ts";
import type { StreamingResponse } from "./apiserver/server.ts";
import type { WatchEventType } from "./apiserver/watch.ts";
import type { KubeObject } from "./types.ts";

export type Handler = (request: ServerRequest) => ApiResponse | StreamingResponse;

/** Where the events of a watch go. Exactly one `end` comes last, as with StreamSink. */
export interface ObjectSink {
  /** `object` must not be changed. For an ERROR it is a Status. For a BOOKMARK only its resourceVersion counts. */
  event(type: WatchEventType, object: KubeObject): void;
  end(error?: ApiResponse): void;
}

/** A transport that shares the memory of its server. */
export interface LocalTransport extends Transport {
  /** Opens a watch. Calling the result closes it; the sink hears nothing after that. */
  watchObjects(request: ApiRequest, sink: ObjectSink): () => void;
}

/** Whether a transport can hand out watch events as objects. */
export function isLocal(transport: Transport): transport is LocalTransport {
  return "watchObjects" in transport;
}

/** A transport to a request handler in this process. */
export function inMemoryTransport(handle: Handler, clock: Clock): LocalTransport {
  return {
    send(request, done) {
      const response = handle(request);
      if ("body" in response) clock.defer(() => done(response));
      else collect(response, clock, done);
    },
    stream(request, sink) {
      const response = handle(request);
      if ("body" in response) return refused(response, sink, clock);
      const { status, headers } = response;
      return deliver<Uint8Array | string>(clock, (data, end) => response.subscribe({ data, end }), {
        open: () => sink.open({ status, headers }),
        together: merged,
        item: (chunk) => sink.data(chunk),
        end: () => sink.end(),
      });
    },
    watchObjects(request, sink) {
      const response = handle(request);
      if ("body" in response) return refused(response, sink, clock);
      return deliver<Parameters<ObjectSink["event"]>>(
        clock,
        (item, end) => response.subscribe({ data: () => {}, event: (...event) => item(event), end }),
        {
          open: () => {},
          together: (events) => events,
          item: (event) => sink.event(...event),
          end: () => sink.end(),
        },
      );
    },
  };
}

/** Reads a stream to its end and returns it as one answer. */
function collect(response: StreamingResponse, clock: Clock, done: (response: ApiResponse) => void): void {
  let body = "";
  response.subscribe({
    data: (chunk) => {
      body += chunk;
    },
    end: () => clock.defer(() => done({ status: response.status, headers: response.headers, body })),
  });
}

/** Ends a stream with an answer that is not a stream. */
function refused(response: ApiResponse, sink: Pick<StreamSink, "end">, clock: Clock): () => void {
  let isClosed = false;
  clock.defer(() => {
    if (!isClosed) sink.end(response);
  });
  return () => {
    isClosed = true;
  };
}

/**
 * Receives the items of a stream: first `open`, last `end`, and in between the items that came `together` at one
 * instant.
 */
interface Receiver<T> {
  open(): void;
  together(items: readonly T[]): readonly T[];
  item(item: T): void;
  end(): void;
}

function deliver<T>(
  clock: Clock,
  subscribe: (item: (item: T) => void, end: () => void) => () => void,
  receiver: Receiver<T>,
): () => void {
  let isClosed = false;
  let isScheduled = false;
  let isOpen = false;
  let hasEnded = false;
  let waiting: T[] = [];
  const flush = (): void => {
    isScheduled = false;
    if (isClosed) return;
    if (!isOpen) {
      isOpen = true;
      receiver.open();
    }
    const items = waiting;
    waiting = [];
    for (const item of receiver.together(items)) if (!isClosed) receiver.item(item);
    if (!hasEnded || isClosed) return;
    isClosed = true;
    receiver.end();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.defer(flush);
  };
  const stop = subscribe(
    (item) => {
      waiting.push(item);
      schedule();
    },
    () => {
      hasEnded = true;
      schedule();
    },
  );
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
