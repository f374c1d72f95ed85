/** How `stint import` is called: its description, options and help. */
import type { Command } from "commander";
import { UsageError } from "../../usage-error.ts";
import type { CommandContext } from "../command.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
kubectl watches one kind at a time, so there are two logs. They may come from
any cluster, and any version of the built-in Job controller:

  kubectl get jobs -A --watch --output-watch-events -o json > jobs.json &
  kubectl get pods -A --watch --output-watch-events -o json > pods.json &

The engine replays these logs. For each write of the controller, the output
shows the decision that the engine makes at that point, or that it makes none.
Times are whole seconds, because a watch has no clock. Without
--output-watch-events, kubectl prints a deleted object once more, unmarked.

The command contacts no cluster. It leaves out the values of environment
variables and annotations.

Exit status:
  0   the logs are explained
  2   bad usage, or a file that is not such a log: file, line and column
  74  the output cannot be written

Examples:
  stint import jobs.json pods.json
  stint import --job team/pi --save pi.jsonl jobs.json pods.json
      pi.jsonl can be opened in the playground
  stint import --job pi --until 2026-11-23T20:36:22Z jobs.json pods.json
      why the Job was where it was at that time
  stint import --save flight.jsonl /var/lib/stint/flight
`;

export function addImport(program: Command, { console, exit }: CommandContext): void {
  program
    .command("import")
    .description("Explain what a Job controller did, from logs of kubectl or a flight recording.")
    .argument("<file...>", "logs of kubectl get jobs|pods --watch -o json; or the folder of a flight recorder")
    .option("--save <file>", "write a recording, for stint replay and the playground")
    // In earlier versions it named the file to save, and other values still do.
    .addOption(outputOption("text for people, or one JSON object").argParser((given) => given))
    .option("--force", "with --save: replace the file", false)
    .option("--job <job>", "show this Job alone, and its state at the end: pi, or team/pi")
    .option("--until <time>", "ignore later events: 2026-11-23T20:36:22Z")
    .option("--everything", "leave values of environment variables and annotations in the recording", false)
    .addHelpText("after", HELP)
    .action(async (files: string[], { output, ...options }) => {
      const { importLogs } = await import("./import.ts");
      const isFormat = output === "text" || output === "json";
      if (!isFormat && options.save !== undefined)
        throw new UsageError(`--output is ${JSON.stringify(output)}; allowed is text or json, beside --save`);
      const given = isFormat ? { output, save: options.save } : { output: "text", save: output };
      exit(await importLogs({ ...options, files, ...given }, console));
    });
}
