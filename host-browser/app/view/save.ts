/** Files that the page makes and the browser saves. */
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { scenarioFile } from "../../share/scenario-file.ts";

/** A moment after the click the download has begun, and its address is no longer needed. */
const REVOKE_MS = 10_000;

export function saveScenario(scenario: Scenario): void {
  saveText(scenarioFile(scenario), "stint-scenario.json", "application/json");
}

export function saveText(text: string, name: string, type: string): void {
  save(new Blob([text], { type }), name);
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_MS);
}
