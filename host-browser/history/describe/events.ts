/** Events about one object as `kubectl describe` lists them, oldest first. */
import { since } from "../../../cluster/apiserver/tables/duration.ts";
import { parseTime } from "../../../cluster/values/times.ts";
import type { Event } from "../../../cluster/values/kinds.ts";
import type { DescribedText } from "./text.ts";

/** @param nowMs since 1970 */
export function describeEvents(to: DescribedText, events: readonly Event[], nowMs: number): void {
  if (events.length === 0) {
    to.line(0, "Events:\t<none>");
    return;
  }
  to.line(0, "Events:");
  to.line(1, "Type\tReason\tAge\tFrom\tMessage");
  to.line(1, "----\t------\t----\t----\t-------");
  for (const event of events.toReversed().toSorted((a, b) => lastMs(a) - lastMs(b))) {
    const source: string = event.source?.component || event.reportingComponent || "";
    const message = String(event.message ?? "").trim();
    to.line(1, [event.type, event.reason, ageOf(event, nowMs), source, message].join("\t"));
  }
}

function lastMs(event: Event): number {
  return parseTime(event.lastTimestamp ?? event.eventTime) || 0;
}

function ageOf(event: Event, nowMs: number): string {
  const first = since(event.eventTime ?? event.firstTimestamp, nowMs);
  const { series, lastTimestamp, count = 1 } = event;
  if (series) return `${since(series.lastObservedTime, nowMs)} (x${series.count} over ${first})`;
  return count > 1 ? `${since(lastTimestamp, nowMs)} (x${count} over ${first})` : first;
}
