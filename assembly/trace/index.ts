/** The trace as the rest of the engine sees it: the decisions, and the log that they are noted in. */
export * from "./decisions";
export * from "./log";
