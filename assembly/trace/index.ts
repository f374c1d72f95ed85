/** The trace, as the rest of the engine sees it: the decisions, and the log that notes them. */
export * from "./decisions";
export * from "./log";
