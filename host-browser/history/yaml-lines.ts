/**
 * A value of the API as lines of YAML, members in the order of their names as kubectl prints them, each line with the
 * path of what it shows. Lines of two values compare by path. Invariant: the text reads back as the same value,
 * unless a list was cut, which a comment says. Leaves out long texts in blocks: they stay on one line, quoted.
 */

export interface YamlLine {
  readonly text: string;
  /** The path of the value: `/conditions/0/type`. */
  readonly path: string;
}

/** Of longer lists only the first items are shown. */
export const MAX_LIST_ITEMS = 20;

/** In the path of the line that counts the remaining items. */
const MORE = "more";

/** Texts that need no quotes: they cannot be taken for a number, a date, a truth value or syntax. */
const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./=+-]*(?:(?: |:|,|;|\()[A-Za-z0-9_./=+()'-]+)*$/;
/** The last of them reads as a number in some YAML 1.1 readers. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n|e[-+]?[0-9.]*)$/i;

/** @param maxItems the most items to write of a list; Infinity: all, so that the text can be parsed again */
export function yamlLines(value: unknown, maxItems = MAX_LIST_ITEMS): YamlLine[] {
  const printed: Printed = { lines: [], maxItems };
  write(printed, value, "", "", "");
  return printed.lines;
}

interface Printed {
  readonly lines: YamlLine[];
  readonly maxItems: number;
}

/** Whether the line of `value` with this path would be the same line for another value. */
export function hasSameLine(value: unknown, other: unknown, path: string): boolean {
  const [one, two] = [at(value, path), at(other, path)];
  if (typeof one !== "object" || typeof two !== "object" || one === null || two === null) return one === two;
  return isNested(one) ? isNested(two) : !isNested(two) && Array.isArray(one) === Array.isArray(two);
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split("/").slice(1)) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Array.isArray(found) && key === MORE ? found.length : (found as Record<string, unknown>)[key];
  }
  return found;
}

/** @param lead the text before the value on its first line: indent, name or dash */
function write(printed: Printed, value: unknown, indent: string, lead: string, path: string): void {
  if (Array.isArray(value)) writeList(printed, value, indent, lead, path);
  else if (typeof value === "object" && value !== null) writeMap(printed, value, indent, lead, path);
  else printed.lines.push({ text: `${lead}${scalar(value)}`, path });
}

function writeMap(printed: Printed, map: object, indent: string, lead: string, path: string): void {
  const entries = Object.entries(map).filter(([, value]) => value !== undefined);
  if (entries.length === 0) {
    printed.lines.push({ text: `${lead}{}`, path });
    return;
  }
  let first = lead;
  for (const [name, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const at = `${path}/${name}`;
    const label = `${first}${scalar(name)}:`;
    first = indent;
    if (!isNested(value)) write(printed, value, indent, `${label} `, at);
    else {
      printed.lines.push({ text: label, path: at });
      // Items of a list are printed at the indentation of its name, as kubectl does.
      const deeper = Array.isArray(value) ? indent : `${indent}  `;
      write(printed, value, deeper, deeper, at);
    }
  }
}

function writeList(printed: Printed, list: readonly unknown[], indent: string, lead: string, path: string): void {
  if (list.length === 0) printed.lines.push({ text: `${lead}[]`, path });
  let first = lead;
  list.slice(0, printed.maxItems).forEach((item, i) => {
    write(printed, item, `${indent}  `, `${first}- `, `${path}/${i}`);
    first = indent;
  });
  if (list.length > printed.maxItems)
    printed.lines.push({ text: `${indent}# and ${list.length - printed.maxItems} more`, path: `${path}/${MORE}` });
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.values(value).some((member) => member !== undefined);
}

function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}
