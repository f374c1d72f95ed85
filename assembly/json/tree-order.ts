/**
 * The members of an object in the order of their names. Invariant: it takes at most n log n steps, whatever the names
 * are.
 */
import { after, JsonNode } from "./tree";

/**
 * The children of a node in the order of their names, which are unique. UTF-16 units decide. For ASCII that is the
 * order of bytes.
 */
export function childrenByKey(node: JsonNode): JsonNode[] {
  const nodes = new Array<JsonNode>();
  for (let child = node.first; child !== null; child = after(child)) nodes.push(child);
  const count = nodes.length;
  // Heap sort: build a heap with the largest at the root, then move the root behind the shrinking heap.
  for (let root = count / 2 - 1; root >= 0; root--) sift(nodes, root, count);
  for (let end = count - 1; end > 0; end--) {
    swap(nodes, 0, end);
    sift(nodes, 0, end);
  }
  return nodes;
}

// One step of heap sort: the node at `root` sinks until no child in the heap [0, end) is larger.
function sift(nodes: JsonNode[], root: i32, end: i32): void {
  let at = root;
  while (true) {
    let largest = 2 * at + 1;
    if (largest >= end) return;
    if (largest + 1 < end && nodes[largest].key < nodes[largest + 1].key) largest++;
    if (nodes[at].key >= nodes[largest].key) return;
    swap(nodes, at, largest);
    at = largest;
  }
}

function swap(nodes: JsonNode[], a: i32, b: i32): void {
  const node = nodes[a];
  nodes[a] = nodes[b];
  nodes[b] = node;
}
