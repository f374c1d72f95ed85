/**
 * The Events that were seen, by the object that they are about. Both forms of the API are read: those of v1 and those
 * of events.k8s.io/v1. Invariant: without Events nothing is said that needs them.
 */
import { timeOf } from "../admission/status-facts";
import { after, firstOf, JsonNode, objectOf, stringOf } from "../json/tree";

const COMBINED = "(combined from similar events): ";

/** Of one object. The API server combines Events that are the same, so an object has few. */
const MAX_EVENTS: i32 = 500;

const NONE: JsonNode[] = [];

/** By `Kind/name`. */
export class Events {
  private readonly byObject: Map<string, JsonNode[]> = new Map<string, JsonNode[]>();

  constructor(events: JsonNode | null) {
    for (let event = firstOf(events); event !== null; event = after(event)) {
      const about = aboutOf(event);
      const key = stringOf(about, "kind") + "/" + stringOf(about, "name");
      if (!this.byObject.has(key)) this.byObject.set(key, [event]);
      else if (this.byObject.get(key).length < MAX_EVENTS) this.byObject.get(key).push(event);
    }
  }

  /** The Events about an object; of one with the same name but another UID none. */
  of(kind: string, metadata: JsonNode | null): JsonNode[] {
    if (this.byObject.size == 0) return NONE;
    const key = kind + "/" + stringOf(metadata, "name");
    if (!this.byObject.has(key)) return NONE;
    const uid = stringOf(metadata, "uid");
    const found = new Array<JsonNode>();
    const events = this.byObject.get(key);
    for (let i = 0; i < events.length; i++) {
      const about = stringOf(aboutOf(events[i]), "uid");
      if (about.length == 0 || uid.length == 0 || about == uid) found.push(events[i]);
    }
    return found;
  }
}

function aboutOf(event: JsonNode): JsonNode | null {
  const about = event.object("involvedObject");
  return about === null ? event.object("regarding") : about;
}

/** Without the mark of combined Events: of many that are alike, one has the text of the last. */
export function messageOf(event: JsonNode): string {
  const v1 = event.string("message");
  const message = v1.length > 0 ? v1 : event.string("note");
  return message.startsWith(COMBINED) ? message.substring(COMBINED.length) : message;
}

export function isCombined(event: JsonNode): bool {
  return event.string("message").startsWith(COMBINED) || event.string("note").startsWith(COMBINED);
}

/** When it happened last; NaN: it does not say so. */
export function lastMs(event: JsonNode): f64 {
  const series = event.object("series");
  if (series !== null && series.has("lastObservedTime")) return timeOf(series, "lastObservedTime");
  if (event.has("lastTimestamp")) return timeOf(event, "lastTimestamp");
  return timeOf(event, event.has("eventTime") ? "eventTime" : "deprecatedLastTimestamp");
}

/** The name of the other object that the Event names; "": it names none. */
export function relatedName(event: JsonNode): string {
  return stringOf(objectOf(event, "related"), "name");
}
