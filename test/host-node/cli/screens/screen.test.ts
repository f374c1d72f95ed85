/** A screen has what a terminal shows: its lines, where it breaks them, and the colours. */
import { describe, expect, it } from "vitest";
import { Screen } from "./screen.ts";

function shown(columns: number, ...texts: readonly string[]): readonly string[] {
  const screen = new Screen(columns);
  for (const text of texts) screen.write(text);
  return screen.lines.map(({ text, isFull }) => (isFull ? `${text}↩` : text));
}

describe("a screen", () => {
  it("breaks a line only when a character comes behind its last column", () => {
    expect(shown(4, "abcd\r\nabcde\r\n")).toEqual(["abcd", "abcd↩", "e"]);
  });

  it("redraws lines", () => {
    expect(shown(20, "one\r\ntwo\r\n", "\u001b[1A\u001b[2K", "\u001b[1A\u001b[2Kthree\r\n")).toEqual(["three"]);
    expect(shown(20, "reading: 100\r", "\u001b[2Kdone\r\n")).toEqual(["done"]);
    expect(shown(20, "abc\rX")).toEqual(["Xbc"]);
    expect(shown(20, "a\tb")).toEqual(["a       b"]);
  });

  it("has the looks of characters, also of a sequence that comes in two parts", () => {
    const screen = new Screen(20);
    screen.write("a\u001b[3");
    screen.write("1mred\u001b[0m \u001b[1mbold\u001b[0m\u001b[2;36mdim");
    expect(screen.lines[0]!.runs).toEqual([
      { text: "a" },
      { text: "red", colour: 31 },
      { text: " " },
      { text: "bold", isBold: true },
      { text: "dim", isDim: true, colour: 36 },
    ]);
  });

  it("refuses what it does not know", () => {
    for (const text of ["\u001b[5;5H", "\u001b[7m", "\u001bc", "\u0007"])
      expect(() => new Screen(20).write(text), JSON.stringify(text)).toThrow("knows no");
  });
});
