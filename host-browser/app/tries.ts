/** The faults of the first screen: each at an instant at which pods are at work, and played from there. */
import type { Action } from "../../cluster/simulation/scenario.ts";
import type { Timeline } from "../picture/timeline.ts";
import { PodState } from "../records.ts";
import type { Playground } from "./playground.ts";

/** At this instant of the first lesson each node has a pod. */
const TRY_MS = 2_000;
const DOWN_MS = 5_000;

export function loseNode(playground: Playground): void {
  const { atMs, node } = placeOf(playground);
  tryAt(playground, { kind: "lose-node", node }, `node ${node} is lost`, atMs);
}

export function killController(playground: Playground): void {
  const { atMs } = placeOf(playground);
  tryAt(playground, { kind: "restart-controller", downMs: DOWN_MS }, "the controller is killed", atMs);
}

function tryAt(playground: Playground, action: Action, words: string, atMs: number): void {
  playground.act(action, words, atMs);
  playground.playFrom(atMs, matchMedia("(prefers-reduced-motion: reduce)").matches);
}

/** The playhead's instant and a node that has a pod then; or where one has, if no pod is at work at the playhead. */
function placeOf({ session, playhead }: Playground): { readonly atMs: number; readonly node: string } {
  const { timeline } = session.branch.peek()!;
  const atMs = playhead.atMs.peek();
  const here = busyNode(timeline, atMs);
  return here === undefined
    ? { atMs: TRY_MS, node: busyNode(timeline, TRY_MS) ?? timeline.text(timeline.nodes.node.at(0)) }
    : { atMs: Math.ceil(atMs), node: here };
}

function busyNode(timeline: Timeline, atMs: number): string | undefined {
  for (let pod = 0; pod < timeline.podCount; pod++) {
    const transition = timeline.transitionAt(pod, atMs);
    if (timeline.stateAt(pod, atMs) === PodState.READY) return timeline.text(timeline.transitions.node.at(transition));
  }
  return undefined;
}
