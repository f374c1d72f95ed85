/**
 * Reads logs of `kubectl get jobs|pods --watch -o json`, with `--output-watch-events` or without, of any cluster.
 *
 * Invariant: what comes out is in the order of the API server, by resourceVersion, also across several logs. A watch
 * has no clock: times are the latest that the objects name. Leaves out what the changes mean.
 */
import { isObject } from "../values/json.ts";
import { diagnosticText } from "../manifests/diagnostic.ts";
import { jsonProblem } from "../yaml/json-problem.ts";
import { LineTable } from "../manifests/line-table.ts";
import { shapeProblem } from "./object-shape.ts";
import type { Resource } from "./offline-engine.ts";
import { UsageError } from "../values/usage-error.ts";
import { jsonDocuments, NoDocument } from "./json-documents.ts";
import { type Observed, resourceVersionOf, type Story, StoryBuilder } from "./story.ts";
import { lastWriteMs } from "./times.ts";

/** More objects would fill the memory: all of them are kept. */
const MAX_OBJECTS = 1_000_000;
const RESOURCES: ReadonlyMap<unknown, Resource> = new Map([
  ["Job", "jobs"],
  ["Pod", "pods"],
]);
/** Watch events without an object. */
const WITHOUT_OBJECT = new Set(["BOOKMARK", "ERROR"]);

export interface KubectlLog {
  /** Its path, as it was given. */
  readonly name: string;
  readonly text: string;
}

interface Printed {
  readonly resource: Resource;
  readonly object: Observed;
  /** Undefined: no watch event shows it. */
  readonly isDeleted: boolean | undefined;
}

/** @throws UsageError with the name of the log, line and column */
export function readKubectlLogs(logs: readonly KubectlLog[]): Story {
  const printed = logs.flatMap((log) => [...objectsOf(log)]);
  if (printed.length > MAX_OBJECTS)
    throw new UsageError(`the logs have ${printed.length} objects; allowed are ${MAX_OBJECTS}`);
  printed.sort((a, b) => resourceVersionOf(a.object) - resourceVersionOf(b.object));
  const builder = new StoryBuilder();
  const last = new Map<string, Observed>();
  for (const { resource, object, isDeleted } of printed) {
    const previous = last.get(object.metadata.uid);
    last.set(object.metadata.uid, object);
    if (isDeleted ?? isRepeated(previous, object)) builder.remove(resource, object, lastWriteMs(object));
    else builder.put(resource, object, lastWriteMs(object));
  }
  return builder.build();
}

/** The error for the text at an offset of a log. */
type Refuse = (problem: string, offset: number) => UsageError;

function* objectsOf({ name, text }: KubectlLog): Generator<Printed> {
  const refuse: Refuse = (message, offset) =>
    new UsageError(diagnosticText({ position: { file: name, ...new LineTable(text).place(offset) }, message }));
  let documents = 0;
  try {
    for (const { text: document, offset } of jsonDocuments(text)) {
      documents++;
      if (document === undefined) return;
      yield* objectsIn(document, (problem, at) => refuse(problem, offset + at));
    }
  } catch (error) {
    if (!(error instanceof NoDocument)) throw error;
    throw refuse(`${error.message}; allowed is what kubectl get --watch -o json prints`, error.offset);
  }
  if (documents === 0) throw new UsageError(`${name} is empty: no JSON object is in it`);
}

function objectsIn(document: string, refuse: Refuse): Printed[] {
  const value = parse(document, refuse);
  const { type, object } = value as { readonly type?: unknown; readonly object?: unknown };
  if (typeof type === "string" && object !== undefined)
    return WITHOUT_OBJECT.has(type) ? [] : [checked(object, type === "DELETED", refuse)];
  if (Array.isArray(value["items"])) {
    // The items of a list of one kind do not name it.
    const kind = /^(Job|Pod)List$/.exec(String(value["kind"]))?.[1];
    return value["items"].map((item: object) => checked({ ...(kind && { kind }), ...item }, undefined, refuse));
  }
  return [checked(value, undefined, refuse)];
}

function parse(document: string, refuse: Refuse): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(document);
  } catch {
    const problem = jsonProblem(document, true);
    throw refuse(problem?.message ?? "this is nested too deep", problem?.offset ?? 0);
  }
}

function checked(value: unknown, isDeleted: boolean | undefined, refuse: Refuse): Printed {
  const kind = isObject(value) ? value["kind"] : undefined;
  const resource = RESOURCES.get(kind);
  if (resource === undefined) throw refuse(`its kind is ${JSON.stringify(kind ?? "")}; allowed are Job and Pod`, 0);
  const object = value as Observed;
  if (!/^\d+$/.test(String(object.metadata?.resourceVersion)))
    throw refuse(`a ${kind} without a metadata.resourceVersion in digits`, 0);
  const problem = shapeProblem(object);
  if (problem !== undefined) throw refuse(`the ${kind} ${problem}`, 0);
  return { resource, object, isDeleted };
}

/**
 * Without watch events a deletion is printed as a change: the object as it was last, with another version. Nothing else
 * gives an object a new version and changes nothing in it.
 */
function isRepeated(previous: Observed | undefined, object: Observed): boolean {
  if (previous === undefined || resourceVersionOf(previous) >= resourceVersionOf(object)) return false;
  const { resourceVersion } = previous.metadata;
  return JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion } }) === JSON.stringify(previous);
}
