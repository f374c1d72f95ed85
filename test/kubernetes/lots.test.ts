/** Draws hit as often as chance says, and never stay away for long. */
import { expect, it } from "vitest";
import { seeded } from "../cluster/component-harness.ts";
import { Lots } from "./lots.ts";

const NEVER = (): number => 0.999_999;

it("what chance never brings comes all the same, again and again", () => {
  const lots = new Lots(NEVER);
  const draws = Array.from({ length: 60 }, (_none, at) => ({ number: at + 1, isHit: lots.draw("expired", 0.1) }));
  expect(draws.filter(({ isHit }) => isHit).map(({ number }) => number)).toEqual([20, 40, 60]);
});

it("each kind waits for itself, and what has no share never comes", () => {
  const lots = new Lots(NEVER);
  for (let draw = 1; draw < 4; draw++) expect([lots.draw("often", 0.5), lots.draw("never", 0)]).toEqual([false, false]);
  expect([lots.draw("often", 0.5), lots.draw("never", 0), lots.draw("other", 0.5)]).toEqual([true, false, false]);
});

it("a lot hits about as often as its share says", () => {
  const lots = new Lots(seeded(1));
  const hits = Array.from({ length: 10_000 }, () => lots.draw("delayed", 0.1)).filter(Boolean).length;
  expect(hits).toBeGreaterThan(1_000);
  expect(hits).toBeLessThan(1_300);
});
