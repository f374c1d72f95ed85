/**
 * WATCH: the changes of a collection as a stream of JSON lines, beginning with the existing objects or with the events
 * after a revision. If an object stops matching a selector, the watch sends DELETED. Lines are pushed inside the write
 * that causes them, so a sink must not send a request from within `data`. A sink with backpressure costs nothing while
 * it waits: it gets the missed events from the history when it can take more.
 */
import type { StreamSink, Timer } from "../../../bindings/js/host.ts";
import { livedTimeMs } from "../../time/lived-time.ts";
import type { KubeObject, ObjectMeta } from "../../values/types.ts";
import type { ListItem, ResourceRequest } from "../contract/context.ts";
import { normalize } from "../schema/decode.ts";
import { stringify } from "../../values/json.ts";
import { isSelected, itemOf } from "./list.ts";
import { type WatchOptions, watchOptions } from "./list-options.ts";
import type { Output } from "../contract/output.ts";
import { expired, plainError, resourceVersionTooLarge, type Status } from "../contract/status-errors.ts";
import type { EventType, Store, Stored, StoreEvent, TextSink } from "../storage/store.ts";
import { partialObject } from "../tables/table.ts";

export type WatchEventType = EventType | "BOOKMARK" | "ERROR";

/** The sink of a stream. The host has already handled status and headers. */
export interface StreamBody extends Pick<StreamSink, "data" | "end"> {
  /** A sink with this method gets the events of a watch as objects and no data. It must not change the objects. */
  event?(type: WatchEventType, object: KubeObject): void;
  /** A sink with this method gets the lines of a watch in pieces and no data; the last piece ends in a newline. */
  write?(piece: string): void;
  /** Whether the sink takes more now. If not, it calls `resume` once when it does. Undefined: it always takes more. */
  hasRoom?(resume: () => void): boolean;
}

/** How long before its timeout a watch sends a last bookmark. */
const lastBookmarkBeforeMs = 2_000;
const initialEventsEnd = { "k8s.io/initial-events-end": "true" };

/**
 * Checks the options of a watch.
 * @returns a function that starts the watch and returns a function to stop it
 * @throws ApiError 400, 422, 500
 */
export function watch(request: ResourceRequest, output: Output): (sink: StreamBody) => () => void {
  const options = watchOptions(request);
  if (output.transform === "Table") request.server.clientSupport!.checkTable(request);
  return (sink) => new Watch(request, options, new EventWriter(request, output, sink), sink).start();
}

/** Sends events in the form that the client asked for. */
class EventWriter {
  readonly #request: ResourceRequest;
  readonly #output: Output;
  readonly #sink: StreamBody;
  #hasSentColumns = false;
  /** The latest one: the next differs in its version. */
  #bookmark: KubeObject | undefined;

  constructor(request: ResourceRequest, output: Output, sink: StreamBody) {
    this.#request = request;
    this.#output = output;
    this.#sink = sink;
  }

