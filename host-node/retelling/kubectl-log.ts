/**
 * Reads logs of `kubectl get jobs|pods --watch -o json`, with `--output-watch-events` or without, of any cluster.
 *
 * Invariant: what comes out is in the order of the API server, by resourceVersion, also across several logs. A watch
 * has no clock: times are the latest that the objects name. Leaves out what the changes mean.
 */
import { isObject } from "../../cluster/apiserver/json.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { shapeProblem } from "../object-shape.ts";
import { UsageError } from "../usage-error.ts";
import { jsonDocuments } from "./json-documents.ts";
import { type Resource, resourceVersionOf, type Story, StoryBuilder } from "./story.ts";
import { lastWriteMs } from "./times.ts";

/** More objects would fill the memory: all of them are kept. */
const MAX_OBJECTS = 1_000_000;
const RESOURCES: ReadonlyMap<unknown, Resource> = new Map([
  ["Job", "jobs"],
  ["Pod", "pods"],
]);
/** Watch events that tell of no object. */
const WITHOUT_OBJECT = new Set(["BOOKMARK", "ERROR"]);

export interface KubectlLog {
  /** For messages. */
  readonly name: string;
  readonly text: string;
}

interface Printed {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Undefined: no watch event says it. */
  readonly isDeleted: boolean | undefined;
}

/** @throws UsageError with the name of the log and the line */
export function readKubectlLogs(logs: readonly KubectlLog[]): Story {
  const printed = logs.flatMap((log) => [...objectsOf(log)]);
  if (printed.length > MAX_OBJECTS)
    throw new UsageError(`the logs have ${printed.length} objects; allowed are ${MAX_OBJECTS}`);
  printed.sort((a, b) => resourceVersionOf(a.object) - resourceVersionOf(b.object));
  const builder = new StoryBuilder();
  const last = new Map<string, KubeObject>();
  for (const { resource, object, isDeleted } of printed) {
    const previous = last.get(object.metadata.uid);
    last.set(object.metadata.uid, object);
    if (isDeleted ?? isRepeated(previous, object)) builder.remove(resource, object, lastWriteMs(object));
    else builder.put(resource, object, lastWriteMs(object));
  }
  return builder.build();
}

function* objectsOf({ name, text }: KubectlLog): Generator<Printed> {
  let documents = 0;
  try {
    for (const { text: document, line } of jsonDocuments(text)) {
      documents++;
      if (document === undefined) return;
      yield* objectsIn(document, `${name}:${line}`);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: ${(error as Error).message}; allowed is what kubectl get --watch -o json prints`);
  }
  if (documents === 0) throw new UsageError(`${name} is empty: no JSON object is in it`);
}

function objectsIn(document: string, where: string): Printed[] {
  const value = parse(document, where);
  const { type, object } = value as { readonly type?: unknown; readonly object?: unknown };
  if (typeof type === "string" && object !== undefined)
    return WITHOUT_OBJECT.has(type) ? [] : [checked(object, type === "DELETED", where)];
  if (Array.isArray(value["items"])) {
    // The items of a list of one kind do not name it.
    const kind = /^(Job|Pod)List$/.exec(String(value["kind"]))?.[1];
    return value["items"].map((item: object) => checked({ ...(kind && { kind }), ...item }, undefined, where));
  }
  return [checked(value, undefined, where)];
}

function parse(document: string, where: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(document);
  } catch (error) {
    throw new UsageError(`${where}: this is not JSON: ${(error as Error).message}`);
  }
}

function checked(value: unknown, isDeleted: boolean | undefined, where: string): Printed {
  const kind = isObject(value) ? value["kind"] : undefined;
  const resource = RESOURCES.get(kind);
  if (resource === undefined)
    throw new UsageError(`${where}: its kind is ${JSON.stringify(kind ?? "")}; allowed are Job and Pod`);
  const object = value as KubeObject;
  if (!/^\d+$/.test(String(object.metadata?.resourceVersion)))
    throw new UsageError(`${where}: a ${kind} without a metadata.resourceVersion in digits`);
  const problem = shapeProblem(object);
  if (problem !== undefined) throw new UsageError(`${where}: the ${kind} ${problem}`);
  return { resource, object, isDeleted };
}

/**
 * Without watch events a deletion is printed as a change: the object as it was last, with another version. Nothing else
 * gives an object a new version and changes nothing in it.
 */
function isRepeated(previous: KubeObject | undefined, object: KubeObject): boolean {
  if (previous === undefined || resourceVersionOf(previous) >= resourceVersionOf(object)) return false;
  const { resourceVersion } = previous.metadata;
  return JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion } }) === JSON.stringify(previous);
}
