/**
 * Reads YAML 1.1 as kubectl does (yes, on, octal numbers, merge keys), with the library `yaml`.
 *
 * Invariant: a text that is nested deeper than any object of Kubernetes is refused while it is read, at the place where
 * it gets too deep, and so is one that repeats itself without end. The library alone would recurse until the stack is
 * full, and take a minute for four megabytes of brackets.
 */
import {
  Composer,
  type Document,
  type DocumentOptions,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type LineCounter,
  type Node,
  type ParseOptions,
  Parser,
  type Tags,
  visit,
  type YAMLMap,
} from "yaml";
import { jsonProblem } from "./json-problem.ts";
import type { YamlDocument, YamlMember, YamlNode, YamlProblem } from "./yaml-tree.ts";

/** Maps and lists around a value. The deepest field of a Job has some twenty. */
export const MAX_DEPTH = 200;
/** Limit for values that aliases of one document expand to, because a small text could expand to gigabytes. */
export const MAX_ALIASES = 100;

const TRUE_WORDS = /^(?:true|True|TRUE|y|Y|yes|Yes|YES|on|On|ON)$/;
const FALSE_WORDS = /^(?:false|False|FALSE|n|N|no|No|NO|off|Off|OFF)$/;

class TooDeepError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super(`here begins level ${MAX_DEPTH + 1} of maps and lists; allowed are ${MAX_DEPTH}`);
    this.offset = offset;
  }
}

/** The documents of a text. @throws Error for one that is nested too deeply */
export function composeYaml(text: string, options: ParseOptions & DocumentOptions = {}): Document.Parsed[] {
  const composer = new Composer({
    version: "1.1",
    prettyErrors: false,
    // The library would print its own warnings to the process, past every output, with parts of the text.
    logLevel: "error",
    uniqueKeys: false,
    customTags: (tags: Tags) => tags.flatMap(asKubectlReads),
    ...options,
  });
  return Array.from(composer.compose(tokensOf(text, options.lineCounter)), (document) => document as Document.Parsed);
}

/** A YamlReader. */
export function readYaml(text: string, isJson = false): YamlDocument[] {
  try {
    const documents = composeYaml(text);
    const problem = documents.some(({ errors }) => errors.length > 0) ? jsonProblem(text, isJson) : undefined;
    return problem === undefined ? documents.map(read) : [{ problems: [problem], root: undefined }];
  } catch (error) {
    const offset = error instanceof TooDeepError ? error.offset : 0;
    return [{ problems: [{ offset, message: (error as Error).message }], root: undefined }];
  }
}

function* tokensOf(text: string, lines?: LineCounter): ReturnType<Parser["parse"]> {
  const parser = new Parser(lines?.addNewLine);
  lines?.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The document itself is one of them.
    if (parser.stack.length > MAX_DEPTH + 1) throw new TooDeepError(parser.offset - lexeme.length);
  }
  yield* parser.end();
}

/** kubectl's parser has no dates and no numbers to base 60. */
function asKubectlReads(tag: Tags[number]): Tags {
  if (typeof tag === "string") return [tag];
  if (tag.tag === "tag:yaml.org,2002:timestamp" || ("format" in tag && tag.format === "TIME")) return [];
  if (tag.tag === "tag:yaml.org,2002:bool" && "test" in tag)
    return [{ ...tag, test: tag.test!.test("true") ? TRUE_WORDS : FALSE_WORDS } as Tags[number]];
  // The key "." of managedFields; the library reads it as a number.
  if ("test" in tag && tag.test?.test(".")) return [{ ...tag, test: new RegExp(`(?=.*[0-9])${tag.test.source}`) }];
  return [tag];
}

function read(document: Document.Parsed): YamlDocument {
  const problems: YamlProblem[] = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    offset: pos[0],
    message,
  }));
  const { contents } = document;
  if (problems.length > 0 || contents === null || isEmptyScalar(contents)) return { problems, root: undefined };
  /** By anchor, the latest node that has it. */
  const anchored = new Map<string, unknown>();
  visit(document, {
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchored.set(node.anchor, node);
      if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value))
        problems.push({ offset: node.range![0], message: `${node.source} is a number that JSON cannot hold` });
    },
    Alias: (_key, node, path) => {
      if ((path as readonly unknown[]).includes(anchored.get(node.source)))
        problems.push({ offset: node.range![0], message: `*${node.source} stands in what it repeats: it has no end` });
    },
  });
  if (problems.length > 0) return { problems, root: undefined };
  visit(document, { Map: (_key, map) => void problems.push(...repeatedKeys(map)) });
  try {
    document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    problems.push({ offset: 0, message: (error as Error).message });
    return { problems, root: undefined };
  }
  return { problems, root: new LibraryNode(document, contents) };
}

/** kubectl takes the last value of a key, and so does the node of the map. */
function repeatedKeys({ items }: YAMLMap): YamlProblem[] {
  const first = new Map<string, number>();
  return items.flatMap(({ key }): YamlProblem[] => {
    if (!isScalar(key) || (key.value === "<<" && key.type === "PLAIN")) return [];
    const name = String(key.value);
    const offset = key.range![0];
    const before = first.get(name);
    if (before === undefined) first.set(name, offset);
    return before === undefined ? [] : [{ offset, message: `${name}: this key is here again`, before }];
  });
}

/** A node of the library. Its content is read lazily, because an alias may lead back to a node that contains it. */
class LibraryNode implements YamlNode {
  readonly offset: number;
  readonly #document: Document;
  readonly #node: Node;

  constructor(document: Document, node: Node) {
    this.#document = document;
    this.offset = node.range?.[0] ?? 0;
    this.#node = isAlias(node) ? (node.resolve(document) ?? node) : node;
  }

  get value(): unknown {
    return this.#node.toJS(this.#document, { maxAliasCount: MAX_ALIASES });
  }

  get members(): ReadonlyMap<string, YamlMember> {
    const members = new Map<string, YamlMember>();
    for (const pair of isMap(this.#node) ? this.#node.items : []) {
      if (!isPair(pair) || !isScalar(pair.key)) continue;
      const name = String(pair.key.value);
      const value = pair.value as Node | null;
      const node = value === null || isEmptyScalar(value) ? undefined : new LibraryNode(this.#document, value);
      members.set(name, { offset: pair.key.range?.[0] ?? 0, node });
    }
    return members;
  }

  get items(): readonly YamlNode[] | undefined {
    if (!isSeq(this.#node)) return undefined;
    return this.#node.items.map((item) => new LibraryNode(this.#document, item as Node));
  }
}

function isEmptyScalar(node: Node): boolean {
  return isScalar(node) && node.value === null;
}
