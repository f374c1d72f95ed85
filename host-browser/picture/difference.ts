/**
 * Compares a row at the playhead with the same row of the branch before the change: by how it ended, not by how long it
 * took.
 *
 * Invariant: every row has exactly one of these differences. Leaves out colours (heat-map.ts).
 */
import { NONE, PodState } from "../records.ts";
import { unpack } from "./cells.ts";
import { ghostTrack, type Scene } from "./scene.ts";
import { countText } from "./words.ts";

export const Difference = {
  NO_POD: 0,
  SAME: 1,
  SUCCEEDS: 2,
  FAILS: 3,
  SUCCEEDED: 4,
  FAILED: 5,
  OTHER: 6,
} as const;
export type Difference = (typeof Difference)[keyof typeof Difference];

/** For the legend, and what a map's cell says. */
export const DIFFERENCE_WORDS: Readonly<Record<Difference, readonly [label: string, meaning: string]>> = {
  [Difference.NO_POD]: ["No pod yet", "Neither branch has a pod for it."],
  [Difference.SAME]: ["The same", "It is in the same state as in the branch before."],
  [Difference.SUCCEEDS]: ["Succeeded only now", "It has succeeded here, and had not in the branch before."],
  [Difference.FAILS]: ["Failed only now", "It has failed here, and had not in the branch before."],
  [Difference.SUCCEEDED]: [
    "Succeeded only before",
    "It had succeeded in the branch before, and is at work or gone here.",
  ],
  [Difference.FAILED]: ["Failed only before", "It had failed in the branch before, and is at work or gone here."],
  [Difference.OTHER]: ["Otherwise", "It is in another state, or has another number of attempts."],
};

/** Of two values of cells.ts: now, and in the branch before. */
export function differenceOf(now: number, before: number): Difference {
  if (now === 0 && before === 0) return Difference.NO_POD;
  const [here, there] = [unpack(now), unpack(before)];
  const ends = [here?.end, there?.end] as const;
  if (ends[0] === ends[1]) return here?.attempts === there?.attempts ? Difference.SAME : Difference.OTHER;
  if (ends[0] === PodState.SUCCEEDED) return Difference.SUCCEEDS;
  if (ends[0] === PodState.FAILED) return Difference.FAILS;
  if (ends[1] === PodState.SUCCEEDED) return Difference.SUCCEEDED;
  return ends[1] === PodState.FAILED ? Difference.FAILED : Difference.OTHER;
}

/** How many rows have each difference at the playhead; undefined: there is no branch to compare with. */
export function differences(scene: Scene): Int32Array | undefined {
  const { ghost, layout, rows, cells, playheadMs } = scene;
  if (ghost === undefined) return undefined;
  cells.seek(playheadMs);
  ghost.cells.seek(playheadMs);
  const counts = new Int32Array(Difference.OTHER + 1);
  for (const box of layout.tracks) {
    const track = rows.trackOf(box.job);
    const other = ghostTrack(scene, box.job);
    if (track === undefined || other === undefined || box.job === NONE) continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      counts[differenceOf(cells.valueOf(track, row), ghost.cells.valueOf(other, row))]!++;
    }
  }
  return counts;
}

/** `differs from the run before in 12 of 100 rows (7 succeeded only now, 5 otherwise)`; empty: nothing to compare. */
export function differenceText(scene: Scene): string {
  const counts = differences(scene);
  if (counts === undefined) return "";
  const all = counts.reduce((sum, count) => sum + count, 0);
  const unlike = all - counts[Difference.NO_POD]! - counts[Difference.SAME]!;
  if (unlike === 0) return "; as in the run before";
  const parts = [...counts].flatMap((count, i) =>
    i < Difference.SUCCEEDS || count === 0
      ? []
      : [`${countText(count)} ${DIFFERENCE_WORDS[i as Difference][0].toLowerCase()}`],
  );
  return `; differs from the run before in ${countText(unlike)} of ${countText(all)} rows (${parts.join(", ")})`;
}
