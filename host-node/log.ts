/**
 * The log of long-running commands: one JSON object a line, on standard output, written by pino. No header and no body
 * of a request is ever logged.
 */
import pino from "pino";
import type { LogLevel } from "./settings/kinds.ts";

export type Log = Pick<pino.Logger, "debug" | "info" | "warn" | "error" | "fatal">;

/** `write` gets each line with its newline. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
}
