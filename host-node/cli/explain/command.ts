/** How `stint explain` is called: its description, argument and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";

const HELP = `
The words are those of docs/decisions.md and docs/lint.md, which come with this
command.

Exit status:
  0  it is explained
  2  there is no such code
  74 the output cannot be written, or the pages are not there

Examples:
  stint explain Backoff
  stint explain NoDeadline
`;

export function addExplain(program: Command, { console, exit }: CommandContext): void {
  program
    .command("explain")
    .description("Say what a code means that another command has shown, and what to do.")
    .argument("[code]", "of a decision or a rule of lint: Backoff, NoDeadline; none: list them")
    .addHelpText("after", HELP)
    .action(async (code: string | undefined) => {
      const { explainCode } = await import("./explain-code.ts");
      exit(explainCode(code, console));
    });
}
