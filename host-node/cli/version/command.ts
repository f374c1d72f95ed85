/** How `stint version` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
Give all of it with a report of a fault.

Exit status:
  0   the versions are printed
  74  the output cannot be written, or the engine is missing

Examples:
  stint version
  stint version --output json | jq -r .stint
`;

export function addVersion(program: Command, { console, exit, version }: CommandContext): void {
  program
    .command("version")
    .description("Print the versions of this command, its engine, Kubernetes and Node.")
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async ({ output }) => {
      const { printVersions } = await import("./version.ts");
      exit(await printVersions({ output, version }, console));
    });
}
