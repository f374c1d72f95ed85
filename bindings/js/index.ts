/** The exports of the package `stint`: the engine, the loop around it, and what a host must provide. */
export * from "./engine-loop.ts";
export * from "./engine.ts";
export type * from "./host.ts";
export * from "./metrics.ts";
export * from "./recorder.ts";
export * from "./recording.ts";
export * from "./replay.ts";
export * from "./save.ts";
