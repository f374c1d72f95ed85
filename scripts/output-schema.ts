/**
 * `npm run schema`: makes the JSON Schema of what the commands print from the types of host-node/cli/json/documents.ts
 * and their comments, and the tables of docs/json.md from that. `test/tidy/` checks that both are current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { withTable } from "./decisions-page.ts";

export const SCHEMA_FILE = "host-node/cli/json/schema.json";
export const SCHEMA_PAGE = "docs/json.md";
const SOURCE = "host-node/cli/json/documents.ts";
const ERROR = "#/$defs/ErrorReport";
const ABOUT =
  "What stint prints with --output json: by command in small letters, by kind and part in capitals. Members and codes are added without a new version.";
const root = path.resolve(import.meta.dirname, "..");

type Schema = Readonly<Record<string, any>>;

export interface OutputSchema {
  readonly $defs: Readonly<Record<string, Schema>>;
  readonly [keyword: string]: unknown;
}

/** The schema, with a definition for each command, which any of its documents satisfies. */
export function outputSchema(): OutputSchema {
  const generator = createGenerator({
    path: path.join(root, SOURCE),
    tsconfig: path.join(root, "tsconfig.json"),
    expose: "export",
    jsDoc: "extended",
    additionalProperties: true,
    skipTypeCheck: true,
  });
  const { definitions } = generator.createSchema("*");
  const text = JSON.stringify(definitions).replaceAll("#/definitions/", "#/$defs/");
  const { Documents, Common: _, ...types } = JSON.parse(text) as Record<string, Schema>;
  const documents = Object.entries(Documents!["properties"] as Record<string, Schema>);
  const commands = documents.map(([command, { anyOf, $ref, description }]) => [
    command,
    { ...(description === undefined ? {} : { description }), anyOf: [...(anyOf ?? [{ $ref }]), { $ref: ERROR }] },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The output of stint",
    description: ABOUT,
    anyOf: documents.map(([command]) => ({ $ref: `#/$defs/${command}` })),
    $defs: { ...Object.fromEntries(commands), ...types },
  };
}

export function schemaText(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const nameOf = ({ $ref }: Schema): string => String($ref).replace("#/$defs/", "");
const membersOf = ({ properties = {}, required = [] }: Schema): string =>
  Object.keys(properties as Schema)
    .filter((name) => name !== "version" && (name !== "kind" || properties.kind.const === undefined))
    .map((name) => (required.includes(name) ? `\`${name}\`` : `\`${name}\`?`))
    .join(", ");

/** The page with its tables. */
export function schemaPageWith(page: string, { $defs }: OutputSchema): string {
  const entries = Object.entries($defs);
  const isCommand = (name: string): boolean => /^[a-z]/.test(name);
  const commands = entries.filter(([name]) => isCommand(name) && name !== "mcp");
  const byCommand = commands.map(([name, { anyOf }]) => {
    const kinds = (anyOf as Schema[]).map(nameOf).filter((kind) => kind !== "ErrorReport");
    return `| \`stint ${name}\` | ${kinds.map((kind) => `\`${kind}\``).join(", ")} |\n`;
  });
  const isDocument = ({ properties }: Schema): boolean => properties?.kind?.const !== undefined;
  const rows = entries.filter(([name, { properties }]) => !isCommand(name) && properties !== undefined);
  const linesOf = (those: readonly (readonly [string, Schema])[]): string[] =>
    those.map(([name, schema]) => `| \`${name}\` | ${membersOf(schema)} |\n`);
  const isOfRun = (name: string): boolean => name.startsWith("Run") && name !== "Run" && name !== "RunReport";
  const tables: readonly (readonly [head: string, lines: readonly string[]])[] = [
    ["command | documents", byCommand],
    ["`kind` | members", linesOf(rows.filter(([, schema]) => isDocument(schema)))],
    ["line | members", linesOf(rows.filter(([name]) => isOfRun(name)))],
    ["part | members", linesOf(rows.filter(([name, schema]) => !isDocument(schema) && !isOfRun(name)))],
  ];
  return tables.reduce((text, [head, lines]) => withTable(text, `| ${head} |\n|---|---|\n`, lines), page);
}

if (import.meta.main) {
  const schema = outputSchema();
  writeFileSync(path.join(root, SCHEMA_FILE), schemaText(schema));
  const page = path.join(root, SCHEMA_PAGE);
  writeFileSync(page, schemaPageWith(readFileSync(page, "utf8"), schema));
}
