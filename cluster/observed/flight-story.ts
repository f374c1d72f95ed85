/**
 * The story in the segments of a flight recorder, and the configuration of the controller that they come from.
 *
 * Invariant: what each segment repeats at its beginning appears once. Leaves out decisions, requests and answers: the
 * engine that gets the story makes its own.
 */
import type { EngineConfiguration } from "../../bindings/js/engine.ts";
import type { Resource } from "./offline-engine.ts";
import type { SegmentLine } from "./segment-format.ts";
import type { SegmentPart } from "./segment-parts.ts";
import { type Story, StoryBuilder } from "./story.ts";

export interface FlightStory {
  readonly story: Story;
  /** Of the last engine; undefined: no segment names one. */
  readonly configuration: EngineConfiguration | undefined;
}

/** @param parts of the segments in their order */
export function flightStory(parts: Iterable<SegmentPart>): FlightStory {
  const builder = new StoryBuilder();
  const lists = new Map<number, Set<string>>();
  let configuration: EngineConfiguration | undefined;
  for (const part of parts) {
    if (part.is !== "line" && part.is !== "known") continue;
    if ("engine" in part.line) configuration = part.line.engine;
    tell(builder, lists, part.line);
  }
  return { story: builder.build(), configuration };
}

function tell(builder: StoryBuilder, lists: Map<number, Set<string>>, line: SegmentLine): void {
  if ("object" in line) {
    const { resource, type, object, at } = line;
    if (!isReconstructed(resource)) return;
    if (type === "DELETED") builder.remove(resource, object, at);
    else builder.put(resource, object, at);
    for (const named of lists.values()) named.add(object.metadata.uid);
  } else if ("list" in line) {
    const { source, resource, namespace, at } = line;
    if (line.list === "begin") lists.set(source, new Set());
    else if (isReconstructed(resource)) removeUnnamed(builder, lists.get(source), { resource, namespace, at });
    if (line.list === "end") lists.delete(source);
  }
}

/** Objects that are not in a whole list are gone. */
function removeUnnamed(
  builder: StoryBuilder,
  named: ReadonlySet<string> | undefined,
  list: { readonly resource: Resource; readonly namespace: string | undefined; readonly at: number },
): void {
  if (named === undefined) return;
  for (const { resource, object } of [...builder.known]) {
    const isListed =
      resource === list.resource && (list.namespace ?? object.metadata.namespace) === object.metadata.namespace;
    if (isListed && !named.has(object.metadata.uid)) builder.remove(resource, object, list.at);
  }
}

function isReconstructed(resource: string): resource is Resource {
  return resource === "jobs" || resource === "pods";
}
