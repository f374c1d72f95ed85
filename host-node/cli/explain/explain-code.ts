/**
 * `stint explain`: the meaning of a code that another command has shown, and what to do. It prints the section of
 * docs/decisions.md, docs/account.md or docs/lint.md, which come with the command, as text for a terminal. Of a code
 * that two pages have it prints both sections.
 *
 * Invariant: the words are those of the pages; only the Markdown marks are removed, and lines are wrapped again.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { similarNames } from "../../../cluster/values/similar-names.ts";
import { MachineError, UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { brokenLines } from "../../words/broken-lines.ts";

const PAGES = ["decisions.md", "account.md", "lint.md"];
/** Seen from the built command, and from this file. */
const FOLDERS = ["../docs", "../../../docs"];
/** Where no terminal says how many there are. */
const USUAL_COLUMNS = 80;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;
const FENCE = /^```/;

/** @param code undefined: all codes are listed. @throws UsageError for an unknown code */
export function explainCode(code: string | undefined, console: Console): number {
  const pages = readPages();
  const columns = Math.min(console.terminal?.().columns ?? USUAL_COLUMNS, MAX_COLUMNS);
  if (code === undefined) {
    const lists = pages.map(
      ({ page, sections }) => `${page}:\n${brokenLines([...sections.keys()].join(" "), columns).join("\n")}\n`,
    );
    console.writeOut(lists.join("\n"));
    return 0;
  }
  const names = pages.flatMap(({ sections }) => [...sections.keys()]);
  const name = names.find((each) => each.toLowerCase() === code.toLowerCase());
  if (name === undefined) {
    const [similar] = similarNames(code, names);
    const advice = similar === undefined ? "stint explain lists the codes" : `did you mean ${similar}?`;
    throw new UsageError(`there is no code ${JSON.stringify(code)}; ${advice}`);
  }
  const texts = pages.flatMap(({ sections }) => sections.get(name) ?? []).map((text) => plainText(text, columns));
  console.writeOut(`${name}\n\n${texts.join("\n\n")}\n`);
  return 0;
}

interface PageOfCodes {
  readonly page: string;
  readonly sections: ReadonlyMap<string, string>;
}

/** @throws MachineError where the pages are not beside the command */
function readPages(): PageOfCodes[] {
  const folders = FOLDERS.map((folder) => resolve(import.meta.dirname, folder));
  const folder = folders.find((each) => existsSync(resolve(each, PAGES[0]!)));
  if (folder === undefined)
    throw new MachineError(`the pages ${PAGES.join(", ")} are not beside this command, in ${folders.join(" or ")}`);
  return PAGES.map((page) => ({
    page: `docs/${page}`,
    sections: sectionsOf(readFileSync(resolve(folder, page), "utf8")),
  }));
}

/** The text below each heading of the third level that is one word. */
export function sectionsOf(markdown: string): ReadonlyMap<string, string> {
  const parts = markdown.split(/^(?=#{1,3} )/m);
  return new Map(
    parts.flatMap((part) => {
      const heading = /^### ([A-Z]\w+)\n/.exec(part);
      return heading === null ? [] : [[heading[1]!, part.slice(heading[0].length).trim()] as const];
    }),
  );
}

/** Paragraphs without links and emphasis, broken at a width; blocks of code and tables as they are. */
function plainText(markdown: string, columns: number): string {
  let isCode = false;
  return markdown
    .split("\n\n")
    .map((block) => {
      const isWhole = isCode || FENCE.test(block) || block.startsWith("|");
      isCode = (block.match(/^```/gm)?.length ?? 0) % 2 === 1 ? !isCode : isCode;
      if (isWhole) return block.replace(/^```.*\n?/gm, "").trimEnd();
      const [mark] = /^(> |- )?/.exec(block)!;
      const text = block
        .replace(/^> ?/gm, "")
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/\*\*?([^*]+)\*\*?/g, "$1");
      if (mark === "- ") return text;
      return brokenLines(text.replaceAll("\n", " "), columns - mark.length)
        .map((line) => mark + line)
        .join("\n");
    })
    .join("\n\n");
}
