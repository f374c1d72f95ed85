/**
 * The filter of system calls as the kernel would run it, for both processors: a small interpreter of classic BPF says
 * what becomes of a call.
 */
import { describe, expect, it } from "vitest";
import { seccompFilter } from "../../../host-node/runtime/seccomp.ts";

const ALLOWED = 0x7fff0000;
const refused = (errno: number): number => 0x00050000 + errno;
const EPERM = 1;
const ENOSYS = 38;

/** What the filter returns for a call; `low` are the lower halves of its arguments. */
function verdict(filter: Uint8Array, architecture: number, number: number, low: readonly number[] = []): number {
  const view = new DataView(filter.buffer, filter.byteOffset, filter.length);
  const load = (offset: number): number =>
    offset === 0 ? number : offset === 4 ? architecture : (low[(offset - 16) / 8] ?? 0);
  let accumulator = 0;
  for (let at = 0; ; at++) {
    const [code, ifTrue, ifFalse, operand] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    if (code === 0x06) return operand;
    if (code === 0x20) accumulator = load(operand);
    else if (code === 0x15) at += accumulator === operand ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= operand ? ifTrue : ifFalse;
    else if (code === 0x45) at += (accumulator & operand) !== 0 ? ifTrue : ifFalse;
    else throw new Error(`no such instruction: ${code}`);
  }
}

describe.each([
  { processor: "x64", audit: 0xc000003e, keyctl: 250, clone: 56, clone3: 435, read: 0, ptrace: 101, socket: 41 },
  { processor: "arm64", audit: 0xc00000b7, keyctl: 219, clone: 220, clone3: 435, read: 63, ptrace: 117, socket: 198 },
])("the filter for $processor", ({ processor, audit, keyctl, clone, clone3, read, ptrace, socket }) => {
  const of = (number: number, ...low: number[]): number => verdict(seccompFilter(processor)!, audit, number, low);

  it("refuses keys, and lets everything common pass", () => {
    expect(of(keyctl)).toBe(refused(EPERM));
    expect(of(read)).toBe(ALLOWED);
    expect(of(10_000)).toBe(ALLOWED);
  });

  it("looks at arguments, and continues after them", () => {
    expect(of(clone, 0x10000000 | 17)).toBe(refused(EPERM));
    expect(of(clone, 17)).toBe(ALLOWED);
    expect(of(ptrace, 16, 1)).toBe(refused(EPERM));
    expect(of(ptrace, 16, 2)).toBe(ALLOWED);
    expect(of(socket, 40)).toBe(refused(97));
    expect(of(socket, 1)).toBe(ALLOWED);
  });

  it("answers as an old kernel does where it cannot look, and to other architectures", () => {
    expect(of(clone3)).toBe(refused(ENOSYS));
    expect(verdict(seccompFilter(processor)!, 0x40000003, read)).toBe(refused(ENOSYS));
  });
});

it("the sandbox has no filter for a processor whose system calls are not known", () => {
  expect(seccompFilter("riscv64")).toBeUndefined();
});