  event(type: EventType, item: ListItem): void {
    if (this.#output.transform) this.#send(type, this.#transformed(item.object));
    else if (this.#sink.event) this.#sink.event(type, item.object);
    else if (this.#sink.write) this.#writeLine(this.#sink as TextSink, type, item);
    else this.#sink.data(line(type, item.text));
  }

  #writeLine(sink: TextSink, type: EventType, item: ListItem): void {
    sink.write(lineBeginnings[type]);
    if (item.writeTo) item.writeTo(sink);
    else sink.write(item.text);
    sink.write("}\n");
  }

  /** Sends a bookmark: an object that has only a resourceVersion. */
  bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): void {
    const { body } = this.#request.definition;
    const { kind, apiVersion } = body;
    this.#bookmark ??= normalize({ kind, apiVersion, metadata: { resourceVersion } as ObjectMeta }, body.type);
    const metadata = { ...this.#bookmark.metadata, resourceVersion, ...(annotations && { annotations }) };
    const empty = { ...this.#bookmark, metadata };
    this.#send("BOOKMARK", this.#output.transform ? this.#transformed(empty) : empty);
  }

  error(status: Status): void {
    this.#send("ERROR", status);
  }

  #send(type: WatchEventType, object: object): void {
    if (this.#sink.event) this.#sink.event(type, object as KubeObject);
    else if (this.#sink.write) this.#sink.write(line(type, stringify(object)));
    else this.#sink.data(line(type, stringify(object)));
  }

  #transformed(object: KubeObject): object {
    if (this.#output.transform !== "Table") return partialObject(object, this.#output.metaVersion);
    const hasColumns = !this.#hasSentColumns;
    this.#hasSentColumns = true;
    // Only ClientSupport reads a header that asks for a Table.
    return this.#request.server.clientSupport!.table(
      [object],
      { resourceVersion: object.metadata.resourceVersion },
      this.#output,
      this.#request,
      { hasColumns, isList: false },
    );
  }
}

function line(type: WatchEventType, object: string): string {
  return `${lineBeginning(type)}${object}}\n`;
}

function lineBeginning(type: WatchEventType): string {
  return `{"type":"${type}","object":`;
}

const lineBeginnings: Readonly<Record<EventType, string>> = {
  ADDED: lineBeginning("ADDED"),
  MODIFIED: lineBeginning("MODIFIED"),
  DELETED: lineBeginning("DELETED"),
};

/** An object that is not stored in this form. Its text is built on first read. */
function textItem(object: KubeObject): ListItem {
  return {
    object,
    get text() {
      return stringify(object);
    },
  };
}

class Watch {
  readonly #request: ResourceRequest;
  readonly #options: WatchOptions;
  readonly #writer: EventWriter;
  readonly #sink: StreamBody;
  readonly #store: Store;
  /** The prefix of all keys in the collection. */
  readonly #prefix: string;
  readonly #cleanUp: (() => void)[] = [];
  /** The unsent part of the initial state, the last first. Undefined: there was none, or all was sent. */
  #state: Stored[] | undefined;
  /** Later writes are still to be sent. */
  #revision: number;
  /** Writes wait in the history until the sink takes more. */
  #isBehind = true;

  constructor(request: ResourceRequest, options: WatchOptions, writer: EventWriter, sink: StreamBody) {
    this.#request = request;
    this.#options = options;
    this.#writer = writer;
    this.#sink = sink;
    this.#store = request.server.store(request.definition);
    this.#revision = options.resourceVersion || request.server.revisions.current;
    this.#prefix = request.namespace === "" ? "" : `${request.namespace}/`;
  }

  start(): () => void {
    const { clock, random, limits } = this.#request.server;
    const refusal = this.#refusal();
    if (refusal) {
      this.#refuse(refusal);
      return () => {};
    }
    this.#cleanUp.push(this.#request.server.openStream());
    const timeoutMs = this.#options.timeoutSeconds * 1000 || Math.floor(limits.minWatchTimeoutMs * (1 + random()));
    // A timeout that the server chose may fire late, like a heartbeat.
    const kind = this.#options.timeoutSeconds ? "housekeeping" : "heartbeat";
    const timeout = clock.setTimer(timeoutMs, () => this.#timeOut(), kind);
    this.#cleanUp.push(() => timeout.cancel());
    if (this.#beginsWithState) {
      this.#revision = this.#request.server.revisions.current;
      this.#state = [...this.#store.scan(this.#prefix, "")].reverse();
    }
    this.#catchUp();
    this.#cleanUp.push(this.#store.subscribe((event) => this.#hear(event)));
    if (this.#options.allowBookmarks && !this.#sink.event) this.#scheduleBookmarks(timeoutMs);
    return () => this.#stop();
  }

  #stop(): void {
    for (const step of this.#cleanUp.splice(0)) step();
  }

  #timeOut(): void {
    if (this.#sink.event) this.#bookmark();
    this.#end();
  }

  #end(): void {
    this.#stop();
    this.#sink.end();
  }

  #refuse(status: Status): void {
    this.#writer.error(status);
    this.#end();
  }

  #refusal(): Status | undefined {
    const { resourceVersion = 0, sendInitialEvents, timeoutSeconds } = this.#options;
    const { current } = this.#request.server.revisions;
    if (timeoutSeconds < 0) return plainError(`invalid timeoutSeconds: ${timeoutSeconds} is negative`).status;
    if (sendInitialEvents && resourceVersion > current) return resourceVersionTooLarge(resourceVersion, current).status;
    if (this.#beginsWithState || resourceVersion === 0 || resourceVersion >= this.#store.oldestRevision)
      return undefined;
    return this.#tooOld(resourceVersion);
  }

  #tooOld(revision: number): Status {
    return expired(`too old resource version: ${revision} (${this.#store.oldestRevision})`).status;
  }

  get #beginsWithState(): boolean {
    return this.#options.sendInitialEvents ?? !this.#options.resourceVersion;
  }

  /** Sends a write at once unless something waits before it. */
  #hear(event: StoreEvent): void {
    this.#isBehind ||= !this.#hasRoom();
    if (this.#isBehind) return;
    this.#revision = event.revision;
    this.#send(event);
  }

  #hasRoom(): boolean {
    // By then the watch may have ended.
    return this.#sink.hasRoom?.(() => this.#cleanUp.length > 0 && this.#catchUp()) ?? true;
  }

