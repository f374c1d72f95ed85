/** Helpers for writing lessons: they fill in what most lessons have in common. */
import { DEFAULT_NODES, type Scenario } from "../../cluster/simulation/scenario.ts";
import type { Bookmark, Sight } from "./lesson.ts";

const SEED = 1;

/** A run of these manifests on the ordinary nodes. The opening comments of examples are for readers of files. */
export function run(yaml: string | readonly string[], changes: Partial<Scenario> = {}): Scenario {
  const texts = typeof yaml === "string" ? [yaml] : yaml;
  return {
    yaml: texts.map(withoutOpeningComment).join("---\n"),
    seed: SEED,
    nodes: DEFAULT_NODES,
    outcomes: [],
    inputs: [],
    ...changes,
  };
}

/** @param job the Job that it is about, where it is not the first one */
export function at(atMs: number, label: string, shows: Sight, job?: string): Bookmark {
  return { atMs, label, shows, ...(job === undefined ? {} : { job }) };
}

function withoutOpeningComment(yaml: string): string {
  return yaml.replace(/^(#[^\n]*\n)+/, "");
}
