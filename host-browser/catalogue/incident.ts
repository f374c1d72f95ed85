/** An incident of examples/incidents as the page shows it: plain data, which scripts/build-incidents.ts makes. */
import type { Scenario } from "../../cluster/simulation/scenario.ts";

export interface PageIncident {
  /** That of its file. */
  readonly name: string;
  readonly group: string;
  readonly title: string;
  /** What people saw. */
  readonly story: string;
  /** A code, and what is at fault: `container main`. */
  readonly cause: string;
  readonly object: string;
  /** What helps, in a sentence. */
  readonly remedy: string;
  /** How it runs without the remedy and with it; absent: it needs more of a world than the playground has. */
  readonly broken?: Scenario;
  readonly repaired?: Scenario;
}

/** Fetches them. */
export async function loadIncidents(): Promise<readonly PageIncident[]> {
  const { INCIDENTS } = await import("../../build/incident-pack.ts");
  return INCIDENTS;
}
