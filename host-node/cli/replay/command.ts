/** How `stint replay` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
A recording contains all input of the engine of a run, so a replay repeats what
the engine did. A replay sends nothing and writes nothing. It needs the same
engine module that made the recording.

The flight recorder of stint controller leaves out what may be secrets, so its
files cannot be replayed. The command prints the recorded decisions instead,
with the requests that were refused and the gaps in the recording.

Exit status:
  0   the engine made the same requests, byte for byte
  1   it made other requests; the first difference is printed
  2   not a recording, or one that is empty, damaged, or of another engine
  74  the output cannot be written

Examples:
  stint run --record hello.jsonl examples/hello.yaml
  stint replay --explain hello.jsonl
  stint replay --job team/pi /var/lib/stint/flight
`;

export function addReplay(program: Command, { console, exit }: CommandContext): void {
  program
    .command("replay")
    .description("Replay a recording on this program's engine, and check that it decides the same.")
    .argument("<file>", "a recording of run or serve; or a controller's flight recorder: its folder, or a file")
    .option("--explain", "show the decisions of the controller as they were made", false)
    .option("--job <job>", "show those about this Job alone: pi, or team/pi")
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async (file: string, options) => {
      const { replay } = await import("./replay.ts");
      exit(await replay({ ...options, file }, console));
    });
}
