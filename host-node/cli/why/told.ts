/** What `stint why` says of one object, in both forms. */
import { hungLines } from "../../words/broken-lines.ts";
import type { Style } from "../../words/style.ts";

const INDENT = "  ";
/** On a narrower terminal the terminal wraps the lines. */
const MIN_COLUMNS = 32;

export interface Told {
  /** What `--output json` prints, as one line. */
  readonly json: object;
  /** Undefined: there is no such object, and `problem` says so. */
  readonly lines: readonly string[] | undefined;
  /** For standard error. */
  readonly problem?: string;
  /** Nothing about it will change any more. */
  readonly hasEnded: boolean;
}

/** How lines for people are made. */
export interface TextContext {
  readonly nowMs: number;
  readonly style: Style;
  /** Width of the terminal; undefined: there is none. */
  readonly columns: number | undefined;
  /** The options that choose the cluster, each with a space before it. */
  readonly clusterOptions: string;
  /** The options that kubectl needs to find an object of the namespace, each with a space before it. */
  readonly kubectlOptions: string;
  /** A text as lines below the first one. */
  readonly indented: (text: string, separator?: string) => string[];
}

export function textContext(given: Omit<TextContext, "indented">): TextContext {
  const columns = Math.max(MIN_COLUMNS, given.columns ?? Infinity);
  const indented = (text: string, separator?: string): string[] =>
    text === "" ? [] : hungLines(text, columns, { indent: INDENT, separator });
  return { ...given, indented };
}
