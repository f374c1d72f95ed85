/**
 * The flags of a table of settings, and what was given of them.
 *
 * Invariant: a flag is the setting of the same name; its help, group and default are those of the table. Leaves out the
 * environment, the file and the checks of values (settings/read-settings.ts).
 */
import { type Command, Option } from "commander";
import { defaultOf, flagOf, listText, type Setting, type SettingsTable } from "../../settings/table.ts";
import { ListOption } from "../strict-command.ts";

/** The flags of a settings table as commander returns them: a flag without a value is true. */
export type GivenSettings = Readonly<Record<string, string | true>> & { readonly config?: string };

/** Values stay text here. They are checked together with those of the environment and the file. */
export function settingsOf({ config, ...flags }: GivenSettings): {
  readonly config: string | undefined;
  readonly flags: Readonly<Record<string, string>>;
} {
  return { config, flags: Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)])) };
}

/** Adds a flag for each setting, and one for the settings file. @param example a line of that file */
export function addSettings(command: Command, table: SettingsTable, example: string): void {
  command.option(
    "--config <file>",
    `settings as YAML, by the names below without dashes: ${example}; else $STINT_CONFIG`,
  );
  for (const [name, setting] of Object.entries(table)) command.addOption(settingOption(name, setting));
}

/** Not as choices of the option: its value is checked later, together with those of the environment and the file. */
const WORDS = new WeakMap<Option, readonly string[]>();

/** All values of an option, where they are few. */
export function wordsOf(option: Option): readonly string[] | undefined {
  return option.argChoices ?? WORDS.get(option);
}

function settingOption(name: string, setting: Setting): Option {
  const { kind, help, group } = setting;
  const initial = defaultOf(setting);
  const value = kind.placeholder === "boolean" ? "[boolean]" : `<${kind.placeholder}>`;
  const flags = `${flagOf(name)} ${value}`;
  const description = initial === "" ? help : `${help} (default: ${initial})`;
  const option = kind.isList ? new ListOption(flags, description, listText) : new Option(flags, description);
  if (kind.words !== undefined) WORDS.set(option, kind.words);
  return option.helpGroup(group);
}
