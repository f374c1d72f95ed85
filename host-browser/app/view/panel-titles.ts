/** The titles of the panels. */
import type { Panel } from "../selection.ts";

export const PANEL_TITLES: Readonly<Record<Panel, string>> = {
  status: "Status",
  conditions: "Conditions",
  events: "Events",
  decisions: "Decisions",
  requests: "Requests",
  get: "kubectl get",
  describe: "kubectl describe",
  why: "Why",
};
