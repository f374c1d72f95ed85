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
restartPolicy OnFailure, each run of its containers. Without it no end is known.
--disruptions is how many pods end by what a rule with the action Ignore
matches, which has no limit otherwise; or how many are evicted. Evicted pods may
be replaced while they still end, so that more are there at once than
spec.parallelism says.

A number is exact (some outcome reaches it), or said to be a bound. A controller
gathers events for up to a second, so times may be that much later for each pod.

With --outcome each Job is run whole, simulated, in virtual time: a picture of
its pods, and each number of the run beside its forecast. The outcome is the
JSON of the pod annotation stint.dev/simulate; the word annotation takes that of
the Job. By attempt, a retry is the next one:

  '{"exitCode": 1}'                           every pod fails
  '{"exitCodes": [1, 1, 0], "runMs": 30000}'  two fail, then one succeeds
  '{"runMs": [1000, 9000]}'                   drawn between both, by --seed
  '{"byIndex": {"3": {"exitCode": 42}}}'      index 3 fails, others succeed
  '{"runMs": "forever"}'                      until the deadline

Also: startDelayMs, signal, reason, message, sigterm, ignoreSigterm, failReason,
failMessage, byContainer. The simulated pods have no commands, environment and
volumes, and room on a node. --playground is where npm run playground serves,
and adds a link that opens the same run there.

Exit status:
  0   every Job has a forecast
  2   bad input: file, line, column, and what is allowed
  74  the output cannot be written

Examples:
  stint forecast job.yaml
      how many pods, and when it gives up
  stint forecast job.yaml --pod-duration 5m..20m
  helm template . | stint forecast - --output json | jq .pods.most.value
  stint forecast job.yaml --disruptions 0
      nothing is evicted
  stint forecast job.yaml --outcome '{"exitCodes": [1, 1, 0], "runMs": 60000}'
  stint forecast job.yaml --outcome annotation --output json | jq .run.timeline
`;

export function addForecast(program: Command, { console, exit, version }: CommandContext): void {
  program
    .command("forecast")
    .description("Say what a Job will do before it runs: pods, retries, its end.")
    .argument("<file...>", "manifests, or - for standard input")
    .option("--pod-duration <duration>", "how long a pod takes: 10m, or 5m..20m", asDurationRange)
    .option("--disruptions <number>", "how many pods are evicted, or end by what a rule ignores", asCount)
    .option("--outcome <json>", "run it, simulated: what its pods do, or: annotation")
    .option("--seed <number>", "draws what the outcome leaves to chance", asCount, 1)
    .option("--playground <url>", "with --outcome: also a link to the same run in this playground")
    .addOption(outputOption("text for people, or one JSON object a Job"))
    .addHelpText("after", HELP)
    .action(async (files: string[], options) => {
      const { forecast } = await import("./forecast.ts");
      exit(await forecast({ ...options, files, version }, console));
    });
}
