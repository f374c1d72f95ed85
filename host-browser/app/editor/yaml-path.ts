/**
 * The place of a line in a manifest, by indentation alone: enough for completion while the text is half written, when
 * no parser could read it. Leaves out flow style (`{a: 1}`) and block texts.
 */

export interface FieldPlace {
  /** Names of the fields, from the outermost to the one at this line; items of lists leave no trace. */
  readonly path: readonly string[];
  /** Columns of its name, from 0. */
  readonly from: number;
  readonly to: number;
  /** Where the value begins, if there is a colon. */
  readonly valueFrom: number | undefined;
}

/** Indentation, dashes of lists, a name, and perhaps its colon. */
const LINE = /^(\s*)((?:- +)*)([A-Za-z0-9_./-]*|"[^"]*"|'[^']*')(:(?:\s+|$))?/;

/**
 * The field whose name or value this line holds, complete or not; undefined: a comment, or a mark between documents.
 * @param line counts from 0
 */
export function fieldAt(lines: readonly string[], line: number): FieldPlace | undefined {
  let start = line;
  while (start > 0 && !isMark(lines[start - 1]!)) start--;
  const stack: { readonly column: number; readonly name: string }[] = [];
  let found: FieldPlace | undefined;
  for (let i = start; i <= line; i++) {
    const text = lines[i] ?? "";
    const isLast = i === line;
    const match = LINE.exec(text);
    if (match === null || isMark(text) || /^\s*#/.test(text)) continue;
    const [all, indent = "", dashes = "", name = "", colon] = match;
    if (!isLast && colon === undefined) continue;
    const from = indent.length + dashes.length;
    // A list may be indented as little as the field that holds it.
    const keep = dashes === "" ? from - 1 : from - "- ".length;
    while (stack.length > 0 && stack.at(-1)!.column > keep) stack.pop();
    stack.push({ column: from, name: name.replace(/^["']|["']$/g, "") });
    if (!isLast) continue;
    found = {
      path: stack.map((entry) => entry.name),
      from,
      to: from + name.length,
      valueFrom: colon === undefined ? undefined : all.length,
    };
  }
  return found;
}

function isMark(text: string): boolean {
  return /^(---|\.\.\.)(\s|$)/.test(text);
}
