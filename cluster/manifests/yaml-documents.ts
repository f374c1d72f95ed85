/**
 * The documents of a YAML text.
 *
 * Invariant: a text that is nested deeper than any object of Kubernetes is refused while it is read, at the place where
 * it gets too deep. The library alone would recurse until the stack is full, and take a minute for four megabytes of
 * brackets.
 */
import { Composer, type Document, Lexer, type LineCounter, Parser, type Tags } from "yaml";

/** Maps and lists around a value. The deepest field of a Job has some twenty. */
export const MAX_DEPTH = 200;

export interface YamlOptions {
  readonly lineCounter: LineCounter;
  readonly customTags: (tags: Tags) => Tags;
}

export class TooDeepError extends Error {
  override readonly name = "TooDeepError";
  readonly offset: number;

  constructor(offset: number) {
    super(`here begins level ${MAX_DEPTH + 1} of maps and lists; allowed are ${MAX_DEPTH}`);
    this.offset = offset;
  }
}

/** As `parseAllDocuments` of the library, in YAML 1.1. @throws TooDeepError */
export function parseYamlDocuments(text: string, { lineCounter, customTags }: YamlOptions): Document.Parsed[] {
  const composer = new Composer({ version: "1.1", lineCounter, prettyErrors: false, customTags });
  return Array.from(composer.compose(tokensOf(text, lineCounter))) as Document.Parsed[];
}

function* tokensOf(text: string, { addNewLine }: LineCounter): ReturnType<Parser["parse"]> {
  const parser = new Parser(addNewLine);
  addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The document itself is one of them.
    if (parser.stack.length > MAX_DEPTH + 1) throw new TooDeepError(parser.offset - lexeme.length);
  }
  yield* parser.end();
}
