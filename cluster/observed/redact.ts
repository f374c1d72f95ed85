/**
 * Takes out of an object what may be a secret, before it is written to disk: values of environment variables and of
 * HTTP headers of probes, annotations, the termination message of a container, and attributes of volumes.
 * `managedFields` go because no reader of a recording needs them.
 *
 * Invariant: the object keeps its form, so the engine decides with it as with the whole one. It reads none of these
 * values but some annotations, which stay. Leaves out names, labels, commands and arguments: they stay, because without
 * them a reader could not find out what ran.
 */
import { isObject } from "../values/json.ts";
import type { Story } from "./story.ts";

export const REDACTED = "<redacted>";
/** Annotations that controllers write and read. Other programs have no reason to use these prefixes. */
const KEPT_ANNOTATION = /^(batch\.kubernetes\.io|scheduling\.k8s\.io|stint\.dev)\//;
/** Members that are maps of text. */
const MAPS: ReadonlySet<string> = new Set(["volumeAttributes", "options"]);
/** Members that are lists of a name and a value. */
const NAMED_VALUES: ReadonlySet<string> = new Set(["env", "httpHeaders"]);

/** Changes all objects of the story. */
export function redactStory({ first, seen }: Story): void {
  for (const object of [...first.jobs, ...first.pods]) redact(object);
  for (const { object } of seen) redact(object);
}

/** Changes the object, and everything in it. Only the caller may hold it. */
export function redact(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) redact(item);
    return;
  }
  if (!isObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "managedFields") delete value[name];
    else if (name === "annotations") redactMap(member, (key) => !KEPT_ANNOTATION.test(key));
    else if (MAPS.has(name)) redactMap(member, () => true);
    else if (NAMED_VALUES.has(name)) redactNamedValues(member);
    else if (name === "terminated") redactMap(member, (key) => key === "message");
    else redact(member);
  }
}

function redactMap(map: unknown, isSecret: (key: string) => boolean): void {
  if (!isObject(map)) return;
  for (const [key, member] of Object.entries(map)) {
    if (typeof member === "string" && isSecret(key)) map[key] = REDACTED;
  }
}

/** A value that comes from elsewhere (`valueFrom`) names a place, and stays. */
function redactNamedValues(list: unknown): void {
  if (!Array.isArray(list)) return;
  for (const item of list) if (isObject(item) && typeof item["value"] === "string") item["value"] = REDACTED;
}
