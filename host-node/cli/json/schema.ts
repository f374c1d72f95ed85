/** Parts of the schema of what the commands print (schema.json), each whole in itself. */
import schema from "./schema.json" with { type: "json" };

export type Schema = Readonly<Record<string, any>>;

const DEFINITIONS: Readonly<Record<string, Schema>> = schema.$defs;
const REFERENCE = /"\$ref":"#\/\$defs\/([^"]+)"/g;

/** Commands begin with a small letter, kinds and parts of documents with a capital. */
export const SCHEMA_NAMES: readonly string[] = Object.keys(DEFINITIONS);

export const WHOLE_SCHEMA: Schema = schema;

/** The schema of a command, a kind or a part. @param name one of SCHEMA_NAMES */
export function schemaNamed(name: string): Schema {
  return { $schema: schema.$schema, title: name, ...DEFINITIONS[name], $defs: definitionsOf([name]) };
}

/** All definitions that some of them need, without these themselves where nothing refers to them. */
export function definitionsOf(names: readonly string[]): Readonly<Record<string, Schema>> {
  const needed = new Set<string>();
  const add = (definition: Schema): void => {
    for (const [, name] of JSON.stringify(definition).matchAll(REFERENCE)) {
      if (needed.has(name!)) continue;
      needed.add(name!);
      add(DEFINITIONS[name!]!);
    }
  };
  for (const name of names) add(DEFINITIONS[name]!);
  return Object.fromEntries(Object.entries(DEFINITIONS).filter(([name]) => needed.has(name)));
}

/** The definition with this name. */
export function definition(name: string): Schema {
  return DEFINITIONS[name]!;
}
