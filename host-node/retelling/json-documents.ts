/**
 * Documents of JSON that follow each other in a text, with or without newlines between and within them: what
 * `kubectl get --watch -o json` prints, and what `jq` makes of it.
 *
 * Invariant: each document has the line on which it begins. A text that ends in the middle of a document ends with that
 * document, marked as cut: a watch that is interrupted prints half an object.
 */

export interface JsonDocument {
  /** Undefined: the text ends in the middle of it. */
  readonly text: string | undefined;
  /** The line of its first character, from 1. */
  readonly line: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const NEWLINE = 10;
/** Brackets and braces, by the bit that they differ in. */
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);
const SPACE = /\s/;

/** @throws Error with line and first characters for what is not inside of an object or list */
export function* jsonDocuments(text: string): Generator<JsonDocument> {
  let line = 1;
  let beginLine = 1;
  let begin = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) line++;
    else if (code === QUOTE && depth > 0) at = endOfString(text, at);
    else if (OPENING.has(code)) {
      if (depth++ === 0) {
        begin = at;
        beginLine = line;
      }
    } else if (CLOSING.has(code) && depth > 0) {
      if (--depth === 0) yield { text: text.slice(begin, at + 1), line: beginLine };
    } else if (depth === 0 && !SPACE.test(text[at]!))
      throw new Error(`line ${line}: ${JSON.stringify(text.slice(at, at + 20))} is no JSON object`);
  }
  if (depth > 0) yield { text: undefined, line: beginLine };
}

/** The place of the closing quote, or of the end of the text. A string of JSON has no newline. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
