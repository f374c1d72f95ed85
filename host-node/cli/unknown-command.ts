/** The message for a word that is no command: mostly a file whose command was left out, or a typing error. Pure. */
import { similarNames } from "../../cluster/values/similar-names.ts";

const MANIFEST = /\.(ya?ml|json)$/;

/**
 * @param args of the program @param names of its commands
 * @returns undefined: the first word, or the one after `help`, is a command or an option
 */
export function unknownCommandText(args: readonly string[], names: readonly string[]): string | undefined {
  const [word = ""] = args[0] === "help" ? args.slice(1) : args;
  if (word === "" || word.startsWith("-") || [...names, "help"].includes(word)) return undefined;
  if (MANIFEST.test(word)) return `${word} is no command; did you mean stint run ${word}?`;
  const [similar] = similarNames(word, names);
  const meant = similar === undefined ? "stint --help lists them" : `did you mean ${similar}?`;
  return `there is no command ${word}; ${meant}`;
}
