/**
 * Tells code, comments and the text of literals apart in TypeScript: strings, templates and regular expressions. It
 * knows no grammar: a slash after a value divides, any other begins a regular expression. Interpolations are code.
 * Their strings are literals again.
 */

/** For each UTF-16 unit of the source: CODE, COMMENT, or the number of the literal whose text it is, from 1 on. */
export type PartMap = Int32Array;

export const CODE = 0;
export const COMMENT = -1;

export function partsOf(source: string): PartMap {
  return new Scanner(source).scan();
}

/** The source with comments blanked out, line by line as before. Strings are kept. */
export function withoutComments(source: string): string {
  const parts = partsOf(source);
  return source.replace(/[^\n]/g, (unit, at: number) => (parts[at] === COMMENT ? " " : unit));
}

/** A word after which a slash begins a regular expression, although a name looks the same. */
const OPERATOR_WORD = /\b(return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/;

/** How far back the value before a slash is looked for: a word and some indentation. */
const LONGEST_GAP = 200;

class Scanner {
  readonly #source: string;
  readonly #map: PartMap;
  #at = 0;
  #literals = 0;

  constructor(source: string) {
    this.#source = source;
    this.#map = new Int32Array(source.length);
  }

  scan(): PartMap {
    this.#code(false);
    return this.#map;
  }

  /** Reads code up to the end, or to the brace that closes an interpolation. */
  #code(isInterpolation: boolean): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      if (this.#skipComment()) continue;
      const unit = this.#source[this.#at]!;
      if (isInterpolation && unit === "}" && depth-- === 0) return;
      if (unit === "{") depth++;
      if (unit === '"' || unit === "'" || unit === "`" || (unit === "/" && !this.#isValueBefore())) this.#literal(unit);
      else this.#at++;
    }
  }

  #isValueBefore(): boolean {
    const before = this.#source.slice(Math.max(0, this.#at - LONGEST_GAP), this.#at).trimEnd();
    return /[\w$)\]}"'`]$/.test(before) && !OPERATOR_WORD.test(before);
  }

  #skipComment(): boolean {
    const end = this.#source.startsWith("//", this.#at) ? "\n" : this.#source.startsWith("/*", this.#at) ? "*/" : "";
    if (end === "") return false;
    const found = this.#source.indexOf(end, this.#at + 2);
    const start = this.#at;
    this.#at = found < 0 ? this.#source.length : found + end.length;
    this.#map.fill(COMMENT, start, this.#at);
    return true;
  }

  #literal(quote: string): void {
    const literal = ++this.#literals;
    let isInClass = false;
    this.#at++;
    while (this.#at < this.#source.length) {
      const unit = this.#source[this.#at]!;
      if (unit === quote && !isInClass) break;
      if (unit === "\n" && quote !== "`") return;
      if (quote === "`" && this.#source.startsWith("${", this.#at)) {
        this.#at += 2;
        this.#code(true);
        this.#at++;
        continue;
      }
      if (quote === "/" && unit === "[") isInClass = true;
      if (quote === "/" && unit === "]") isInClass = false;
      const end = Math.min(this.#at + (unit === "\\" ? 2 : 1), this.#source.length);
      this.#map.fill(literal, this.#at, end);
      this.#at = end;
    }
    this.#at++;
  }
}
