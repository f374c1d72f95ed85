/** The lists of panels are made from the names of their files. */
import { expect, test } from "vitest";
import { panelLists } from "../../scripts/build-panels.ts";

test("a panel is in each list that it has a file for", () => {
  const lists = panelLists(["status", "why"], ["status"]);
  expect(lists["panel-names.ts"]).toContain('["status", "why"] as const');
  expect(lists["panel-components.ts"])
    .toBe(`import { panel as status } from "../host-browser/app/view/panels/status.tsx";
import { panel as why } from "../host-browser/app/view/panels/why.tsx";

export const PANELS = { status, why };
`);
  expect(lists["panel-data.ts"]).toBe(`import { data as status } from "../host-browser/history/panels/status.ts";

export const PANEL_DATA = [status];
export type PanelData = ReturnType<typeof status>;
`);
});

test("a name that is no identifier is refused, with what is allowed", () => {
  expect(() => panelLists(["pod-ends"], [])).toThrow("the panel pod-ends: the name of its file may have the letters a");
});
