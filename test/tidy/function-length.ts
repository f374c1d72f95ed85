/**
 * The rule that a function has at most 70 lines, from the line of its head to the line of its closing brace, with the
 * functions inside it. Methods, constructors and arrow functions count as functions do. It reads the syntax tree, so
 * it counts what the compiler sees, and not braces.
 */
import { parseAst } from "vitest/node";

export const MAX_LINES = 70;

const FUNCTIONS: ReadonlySet<unknown> = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);
/** Of AssemblyScript, on a line by themselves; TypeScript knows no decorators of functions. */
const DECORATOR = /^\s*@[a-z]+(?:\([^)]*\))?$/gm;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface LongFunction {
  readonly file: string;
  /** Of the function, or of the variable, field or method that has it. */
  readonly name: string;
  /** Its first one, from 1 on. */
  readonly line: number;
  readonly lines: number;
}

/** The functions of a source that are too long, in its order. @throws Error for what is no TypeScript */
export function longFunctionsOf(file: string, source: string): LongFunction[] {
  // Most files are shorter than a function may be.
  if (source.split("\n").length <= MAX_LINES) return [];
  const text = source.replace(DECORATOR, (match) => " ".repeat(match.length));
  const program = parseAst(text, { lang: file.endsWith(".tsx") ? "tsx" : "ts" }, file) as unknown as Node;
  const found: LongFunction[] = [];
  visit(program, "", (node, name) => {
    const line = lineOf(text, node.start);
    const lines = lineOf(text, node.end) - line + 1;
    if (lines > MAX_LINES) found.push({ file, name, line, lines });
  });
  return found;
}

/** Calls `onFunction` for each function at and below the node. @param name the last one on the way there */
function visit(node: Node, name: string, onFunction: (node: Node, name: string) => void): void {
  const own = nameOf(node) ?? name;
  if (FUNCTIONS.has(node.type)) onFunction(node, own);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) visit(child, own, onFunction);
}

function nameOf({ id, key }: Node): string | undefined {
  const named = isNode(id) ? id : isNode(key) ? key : undefined;
  return typeof named?.["name"] === "string" ? named["name"] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
