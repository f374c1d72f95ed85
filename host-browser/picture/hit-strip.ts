/** What is under a point of the strip: the controller, a node, or all of them; and keyboard navigation in it. */
import { NodeState } from "../records.ts";
import { stripRowY } from "./draw-strip.ts";
import { changeAt } from "./nodes.ts";
import type { Hit } from "./parts.ts";
import { CONTROLLER, type Scene } from "./scene.ts";
import { controllerWord, spellsOf } from "./spells.ts";
import { countText, instantText } from "./words.ts";

/** Left of this the pointer is on the mark that opens and closes the strip. */
const MARK = 18;

const NODE_WORDS: Readonly<Record<NodeState, string>> = {
  [NodeState.READY]: "ready",
  [NodeState.CORDONED]: "cordoned",
  [NodeState.GONE]: "gone",
};

export function stripHit(scene: Scene, x: number, y: number, atMs: number): Hit | undefined {
  const { layout, nodes, playheadMs, isStripOpen } = scene;
  const { strip } = layout;
  const row = Math.floor((y - strip.y) / strip.rowHeight);
  if (row < 0 || row >= strip.rows) return undefined;
  if (row === 0 && x < MARK * layout.type && nodes.all.length > 0) {
    const text = isStripOpen ? "hide the nodes" : `show the nodes (${countText(nodes.all.length)})`;
    return { ...stripThing(scene, 0, playheadMs), kind: "strip", text };
  }
  // The gutter says what is true at the playhead.
  return stripThing(scene, row, x < layout.plotX ? playheadMs : atMs);
}

export function stripThing(scene: Scene, row: number, atMs: number): Hit {
  const { layout, nodes, timeline } = scene;
  const place = { x: 0, y: stripRowY(scene, row), width: layout.plotEnd, height: layout.strip.rowHeight };
  const base = { atMs, ownMs: stripTimes(scene, row).findLast((ms) => ms <= atMs) ?? 0, box: place };
  if (row === 0) return { ...base, kind: "controller", text: `${CONTROLLER} ${controllerWord(timeline, atMs)}` };
  if (nodes.isSummed) return { ...base, kind: "node", text: nodesText(scene, atMs) };
  const node = nodes.all[row - 1]!;
  const text = `${node.name}: ${nodeWord(scene, row - 1, atMs)}, ${podsText(nodes.countAt(row - 1, atMs))}`;
  return { ...base, kind: "node", text, node: node.name };
}

/** `cordoned since 12.0 s`; a node that takes no pods and has none is drained. */
export function nodeWord({ nodes }: Scene, index: number, atMs: number, count = nodes.countAt(index, atMs)): string {
  const change = changeAt(nodes.all[index]!, atMs);
  if (change === undefined) return "not there yet";
  if (change.state === NodeState.READY) return "ready";
  const word = change.state === NodeState.CORDONED && count === 0 ? "cordoned and empty" : NODE_WORDS[change.state];
  return `${word} since ${instantText(change.atMs)}`;
}

function podsText(count: number): string {
  return `${countText(count)} pod${count === 1 ? "" : "s"} at work`;
}

function nodesText({ nodes }: Scene, atMs: number): string {
  const counts = new Map<NodeState, number>();
  for (const node of nodes.all) {
    const state = changeAt(node, atMs)?.state;
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const states = [...counts].map(([state, count]) => `${countText(count)} ${NODE_WORDS[state]}`);
  return `${countText(nodes.all.length)} nodes: ${[...states, podsText(nodes.countAt(0, atMs))].join(", ")}`;
}

/** When the thing of a row changed: the stops of the left and right keys. */
export function stripTimes({ nodes, timeline }: Scene, row: number): number[] {
  if (row === 0)
    return [...new Set([0, ...spellsOf(timeline).flatMap((spell) => [spell.fromMs, spell.untilMs])])].sort(
      (a, b) => a - b,
    );
  const changes = nodes.isSummed ? nodes.all.flatMap((node) => node.changes) : nodes.all[row - 1]!.changes;
  return [...new Set(changes.map(({ atMs }) => atMs))].sort((a, b) => a - b);
}
