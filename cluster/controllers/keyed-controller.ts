/**
 * What the controllers of a cluster are made of: a client with their name, the objects that they watch, and a queue of
 * keys. A controller is one function, which says what it watches, which keys a change adds, and what a pass over one
 * key does.
 *
 * Invariant: no key is added before every watched collection is listed, and no pass begins after `stop`. Leaves out
 * controllers with several queues, and those that need the earlier state of a changed object.
 */
import type { Clock } from "../../bindings/js/host.ts";
import { ApiClient, type ApiError, type ApiResource, isRetryable, type WriteResult } from "../client/client.ts";
import { type Changed, Collections, type ControllerOptions } from "../client/collections.ts";
import { EventRecorder } from "../client/event-recorder.ts";
import type { Part } from "../client/part.ts";
import { DEFAULT_RETRY, type Retry, type WorkOutcome, WorkQueue } from "../client/work-queue.ts";

export interface KeyedControllerSettings {
  /** The User-Agent of its requests. */
  readonly userAgent: string;
  readonly watched: readonly ApiResource[];
  /** Passes at the same time. Default: 1. */
  readonly concurrency?: number;
  /** The backoff of a failed key. Default: DEFAULT_RETRY. */
  readonly retry?: Retry;
}

/** What a controller works with. */
export interface ControllerTools {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly known: Collections;
  readonly queue: WorkQueue<string>;
  /** Writes the events of a component. */
  eventsOf(component: string): EventRecorder;
  /** Reports a failed request. */
  report(error: ApiError): void;
  /** What a write means for its key. An error with one of the expected statuses needs no retry and no report. */
  outcome(result: WriteResult, expected: readonly number[]): WorkOutcome;
}

/** Call it once, when a pass has ended. */
export type Done = (outcome: WorkOutcome) => void;

/** What a controller does. */
export interface KeyedWork {
  /** Adds the keys that a change concerns, or forgets them. */
  changed: Changed;
  /** One pass over a key. */
  sync(key: string, done: Done): void;
  /** Called when the controller has started. */
  started?(): void;
}

/** @param work makes what the controller does, once. Its functions are called from `start` to `stop`. */
export function keyedController(
  options: ControllerOptions,
  { userAgent, watched, concurrency = 1, retry = DEFAULT_RETRY }: KeyedControllerSettings,
  work: (tools: ControllerTools) => KeyedWork,
): Part {
  const { transport, clock, random } = options;
  const client = new ApiClient(transport, { userAgent });
  const queue = new WorkQueue<string>({
    ...retry,
    clock,
    random,
    concurrency,
    work: (key, done) => does.sync(key, done),
  });
  const known = new Collections(client, options, watched, (resource, object, type) =>
    does.changed(resource, object, type),
  );
  const report = (error: ApiError): void => options.onProblem?.(error);
  const does = work({
    client,
    clock,
    known,
    queue,
    eventsOf: (component) => new EventRecorder({ transport, clock, random, component }),
    report,
    outcome: (result, expected) => {
      if (result.ok || expected.includes(result.error.status)) return "done";
      report(result.error);
      return isRetryable(result.error) ? "failed" : "done";
    },
  });
  return {
    start: () => {
      known.start();
      does.started?.();
    },
    stop: () => {
      known.stop();
      queue.stop();
    },
  };
}
