/** How `stint explain` is called: its description, argument and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
It prints the section of docs/decisions.md, docs/account.md or docs/lint.md,
which are installed with this command.

Exit status:
  0   the code is explained
  2   the code is unknown
  74  the output cannot be written, or the pages are missing

Examples:
  stint explain Backoff
  stint explain OutOfMemory
  stint explain NoDeadline
`;

export function addExplain(program: Command, { console, exit }: CommandContext): void {
  program
    .command("explain")
    .description("Explain a code that another command has printed, and what to do.")
    .argument(
      "[code]",
      "of a decision, an end, a hold or a rule of lint: Backoff, OutOfMemory, NoDeadline; none: list them",
    )
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async (code: string | undefined, { output }) => {
      const { explainCode } = await import("./explain-code.ts");
      exit(explainCode(code, console, output));
    });
}
