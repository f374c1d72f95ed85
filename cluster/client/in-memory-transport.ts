/**
 * A transport over a cluster in the same process. It handles requests at once, and delivers answers through the clock's
 * defer, so that a callback never runs inside the call that caused it. Lines of a stream from one instant arrive as one
 * chunk of text, or as few if they are many. Bodies and watch events can also be objects. Then no JSON is written or
 * read, which is most of the cost of a watch. The objects belong to the server, are shared by all, and never change.
 */
import type { ApiRequest, ApiResponse, Clock, StreamSink, Transport } from "../../bindings/js/host.ts";
import type { ServerRequest } from "../apiserver/contract/context.ts";
import type { StreamingResponse } from "../apiserver/server.ts";
import { ChunkBuffer } from "../values/chunk-buffer.ts";
import type { WatchEventType } from "../apiserver/verbs/watch.ts";
import type { KubeObject } from "../values/types.ts";

export type Handler = (request: ServerRequest) => ApiResponse | StreamingResponse;

/** The receiver of a watch's events. Exactly one `end` comes last, as with StreamSink. */
export interface ObjectSink {
  /** `object` must not be changed. For an ERROR it is a Status. For a BOOKMARK only its resourceVersion counts. */
  event(type: WatchEventType, object: KubeObject): void;
  end(error?: ApiResponse): void;
}

/** A transport that shares the memory of its server. */
export interface LocalTransport extends Transport {
  /** Opens a watch. Calling the result closes it; the sink gets nothing after that. */
  watchObjects(request: ApiRequest, sink: ObjectSink): () => void;
}

/** Whether a transport can pass watch events as objects. */
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
      const waiting = new ChunkBuffer();
      const subscribe = (arrived: () => void, end: () => void): (() => void) =>
        response.subscribe({
          data(chunk) {
            if (typeof chunk === "string") waiting.write(chunk);
            else waiting.append(chunk);
            arrived();
          },
          write(piece) {
            waiting.write(piece);
            arrived();
          },
          end,
        });
      return deliver(clock, subscribe, {
        open: () => sink.open({ status, headers }),
        take(isClosed) {
          if (waiting.isEmpty) return;
          for (const chunk of waiting.take()) if (!isClosed()) sink.data(chunk);
        },
        end: () => sink.end(),
      });
    },
    watchObjects(request, sink) {
      const response = handle(request);
      if ("body" in response) return refused(response, sink, clock);
      let waiting: WatchEvent[] = [];
      const subscribe = (arrived: () => void, end: () => void): (() => void) =>
        response.subscribe({
          data: () => {},
          event(type, object) {
            waiting.push({ type, object });
            arrived();
          },
          end,
        });
      return deliver(clock, subscribe, {
        open: () => {},
        take(isClosed) {
          const events = waiting;
          waiting = [];
          for (const { type, object } of events) if (!isClosed()) sink.event(type, object);
        },
        end: () => sink.end(),
      });
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

interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: KubeObject;
}

/** Receives a stream: first `open`, last `end`, and in between what came at one instant. */
interface Receiver {
  open(): void;
  /** Takes what is pending, unless the stream is closed meanwhile. */
  take(isClosed: () => boolean): void;
  end(): void;
}

/** @param subscribe opens the stream; it calls its first argument whenever something is pending */
function deliver(
  clock: Clock,
  subscribe: (arrived: () => void, end: () => void) => () => void,
  receiver: Receiver,
): () => void {
  let isClosed = false;
  let isScheduled = false;
  let isOpen = false;
  let hasEnded = false;
  const seesClosed = (): boolean => isClosed;
  const flush = (): void => {
    isScheduled = false;
    if (isClosed) return;
    if (!isOpen) {
      isOpen = true;
      receiver.open();
    }
    receiver.take(seesClosed);
    if (!hasEnded || isClosed) return;
    isClosed = true;
    receiver.end();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    clock.defer(flush);
  };
  const stop = subscribe(schedule, () => {
    hasEnded = true;
    schedule();
  });
  schedule();
  return () => {
    isClosed = true;
    stop();
  };
}
