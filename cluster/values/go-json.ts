/**
 * Adds to JSON.parse what only Go's decoder reports: its texts of syntax errors, and members that occur twice. It reads
 * the text only if JSON.parse failed, or if the text has more members than the parsed value. So an ordinary body costs
 * one count.
 */
import type { Json } from "./types.ts";
import { hexOf } from "./text.ts";

/**
 * How deep objects and lists may be nested. Go's decoder takes ten times as much, but code here recurses over
 * documents.
 */
export const MAX_DEPTH = 1_000;

/**
 * Parses a JSON document.
 * @throws SyntaxError with the text of Go's decoder: `unexpected end of JSON input`
 */
export function parseJson(text: string): Json {
  // Only a long text can be nested too deep.
  const tooDeep = text.length > 2 * MAX_DEPTH ? structureOf(text).tooDeep : "";
  if (tooDeep !== "") throw new SyntaxError(`invalid character '${tooDeep}' exceeded max depth`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    new Scanner(text).document();
    throw new SyntaxError("invalid JSON");
  }
}

/** At most this many fields of a body are reported as unknown or given more than once. Source: sigs.k8s.io/json */
export const MAX_PROBLEMS = 100;

/** Paths of the duplicate members of a valid document, each once, in its order: `spec.foo`, `spec.list[2].bar`. */
export function duplicateMembers(text: string, parsed: Json): readonly string[] {
  if (structureOf(text).members === membersOf(parsed)) return [];
  const scanner = new Scanner(text);
  scanner.document();
  return [...new Set(scanner.duplicates)];
}

/**
 * Counts characters outside strings: each colon is a member, each opening bracket a level. `tooDeep` is the first
 * bracket beyond the limit.
 */
function structureOf(text: string): { members: number; tooDeep: string } {
  let members = 0;
  let level = 0;
  let tooDeep = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x3a) members++;
    else if (unit === 0x7b || unit === 0x5b) {
      if (++level > MAX_DEPTH && tooDeep === "") tooDeep = text[index]!;
    } else if (unit === 0x7d || unit === 0x5d) level--;
    if (unit !== 0x22) continue;
    do {
      index = text.indexOf('"', index + 1);
      // The string does not end; the parser will report that.
      if (index < 0) return { members, tooDeep };
    } while (isEscaped(text, index));
  }
  return { members, tooDeep };
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function membersOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += membersOf(item);
  } else {
    for (const key in value) members += 1 + membersOf(value[key]!);
  }
  return members;
}

/** Where a text stops being JSON. The message is that of Go's decoder. */
export class JsonSyntaxError extends SyntaxError {
  readonly #offset: number;
  readonly #where: string;

  constructor(message: string, offset: number, where: string) {
    super(message);
    this.#offset = offset;
    this.#where = where;
  }

  /** The offset of the first invalid character; the length of the text: it ends too early. */
  get offset(): number {
    return this.#offset;
  }

  /** What Go's decoder adds to the character: `after array element`. */
  get where(): string {
    return this.#where;
  }
}

/** Where a text stops being JSON. Undefined: it is JSON, or is nested too deep to check. */
export function jsonSyntaxError(text: string): JsonSyntaxError | undefined {
  if (structureOf(text).tooDeep !== "") return undefined;
  try {
    new Scanner(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** A recursive-descent scanner that keeps no values. */
class Scanner {
  readonly duplicates: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value("");
    this.#space();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
  }

  #fail(where: string): never {
    if (this.#at >= this.#text.length) throw new JsonSyntaxError("unexpected end of JSON input", this.#at, where);
    // Go's decoder reads bytes, and shows the first byte as if it were a character.
    const character = String.fromCharCode(
      Number.parseInt(hexOf(String.fromCodePoint(this.#text.codePointAt(this.#at)!)).slice(0, 2), 16),
    );
    const quoted =
      character === "'" ? `'\\''` : character === '"' ? `'"'` : `'${JSON.stringify(character).slice(1, -1)}'`;
    throw new JsonSyntaxError(`invalid character ${quoted} ${where}`, this.#at, where);
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #value(path: string): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#object(path);
    else if (first === "[") this.#list(path);
    else if (first === '"') this.#string();
    else if (first === "t") this.#literal("true");
    else if (first === "f") this.#literal("false");
    else if (first === "n") this.#literal("null");
    else if (first !== undefined && /[-0-9]/.test(first)) this.#number();
    else this.#fail("looking for beginning of value");
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "}") {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
      const key = this.#string();
      const member = path === "" ? key : `${path}.${key}`;
      if (seen.has(key) && this.duplicates.length < MAX_PROBLEMS) this.duplicates.push(member);
      seen.add(key);
      this.#space();
      if (this.#text[this.#at] !== ":") this.#fail("after object key");
      this.#at++;
      this.#value(member);
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "}") this.#fail("after object key:value pair");
      this.#at++;
      if (next === "}") return;
    }
  }

  #list(path: string): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "]") {
      this.#at++;
      return;
    }
    for (let index = 0; ; index++) {
      this.#value(`${path}[${index}]`);
      this.#space();
      const next = this.#text[this.#at];
      if (next !== "," && next !== "]") this.#fail("after array element");
      this.#at++;
      if (next === "]") return;
    }
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === 0x22) break;
      if (Number.isNaN(unit) || unit < 0x20) this.#fail("in string literal");
      if (unit === 0x5c) this.#escape();
      else this.#at++;
    }
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #escape(): void {
    this.#at++;
    if (this.#text[this.#at] === "u") {
      for (let digit = 0; digit < 4; digit++) {
        this.#at++;
        if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#fail("in \\u hexadecimal character escape");
      }
    } else if (!'"\\/bfnrt'.includes(this.#text[this.#at] ?? "x")) {
      this.#fail("in string escape code");
    }
    this.#at++;
  }

  #literal(word: string): void {
    for (let index = 0; index < word.length; index++, this.#at++) {
      if (this.#text[this.#at] !== word[index]) this.#fail(`in literal ${word} (expecting '${word[index]}')`);
    }
  }

  #number(): void {
    if (this.#text[this.#at] === "-") this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at++;
      if (/[-+]/.test(this.#text[this.#at] ?? "")) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
  }

  #digits(where: string): void {
    if (!/[0-9]/.test(this.#text[this.#at] ?? "")) this.#fail(where);
    while (/[0-9]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }
}
