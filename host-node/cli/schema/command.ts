/** How `stint schema` is called: its description, argument and help. */
import type { Command } from "commander";
import { document } from "../../words/document.ts";
import type { CommandContext } from "../command.ts";

const HELP = `
Without a name it prints the schema of all that the commands print with
--output json. A name is that of a command (why), of a kind (LintReport), or of
a part (Hold). The schema of a name is whole in itself. It is a JSON Schema
(2020-12).
${document("docs/json.md")} says what holds for all documents.

Exit status:
  0   the schema is printed
  2   there is no such name
  74  the output cannot be written

Examples:
  stint schema lint > lint.schema.json
  stint schema | jq '."$defs".Hold.properties.code'
`;

export function addSchema(program: Command, { console, exit }: CommandContext): void {
  program
    .command("schema")
    .description("Print the JSON Schema of what the commands print with --output json.")
    .argument("[name]", "of a command, a kind or a part: why, LintReport, Hold; none: all")
    .addHelpText("after", HELP)
    .action(async (name: string | undefined) => {
      const { printSchema } = await import("./schema.ts");
      exit(printSchema(name, console));
    });
}
