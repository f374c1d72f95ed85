/**
 * The rooms of the engine: the folders of assembly/, from the top down. A file imports from its own room and from those
 * below it, never from one above. ARCHITECTURE.md draws the same list, and a test compares the two.
 */
export const ROOMS: readonly string[] = [
  "explain",
  "turns",
  "steps",
  "sync",
  "gang",
  "ingest",
  "lifecycle",
  "forecast",
  "verdict",
  "lint",
  "admission",
  "events",
  "queue",
  "metrics",
  "trace",
  "model",
  "abi",
  "intervals",
  "json",
  "time",
  "memory",
];

/** Stands above all rooms: the list of exports, and the calls that it names. */
export const ROOF: readonly string[] = ["assembly/index.ts", "assembly/core.ts", "assembly/engine.ts"];
