/**
 * A log of kubectl, or a segment of a flight recorder, as a recording that the page plays, and the last states of its
 * Jobs and pods as a text of objects, which is explained as any other.
 *
 * Invariant: the recording is made by the page's own engine, which gets the same events, as `stint import` makes it.
 * Possible secrets are left out of it.
 */
import { flightStory } from "../../cluster/observed/flight-story.ts";
import { readKubectlLogs } from "../../cluster/observed/kubectl-log.ts";
import { UPSTREAM } from "../../cluster/observed/offline-engine.ts";
import { linesIn, segmentParts } from "../../cluster/observed/segment-parts.ts";
import type { Observed, Story } from "../../cluster/observed/story.ts";
import { deletedAt } from "../../cluster/values/deleted-object.ts";
import { recordingOfStory } from "../share/segment-recording.ts";
import { sha256 } from "../share/sha256.ts";

export interface ReadLog {
  readonly recording: string;
  /** A List in JSON of the last states, those of gone pods too. */
  readonly objects: string;
  readonly notes: readonly string[];
}

export interface WholeEngineFile {
  readonly module: WebAssembly.Module;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const FILE = "the text";

/** @throws UsageError with line and column */
export function readLog(text: string, isFlight: boolean, { module, bytes }: WholeEngineFile): ReadLog {
  const told = isFlight
    ? flightStory(segmentParts(linesIn(text), FILE))
    : { story: readKubectlLogs([{ name: FILE, text }]), configuration: UPSTREAM };
  const { recording, writes, unexplained } = recordingOfStory(told, module, sha256(bytes));
  const { story } = told;
  const items = lastStates(story);
  const explained = unexplained === 0 ? "all of them explained" : `${unexplained} not explained`;
  return {
    recording,
    objects: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    notes: [`${story.seen.length} changes, ${writes} writes of the Job controller, ${explained}`],
  };
}

function lastStates({ first, seen }: Story): readonly object[] {
  const last = new Map<string, object>();
  const put = (object: Observed, kind: string): void => {
    const apiVersion = kind === "Job" ? "batch/v1" : "v1";
    last.set(object.metadata.uid, { ...object, apiVersion, kind });
  };
  for (const job of first.jobs) put(job, "Job");
  for (const pod of first.pods) put(pod, "Pod");
  for (const { resource, type, object, atMs } of seen) {
    // A pod that went without an end was deleted; a Job that is gone stays as it was last.
    const isCut = type === "DELETED" && resource === "pods" && !isOver(object);
    put(isCut ? deletedAt<Observed>(object, atMs) : object, resource === "jobs" ? "Job" : "Pod");
  }
  return [...last.values()];
}

function isOver({ status }: Observed): boolean {
  const { phase } = (status ?? {}) as { readonly phase?: string };
  return phase === "Succeeded" || phase === "Failed";
}
