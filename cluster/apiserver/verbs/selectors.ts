/**
 * Label and field selectors. Turns the text of a query parameter into a test of objects, with the server's texts for
 * syntax errors. Leaves out by which fields a kind may be selected: registry/resources.ts says that.
 */
import type { KubeObject } from "../../values/types.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../values/names.ts";
import type { FieldLabels } from "../contract/context.ts";
import { badRequest } from "../contract/status-errors.ts";

export type Labels = Readonly<Record<string, string>>;
export type LabelTest = (labels: Labels) => boolean;

type TokenKind = "identifier" | "operator" | "," | "(" | ")" | "!" | "end";
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const comparisons = ["==", "!=", "=", ">", "<"] as const;
const integer = /^[+-]?\d+$/;

/**
 * @returns the test, or undefined for the empty selector, which selects everything
 * @throws ApiError 400
 */
export function parseLabelSelector(text: string): LabelTest | undefined {
  const requirements = new LabelParser(text).parse();
  if (requirements.length === 0) return undefined;
  return (labels) => requirements.every((requirement) => requirement(labels));
}

class LabelParser {
  readonly #text: string;
  #at = 0;
  #peeked: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): LabelTest[] {
    const requirements: LabelTest[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === "end") return requirements;
      if (first.kind !== "identifier" && first.kind !== "!" && !isWord(first)) {
        throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.kind === "end") return requirements;
      if (next.kind !== ",") throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== "identifier" && after.kind !== "!" && !isWord(after)) {
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelTest {
    let token = this.#take();
    const isAbsence = token.kind === "!";
    if (isAbsence) token = this.#take();
    if (token.kind !== "identifier" && !isWord(token)) this.#fail(`found '${token.text}', expected: identifier`);
    const key = token.text;
    for (const error of qualifiedNameErrors(key)) this.#fail(`<nil>: Invalid value: ${JSON.stringify(key)}: ${error}`);
    const next = this.#peek();
    if (isAbsence) return (labels) => !Object.hasOwn(labels, key);
    if (next.kind === "end" || next.kind === ",") return (labels) => Object.hasOwn(labels, key);
    const operator = this.#take();
    if (operator.kind !== "operator") this.#fail(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator.text === "in" || operator.text === "notin" ? this.#values() : [this.#value()];
    values.forEach((value, index) => {
      for (const error of labelValueErrors(value))
        this.#fail(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${error}`);
    });
    return this.#compare(key, operator.text, values);
  }

  #compare(key: string, operator: string, values: readonly string[]): LabelTest {
    const wanted = new Set(values);
    const [value = ""] = values;
    switch (operator) {
      case "in":
      case "=":
      case "==":
        return (labels) => Object.hasOwn(labels, key) && wanted.has(labels[key]!);
      case "notin":
      case "!=":
        return (labels) => !Object.hasOwn(labels, key) || !wanted.has(labels[key]!);
      default: {
        if (!integer.test(value))
          this.#fail(
            `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        const sign = operator === ">" ? 1 : -1;
        return (labels) => integer.test(labels[key] ?? "") && sign * (Number(labels[key]) - Number(value)) > 0;
      }
    }
  }

  #values(): string[] {
    const open = this.#take();
    if (open.kind !== "(") this.#fail(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === "identifier" || isWord(token)) values.push(this.#take().text);
      else if (token.kind === "," || token.kind === ")") values.push("");
      else this.#fail(`found '${token.text}', expected: ',', ')' or identifier`);
      const next = this.#take();
      if (next.kind === ")") return values;
      if (next.kind !== ",") this.#fail(`found '${next.text}', expected: ',' or ')'`);
    }
  }

  #value(): string {
    const token = this.#peek();
    if (token.kind === "end" || token.kind === ",") return "";
    this.#take();
    if (token.kind !== "identifier" && !isWord(token)) this.#fail(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #fail(message: string): never {
    throw badRequest(`unable to parse requirement: ${message}`);
  }

  #peek(): Token {
    return (this.#peeked ??= this.#scan());
  }

  #take(): Token {
    const token = this.#peek();
    this.#peeked = undefined;
    return token;
  }

  #scan(): Token {
    while (/\s/.test(this.#text[this.#at] ?? "x")) this.#at++;
    const rest = this.#text.slice(this.#at);
    if (rest === "") return { kind: "end", text: "" };
    const operator = comparisons.find((comparison) => rest.startsWith(comparison));
    if (operator) return this.#advance("operator", operator);
    const single = rest[0]!;
    if (single === "," || single === "(" || single === ")" || single === "!") return this.#advance(single, single);
    const word = /^[^\s=!(),<>]+/.exec(rest)![0];
    return this.#advance(word === "in" || word === "notin" ? "operator" : "identifier", word);
  }

  #advance(kind: TokenKind, text: string): Token {
    this.#at += text.length;
    return { kind, text };
  }
}

/** `in` and `notin` are operators only after a key; elsewhere they are ordinary words. */
function isWord(token: Token): boolean {
  return token.text === "in" || token.text === "notin";
}

export interface FieldTest {
  readonly matches: (object: KubeObject) => boolean;
  /** The only name that can match, if the selector says what metadata.name must equal. */
  readonly name: string | undefined;
}

/**
 * @returns the test, or undefined for the empty selector
 * @throws ApiError 400
 */
export function parseFieldSelector(text: string, fields: FieldLabels): FieldTest | undefined {
  const terms = splitTerms(text).filter((term) => term !== "");
  if (terms.length === 0) return undefined;
  let name: string | undefined;
  const tests = terms.map((term) => {
    const match = /^((?:[^\\=!]|\\.)*)(!=|==|=)(.*)$/s.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, label, operator] = match;
    if (/^(?:[^\\=]|\\.)*=/s.test(match[3]!))
      throw badRequest("invalid field selector: unescaped character in value: 61");
    const value = match[3]!.replace(/\\([\\,=])/g, "$1");
    const read = Object.hasOwn(fields.labels, label!) ? fields.labels[label!]! : undefined;
    if (!read) throw badRequest(fields.unsupported(label!));
    if (label === "metadata.name" && operator !== "!=") name = value;
    return operator === "!="
      ? (object: KubeObject) => read(object) !== value
      : (object: KubeObject) => read(object) === value;
  });
  // A hot path: each kubelet's watch runs this for each write of a pod, with one term.
  const [first] = tests;
  const matches = tests.length === 1 ? first! : (object: KubeObject) => tests.every((test) => test(object));
  return { matches, name };
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = "";
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") term += text[index++]! + (text[index] ?? "");
    else if (text[index] !== ",") term += text[index];
    else {
      terms.push(term.trim());
      term = "";
    }
  }
  return [...terms, term.trim()];
}
