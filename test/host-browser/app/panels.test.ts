/** The panels of the page, as their files say: no two have the same place, and addresses stay as they are. */
import { expect, test } from "vitest";
import { PANELS } from "../../../build/panel-components.ts";
import { PANEL_NAMES } from "../../../build/panel-names.ts";
import { IN_ORDER } from "../../../host-browser/app/view/panels.tsx";

test("no two panels have the same place or the same title", () => {
  const panels = PANEL_NAMES.map((name) => PANELS[name]);
  expect(new Set(panels.map(({ place }) => place)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
});

test("the tabs stand in the order of their places, and the first panels keep names and order", () => {
  const first = ["status", "conditions", "events", "decisions", "requests", "get", "describe", "why"];
  expect(IN_ORDER.filter((name) => first.includes(name))).toEqual(first);
  expect(IN_ORDER.toSorted()).toEqual(PANEL_NAMES.toSorted());
});
