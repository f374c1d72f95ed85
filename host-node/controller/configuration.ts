/**
 * Reads the settings of `stint controller` from flags, environment and a file, and checks what they mean together.
 *
 * Invariant: nothing starts with a setting that is not understood: an unknown flag or name in the file, a value that is not
 * allowed, or two settings that contradict each other are errors that say where it was given and what is allowed.
 */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from "yaml";
import { UsageError } from "../usage-error.ts";
import { flagOf, type Setting, SETTING_NAMES, type SettingName, SETTINGS, type Settings, variableOf } from "./settings.ts";
import { MAX_NAMESPACES } from "./sources.ts";

const VARIABLE_PREFIX = "STINT_";
/** Names the file, where no flag does. */
export const CONFIG_VARIABLE = "STINT_CONFIG";
/** What Kubernetes puts into the environment of every pod for a Service whose name begins with stint. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT)|PORT)(_|$)/;

export interface ConfigurationInputs {
  /** Values of flags that were given. */
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file and its text. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
}

interface Given {
  /** As the user knows it: `--lease-duration`, `STINT_LEASE_DURATION`, `stint.yaml:3:1: leaseDuration`. */
  readonly where: string;
  readonly text: string;
}

/** @throws UsageError */
export function readConfiguration({ flags, environment, file }: ConfigurationInputs): Settings {
  const given = new Map<SettingName, Given>([...(file === undefined ? [] : fileSettings(file.path, file.text)), ...environmentSettings(environment)]);
  for (const name of SETTING_NAMES) {
    const text = flags[name];
    if (text !== undefined) given.set(name, { where: flagOf(name), text });
  }
  const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, valueOf(name, given.get(name))])) as unknown as Settings;
  check(settings, given);
  return settings;
}

function valueOf(name: SettingName, given: Given | undefined): unknown {
  const { kind, initial } = SETTINGS[name] as Setting;
  if (given === undefined) return initial;
  try {
    return kind.parse(given.text);
  } catch (error) {
    throw new UsageError(`${given.where} is ${JSON.stringify(given.text)}; allowed is ${(error as Error).message}`);
  }
}

function environmentSettings(environment: Readonly<Record<string, string | undefined>>): [SettingName, Given][] {
  return SETTING_NAMES.flatMap((name) => {
    const variable = variableOf(name);
    const text = environment[variable];
    return text === undefined ? [] : [[name, { where: variable, text }] as [SettingName, Given]];
  });
}

/** Variables that look like settings and are none: a slip of the pen, mostly. They have no effect, which is worth a warning. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([CONFIG_VARIABLE, ...SETTING_NAMES.map(variableOf)]);
  return Object.keys(environment).filter((variable) => variable.startsWith(VARIABLE_PREFIX) && !known.has(variable) && !SERVICE_LINK.test(variable));
}

function fileSettings(path: string, text: string): [SettingName, Given][] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error?.code === "MULTIPLE_DOCS") throw new UsageError(`${at(error.pos[0])}: a second document begins here; allowed is one`);
  if (error !== undefined) throw new UsageError(`${at(error.pos[0])}: this is not YAML: ${error.message}`);
  if (document.contents === null) return [];
  if (!isMap(document.contents)) throw new UsageError(`${path} is no list of settings; allowed is YAML such as leaseDuration: 15s, with a setting a line`);
  return document.contents.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : "";
    const where = `${at((key as { range?: readonly number[] }).range?.[0] ?? 0)}: ${name}`;
    if (!isSettingName(name)) throw new UsageError(`${where} is no setting; allowed are ${SETTING_NAMES.join(", ")}`);
    const items: readonly unknown[] = isSeq(value) ? value.items : [value];
    if (!items.every(isPlainValue)) throw new UsageError(`${where} has no plain value; allowed is ${name}: ${(SETTINGS[name] as Setting).kind.placeholder}, or a list of them in [ ]`);
    return [name, { where, text: items.map(textOf).join(",") }];
  });
}

function isSettingName(name: string): name is SettingName {
  return (SETTING_NAMES as readonly string[]).includes(name);
}

function isPlainValue(node: unknown): node is Scalar {
  return isScalar(node) && node.value !== null;
}

/** As it is written, so that a setting means the same in a file as in a flag. */
function textOf({ value, source }: Scalar): string {
  return typeof value === "string" ? value : (source ?? String(value));
}

function check(settings: Settings, given: ReadonlyMap<SettingName, Given>): void {
  const shown = (name: SettingName): string => {
    const { kind } = SETTINGS[name] as Setting;
    return `${given.get(name)?.where ?? flagOf(name)} (${kind.show(settings[name])})`;
  };
  const refuse = (problem: string): never => {
    throw new UsageError(problem);
  };
  if (settings.defaultController) {
    for (const name of ["managedBy", "finalizer"] as const) {
      if (given.has(name)) refuse(`${shown("defaultController")} and ${shown(name)} are given: the Jobs of the built-in controller name nobody and have upstream's finalizer; leave one of them out`);
    }
  }
  if (settings.namespaces.length > MAX_NAMESPACES) refuse(`${given.get("namespaces")!.where} names ${settings.namespaces.length} namespaces; allowed are ${MAX_NAMESPACES}, or none for all`);
  for (const [base, longest] of [["syncRetryBase", "syncRetryMax"], ["podBackoffBase", "podBackoffMax"]] as const) {
    if (settings[base] > settings[longest]) refuse(`${shown(base)} is longer than ${shown(longest)}, the longest delay that it grows to`);
  }
  if (settings.leaderElect) {
    if (settings.leaseDuration % 1000 !== 0) refuse(`${shown("leaseDuration")} is not in whole seconds, which a Lease has`);
    if (settings.renewDeadline >= settings.leaseDuration) refuse(`${shown("renewDeadline")} is not shorter than ${shown("leaseDuration")}: a leader would give up after others have taken over`);
    if (settings.retryPeriod * 1.2 >= settings.renewDeadline) refuse(`${shown("retryPeriod")} is too long for ${shown("renewDeadline")}: a leader would have one try`);
    if (settings.requestTimeout + 2 * settings.retryPeriod > settings.leaseDuration) {
      refuse(`${shown("requestTimeout")} and two of ${shown("retryPeriod")} are longer than ${shown("leaseDuration")}: a write starts only while the Lease is held for as long as it may take, so that hardly one would`);
    }
  }
}
