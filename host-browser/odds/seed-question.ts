/** The messages between the page and a Worker that runs seeds. */
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import type { SeedRun } from "./seed-run.ts";

export interface SeedQuestion {
  readonly engine: WebAssembly.Module;
  readonly scenario: Scenario;
  /** The Worker runs these, one after another, and answers once. */
  readonly seeds: readonly number[];
}

export type SeedAnswer = { readonly runs: readonly SeedRun[] } | { readonly problem: string };
