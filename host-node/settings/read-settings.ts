/**
 * Reads the settings of a command from flags, environment and a file.
 *
 * Invariant: nothing starts with a setting that is not understood. An unknown name in the file, or a value that is not
 * allowed, is an error that says where it was given and what is allowed. A flag beats the environment, the environment
 * beats the file, and the file beats the default. Leaves out whether settings fit each other: configuration.ts of each
 * command checks that.
 */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from "yaml";
import { UsageError } from "../usage-error.ts";
import { flagOf, listText, type SettingsTable, type ValuesOf, variableOf } from "./table.ts";

const VARIABLE_PREFIX = "STINT_";
/** The variable that names the file, if no flag does. */
export const CONFIG_VARIABLE = "STINT_CONFIG";
/** Variables of this project that are no settings: those of its test libraries, containers, build and tests. */
export const OTHER_VARIABLES: ReadonlySet<string> = new Set(
  [
    ...["COMMAND", "RECORDINGS", "PLAYGROUND"],
    "CONTAINER",
    ...["ENGINE", "ENGINE_SOCKET", "CI_RESULTS", "SEED", "SEQUENCES", "TEST_KUBERNETES"],
    ...["ALL_TRIES", "BUBBLEWRAP", "CHROMIUM", "CLUSTER", "CONTROL_GROUPS", "ENGINES", "KUBECTL"].map(
      (what) => `REQUIRE_${what}`,
    ),
  ].map((name) => VARIABLE_PREFIX + name),
);
/** Variables that Kubernetes puts into the environment of every pod for a Service whose name begins with stint. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT)|PORT)(_|$)/;
/** The value of such a variable, in case a setting could have the same name: STINT_PORT of a Service `stint`. */
const SERVICE_LINK_VALUE = /^(tcp|udp|sctp):\/\//;

export interface SettingsInputs<Name extends string> {
  /** Values of flags that were given. */
  readonly flags: Readonly<Partial<Record<Name, string>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The file and its text. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
}

export interface Given {
  /** The source, as the user knows it: `--lease-duration`, `STINT_LEASE_DURATION`, `stint.yaml:3:1: leaseDuration`. */
  readonly where: string;
  readonly text: string;
}

export interface ReadSettings<Table extends SettingsTable> {
  readonly settings: ValuesOf<Table>;
  /** The settings that were given; the others have their defaults. */
  readonly given: ReadonlyMap<keyof Table & string, Given>;
  /** The source of a setting and its value, for messages: `--lease-duration (15s)`. */
  shown(name: keyof Table & string): string;
}

/** @throws UsageError */
export function readSettings<Table extends SettingsTable>(
  table: Table,
  { flags, environment, file }: SettingsInputs<keyof Table & string>,
): ReadSettings<Table> {
  type Name = keyof Table & string;
  const tableNames = Object.keys(table) as Name[];
  const given = new Map<Name, Given>([
    ...(file === undefined ? [] : fileSettings(table, file.path, file.text)),
    ...environmentSettings(tableNames, environment),
  ]);
  for (const name of tableNames) {
    const text = flags[name];
    if (text !== undefined) given.set(name, { where: flagOf(name), text });
  }
  const settings = Object.fromEntries(
    tableNames.map((name) => [name, valueOf(table, name, given.get(name))]),
  ) as ValuesOf<Table>;
  return {
    settings,
    given,
    shown: (name) => `${given.get(name)?.where ?? flagOf(name)} (${table[name]!.kind.show(settings[name])})`,
  };
}

function valueOf(table: SettingsTable, name: string, given: Given | undefined): unknown {
  const { kind, initial } = table[name]!;
  if (given === undefined) return initial;
  try {
    return kind.parse(given.text);
  } catch (error) {
    throw new UsageError(`${given.where} is ${JSON.stringify(given.text)}; allowed is ${(error as Error).message}`);
  }
}

function environmentSettings<Name extends string>(
  tableNames: readonly Name[],
  environment: Readonly<Record<string, string | undefined>>,
): [Name, Given][] {
  return tableNames.flatMap((name) => {
    const variable = variableOf(name);
    const text = environment[variable];
    const isSetting = text !== undefined && !(SERVICE_LINK.test(variable) && SERVICE_LINK_VALUE.test(text));
    return !isSetting ? [] : [[name, { where: variable, text }] as [Name, Given]];
  });
}

/**
 * Variables that look like settings but are not in the table: mostly misspelt ones. They have no effect, so the caller
 * logs a warning.
 */
export function unknownVariables(
  table: SettingsTable,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const known = new Set([CONFIG_VARIABLE, ...OTHER_VARIABLES, ...Object.keys(table).map(variableOf)]);
  return Object.keys(environment).filter(
    (variable) => variable.startsWith(VARIABLE_PREFIX) && !known.has(variable) && !SERVICE_LINK.test(variable),
  );
}

function fileSettings<Table extends SettingsTable>(
  table: Table,
  path: string,
  text: string,
): [keyof Table & string, Given][] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error?.code === "MULTIPLE_DOCS")
    throw new UsageError(`${at(error.pos[0])}: a second document begins here; allowed is one`);
  if (error !== undefined) throw new UsageError(`${at(error.pos[0])}: this is not YAML: ${error.message}`);
  if (document.contents === null) return [];
  const [example, { kind, initial }] = Object.entries(table).find(([, setting]) => setting.initial !== undefined)!;
  if (!isMap(document.contents))
    throw new UsageError(
      `${path} is not a list of settings; allowed is YAML such as ${example}: ${kind.show(initial)}, with a setting a line`,
    );
  return document.contents.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : "";
    const where = `${at((key as { range?: readonly number[] }).range?.[0] ?? 0)}: ${name}`;
    if (!Object.hasOwn(table, name))
      throw new UsageError(`${where} is no setting; allowed are ${Object.keys(table).join(", ")}`);
    const items: readonly unknown[] = isSeq(value) ? value.items : [value];
    if (!items.every(isPlainValue))
      throw new UsageError(
        `${where} has no plain value; allowed is ${name}: ${table[name]!.kind.placeholder}, or a list of them in [ ]`,
      );
    return [name, { where, text: listText(items.map(textOf)) }];
  });
}

function isPlainValue(node: unknown): node is Scalar {
  return isScalar(node) && node.value !== null;
}

/** The value as it is written, so that it means the same in a file as in a flag. */
function textOf({ value, source }: Scalar): string {
  return typeof value === "string" ? value : (source ?? String(value));
}
