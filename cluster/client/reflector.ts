/**
 * Keeps a component's view of one collection current: a paged list, then a watch from that version, over and over.
 *
 * Invariant: apply the events after an `onSync` in order to its objects, and the result is the collection at some
 * moment. That moment never goes back while a stream lasts. A lost stream continues at the last version seen. If the
 * server no longer has that version (410), there is a new list and another `onSync`, which replaces everything. Leaves
 * out the cache: the listener keeps what it needs.
 */
import type { ApiResponse, Clock, Timer } from "../../bindings/js/host.ts";
import { errorOf, withQuery } from "./client.ts";
import type { ApiClient, ApiError, ApiResult, KubeList, PathOf } from "./client.ts";
import { RetryBackoff } from "./retry-backoff.ts";
import type { KubeObject, TypedObject } from "../values/types.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED";

/** Receives the collection. Its callbacks never run inside `start`. */
export interface ReflectorListener<T = KubeObject> {
  /** All objects of the collection. Every other object no longer exists. */
  onSync(objects: readonly T[]): void;
  /** `object` of a DELETED event is the last state. It may be shared with others and must not be changed. */
  onEvent(type: WatchEventType, object: T): void;
  /** A request failed; the reflector retries automatically. */
  onProblem?(problem: ApiError): void;
}

export interface ReflectorOptions<T = KubeObject> {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Path of the collection without query. */
  readonly path: PathOf<T>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** `accept` of list and watch when something else than plain objects is wanted. */
  readonly accept?: { readonly list: string; readonly watch: string };
}

export const LIST_PAGE_SIZE = 500;
const RETRY_INITIAL_MS = 250;
const RETRY_MAX_MS = 30_000;
/** A stream that ends sooner than this without an event counts as a fault, and the next one waits for the backoff. */
const MIN_STREAM_MS = 1_000;

/** Follows one collection from `start` to `stop`. */
export class Reflector<T extends TypedObject = KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #listener: ReflectorListener<T>;
  readonly #backoff: RetryBackoff;
  /** Increased whenever the present requests become void. Late answers and lines of an older round are ignored. */
  #round = 0;
  #resourceVersion = "";
  #closeStream: (() => void) | undefined;
  #retryTimer: Timer | undefined;

  constructor(options: ReflectorOptions<T>, listener: ReflectorListener<T>) {
    this.#options = options;
    this.#listener = listener;
    this.#backoff = new RetryBackoff({ initialMs: RETRY_INITIAL_MS, maxMs: RETRY_MAX_MS, random: options.random });
  }

  start(): void {
    this.#list();
  }

  /** After this no callback comes. */
  stop(): void {
    this.#beginRound();
  }

  #beginRound(): number {
    this.#closeStream?.();
    this.#closeStream = undefined;
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
    return ++this.#round;
  }

  #list(inPages = true): void {
    const round = this.#beginRound();
    const objects: T[] = [];
    const fetchPage = (continueToken: string | undefined): void => {
      const path = this.#path({ limit: inPages ? LIST_PAGE_SIZE : undefined, continue: continueToken });
      const onPage = (result: ApiResult<KubeList<T>>): void => {
        if (round !== this.#round) return;
        if (!result.ok) {
          // The snapshot of the first page has expired: the pages are too slow for this server, so ask for one answer.
          const expired = result.error.status === 410 && continueToken !== undefined;
          this.#retry(result.error, () => this.#list(inPages && !expired));
          return;
        }
        // Push one by one: spreading a huge unpaged list would overflow the stack.
        for (const object of result.value.items) objects.push(object);
        const { continue: next, resourceVersion } = result.value.metadata;
        if (next) {
          fetchPage(next);
          return;
        }
        this.#resourceVersion = resourceVersion;
        this.#listener.onSync(objects);
        if (round === this.#round) this.#watch();
      };
      this.#options.client.list(path, onPage, this.#options.accept?.list);
    };
    fetchPage(undefined);
  }

  #watch(): void {
    const round = this.#beginRound();
    const openedAt = this.#options.clock.now();
    const ifCurrent = (react: () => void): void => {
      if (round === this.#round) react();
    };
    const path = this.#path({ watch: true, resourceVersion: this.#resourceVersion, allowWatchBookmarks: true });
    const close = this.#options.client.watch(
      path,
      {
        event: (type, object) => ifCurrent(() => this.#handle(type, object)),
        broken: (message) => ifCurrent(() => this.#streamBroken(message)),
        end: (error) => ifCurrent(() => this.#streamEnded(error, openedAt)),
      },
      this.#options.accept?.watch,
    );
    this.#closeStream = close;
  }

  #handle(type: string, object: KubeObject): void {
    switch (type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        this.#sawVersion(object);
        this.#listener.onEvent(type, object as T);
        break;
      case "BOOKMARK":
        this.#sawVersion(object);
        break;
      case "ERROR":
        this.#streamError(statusError(object));
        break;
      default:
        this.#streamBroken(
          `a watch event has the type ${JSON.stringify(type)}; allowed are ADDED, MODIFIED, DELETED, BOOKMARK and ERROR`,
        );
    }
  }

  #sawVersion(object: TypedObject): void {
    this.#resourceVersion = object.metadata.resourceVersion;
    this.#backoff.reset();
  }

  #streamEnded(error: ApiResponse | undefined, openedAt: number): void {
    const lasted = this.#options.clock.now() - openedAt >= MIN_STREAM_MS;
    if (lasted) this.#backoff.reset();
    if (error !== undefined) this.#streamError(errorOf(error));
    else if (lasted) this.#watch();
    else this.#retryLater(() => this.#watch(), 0);
  }

  #streamError(error: ApiError): void {
    if (error.status === 410) this.#retry({ ...error, retryAfterMs: 0 }, () => this.#list());
    else this.#retry(error, () => this.#watch());
  }

  /** The stream had something unreadable. What followed the last good event is unknown, so list again. */
  #streamBroken(message: string): void {
    this.#retry({ status: 0, reason: "", message, retryAfterMs: 0 }, () => this.#list());
  }

  /** Reports the problem after the next try is set, so that a listener may stop it. */
  #retry(problem: ApiError, again: () => void): void {
    this.#retryLater(again, problem.retryAfterMs);
    this.#listener.onProblem?.(problem);
  }

  #retryLater(again: () => void, retryAfterMs: number): void {
    this.#beginRound();
    this.#retryTimer = this.#options.clock.setTimer(this.#backoff.nextMs(retryAfterMs), again);
  }

  #path(query: Readonly<Record<string, string | number | boolean | undefined>>): PathOf<T> {
    const { path, labelSelector, fieldSelector } = this.#options;
    return withQuery(path, { labelSelector, fieldSelector, ...query });
  }
}

function statusError(status: Record<string, any>): ApiError {
  return {
    status: status.code ?? 0,
    reason: status.reason ?? "",
    message: status.message ?? "",
    retryAfterMs: 0,
  };
}
