/**
 * Reads the Events about a Job and its pods from the API server, and chooses the Warnings that are shown.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used. Events are gone after an hour, so
 * older Warnings are missing.
 */
import type { PodGroup } from "../../../bindings/js/engine.ts";
import { answeredObject, EVENTS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { Event } from "../../../cluster/values/kinds.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";

const EVENTS_READ = 500;
/** For this many groups of pods that do not start, the last Warning about the oldest pod is read. */
const MAX_PODS_ASKED = 3;
/** Pods that have started. */
const STARTED = new Set(["Ready", "Running", "Ended", "Terminating"]);
/** Stint's kubelet writes this Warning about fields without effect. It does not keep a pod from starting. */
const HARMLESS = "UnsupportedField";

type Reader = Pick<ApiReader, "get">;

export interface ReadEvents {
  readonly events: readonly Event[];
  /** Why they could not be read, as a sentence. */
  readonly refusal?: string | undefined;
}

export interface ReadWarnings {
  /** Newest last. */
  readonly events: readonly WarningEvent[];
  /** Why they could not be read, as a sentence. */
  readonly refusal?: string | undefined;
}

/** The field selector for Events about a pod. */
export function aboutPod(name: string): string {
  return `involvedObject.kind=Pod,involvedObject.name=${name}`;
}

/** @param about a field selector of Events */
export async function readEvents(reader: Reader, namespace: string, about: string): Promise<ReadEvents> {
  const query = { fieldSelector: about, limit: EVENTS_READ };
  const answer = await reader.get(withQuery(resourcePath(EVENTS, namespace), query));
  if (answer.status !== 200) return { events: [], refusal: `Events could not be read (${refusalOf(answer)})` };
  const { items } = answeredObject(answer);
  const isEvent = (item: unknown): item is Event => typeof item === "object" && item !== null;
  return { events: Array.isArray(items) ? items.filter(isEvent) : [] };
}

/** The newest kinds of Warnings among Events. */
export function warningsOf(events: readonly Event[], maximum: number): WarningEvent[] {
  const warnings = events
    .filter(({ type, reason }) => type === "Warning" && reason !== HARMLESS)
    .map(warningOf)
    .sort((a, b) => (a.lastMs ?? 0) - (b.lastMs ?? 0));
  return combined(warnings).slice(-maximum);
}

/** The newest kinds of Warnings. @param about a field selector of Events */
export async function readWarnings(
  reader: Reader,
  namespace: string,
  about: string,
  maximum: number,
): Promise<ReadWarnings> {
  const { events, refusal } = await readEvents(reader, namespace, `${about},type=Warning`);
  return { events: warningsOf(events, maximum), refusal };
}

/** The last Warning of each group of pods that have not started, about the oldest of them. */
export async function readLastWarnings(
  reader: Reader,
  namespace: string,
  groups: readonly PodGroup[],
): Promise<ReadWarnings> {
  const waiting = groups.filter(({ reason }) => !STARTED.has(reason)).slice(0, MAX_PODS_ASKED);
  const read = await Promise.all(waiting.map(({ pod }) => readWarnings(reader, namespace, aboutPod(pod), 1)));
  const refused = read.find(({ refusal }) => refusal !== undefined);
  return { events: read.flatMap(({ events }) => events), refusal: refused?.refusal };
}

function warningOf(event: Event): WarningEvent {
  const { involvedObject, series, metadata } = event;
  const last = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? metadata?.creationTimestamp;
  const lastMs = Date.parse(last);
  return {
    object: `${String(involvedObject?.kind).toLowerCase()}/${involvedObject?.name}`,
    reason: String(event["reason"] ?? ""),
    message: String(event["message"] ?? ""),
    count: Number(series?.count ?? event["count"] ?? 1),
    lastMs: Number.isNaN(lastMs) ? null : lastMs,
  };
}

/** Events that differ only in names, as refusals of pods do, are combined into the latest of them. */
function combined(events: readonly WarningEvent[]): WarningEvent[] {
  const kinds = new Map<string, WarningEvent>();
  for (const event of events) {
    const kind = `${event.reason} ${event.message.replace(/"[^"]*"/g, '""')}`;
    const count = event.count + (kinds.get(kind)?.count ?? 0);
    kinds.delete(kind);
    kinds.set(kind, { ...event, count });
  }
  return [...kinds.values()];
}
