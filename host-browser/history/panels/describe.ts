/** `kubectl describe job`, and of the requested pod `kubectl describe pod` and its YAML. */
import type { KubeObject, TypedObject } from "../../../cluster/values/types.ts";
import { NONE, PodState } from "../../records.ts";
import { describeJob } from "../describe/job.ts";
import { describePod } from "../describe/pod.ts";
import type { History } from "../history.ts";
import type { Look } from "../look.ts";
import { eventsFrom } from "../rows.ts";
import { yamlLines } from "../yaml-lines.ts";

interface Description {
  /** Of the Job; empty: there was none. */
  readonly description: string;
  /** Absent: none was requested, or it did not exist then. */
  readonly pod?: { readonly description: string; readonly yaml: string };
}

export function data({ history, query, track, version, atMs }: Look): Description {
  if (track === undefined) return { description: "" };
  const { book, events } = history;
  return {
    description:
      version === undefined
        ? ""
        : describeJob(version.object, eventsFrom(history, events.lastAboutJob(track.id), atMs), atMs + book.startMs),
    ...podOf(history, query.pod, atMs),
  };
}

function podOf(history: History, pod: number | undefined, atMs: number): Pick<Description, "pod"> {
  const { book, podVersions } = history;
  if (pod === undefined || pod < 0 || pod >= book.tables.pods.length) return {};
  const row = book.tables.transitionAt(pod, atMs);
  if (row === NONE || book.tables.transitions.columns.state.at(row) === PodState.GONE) return {};
  const object = podVersions.at(pod, atMs);
  if (object === undefined) {
    const text = "So many pods were written that this version of the pod is no longer kept.";
    return { pod: { description: text, yaml: `# ${text}` } };
  }
  const events = eventsFrom(history, history.events.lastAboutPod(pod), atMs);
  return {
    pod: {
      description: describePod(object, events, atMs + book.startMs),
      yaml: `${yamlLines(ofKind(object, "v1", "Pod"))
        .map(({ text }) => text)
        .join("\n")}\n`,
    },
  };
}

/** The store may leave out fields that all of its objects share. */
function ofKind(object: TypedObject, apiVersion: string, kind: string): KubeObject {
  return { apiVersion, kind, ...object };
}
