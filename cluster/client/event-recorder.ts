/**
 * Writes the Events (core/v1) of a component about objects, as client-go's recorder does: best effort, in the
 * background.
 *
 * Invariant: an event never delays or breaks the work that it reports. The same event about the same object is one
 * Event whose count rises. Events beyond the named limits are dropped and counted. Source:
 * k8s.io/client-go/tools/record (EventCorrelator); field order of docs/spec/api.md 6.10.
 */
import type { Clock, Transport } from "../../bindings/js/host.ts";
import { formatTime } from "../values/times.ts";
import { BoundedMap } from "../values/bounded-map.ts";
import { ApiClient, EVENTS, resourcePath } from "./client.ts";
import type { TypedObject } from "../values/types.ts";

/** At most this many events wait to be written; more are dropped. */
export const MAX_PENDING_EVENTS = 10_000;
/** Event writes under way at once. */
export const MAX_EVENT_WRITES_IN_FLIGHT = 8;
/**
 * The most events remembered, so that a repetition only raises a count. The least recently used is evicted first. Some
 * for each pod that a node runs; client-go remembers 4,096, most of them of pods that have ended.
 */
export const MAX_REMEMBERED_EVENTS = 1024;
/** Object names are at most 253 characters long; the name of an Event adds a dot and 16 hexadecimal digits. */
const MAX_NAME_PREFIX_LENGTH = 253 - 17;

export type EventType = "Normal" | "Warning";

/** The object that an event is about. */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: Pick<TypedObject, "metadata">;
  /** Part of the object: `spec.containers{main}`. */
  readonly fieldPath?: string;
  /** The other object that took part: the pod for which this one was preempted. */
  readonly related?: EventObject;
}

export interface EventRecorderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** `kubelet`, `default-scheduler`. */
  readonly component: string;
  /** Name of the node, for a component that belongs to one. */
  readonly host?: string;
}

/** Written in this order; never changed once it is returned. */
interface ObjectReference {
  readonly kind: string;
  /** Absent for an object without a namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  resourceVersion?: string;
  fieldPath?: string;
}

const HEX_DIGITS = "0123456789abcdef";

/** What the recorder remembers of an event to write its repetitions. */
interface RememberedEvent {
  readonly name: string;
  readonly firstTimestamp: string;
  count: number;
}

/** Writes the events of one component. */
export class EventRecorder {
  /** Events that were dropped because too many were waiting. */
  dropped = 0;
  readonly #options: EventRecorderOptions;
  readonly #client: ApiClient;
  /** All events share it. */
  readonly #source: { readonly component: string; readonly host?: string };
  #latestReference: ObjectReference | undefined;
  #pending = 0;
  /** In order of last use. */
  readonly #remembered = new BoundedMap<string, RememberedEvent>(MAX_REMEMBERED_EVENTS);

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { component, host } = options;
    this.#source = host === undefined ? { component } : { component, host };
    this.#client = new ApiClient(options.transport, {
      userAgent: options.component,
      maxInFlight: MAX_EVENT_WRITES_IN_FLIGHT,
    });
  }

  record(about: EventObject, type: EventType, reason: string, message: string): void {
    if (this.#pending >= MAX_PENDING_EVENTS) {
      this.dropped++;
      return;
    }
    const key = [about.object.metadata.uid, about.kind, about.fieldPath ?? "", type, reason, message].join("\n");
    const known = this.#remembered.get(key);
    const event = known ?? this.#newEvent(about);
    this.#remembered.put(key, event);
    if (known === undefined) this.#write(about, type, reason, message, event);
    else this.#raiseCount(about, type, reason, message, event);
  }

  #newEvent(about: EventObject): RememberedEvent {
    return {
      // Joined, because V8 keeps a concatenation with + as its pieces.
      name: [about.object.metadata.name.slice(0, MAX_NAME_PREFIX_LENGTH), this.#sixteenHexDigits()].join("."),
      firstTimestamp: formatTime(this.#options.clock.now()),
      count: 1,
    };
  }

  #write(about: EventObject, type: EventType, reason: string, message: string, event: RememberedEvent): void {
    const { component, host, clock } = this.#options;
    const { namespace = "default" } = about.object.metadata;
    const { name, firstTimestamp, count } = event;
    const body = {
      kind: "Event",
      apiVersion: "v1",
      metadata: { name, namespace },
      involvedObject: this.#reference(about),
      reason,
      message,
      source: this.#source,
      firstTimestamp,
      lastTimestamp: formatTime(clock.now()),
      count,
      type,
      eventTime: null,
      ...(about.related && { related: this.#reference(about.related) }),
      reportingComponent: component,
      reportingInstance: host ?? "",
    };
    this.#pending++;
    // A failed write is never retried: an event is worth less than the load of a retry.
    this.#client.createWritten(resourcePath(EVENTS, namespace), body, () => this.#pending--);
  }

  #raiseCount(about: EventObject, type: EventType, reason: string, message: string, event: RememberedEvent): void {
    event.count++;
    const { namespace = "default" } = about.object.metadata;
    const change = { count: event.count, lastTimestamp: formatTime(this.#options.clock.now()) };
    this.#pending++;
    this.#client.patch(
      resourcePath(EVENTS, namespace, event.name),
      "application/merge-patch+json",
      change,
      (result) => {
        this.#pending--;
        // The server forgets events after an hour. Then create this one again, with its present count.
        if (!result.ok && result.error.status === 404) this.#write(about, type, reason, message, event);
      },
    );
  }

  /** Events of one step of an object, as `Created` and `Started` are, share it. */
  #reference({ kind, apiVersion, object, fieldPath }: EventObject): ObjectReference {
    const { name, namespace, uid, resourceVersion } = object.metadata;
    const latest = this.#latestReference;
    if (
      latest?.uid === uid &&
      (latest.resourceVersion ?? "") === resourceVersion &&
      latest.fieldPath === fieldPath &&
      latest.kind === kind &&
      latest.apiVersion === apiVersion &&
      latest.name === name &&
      latest.namespace === namespace
    )
      return latest;
    const reference: ObjectReference = { kind, ...(namespace && { namespace }), name, uid, apiVersion };
    if (resourceVersion) reference.resourceVersion = resourceVersion;
    if (fieldPath !== undefined) reference.fieldPath = fieldPath;
    this.#latestReference = reference;
    return reference;
  }

  #sixteenHexDigits(): string {
    const { random } = this.#options;
    let digits = "";
    for (let place = 0; place < 16; place++) digits += HEX_DIGITS[Math.floor(random() * 16)];
    return digits;
  }
}
