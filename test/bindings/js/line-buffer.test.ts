/** The lines of a stream, whatever the pieces are in which it comes. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { LineBuffer } from "../../../bindings/js/line-buffer.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What each piece of a stream completes. */
function linesOf(...pieces: readonly string[]): string[] {
  const buffer = new LineBuffer();
  return pieces.map((piece) => decode(buffer.push(encode(piece))));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a line", () => {
  test("is handed out with its newline as soon as it is whole", () => {
    expect(linesOf("a\n", "b", "c", "d\n", "\n")).toEqual(["a\n", "", "", "bcd\n", "\n"]);
  });

  test("comes together with those that are whole by then, and its rest waits", () => {
    expect(linesOf("a\nb\nc", "d\ne\nf", "\n")).toEqual(["a\nb\n", "cd\ne\n", "f\n"]);
  });

  test("in every possible pair of pieces is the same", () => {
    const text = "one\n\ntwo\nthree\n";
    for (let at = 0; at <= text.length; at++) expect(linesOf(text.slice(0, at), text.slice(at)).join("")).toBe(text);
  });

  test("that was handed out does not change any more", () => {
    const buffer = new LineBuffer();
    buffer.push(encode("a"));
    const lines = buffer.push(encode("b\nc"));
    buffer.push(encode("d\n"));
    expect(decode(lines)).toBe("ab\n");
  });

  test("that has begun can be measured", () => {
    const buffer = new LineBuffer();
    expect(buffer.waiting).toBe(0);
    buffer.push(encode("a\nbc"));
    buffer.push(encode("d"));
    expect(buffer.waiting).toBe(3);
    buffer.push(encode("\n"));
    expect(buffer.waiting).toBe(0);
  });

  test("in many pieces is not copied again with each of them", () => {
    const set = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array, "set");
    const buffer = new LineBuffer();
    const piece = new Uint8Array(1024).fill(97);
    for (let i = 0; i < 1024; i++) buffer.push(piece);
    const copied = set.mock.calls.reduce((sum, [bytes]) => sum + bytes.length, 0);
    expect(buffer.waiting).toBe(1024 * 1024);
    expect(copied).toBeLessThan(4 * buffer.waiting);
  });
});
