/** What a peer says in place of the truth is never the truth. */
import { expect, test } from "vitest";
import { Chance } from "./chance.ts";
import { wrongAnswer } from "./lies.ts";

const list = (items: string): string =>
  `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[${items}]}\n`;

test.each([
  ["a list of nothing", list("")],
  ["a list of pods", list('{"metadata":{"name":"a"},"spec":{}},{"metadata":{"name":"b"},"spec":{}}')],
  ["an object", '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}\n'],
])("half a document is no whole one: %s", (_what, truth) => {
  const chance = new Chance(1, "lies");
  const halves = Array.from({ length: 100 }, () =>
    wrongAnswer({ method: "GET", path: "/", headers: {} }, truth, chance),
  )
    .filter(({ name }) => name === "half a document")
    .map(({ response }) => String(response.body));
  expect(halves.length).toBeGreaterThan(0);
  for (const half of halves) expect(() => JSON.parse(half)).toThrow(SyntaxError);
});
