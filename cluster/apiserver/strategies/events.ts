/**
 * Events are stored as core/v1, and served as events.k8s.io/v1 too. The newer version has other field names and
 * stricter rules. As upstream, errors always name the core fields.
 */
import type { Event, EventsEvent } from "../../values/kinds.ts";
import type { Conversion, Strategy } from "../contract/context.ts";
import { qualifiedNameErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";

/** events.k8s.io name → core name, in the core order of writing. */
const coreNames = {
  metadata: "metadata",
  regarding: "involvedObject",
  reason: "reason",
  note: "message",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
  type: "type",
  eventTime: "eventTime",
  series: "series",
  action: "action",
  related: "related",
  reportingController: "reportingComponent",
  reportingInstance: "reportingInstance",
} as const;
/** The same pairs in the order of events.k8s.io/v1. */
const writingOrder = [
  "metadata",
  "eventTime",
  "series",
  "reportingController",
  "reportingInstance",
  "action",
  "reason",
  "regarding",
  "related",
  "note",
  "type",
  "deprecatedSource",
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedCount",
] as const satisfies readonly (keyof typeof coreNames)[];

export const eventConversion: Conversion<EventsEvent, Event> = {
  toStored(event) {
    const core: Fields = { kind: "Event", apiVersion: "v1" };
    for (const [name, coreName] of Object.entries(coreNames)) copy(event, name, core, coreName);
    core.reportingComponent ??= "";
    core.reportingInstance ??= "";
    return core as unknown as Event;
  },
  fromStored(core) {
    const event: Fields = { kind: "Event", apiVersion: "events.k8s.io/v1" };
    for (const name of writingOrder) {
      const value = core[coreNames[name]];
      // core/v1 always writes these two. events.k8s.io/v1 writes them only if they are set.
      if ((name === "reportingController" || name === "reportingInstance") && value === "") continue;
      copy(core, coreNames[name], event, name);
    }
    return event as unknown as EventsEvent;
  },
};

type Fields = Record<string, any>;

function copy(from: Fields, name: string, to: Fields, newName: string): void {
  if (from[name] !== undefined) to[newName] = from[name];
}

const maxNameBytes = 128;
const maxNoteBytes = 1024;
const invalid = (field: string, detail: string): FieldError => ({ kind: "Invalid", field, value: "", detail });

export const coreEventStrategy: Strategy<Event> = {
  validate: (event) => validateCore(event, "reportingComponent"),
};

export const eventStrategy: Strategy<EventsEvent> = {
  validate(event, current) {
    const core = eventConversion.toStored(event);
    return [
      ...validateCore(core, "reportingController"),
      ...validateNew(core, current && eventConversion.toStored(current)),
    ];
  },
};

function validateCore(event: Event, controllerField: string): FieldError[] {
  const errors: FieldError[] = [];
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject?.namespace ?? "";
  if (about === "" ? namespace !== "default" : about !== namespace) {
    errors.push({
      kind: "Invalid",
      field: "involvedObject.namespace",
      value: about,
      detail: "does not match event.namespace",
    });
  }
  if (!event.eventTime) return errors;
  const required = (field: string, value: string | undefined): void => {
    if (!value) errors.push({ kind: "Required", field });
  };
  const controller = event.reportingComponent ?? "";
  required(controllerField, controller);
  if (controller !== "") {
    for (const detail of qualifiedNameErrors(controller))
      errors.push({ kind: "Invalid", field: controllerField, value: controller, detail });
  }
  required("reportingInstance", event.reportingInstance);
  required("action", event.action);
  required("reason", event.reason);
  return errors;
}

const immutable = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
] as const;

function validateNew(event: Event, current: Event | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (current) {
    for (const field of immutable) {
      if (JSON.stringify(event[field]) !== JSON.stringify(current[field]))
        errors.push({ kind: "Invalid", field, value: event[field] ?? null, detail: "field is immutable" });
    }
    return errors;
  }
  if (!event.eventTime) errors.push({ kind: "Required", field: "eventTime" });
  const type = event.type ?? "";
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", `has invalid value: ${type}`));
  for (const field of ["reason", "action", "reportingInstance"] as const) {
    if ((event[field] ?? "").length > maxNameBytes)
      errors.push(invalid(field, `can have at most ${maxNameBytes} characters`));
  }
  if ((event.message ?? "").length > maxNoteBytes)
    errors.push(invalid("message", `can have at most ${maxNoteBytes} characters`));
  if (event.firstTimestamp) errors.push(invalid("firstTimestamp", "needs to be unset"));
  if (event.lastTimestamp) errors.push(invalid("lastTimestamp", "needs to be unset"));
  if (event.count) errors.push(invalid("count", "needs to be unset"));
  if (Object.keys(event.source ?? {}).length > 0) errors.push(invalid("source", "needs to be unset"));
  if (event.series) {
    if ((event.series.count ?? 0) < 2) errors.push(invalid("series.count", "should be at least 2"));
    if (!event.series.lastObservedTime) errors.push({ kind: "Required", field: "series.lastObservedTime" });
  }
  return errors;
}
