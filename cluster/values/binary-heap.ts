/**
 * A binary min-heap: the next element in O(1), push and pop in O(log n).
 *
 * Invariant: no element comes before its parent. The constructor gets a strict order. Equal elements come out in any
 * order; for a stable order, compare a sequence number last.
 */
export class BinaryHeap<T> {
  #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first element in order, or undefined if the heap is empty. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    const before = this.#before;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(item, items[parent]!)) break;
      items[index] = items[parent]!;
      index = parent;
    }
    items[index] = item;
  }

  /** Takes the first element in order out; undefined if the heap is empty. */
  pop(): T | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (this.#items.length > 0) {
      this.#items[0] = last!;
      this.#siftDown(0);
    }
    return top;
  }

  /** Visits every element, in no order. It may change them as long as that leaves their order. */
  forEach(visit: (item: T) => void): void {
    this.#items.forEach((item) => visit(item));
  }

  /** Drops every element that `keep` refuses. O(n). */
  retain(keep: (item: T) => boolean): void {
    this.#items = this.#items.filter(keep);
    for (let index = (this.#items.length >> 1) - 1; index >= 0; index--) this.#siftDown(index);
  }

  #siftDown(index: number): void {
    const items = this.#items;
    const before = this.#before;
    const item = items[index]!;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1]!, items[child]!)) child++;
      if (!before(items[child]!, item)) break;
      items[index] = items[child]!;
      index = child;
    }
    items[index] = item;
  }
}
