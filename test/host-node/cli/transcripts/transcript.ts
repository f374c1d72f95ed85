/**
 * A transcript: commands of `stint` and requests, each with all that it answers, as a text file that a test plays and
 * `vitest run test/host-node/cli/transcripts --update` rewrites. It has, in this order:
 *
 *     # What it shows, in a paragraph.
 *     server: serve --clock virtual --control        the words of a server to start; may be left out
 *     masks: server, age                             what differs from run to run, see masks.ts; may be left out
 *
 *     $ stint why a                                  what prepares the sections; may be left out
 *     ## a title that is clear on its own            a section: a test
 *     ## a title, in any order                       a section whose lines may come in any order
 *     $ NAME=value stint why 'a b'                   a command: a line of standard error begins with "2> "
 *     2> stint: there is no Job a
 *     exit status 2
 *     > POST /apis/batch/v1/namespaces/default/jobs @job.yaml       a request: @FILE or {JSON} is its body
 *     Job default/a
 *     status 201
 *     -- job.yaml --                                 a file of the folder in which all runs, as in Go's txtar
 *
 * This reads and writes the text; play.ts runs it.
 */

/** The longest transcript that is read, in characters. */
const MAX_LENGTH = 1_000_000;

export interface Block {
  readonly kind: "command" | "request";
  /** The line, without its mark: `stint why a`, `GET /`. */
  readonly line: string;
}

export interface Answer {
  readonly out: string;
  /** Empty for a request. */
  readonly err: string;
  readonly status: number;
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** From its title to the status of its last block, with a line feed at the end. */
  readonly text: string;
}

export interface Transcript {
  /** The paragraph and the settings, as they were written. */
  readonly head: string;
  /** Words after `stint`. Undefined: no server is started. */
  readonly server: readonly string[] | undefined;
  readonly masks: readonly string[];
  /** What runs before each section; its title is empty. */
  readonly preparation: Section;
  readonly sections: readonly Section[];
  /** The text of each file by its name, with `/` between folders. */
  readonly files: ReadonlyMap<string, string>;
  /** The files as they were written. */
  readonly tail: string;
}

const MARKS = { command: "$ ", request: "> " } as const;
const ENDS = { command: /^exit status (\d+)$/, request: /^status (\d+)$/ } as const;
const END_WORDS = { command: "exit status", request: "status" } as const;
const ERROR_MARK = "2> ";
/** Follows a text that does not end with a line feed. */
const NO_LINE_FEED = "\\ no line feed at the end";

/** @throws Error with the name and the line for what is no transcript, and for one without a section */
export function parseTranscript(name: string, text: string): Transcript {
  return new Parser(name, text).parse();
}

/** The whole text, with other sections. */
export function transcriptText({ head, tail }: Transcript, preparation: string, sections: readonly string[]): string {
  return [head, preparation, ...sections, tail].filter((part) => part !== "").join("\n");
}

/** A section as it is written. */
export function sectionText(title: string, blocks: readonly { block: Block; answer: Answer }[]): string {
  const texts = blocks.map(({ block, answer }) => blockText(block, answer));
  return [...(title === "" ? [] : [`## ${title}\n`]), ...texts].join("\n");
}

function blockText({ kind, line }: Block, { out, err, status }: Answer): string {
  const errors = withLineFeed(err).replace(/^/gm, ERROR_MARK).slice(0, -ERROR_MARK.length);
  const shown = `${withLineFeed(out)}${err === "" ? "" : errors}`;
  if (shown.split("\n").some((one) => ENDS[kind].test(one)))
    throw new Error(`the output of ${line} has a line that would end its block`);
  return `${MARKS[kind]}${line}\n${shown}${END_WORDS[kind]} ${status}\n`;
}

