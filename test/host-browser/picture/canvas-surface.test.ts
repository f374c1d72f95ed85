/** What a canvas is asked for: each text in its own font, though the font is set only when it is another one. */
import { expect, test } from "vitest";
import { CanvasSurface } from "../../../host-browser/picture/canvas-surface.ts";

/** A context that keeps its font as a real one does, and tells how often it was set. */
function canvas() {
  const drawn: string[] = [];
  const saved: string[] = [];
  const own = { font: "10px sans-serif", sets: 0 };
  const context: object = new Proxy(own, {
    get: (_, name) => {
      if (name === "fillText") return (text: string) => drawn.push(`${text}: ${own.font}`);
      if (name === "save") return () => saved.push(own.font);
      if (name === "restore") return () => (own.font = saved.pop()!);
      return () => undefined;
    },
    set: (_, name, value: string) => {
      if (name !== "font") return true;
      own.font = value;
      own.sets++;
      return true;
    },
  });
  const made = { width: 1, height: 1, getContext: () => context };
  const surface = new CanvasSurface(made, 1, { font: "sans", monoFont: "mono" }, () => made);
  return { surface, drawn, own };
}

test("each text has its font, and the same font is set once", () => {
  const { surface, drawn, own } = canvas();
  const text = (text: string, size: number): void => surface.text(0, 0, text, { size, colour: "black" });
  text("a", 12);
  text("b", 12);
  surface.clip(0, 0, 1, 1, () => {
    text("c", 12);
    text("d", 14);
  });
  text("e", 12);
  surface.clip(0, 0, 1, 1, () => text("f", 14));
  text("g", 14);
  expect(drawn.map((line) => line.replace("px sans", ""))).toEqual([
    "a: 12",
    "b: 12",
    "c: 12",
    "d: 14",
    "e: 12",
    "f: 14",
    "g: 14",
  ]);
  expect(own.sets).toBe(4);
});
