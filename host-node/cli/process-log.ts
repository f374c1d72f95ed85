/**
 * The log of a command that runs until it is interrupted. It begins with a warning for each environment variable that
 * looks like a setting but is none, because it has no effect.
 */
import { createLog, type Log } from "../log.ts";
import type { LogLevel } from "../settings/kinds.ts";
import { unknownVariables } from "../settings/read-settings.ts";
import type { SettingsTable } from "../settings/table.ts";
import type { Console } from "./console.ts";

/** @param table the settings that the environment may have */
export function processLog(level: LogLevel, table: SettingsTable, console: Console): Log {
  const log = createLog(level, (line) => console.writeOut(line));
  for (const variable of unknownVariables(table, console.environment))
    log.warn({ variable }, "the environment has a variable that looks like a setting but is none");
  return log;
}
