/** Records writes of nodes as rows: one whenever a node takes pods, takes no new ones any more, or is gone. */
import type { Write } from "../../cluster/index.ts";
import { NodeState } from "../records.ts";
import type { Book } from "./book.ts";
import type { Node } from "../../cluster/values/kinds.ts";

export class NodeRecorder {
  readonly #book: Book;
  /** The latest state of each node that there was. */
  readonly #states = new Map<string, NodeState>();

  constructor(book: Book) {
    this.#book = book;
  }

  record({ type, object }: Write<Node>): void {
    const { name } = object.metadata;
    const state =
      type === "DELETED" ? NodeState.GONE : object.spec?.unschedulable === true ? NodeState.CORDONED : NodeState.READY;
    if (this.#states.get(name) === state) return;
    this.#states.set(name, state);
    const { nodes, texts } = this.#book.tables;
    nodes.columns.node.push(texts.id(name));
    nodes.columns.atMs.push(this.#book.nowMs);
    nodes.columns.state.push(state);
  }
}
