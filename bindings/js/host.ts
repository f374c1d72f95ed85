/**
 * What a host lends to the code that runs without I/O: time and access to the Kubernetes API.
 *
 * Both are callbacks, not promises, so that a run on a virtual clock is one deterministic sequence of calls: the same
 * inputs give the same order, and time moves only when the host moves it. Leaves out every transport: cluster/ has the
 * in-memory one, host-node/transport/ the one over HTTP.
 */

/** A timer that has been set. Cancelling one that fired or was cancelled does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * What a timer is for. A run in which no `work` is left may end. The end of a run never waits for `housekeeping`. A
 * `heartbeat` repeats for ever and changes nothing while all is well, such as renewing a lease; a clock that can jump
 * skips heartbeats where nothing else happens.
 */
export type TimerKind = "work" | "housekeeping" | "heartbeat";

/** Wall-clock time in milliseconds since 1970 (integers), and timers on it. */
export interface Clock {
  now(): number;
  /**
   * How much of the time until now has passed without its heartbeats, in milliseconds; absent: none has. Code that
   * measures a silence by heartbeats subtracts this from `now`.
   */
  leftOutMs?(): number;
  /**
   * Calls back once, `delayMs` (>= 0) from now. Timers due at one instant fire in the order in which they were set.
   * @param kind `work` unless given
   */
  setTimer(delayMs: number, callback: () => void, kind?: TimerKind): Timer;
  /** Calls back at this same instant, after the present call has returned, in order of the calls. */
  defer(callback: () => void): void;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One HTTP request to the Kubernetes API. */
export interface ApiRequest {
  readonly method: Method;
  /** Path with query, as on the request line: `/api/v1/namespaces/default/pods?limit=500`. */
  readonly path: string;
  /** Header names in lower case. `accept`, `content-type` and `user-agent` are read. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Of the engine's requests: the `id` of the decision that it carries out. It does not go over the wire. */
  readonly decision?: number;
}

/** The answer to an ApiRequest. `status` 0 means that no answer was read: the outcome is unknown. */
export interface ApiResponse {
  readonly status: number;
  /** Header names in lower case; several values of one name as a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | string;
}

/** Receives the lines of a watch, or the chunks of a followed log. Exactly one `end` comes last. */
export interface StreamSink {
  /**
   * The status line and headers have arrived. Only called for status 200; anything else goes to `end` with its body.
   */
  open(response: Omit<ApiResponse, "body">): void;
  /** Bytes as they come: not aligned to lines. */
  data(chunk: Uint8Array | string): void;
  /**
   * The stream is over. `error` is the answer if it was not a stream, or status 0 if the connection broke; absent after
   * a clean end.
   */
  end(error?: ApiResponse): void;
}

/**
 * Access to the Kubernetes API. Callbacks never run inside the call that registers them; each send gets exactly one
 * answer.
 */
export interface Transport {
  send(request: ApiRequest, done: (response: ApiResponse) => void): void;
  /** Opens a watch or another streaming GET. Call the result to close it; after that, the sink is not called. */
  stream(request: ApiRequest, sink: StreamSink): () => void;
}
