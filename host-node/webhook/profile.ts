/**
 * A profile: the rules for the Jobs of some namespaces. It is a settings file, like that of `stint lint`, which can
 * serve as one.
 *
 * Leaves out which namespace has which profile: the path of the request names it.
 */
import { readSettings } from "../settings/read-settings.ts";
import type { ValuesOf } from "../settings/table.ts";
import { PROFILE_SETTINGS } from "./profile-settings.ts";

export interface Profile extends ValuesOf<typeof PROFILE_SETTINGS> {
  readonly name: string;
  /** The file as it was read. */
  readonly text: string;
}

/** @throws UsageError with file, line and column, and what is allowed */
export function readProfile(name: string, path: string, text: string): Profile {
  const { settings } = readSettings(PROFILE_SETTINGS, { flags: {}, environment: {}, file: { path, text } });
  return { ...settings, name, text };
}
