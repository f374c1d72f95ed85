/** How `stint incident` is called: its description, argument, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { asPort } from "../options/parsers.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
Without a name it lists them, in groups. With one it plays the incident in a
cluster in this process, in virtual time: nodes, programs, and what people did.
Then it prints what stint why says of the Job, the cause and the remedy. Read
the first part, guess, and then the rest.

With --serve the cluster stays, as it is at the end, until Ctrl-C: look at it
with kubectl and stint why, and try your own remedy. From then on its time
moves as real time does.

Exit status:
  0   the incidents are listed, or one was played
  1   the Job does not complete with the remedy
  2   bad usage: there is no such incident, the kubeconfig exists
  74  the system refuses an operation, or the incidents are missing

Examples:
  stint incident
  stint incident memory-limit
  stint incident drain-uses-up-retries --repaired
      the same with its remedy: the Job completes
  stint incident quota-used-up --serve
      in another terminal:
  export KUBECONFIG=$PWD/stint.kubeconfig; stint why job/report
`;

export function addIncident(program: Command, { console, exit }: CommandContext): void {
  program
    .command("incident")
    .description("List Jobs that people had trouble with, or play one: what is wrong, and what helps.")
    .argument("[name]", "of an incident; none: list them")
    .option("--repaired", "play it with its remedy, so that the Job completes", false)
    .option("--serve", "then serve the cluster on loopback, for kubectl and stint why, until Ctrl-C", false)
    .option("--port <number>", "with --serve: port on 127.0.0.1; 0: any free one", asPort, 0)
    .option("--kubeconfig <file>", "with --serve: where to write the kubeconfig", "./stint.kubeconfig")
    .addOption(outputOption("text for people, or one JSON object a line"))
    .addHelpText("after", HELP)
    .action(async (name: string | undefined, options) => {
      const { incident } = await import("./incident.ts");
      exit(await incident({ ...options, name }, console));
    });
}
