/**
 * build/leaves.wasm for tests and benches: builds it when its sources have changed, and carries bytes in and out.
 *
 * Leaves out every judgement: what the functions must do is in the twins of test/naive/ and in the vectors.
 */
import { readFileSync } from "node:fs";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";

/** An address in the module's memory. */
export type Pointer = number;

export interface LeavesExports {
  readonly memory: WebAssembly.Memory;
  allocate(bytes: number): Pointer;
  release(at: Pointer): void;
  abortWith(utf8: Pointer, length: number): void;
  trap_message(): Pointer;
  hashBytes(at: Pointer, length: number): number;
  setParse(set: Pointer, text: Pointer, length: number, completions: number): void;
  setFormat(set: Pointer, to: Pointer): number;
  setFormattedBytesMax(set: Pointer): number;
  setEqualsText(set: Pointer, text: Pointer, length: number): number;
  setAdd(set: Pointer, index: number): number;
  setAddRange(set: Pointer, first: number, last: number): void;
  setAddSet(set: Pointer, other: Pointer): void;
  setClamp(set: Pointer, completions: number): void;
  setContains(set: Pointer, index: number): number;
  setFirstMissingFrom(set: Pointer, index: number): number;
  setCount(set: Pointer): number;
  setLength(set: Pointer): number;
  setCountCommon(set: Pointer, other: Pointer): number;
  setFree(set: Pointer): void;
  validate(text: Pointer, length: number, completions: number, finding: Pointer): void;
  firstOverlap(a: Pointer, aLength: number, b: Pointer, bLength: number, completions: number): number;
  backoffUpdate(update: Pointer, pods: Pointer, length: number, record: Pointer): void;
  remainingBackoffMs(failures: number, lastFailureTimeMs: number, nowMs: number, baseMs: number, capMs: number): number;
  compareRanks(a: Pointer, b: Pointer): number;
  parseTime(at: Pointer, length: number): number;
  writeTime(ms: number, to: Pointer): number;
  writeMicroTime(ms: number, to: Pointer): number;
}

/** Size of an IntervalSet, which is zeroed memory while empty. */
export const INTERVAL_SET_BYTES = 16;

const INPUT_BYTES = 1 << 20;
const OUTPUT_BYTES = 1 << 20;

export class Leaves {
  readonly exports: LeavesExports;
  /** INPUT_BYTES bytes; every `write` uses them, from `offset` on. */
  readonly input: Pointer;
  /** OUTPUT_BYTES bytes. */
  readonly output: Pointer;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  private constructor(exports: LeavesExports) {
    this.exports = exports;
    this.input = exports.allocate(INPUT_BYTES);
    this.output = exports.allocate(OUTPUT_BYTES);
  }

  static async load(): Promise<Leaves> {
    await buildModule("leaves");
    const module = await WebAssembly.compile(readFileSync(modulePath("leaves")));
    const instance = await WebAssembly.instantiate(module, {});
    return new Leaves(instance.exports as unknown as LeavesExports);
  }

  /** Puts text at `offset` of the input; returns its length in bytes. */
  write(text: string, offset = 0): number {
    if (offset + text.length * 3 > INPUT_BYTES) {
      throw new RangeError(`${text.length} characters at ${offset} may not fit into the input of ${INPUT_BYTES} bytes`);
    }
    const target = new Uint8Array(this.exports.memory.buffer, this.input + offset, INPUT_BYTES - offset);
    return this.#encoder.encodeInto(text, target).written;
  }

  read(at: Pointer, length: number): string {
    return this.#decoder.decode(new Uint8Array(this.exports.memory.buffer, at, length));
  }

  view(at: Pointer, length: number): DataView {
    return new DataView(this.exports.memory.buffer, at, length);
  }

  /** What the last trap said. */
  trapMessage(): string {
    const at = this.exports.trap_message();
    return this.read(at + 4, this.view(at, 4).getUint32(0, true));
  }

  /** Runs `body` with a set that holds what the text holds, and frees it. */
  withSet<T>(text: string, completions: number, body: (set: Pointer) => T): T {
    const set = this.exports.allocate(INTERVAL_SET_BYTES);
    try {
      this.exports.setParse(set, this.input, this.write(text), completions);
      return body(set);
    } finally {
      this.exports.setFree(set);
      this.exports.release(set);
    }
  }

  format(set: Pointer): string {
    return this.read(this.output, this.exports.setFormat(set, this.output));
  }
}
