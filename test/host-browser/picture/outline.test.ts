/** The outline of an area: its points in order, in memory that is used again. */
import { expect, test } from "vitest";
import { Outline } from "../../../host-browser/picture/outline.ts";

test("the outline goes along the upper line, and back along the lower one", () => {
  const outline = new Outline();
  outline.add(0, 1, 5);
  outline.add(2, 3, 6);
  expect([...outline.points()]).toEqual([0, 1, 2, 3, 2, 6, 0, 5]);
  outline.clear();
  expect([...outline.points()]).toEqual([]);
});

test("the outline grows with its points, and keeps its memory", () => {
  const outline = new Outline();
  const draw = (count: number): Float64Array => {
    outline.clear();
    for (let x = 0; x < count; x++) outline.add(x, x + 0.5, -x);
    return outline.points();
  };
  const expected = (count: number): number[] => {
    const xs = Array.from({ length: count }, (_, x) => x);
    return [...xs.flatMap((x) => [x, x + 0.5]), ...xs.toReversed().flatMap((x) => [x, -x])];
  };
  for (const count of [1, 511, 512, 513, 5_000, 3]) expect([...draw(count)]).toEqual(expected(count));
  expect(draw(5_000).buffer).toBe(draw(4_000).buffer);
});
