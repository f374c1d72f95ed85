/**
 * The picture as rows of a table: pods that are visible at the playhead.
 *
 * Invariant: at most MAX_TABLE_ROWS rows; reads at most MAX_READ transitions, so it is cheap with any number of pods.
 */
import { NONE, type PodState } from "../records.ts";
import { countUpTo } from "../columns.ts";
import { nodeWord } from "./hit-strip.ts";
import type { TableModel, TableRow, ThingRow } from "./parts.ts";
import { controllerWord } from "./spells.ts";
import { CONTROLLER, type Scene } from "./scene.ts";
import { isFinished } from "./summary.ts";
import { STATE_WORDS } from "./words.ts";
import { COUNTED } from "./counts.ts";

export const MAX_TABLE_ROWS = 200;
/** Pods that changed longer ago than this many transitions are left out. */
const MAX_READ = 20_000;

export function tableOf(scene: Scene): TableModel {
  const { timeline, playheadMs } = scene;
  const { atMs, pod, state } = timeline.transitions;
  const until = countUpTo(atMs.data, atMs.length, playheadMs);
  const seen = new Set<number>();
  const unfinished: number[] = [];
  const finished: number[] = [];
  let total = 0;
  // From the newest change backwards: a pod's first row is its state at the playhead.
  for (let id = until - 1; id >= 0 && until - id <= MAX_READ; id--) {
    const ofPod = pod.at(id);
    if (seen.has(ofPod)) continue;
    seen.add(ofPod);
    const value = state.at(id) as PodState;
    if (value >= COUNTED || !isVisible(scene, ofPod)) continue;
    total++;
    (isFinished(value) ? finished : unfinished).push(id);
  }
  const chosen = [...unfinished, ...finished].slice(0, MAX_TABLE_ROWS);
  if (until > MAX_READ && scene.layout.tracks.length === scene.rows.tracks.length) {
    total = timeline.countsAt(playheadMs).reduce((sum, count) => sum + count, 0);
  }
  return { rows: chosen.map((id) => rowOf(scene, id)).sort(byPlace(scene)), total };
}

/** The controller first. */
export function thingsOf(scene: Scene): ThingRow[] {
  const { timeline, nodes, playheadMs } = scene;
  const counts = nodes.countsAt(playheadMs);
  return [
    { kind: "controller", name: CONTROLLER, state: controllerWord(timeline, playheadMs), pods: undefined },
    ...nodes.all.slice(0, MAX_TABLE_ROWS).map(({ name }, i) => {
      const pods = counts[i]!;
      return { kind: "node", name, state: nodeWord(scene, i, playheadMs, pods), pods } as const;
    }),
  ];
}

function isVisible({ timeline, layout, rows }: Scene, pod: number): boolean {
  const job = timeline.pods.job.at(pod);
  const row = rows.rowOf.at(pod);
  return layout.tracks.some((box) => box.job === job && row >= box.first && row < box.first + box.count);
}

/** As the picture has them, from top to bottom. */
function byPlace({ rows, timeline }: Scene): (a: TableRow, b: TableRow) => number {
  const trackOf = (pod: number) => rows.tracks.findIndex(({ job }) => job === timeline.pods.job.at(pod));
  return (a, b) => trackOf(a.pod) - trackOf(b.pod) || rows.rowOf.at(a.pod) - rows.rowOf.at(b.pod) || a.pod - b.pod;
}

function rowOf({ timeline, playheadMs }: Scene, id: number): TableRow {
  const { transitions, pods } = timeline;
  const pod = transitions.pod.at(id);
  const index = pods.index.at(pod);
  const sinceMs = transitions.atMs.at(id);
  return {
    pod,
    name: timeline.podNames[pod] ?? "",
    job: timeline.jobs[pods.job.at(pod)]?.name ?? "",
    index: index === NONE ? "" : String(index),
    attempt: pods.attempt.at(pod),
    state: STATE_WORDS[transitions.state.at(id) as PodState],
    sinceMs,
    durationMs: playheadMs - sinceMs,
    reason: timeline.text(transitions.detail.at(id)),
    node: timeline.text(transitions.node.at(id)),
    transition: id,
  };
}
