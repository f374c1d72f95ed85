/** How `stint replay` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";

const HELP = `
A recording holds what the engine of a run was told, so that what it did can be
looked at again, and again. Nothing is sent and nothing is written. The engine
must be the very module that was recorded.

The flight recorder of stint controller leaves out what may be secrets, so no
engine can do the same again. What was decided then is shown as it was recorded,
with what was refused and what is missing.

Exit status:
  0  the same requests, byte for byte, as far as the recording goes
  1  not the same: the first difference
  2  no recording, one without a call, one that was changed or damaged, or one
     of another engine
  74 the output cannot be written

Examples:
  stint run --record hello.jsonl examples/hello.yaml
  stint replay --explain hello.jsonl
  stint replay --job team/pi /var/lib/stint/flight
`;

export function addReplay(program: Command, { console, exit }: CommandContext): void {
  program
    .command("replay")
    .description("Play a recording of --record on this program's engine: does it do the same?")
    .argument("<file>", "what run or serve has recorded; the folder of a controller, or one of its files")
    .option("--explain", "show the decisions of the controller as they were made", false)
    .option("--job <job>", "show those about this Job alone: pi, or team/pi")
    .addHelpText("after", HELP)
    .action(async (file: string, options) => {
      const { replay } = await import("./replay.ts");
      exit(await replay({ ...options, file }, console));
    });
}
