/**
 * What became of each pod of a run, and its last lines, for reports that are written at the end.
 *
 * Invariant: memory is limited. Only a limited number of pods is kept, the latest ones, and lines are kept only of pods
 * that run or have failed.
 */
import { BoundedMap } from "../../../cluster/values/bounded-map.ts";
import type { PodView } from "../../words/job-view.ts";
import { uncolouredLine } from "../../words/printable.ts";
import type { LogLine } from "./run-output.ts";

const MAX_PODS = 10_000;
/** Last lines of a pod. */
export const MAX_LINES = 20;

export interface PodResult {
  readonly pod: PodView;
  readonly beganMs: number;
  /** Undefined: it has not ended. */
  readonly endedMs: number | undefined;
  readonly lines: readonly string[];
}

export class PodResults {
  readonly #pods = new BoundedMap<string, PodResult>(MAX_PODS);

  log({ pod, container, isOneOfSeveral, line }: LogLine): void {
    const known = this.#pods.get(pod.uid);
    if (known === undefined) return;
    const text = `${isOneOfSeveral ? `[${container}] ` : ""}${uncolouredLine(line)}`;
    this.#pods.put(pod.uid, { ...known, lines: [...known.lines.slice(1 - MAX_LINES), text] });
  }

  pod(nowMs: number, pod: PodView): void {
    const hasEnded = pod.phase === "Succeeded" || pod.phase === "Failed";
    const known = this.#pods.get(pod.uid) ?? { beganMs: nowMs, lines: [] };
    const { beganMs, lines } = known;
    this.#pods.put(pod.uid, {
      pod,
      beganMs,
      endedMs: hasEnded ? nowMs : undefined,
      lines: pod.phase === "Succeeded" ? [] : lines,
    });
  }

  /** The pods of a Job, in the order in which they came. */
  of({ namespace, name }: { readonly namespace: string; readonly name: string }): PodResult[] {
    const all = [...this.#pods.values()].filter(({ pod }) => pod.job === name && pod.namespace === namespace);
    return all.toSorted((a, b) => a.beganMs - b.beganMs);
  }
}