function withLineFeed(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n${NO_LINE_FEED}\n`;
}

class Parser {
  readonly #name: string;
  readonly #lines: readonly string[];
  /** Of the next line, from 0 on. */
  #at = 0;

  constructor(name: string, text: string) {
    this.#name = name;
    if (text.length > MAX_LENGTH) this.#fail(`it has ${text.length} characters; allowed are ${MAX_LENGTH}`);
    if (!text.endsWith("\n")) this.#fail("it does not end with a line feed");
    this.#lines = text.slice(0, -1).split("\n");
  }

  parse(): Transcript {
    const settings = this.#head();
    const head = this.#textFrom(0);
    const preparation = this.#section("");
    const sections: Section[] = [];
    while (this.#line?.startsWith("## ")) {
      const title = this.#line.slice(3);
      if (sections.some((section) => section.title === title)) this.#fail(`the title ${title} is there twice`);
      sections.push(this.#section(title));
    }
    if (sections.length === 0) this.#fail("it has no section; one begins with ## and its title");
    const start = this.#at;
    const files = this.#files();
    return { head, ...settings, preparation, sections, files, tail: this.#textFrom(start) };
  }

  get #line(): string | undefined {
    return this.#lines[this.#at];
  }

  /** The lines from there to the next one, without empty ones at the end. */
  #textFrom(start: number): string {
    const text = this.#lines.slice(start, this.#at).join("\n").trimEnd();
    return text === "" ? "" : `${text}\n`;
  }

  #head(): Pick<Transcript, "server" | "masks"> {
    if (!this.#line?.startsWith("# ")) this.#fail("its first line is no comment; it says what is shown: # …");
    while (this.#line?.startsWith("#") && !this.#line.startsWith("## ")) this.#at++;
    const settings = new Map<string, string>();
    for (let match; (match = /^(\w+): (.+)$/.exec(this.#line ?? "")) !== null; this.#at++) {
      const [, key, value] = match;
      if (key !== "server" && key !== "masks") this.#fail(`${key} is no setting; allowed are server and masks`);
      if (settings.has(key)) this.#fail(`${key} is there twice`);
      settings.set(key, value!);
    }
    return { server: settings.get("server")?.split(" "), masks: settings.get("masks")?.split(", ") ?? [] };
  }

  #section(title: string): Section {
    while (this.#line === "") this.#at++;
    const start = this.#at;
    if (title !== "") this.#at++;
    const blocks: Block[] = [];
    for (; this.#line !== undefined && !/^(## |-- )/.test(this.#line); this.#at++) {
      if (this.#line === "") continue;
      blocks.push(this.#block(this.#line));
    }
    if (title !== "" && blocks.length === 0) this.#fail(`the section ${title} has no command and no request`);
    return { title, blocks, text: this.#textFrom(start) };
  }

  /** Reads up to the line with the status. */
  #block(first: string): Block {
    const kind = first.startsWith(MARKS.command) ? "command" : "request";
    if (!first.startsWith(MARKS[kind])) this.#fail(`here is ${first}; allowed is $, >, ## or --, and a space`);
    const begin = this.#at;
    while (this.#line !== undefined && !ENDS[kind].test(this.#line)) this.#at++;
    if (this.#line === undefined) {
      this.#at = begin;
      this.#fail(`${first} has no line "${END_WORDS[kind]} NUMBER" behind it`);
    }
    return { kind, line: first.slice(MARKS[kind].length) };
  }

  #files(): Map<string, string> {
    const files = new Map<string, string>();
    while (this.#line !== undefined) {
      const name = /^-- (\S.*) --$/.exec(this.#line)?.[1];
      if (name === undefined) this.#fail(`here is ${this.#line}; a file begins with -- NAME --`);
      if (files.has(name)) this.#fail(`the file ${name} is there twice`);
      const start = ++this.#at;
      while (this.#line !== undefined && !this.#line.startsWith("-- ")) this.#at++;
      files.set(name, this.#textFrom(start));
    }
    return files;
  }

  #fail(problem: string): never {
    throw new Error(`${this.#name}:${this.#at + 1}: ${problem}`);
  }
}
