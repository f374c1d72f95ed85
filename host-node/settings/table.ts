/**
 * A table of settings: the one source for flags, environment, file, help and checks of a command.
 *
 * Invariant: a setting has one name in three spellings: `leaseDuration` in a file, `--lease-duration` as a flag,
 * `STINT_LEASE_DURATION` in the environment. Leaves out how values are read (read-settings.ts) and the tables
 * themselves.
 */
import type { Kind } from "./kinds.ts";

export interface Setting<T = unknown> {
  readonly group: string;
  readonly kind: Kind<T>;
  readonly initial: T;
  readonly help: string;
}

/** Settings by name, in the order in which help shows them. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** The values of a table's settings. */
export type ValuesOf<Table extends SettingsTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export function setting<T>(group: string, kind: Kind<T>, initial: T, help: string): Setting<T> {
  return { group, kind, initial, help };
}

/** `--lease-duration` */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `STINT_LEASE_DURATION` */
export function variableOf(name: string): string {
  return `STINT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The default as text, as a user would write it. Empty: the help describes the default. */
export function defaultOf({ kind, initial }: Setting): string {
  return kind.show(initial);
}

/** Several texts of a setting whose kind is a list, as one. */
export function listText(texts: readonly string[]): string {
  return texts.join(",");
}
