/** The script of each shell, made from the words of the program. */
import type { Command } from "commander";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { wordsOfProgram } from "./words.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionScript(shell: keyof typeof SCRIPTS, program: Command): string {
  return SCRIPTS[shell](wordsOfProgram(program));
}
