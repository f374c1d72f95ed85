/**
 * How values look inside the message of a field error. Numbers and booleans are bare; strings are quoted as by Go's %q;
 * everything else is compact JSON with the keys of maps in order. Invariant: no rendered value is longer than
 * MAX_VALUE_CHARS, so that a list of errors about one huge value stays small. Go's internal structs are left out: a
 * struct shows its API names, not the CamelCase names of the server's types.
 */
import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE } from "../json/punctuation";
import { joined, replaced } from "../json/text";
import { ARRAY, JsonNode, OBJECT, STRING } from "../json/tree";
import { childrenByKey } from "../json/tree-order";
import { writeString, writeTree } from "../json/tree-text";
import { Writer } from "../json/writer";

/**
 * The most characters of a value that an error message shows. The API server shows all, but a request may hold
 * megabytes.
 */
export const MAX_VALUE_CHARS: i32 = 8192;

const HEX_DIGITS = "0123456789abcdef";

const scratch = new Writer();

/** A field's value for an error message; `null` if the field is not there. */
export function renderNode(node: JsonNode | null): string {
  if (node === null) return "null";
  if (node.kind == STRING) return quote(node.text);
  if (node.kind != OBJECT && node.kind != ARRAY) return cut(node.text);
  scratch.reset();
  writeTree(node, scratch);
  return written();
}

/** A map of strings as Go writes it: sorted by key, with `<`, `>` and `&` escaped. */
export function renderMap(node: JsonNode | null): string {
  if (node === null) return "null";
  const members = childrenByKey(node);
  scratch.reset();
  scratch.byte(OPEN_BRACE);
  for (let i = 0; i < members.length; i++) {
    if (i > 0) scratch.byte(COMMA);
    writeString(members[i].key, scratch);
    scratch.byte(COLON);
    writeTree(members[i], scratch);
  }
  scratch.byte(CLOSE_BRACE);
  return escapedForHtml(written());
}

function escapedForHtml(text: string): string {
  return replaced(replaced(replaced(text, "<", "\\u003c"), ">", "\\u003e"), "&", "\\u0026");
}

/** A string as Go's %q writes it. */
export function quote(text: string): string {
  const shown = cut(text);
  let plain = true;
  for (let i = 0; i < shown.length && plain; i++) {
    const c = shown.charCodeAt(i);
    plain = c >= 0x20 && c != 0x22 && c != 0x5c && c != 0x7f;
  }
  if (plain) return '"' + shown + '"';
  const parts = new Array<string>();
  for (let i = 0; i < shown.length; i++) parts.push(escaped(shown.charCodeAt(i)));
  return '"' + joined(parts, "") + '"';
}

/** A string of a named type, such as a policy: Go writes those as JSON does, with `<`, `>` and `&` escaped. */
export function quoteWord(text: string): string {
  scratch.reset();
  writeString(cut(text), scratch);
  return escapedForHtml(written());
}

/** Several strings as Go's %q writes a slice: `["A" "B"]`. */
export function quoteSlice(values: string[]): string {
  return "[" + quoteAll(values, " ") + "]";
}

/** Several strings, each quoted: `"A", "B"`. */
export function quoteList(values: string[]): string {
  return quoteAll(values, ", ");
}

function quoteAll(values: string[], separator: string): string {
  const quoted = new Array<string>();
  for (let i = 0; i < values.length; i++) quoted.push(quote(values[i]));
  return joined(quoted, separator);
}

function written(): string {
  return cut(String.UTF8.decodeUnsafe(scratch.start, scratch.length));
}

function cut(text: string): string {
  return text.length <= MAX_VALUE_CHARS ? text : text.substring(0, MAX_VALUE_CHARS) + "…";
}

function escaped(c: i32): string {
  if (c == 0x22) return '\\"';
  if (c == 0x5c) return "\\\\";
  if (c == 0x07) return "\\a";
  if (c == 0x08) return "\\b";
  if (c == 0x09) return "\\t";
  if (c == 0x0a) return "\\n";
  if (c == 0x0b) return "\\v";
  if (c == 0x0c) return "\\f";
  if (c == 0x0d) return "\\r";
  if (c < 0x20 || c == 0x7f) return "\\x" + HEX_DIGITS.charAt(c >> 4) + HEX_DIGITS.charAt(c & 15);
  return String.fromCharCode(c);
}
