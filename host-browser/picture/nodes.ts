/**
 * Nodes in time: when each took pods, and how many pods were at work on it. Beyond MAX_NODE_ROWS nodes the pods of all
 * of them are counted together.
 *
 * Invariant: reads only what is new in its Timeline. A node that only pods name, as in some recordings, takes pods from
 * the first of them on.
 */
import { NodeState, NONE, PodState } from "../records.ts";
import { Column, countUpTo } from "../columns.ts";
import type { Timeline } from "./timeline.ts";

/** The most nodes with separate rows. */
export const MAX_NODE_ROWS = 12;

export interface NodeChange {
  readonly atMs: number;
  readonly state: NodeState;
}

export interface Node {
  readonly name: string;
  /** The first is its creation. */
  readonly changes: NodeChange[];
}

/** How many pods were at work, from each of these instants on. */
export interface Load {
  readonly atMs: Column<"float64">;
  readonly count: Column<"int32">;
}

export class Nodes {
  readonly all: Node[] = [];
  /** One a node or, for too many nodes, one for all. */
  loads: Load[] = [];
  /** The most pods of any load. */
  peak = 0;
  /** Of all nodes. */
  changeCount = 0;
  readonly #timeline: Timeline;
  readonly #byText = new Map<number, number>();
  #isSummed = false;
  #readNodes = 0;
  #readTransitions = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.update();
  }

  /** There are too many for a row each. */
  get isSummed(): boolean {
    return this.all.length > MAX_NODE_ROWS;
  }

  update(): void {
    const { nodes, transitions } = this.#timeline;
    for (; this.#readNodes < nodes.node.length; this.#readNodes++) {
      const { changes } = this.all[this.#indexOf(nodes.node.at(this.#readNodes))]!;
      changes.push({ atMs: nodes.atMs.at(this.#readNodes), state: nodes.state.at(this.#readNodes) as NodeState });
      this.changeCount++;
    }
    for (; this.#readTransitions < transitions.node.length; this.#readTransitions++) {
      const id = this.#readTransitions;
      const before = transitions.previous.at(id);
      const left = before === NONE ? NONE : this.#nodeOf(before);
      const entered = this.#nodeOf(id);
      if (left === entered) continue;
      const atMs = transitions.atMs.at(id);
      if (left !== NONE) this.#count(left, atMs, -1);
      if (entered !== NONE) this.#count(entered, atMs, 1);
    }
    if (this.isSummed === this.#isSummed) return;
    this.#isSummed = this.isSummed;
    Object.assign(this, { loads: [], peak: 0 });
    this.#readTransitions = 0;
    this.update();
  }

  /** Of a load: the pods at work at an instant. */
  countAt(load: number, atMs: number): number {
    const found = this.loads[load];
    if (found === undefined) return 0;
    const id = countUpTo(found.atMs.data, found.atMs.length, atMs) - 1;
    return id < 0 ? 0 : found.count.at(id);
  }

  /** Of each node, also where they have no separate load. */
  countsAt(atMs: number): number[] {
    const counts = this.all.map((_, node) => (this.#isSummed ? 0 : this.countAt(node, atMs)));
    const { podCount } = this.#timeline;
    for (let pod = 0; this.#isSummed && pod < podCount; pod++) {
      const transition = this.#timeline.transitionAt(pod, atMs);
      const node = transition < 0 ? NONE : this.#nodeOf(transition);
      if (node !== NONE) counts[node]!++;
    }
    return counts;
  }

  /** On which node the pod is at work, or NONE. */
  #nodeOf(transition: number): number {
    const { node, state } = this.#timeline.transitions;
    const isAtWork = (state.at(transition) as PodState) < PodState.SUCCEEDED;
    return isAtWork && node.at(transition) !== NONE ? this.#indexOf(node.at(transition), transition) : NONE;
  }

  #indexOf(text: number, transition?: number): number {
    let index = this.#byText.get(text);
    if (index === undefined) {
      index = this.all.push({ name: this.#timeline.text(text), changes: [] }) - 1;
      this.#byText.set(text, index);
      if (transition !== undefined) {
        const atMs = this.#timeline.transitions.atMs.at(transition);
        this.all[index]!.changes.push({ atMs, state: NodeState.READY });
      }
    }
    return index;
  }

  #count(node: number, atMs: number, by: number): void {
    const { atMs: times, count } = (this.loads[this.#isSummed ? 0 : node] ??= {
      atMs: new Column("float64"),
      count: new Column("int32"),
    });
    const last = count.length - 1;
    const value = (last < 0 ? 0 : count.at(last)) + by;
    if (last >= 0 && times.at(last) === atMs) count.data[last] = value;
    else {
      times.push(atMs);
      count.push(value);
    }
    this.peak = Math.max(this.peak, value);
  }
}

/** Undefined: it is not there yet. */
export function changeAt({ changes }: Node, atMs: number): NodeChange | undefined {
  return changes.findLast((change) => change.atMs <= atMs);
}
