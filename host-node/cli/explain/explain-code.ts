/**
 * `stint explain`: the meaning of a code that another command has shown, and what to do. It prints the section of
 * docs/decisions.md, docs/account.md or docs/lint.md, which come with the command, as text for a terminal. Of a code
 * that two pages have it prints both sections.
 *
 * Invariant: the words are those of the pages; only the Markdown marks are removed, and lines are wrapped again.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { embeddedFile, isSingleExecutable } from "../../embedded-file.ts";
import { similarNames } from "../../../cluster/values/similar-names.ts";
import { MachineError, UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { brokenLines } from "../../words/broken-lines.ts";
import { type Document, documentLine, head } from "../json/document.ts";

const PAGES = ["decisions.md", "account.md", "lint.md"];
/** Seen from the built command, and from this file. */
const FOLDERS = ["../docs", "../../../docs"];
/** Where no terminal says how many there are. */
const USUAL_COLUMNS = 80;
/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;
const FENCE = /^```/;

/** All codes, by the page that explains them. */
export interface CodeList extends Document<"CodeList"> {
  readonly pages: readonly {
    /** `docs/decisions.md` */
    readonly page: string;
    readonly codes: readonly string[];
  }[];
}

/** What a code means, and what to do. */
export interface CodeExplanation extends Document<"CodeExplanation"> {
  readonly code: string;
  /** The section of each page that has the code. */
  readonly sections: readonly {
    /** `docs/decisions.md` */
    readonly page: string;
    /** Paragraphs, tables and blocks of code, with an empty line between them. */
    readonly text: string;
  }[];
}

/** @param code undefined: all codes are listed. @throws UsageError for an unknown code */
export function explainCode(code: string | undefined, console: Console, output: "text" | "json" = "text"): number {
  const pages = readPages();
  const columns = Math.min(console.terminal?.().columns ?? USUAL_COLUMNS, MAX_COLUMNS);
  if (output === "json") {
    console.writeOut(documentLine(code === undefined ? listOf(pages) : explanationOf(codeIn(pages, code), pages)));
    return 0;
  }
  if (code === undefined) {
    const lists = pages.map(
      ({ page, sections }) => `${page}:\n${brokenLines([...sections.keys()].join(" "), columns).join("\n")}\n`,
    );
    console.writeOut(lists.join("\n"));
    return 0;
  }
  const name = codeIn(pages, code);
  const texts = pages.flatMap(({ sections }) => sections.get(name) ?? []).map((text) => plainText(text, columns));
  console.writeOut(`${name}\n\n${texts.join("\n\n")}\n`);
  return 0;
}

function listOf(pages: readonly PageOfCodes[]): CodeList {
  return { ...head("CodeList"), pages: pages.map(({ page, sections }) => ({ page, codes: [...sections.keys()] })) };
}

function explanationOf(code: string, pages: readonly PageOfCodes[]): CodeExplanation {
  const sections = pages.flatMap(({ page, sections }) => {
    const text = sections.get(code);
    return text === undefined ? [] : [{ page, text: plainText(text, Infinity) }];
  });
  return { ...head("CodeExplanation"), code, sections };
}

/** The code, as its page writes it. @throws UsageError for an unknown one */
function codeIn(pages: readonly PageOfCodes[], code: string): string {
  const names = pages.flatMap(({ sections }) => [...sections.keys()]);
  const name = names.find((each) => each.toLowerCase() === code.toLowerCase());
  if (name !== undefined) return name;
  const [similar] = similarNames(code, names);
  const advice = similar === undefined ? "stint explain lists the codes" : `did you mean ${similar}?`;
  throw new UsageError(`there is no code ${JSON.stringify(code)}; ${advice}`);
}

interface PageOfCodes {
  readonly page: string;
  readonly sections: ReadonlyMap<string, string>;
}

/** @throws MachineError where the pages are not beside the command */
function readPages(): PageOfCodes[] {
  if (isSingleExecutable) return PAGES.map((page) => pageOf(page, embeddedFile(`docs/${page}`)!.toString("utf8")));
  const folders = FOLDERS.map((folder) => resolve(import.meta.dirname, folder));
  const folder = folders.find((each) => existsSync(resolve(each, PAGES[0]!)));
  if (folder === undefined)
    throw new MachineError(`the pages ${PAGES.join(", ")} are not beside this command, in ${folders.join(" or ")}`);
  return PAGES.map((page) => pageOf(page, readFileSync(resolve(folder, page), "utf8")));
}

const pageOf = (page: string, text: string): PageOfCodes => ({ page: `docs/${page}`, sections: sectionsOf(text) });

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
