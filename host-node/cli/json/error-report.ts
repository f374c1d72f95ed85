/**
 * An error as a document. A program that asks for JSON finds it on standard output, where it would find the answer; the
 * sentence for people is on standard error all the same.
 */
import { InputError } from "../../../cluster/manifests/diagnostic.ts";
import { type Document, head } from "./document.ts";
import { type Mistake, mistakesOf } from "./mistake.ts";

/** Why there is no answer. */
export interface ErrorReport extends Document<"ErrorReport"> {
  /** For people: what was given, what is allowed, and what to do. */
  readonly error: string;
  /** Of the command: 2 for bad usage, bad input or a cluster that does not answer; 74 for the machine; 1 for a bug. */
  readonly exitStatus: number;
  /** What is wrong in files; absent: it is not about files. */
  readonly mistakes?: readonly Mistake[];
}

/** @param text what standard error says */
export function errorReport(error: Error, text: string, exitStatus: number): ErrorReport {
  const words = text.replace(/^stint: /, "").trimEnd();
  const mistakes = error instanceof InputError ? { mistakes: mistakesOf(error.diagnostics) } : {};
  return { ...head("ErrorReport"), error: words, exitStatus, ...mistakes };
}

/** Its lines say where it serves. A program that starts it takes standard error for what else it says. */
const NO_READER = "serve";

/** Whether the words of a command line ask for an answer as JSON; it may be a command line that cannot be read. */
export function asksForJson(args: readonly string[]): boolean {
  if (args[0] === NO_READER) return false;
  const end = args.indexOf("--");
  const words = end === -1 ? args : args.slice(0, end);
  return words.some(
    (word, i) =>
      word === "--output=json" || word === "-ojson" || (/^(-o|--output)$/.test(word) && words[i + 1] === "json"),
  );
}
