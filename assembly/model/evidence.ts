/**
 * What the rules of a podFailurePolicy check in a pod: the exit codes of its terminated containers, and its conditions.
 * It is gathered while the pod is read, and kept with a pod that waits for its Job. The rules are in
 * pod-failure-policy.ts.
 *
 * Its bytes: [u32 bytes of exits] exits: [i32 code, u32 size, name]… conditions: [u32 size, type, u32 size, status]…
 */
import { PADDING } from "../json/reader";
import { Writer } from "../json/writer";

/** Gathers the evidence of the pod that is being read. */
export class Evidence {
  private exits: Writer = new Writer(128);
  private initExits: Writer = new Writer(128);
  private conditions: Writer = new Writer(256);
  private whole: Writer = new Writer(512);

  /** Forgets the evidence of the previous pod. */
  reset(): void {
    this.exits.reset();
    this.initExits.reset();
    this.conditions.reset();
  }

  /** A container has ended. Exit code 0 is left out, because it never matches a rule. */
  addExit(isInit: bool, name: usize, nameSize: u32, code: i32): void {
    if (code == 0) return;
    const to = isInit ? this.initExits : this.exits;
    store<i32>(to.grow(8), code);
    store<u32>(to.grow(8), nameSize, 4);
    to.length += 8;
    to.bytes(name, nameSize);
  }

  addCondition(type: usize, typeSize: u32, status: usize, statusSize: u32): void {
    addText(this.conditions, type, typeSize);
    addText(this.conditions, status, statusSize);
  }

  /**
   * The address of its bytes, which stay until the next pod is read. Regular containers come before init containers.
   */
  bytes(): usize {
    const whole = this.whole;
    const exits = this.exits;
    const initExits = this.initExits;
    whole.reset();
    store<u32>(whole.grow(4), exits.length + initExits.length);
    whole.length += 4;
    whole.bytes(exits.start, exits.length);
    whole.bytes(initExits.start, initExits.length);
    whole.bytes(this.conditions.start, this.conditions.length);
    store<u32>(whole.grow(4), 0);
    return whole.start;
  }

  /** A new copy of the labels and the evidence, for a pod that waits: [u32 size, labels, evidence, padding]. */
  keepWith(labels: usize, labelsSize: u32): usize {
    const at = this.bytes();
    const size = this.whole.length + 4;
    const copy = heap.alloc(4 + labelsSize + size + PADDING);
    store<u32>(copy, labelsSize);
    memory.copy(copy + 4, labels, labelsSize);
    memory.copy(copy + 4 + labelsSize, at, size);
    return copy;
  }
}

/** The evidence in a copy that `keepWith` made; 0 if there is no copy. */
export function keptEvidence(copy: usize): usize {
  return copy == 0 ? 0 : copy + 4 + load<u32>(copy);
}

function addText(to: Writer, ptr: usize, size: u32): void {
  store<u32>(to.grow(4), size);
  to.length += 4;
  to.bytes(ptr, size);
}