  /** Sends what waits, as much as the sink takes: the state at the start, then the events of the history. */
  #catchUp(): void {
    for (let stored; (stored = this.#state?.at(-1)); this.#state!.pop()) {
      if (!this.#hasRoom()) return;
      if (isSelected(stored.bare, this.#options, this.#request))
        this.#writer.event("ADDED", itemOf(stored, this.#request));
    }
    if (this.#state && this.#options.allowBookmarks) this.#writer.bookmark(String(this.#revision), initialEventsEnd);
    this.#state = undefined;
    if (this.#revision < this.#store.oldestRevision) return this.#refuse(this.#tooOld(this.#revision));
    for (const event of this.#store.eventsAfter(this.#revision)) {
      if (!this.#hasRoom()) return;
      this.#revision = event.revision;
      this.#send(event);
    }
    this.#isBehind = false;
  }

  #send({ type, revision, stored, previous }: StoreEvent): void {
    if (!stored.key.startsWith(this.#prefix) || revision <= (this.#options.resourceVersion ?? 0)) return;
    const matches = type !== "DELETED" && isSelected(stored.bare, this.#options, this.#request);
    const matched = previous !== undefined && isSelected(previous.bare, this.#options, this.#request);
    if (matches) this.#writer.event(matched ? "MODIFIED" : "ADDED", itemOf(stored, this.#request));
    else if (matched && type === "DELETED") this.#writer.event("DELETED", itemOf(stored, this.#request));
    else if (matched) {
      // The client sees the last content that matched, with the revision of the write after which it no longer did.
      const { object } = itemOf(previous, this.#request);
      const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
      this.#writer.event("DELETED", textItem(last));
    }
  }

  #bookmark(): void {
    if (this.#options.allowBookmarks && !this.#isBehind)
      this.#writer.bookmark(String(this.#request.server.revisions.current));
  }

  /** Only for a stream that can break off. One within the process ends at its timeout, and gets its bookmark then. */
  #scheduleBookmarks(timeoutMs: number): void {
    const { clock, limits } = this.#request.server;
    const { bookmarkIntervalMs } = limits;
    const startMs = livedTimeMs(clock);
    let timer: Timer | undefined;
    const schedule = (): void => {
      const lastMs = startMs + timeoutMs - lastBookmarkBeforeMs - livedTimeMs(clock);
      if (lastMs <= 0) return;
      timer = clock.setTimer(
        Math.min(bookmarkIntervalMs, lastMs),
        () => {
          this.#bookmark();
          schedule();
        },
        "heartbeat",
      );
    };
    // A watch that ends within the interval gets no bookmarks.
    if (timeoutMs > bookmarkIntervalMs) schedule();
    this.#cleanUp.push(() => timer?.cancel());
  }
}
