/**
 * Reads the body of an apply: YAML, of which JSON is a part. As in the server's reader, a duplicate key in a map is not
 * a syntax error: the last one counts, and only strict validation refuses it.
 */
import { type Document, isMap, isScalar, LineCounter, visit } from "yaml";
import { composeYaml, MAX_ALIASES } from "../../yaml/yaml-library.ts";
import type { Json, JsonObject } from "../../values/types.ts";
import { duplicateMembers, parseJson } from "../../values/go-json.ts";
import { goJsonKind, isObject } from "../../values/json.ts";

/** For YAML; it takes a hundred times as long to parse as JSON, and clients send JSON. */
export const MAX_YAML_LENGTH = 512 * 1024;

export interface Configuration {
  readonly object: JsonObject;
  /** What strict validation refuses, a line each: `line 3: key "a" already set in map`. */
  readonly problems: readonly string[];
}

/** The text is no YAML. */
export class YamlError extends SyntaxError {}

/** @throws YamlError; SyntaxError for YAML that is too long or no object */
export function readConfiguration(text: string): Configuration {
  const json = readJson(text);
  if (json === undefined && text.length > MAX_YAML_LENGTH)
    throw new SyntaxError(`the YAML has ${text.length} characters; allowed are ${MAX_YAML_LENGTH}, and more as JSON`);
  const { value, problems } = json ?? readYaml(text);
  if (value === null) return { object: {}, problems };
  if (isObject(value)) return { object: value, problems };
  throw new SyntaxError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonKind(value)} into Go value of type map[string]interface {}`,
  );
}

interface Read {
  readonly value: Json;
  readonly problems: readonly string[];
}

/** Most clients send JSON. Undefined: the text is not JSON, or repeats a key. */
function readJson(text: string): Read | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    return duplicateMembers(text, value).length === 0 ? { value, problems: [] } : undefined;
  } catch {
    return undefined;
  }
}

function readYaml(text: string): Read {
  const lines = new LineCounter();
  try {
    const document = composeYaml(text, { uniqueKeys: false, lineCounter: lines })[0];
    if (document === undefined) return { value: null, problems: [] };
    const error = document.errors[0];
    if (error !== undefined) throw new Error(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as Json, problems: repeatedKeys(document, lines) };
  } catch (error) {
    throw new YamlError(`yaml: ${(error as Error).message}`);
  }
}

function repeatedKeys(document: Document, lines: LineCounter): string[] {
  const problems: string[] = [];
  visit(document, {
    Map(_key, node) {
      const seen = new Set<unknown>();
      for (const { key } of isMap(node) ? node.items : []) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push(
            `line ${lines.linePos(key.range![0]).line}: key ${JSON.stringify(key.value)} already set in map`,
          );
        seen.add(key.value);
      }
    },
  });
  return problems;
}
