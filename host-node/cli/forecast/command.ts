/** How `stint forecast` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { asCount, asDurationRange } from "../options/parsers.ts";
import { outputOption } from "../options/shared.ts";

const HELP = `
FILE is YAML or JSON with Jobs or CronJobs; - is standard input. No cluster is
contacted: the numbers follow from the Job and from Kubernetes' rules. They hold
as long as no client changes the Job, and no pod is deleted other than by an
eviction while it runs. Times count from the creation of the Job, or from its
resumption if it is suspended.

--pod-duration is how long a pod takes from its creation to its end; with
restartPolicy OnFailure, each run of its containers. Without it the end is
unknown. --disruptions is the number of pods that are evicted, or that fail in a
way that a rule with the action Ignore matches; without it that number has no
limit. A replacement may start while an evicted pod is still terminating, so
more pods than spec.parallelism may exist at once.

Each number is exact (some outcome reaches it) or marked as a bound. A
controller batches events for up to a second, so each pod may delay the times by
that much.

With --outcome each Job also runs, simulated, in virtual time: the output shows
a timeline of its pods, and each number of the run next to its forecast. The
outcome is the JSON of the pod annotation stint.dev/simulate; the word
annotation uses that of the Job. exitCodes has one element for each attempt:

  '{"exitCode": 1}'                           every pod fails
  '{"exitCodes": [1, 1, 0], "runMs": 30000}'  two fail, then one succeeds
  '{"runMs": [1000, 9000]}'                   drawn between both, by --seed
  '{"byIndex": {"3": {"exitCode": 42}}}'      index 3 fails, others succeed
  '{"runMs": "forever"}'                      until the deadline

Also: startDelayMs, signal, reason, message, sigterm, ignoreSigterm, failReason,
failMessage, byContainer. Simulated pods have no commands, environment or
volumes, and always fit on the node. --playground is the address that npm run
playground prints; it adds a link that opens the same run there.

Exit status:
  0   every Job has a forecast
  2   bad input: file, line, column, and what is allowed
  74  the output cannot be written

Examples:
  stint forecast job.yaml
      how many pods, and when it gives up
  stint forecast job.yaml --pod-duration 5m..20m
  helm template . | stint forecast - -o json | jq '.forecasts[].pods.most.value'
  stint forecast job.yaml --disruptions 0
      nothing is evicted
  stint forecast job.yaml --outcome '{"exitCodes": [1, 1, 0], "runMs": 60000}'
  stint forecast job.yaml --outcome annotation -o json | jq '.forecasts[].run'
`;

export function addForecast(program: Command, { console, exit, version }: CommandContext): void {
  program
    .command("forecast")
    .description("Say what a Job will do before it runs: pods, retries, its end.")
    .argument("<file...>", "manifests, or - for standard input")
    .option("--pod-duration <duration>", "how long a pod takes: 10m, or 5m..20m", asDurationRange)
    .option("--disruptions <number>", "how many pods are evicted, or end by what a rule ignores", asCount)
    .option("--outcome <json>", "also simulate a run: what its pods do, or: annotation")
    .option("--seed <number>", "seed for random values of the outcome", asCount, 1)
    .option("--playground <url>", "with --outcome: add a link to the same run in this playground")
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async (files: string[], options) => {
      const { forecast } = await import("./forecast.ts");
      exit(await forecast({ ...options, files, version }, console));
    });
}
