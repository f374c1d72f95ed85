/**
 * Documents of JSON that follow each other in a text, with or without newlines between and within them: what
 * `kubectl get --watch -o json` prints, and what `jq` makes of it.
 *
 * Invariant: each document has the place where it begins. A text that ends in the middle of a document ends with that
 * document, marked as cut: a watch that is interrupted prints half an object.
 */

export interface JsonDocument {
  /** Undefined: the text ends in the middle of it. */
  readonly text: string | undefined;
  /** Of its first character. */
  readonly offset: number;
}

/** The text where a document could begin, but none does. */
export class NoDocument extends Error {
  override readonly name = "NoDocument";
  readonly offset: number;

  constructor(offset: number, found: string) {
    super(`${JSON.stringify(found)} is no JSON object`);
    this.offset = offset;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
/** Brackets and braces, by the bit that they differ in. */
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);
const SPACE = /\s/;
/** Of what is no document. */
const SHOWN_LENGTH = 20;

/** @throws NoDocument for what is not inside of an object or list */
export function* jsonDocuments(text: string): Generator<JsonDocument> {
  let begin = -1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && depth > 0) at = endOfString(text, at);
    else if (OPENING.has(code)) {
      if (depth++ === 0) begin = at;
    } else if (CLOSING.has(code) && depth > 0) {
      if (--depth === 0) yield { text: text.slice(begin, at + 1), offset: begin };
    } else if (depth === 0 && !SPACE.test(text[at]!)) throw new NoDocument(at, text.slice(at, at + SHOWN_LENGTH));
  }
  if (depth > 0) yield { text: undefined, offset: begin };
}

/** The place of the closing quote, or of the end of the text. A string of JSON has no newline. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
