/** The formats of the output of a run. */
export const RUN_FORMATS = ["text", "json", "junit", "github"] as const;

export type RunFormat = (typeof RUN_FORMATS)[number];
