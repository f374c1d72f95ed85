/**
 * Finds what is wrong with a manifest that is meant as JSON. It is parsed as YAML, as kubectl does, so a text that is
 * no JSON may be valid; if it is not, the words of YAML would not help the author of JSON.
 *
 * Invariant: the problem is at the first character that JSON does not allow. Later ones are mostly consequences.
 */
import { jsonSyntaxError } from "../values/go-json.ts";
import type { YamlProblem } from "./yaml-tree.ts";

/** By the place in Go's error: what JSON allows there. Leaves out a digit, or a word such as true. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["looking for beginning of value", "a value: a text in double quotes, a number, true, false, null, { or ["],
  ["looking for beginning of object key string", "a name in double quotes"],
  ["after object key", "a colon"],
  ["after object key:value pair", "a comma or }"],
  ["after array element", "a comma or ]"],
  ["after top-level value", "the end of the text; several objects go into the items of a List"],
  ["in string literal", 'a text up to its closing ", with line ends as \\n and tabs as \\t'],
  ["in string escape code", 'one of " \\ / b f n r t u after a backslash'],
  ["in \\u hexadecimal character escape", "four hexadecimal digits after \\u"],
]);
const LITERAL = /^in literal (\w+)/;
/** A document that begins like this is meant as JSON. A brace before a name without quotes is YAML. */
const JSON_BEGIN = /^\s*\{\s*("|\}|$)/;

/** @param isJson whether the file is declared as JSON. Undefined: the text is not meant as JSON, or it is valid */
export function jsonProblem(text: string, isJson: boolean): YamlProblem | undefined {
  if (!isJson && !JSON_BEGIN.test(text)) return undefined;
  const error = jsonSyntaxError(text);
  // A YAML file may begin with a document in JSON.
  if (error === undefined || (!isJson && error.where === "after top-level value")) return undefined;
  const { offset, where } = error;
  const allowed = ALLOWED.get(where) ?? LITERAL.exec(where)?.[1] ?? "a digit";
  const given = offset >= text.length ? "the text ends here" : `here is ${shown(text.codePointAt(offset)!)}`;
  return { offset, message: `this is not JSON: ${given}; allowed is ${allowed}` };
}

function shown(codePoint: number): string {
  const character = String.fromCodePoint(codePoint);
  return character === "\n" || character === "\r" ? "the end of the line" : JSON.stringify(character);
}
