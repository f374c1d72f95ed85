/** How `stint doctor` is called: its description, options and help. */
import { type Command, Option } from "commander";
import type { CommandContext } from "../command.ts";
import { parseDuration } from "../../words/duration.ts";
import { asDuration } from "../options/parsers.ts";
import { contextOption, kubeconfigOption, outputOption } from "../options/shared.ts";
import { document } from "../../words/document.ts";

const HELP = `
It looks once at all Jobs of a cluster, and at their pods, for what no
controller will fix: finalizers that no controller removes, Jobs that no
controller manages, webhooks that refuse a controller's writes, statuses that
the API server would refuse, Jobs that wait for ever. It prints the command that
fixes each; ${document("docs/doctor.md")} says what to check first. The cluster is that of
--kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which stint serve
writes, else the one that kubectl takes.

It changes nothing. It needs permission to list jobs. What else it may not read
it skips, and the report names it.

Exit status:
  0   nothing is wrong, in what could be looked at
  1   something is wrong
  2   bad usage, or no cluster is reachable
  74  the output cannot be written

Examples:
  stint doctor
  stint doctor -n team --older-than 1h
  stint doctor --output json | jq -r '.findings[].fix'
  stint doctor --try-patches
      also ask, as a dry run, whether finalizers may be removed

  error FinalizerLeft: pods keep a finalizer that no controller will remove
    pod team/pi-x7k2p: it has the finalizer batch.kubernetes.io/job-tracking, …
      fix: kubectl -n team patch pod pi-x7k2p --type json -p '[…]'
`;

export function addDoctor(program: Command, { console, exit }: CommandContext): void {
  program
    .command("doctor")
    .description("Say what is wrong with the Jobs of a cluster, and which commands fix it.")
    .option("-n, --namespace <namespace>", "look at this namespace alone; else at all")
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(
      new Option("--older-than <duration>", "report only what has lasted this long: 5m, 1h")
        .argParser(asDuration)
        .default(parseDuration("5m"), "5m"),
    )
    .option("--try-patches", "ask the server, as a dry run, whether finalizers may be removed", false)
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async ({ olderThan, ...options }) => {
      const { doctor } = await import("./doctor.ts");
      exit(await doctor({ ...options, olderThanMs: olderThan }, console));
    });
}
