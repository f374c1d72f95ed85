/** Finds the settings file of a command: named by a flag, or else by the environment. */
import { resolve } from "node:path";
import { CONFIG_VARIABLE, type SettingsInputs } from "../settings/read-settings.ts";
import type { Console } from "./console.ts";
import { readInput } from "../manifests/read-input.ts";

/** Undefined: no file is named. @throws UsageError when it cannot be read */
export function readSettingsFile(
  flag: string | undefined,
  { environment, workingDirectory }: Console,
): SettingsInputs<never>["file"] {
  const path = flag ?? environment[CONFIG_VARIABLE];
  return path === undefined ? undefined : { path, text: readInput(resolve(workingDirectory, path)).text };
}
