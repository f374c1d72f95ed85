/**
 * What a panel is: a file of panels/ exports one as `panel`. The name of the file is the name in addresses. The lists
 * of panels are made from the files (scripts/build-panels.ts).
 */
import type { ComponentType } from "preact";
import type { PanelName } from "../../../build/panel-names.ts";
import type { View } from "../../history/view.ts";

export interface PanelProps {
  readonly view: View;
  /** The title of another panel's tab. */
  readonly titleOf: (panel: PanelName) => string;
}

export interface Panel {
  /** The tabs stand in the order of these numbers. No two are equal, and there is room between them. */
  readonly place: number;
  readonly title: string;
  /** A number beside the title; 0 is not shown. */
  readonly count?: (view: View) => number;
  readonly Body: ComponentType<PanelProps>;
}
