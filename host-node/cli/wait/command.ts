/** How `stint wait` is called: its description, options and help. */
import { type Command, Option } from "commander";
import type { CommandContext } from "../command.ts";
import { asDuration } from "../options/parsers.ts";
import { contextOption, kubeconfigOption, recursiveOption } from "../options/shared.ts";
import { ListOption } from "../strict-command.ts";
import { GOALS } from "./outcome.ts";

const HELP = `
JOB is a name, or what kubectl shows: pi, job/pi, job.batch/pi. The cluster is
that of --kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which
stint serve writes, else the one that kubectl takes.

From a file of -f it reads only the names and namespaces of the Jobs, which must
be in one namespace. The file of a Job with generateName does not know its name.

A Job has ended when its condition Complete or Failed is True. A failed pod does
not end a Job, because the Job may retry. While it waits, the command reports
what each Job does: that it retries and when, that its pods are stuck and why,
that no controller runs it. It needs list and watch on jobs and pods; without
pods it reports less. It waits for the Jobs that exist when it starts.

--for is the goal. The command stops waiting for a Job that ends in another way,
is deleted, or was stuck for as long as --give-up-when-stuck says (a missing
image, a quota, no node), and continues to wait for the others.

Exit status:
  0    every Job has reached the goal; of finished: has succeeded
  1    a Job has failed, has ended in another way, or was deleted
  2    bad usage, no such Job, or no cluster is reachable
  3    no Job has failed, but a Job was stuck for too long
  74   the output cannot be written
  124  the time of --timeout is over
  130  interrupted by Ctrl-C; 143 by SIGTERM, 129 by SIGHUP

Examples:
  stint wait pi && echo done
  stint wait -n team job/a job/b --timeout 30m
  stint wait -f job.yaml
  stint wait pi --timeout 1h --give-up-when-stuck 5m
  stint wait -l app=migrate --for succeeded --output junit > jobs.xml
  stint wait pi --output json | jq -r .sentence
      one JSON object a line, whenever something changes

     0.1s  pi  is running: 1 active, 0 of 1 succeeded
    12.4s  pi  is retrying: 0 active, 0 of 1 succeeded, 1 failed; the next
               pod is created in 9 s
    31.0s  pi  has succeeded 1 s ago: Reached expected number of succeeded …
`;

export function addWait(program: Command, { console, exit }: CommandContext): void {
  program
    .command("wait")
    .description("Wait until Jobs of any cluster have really ended, and say how.")
    .argument("[job...]", "their names")
    .option("-l, --selector <selector>", "wait for the Jobs with these labels: app=migrate,tier!=test")
    .addOption(
      new ListOption(
        "-f, --filename <file>",
        "wait for the Jobs that a file or folder names, - is standard input; may be given several times",
        (files) => files,
      ),
    )
    .addOption(recursiveOption())
    .addOption(new Option("--for <goal>", "what to wait for").choices(GOALS).default("finished"))
    .option("--timeout <duration>", "end after this long: 30s, 5m, 1h30m; else never", asDuration)
    .option("--give-up-when-stuck <duration>", "wait no longer for a Job that is stuck for so long: 5m", asDuration)
    .option("-n, --namespace <namespace>", "of the Jobs; else that of the kubeconfig's context")
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or JUnit XML at the end")
        .choices(["text", "json", "junit"])
        .default("text"),
    )
    .addHelpText("after", HELP)
    .action(async (jobs: string[], { timeout, giveUpWhenStuck, filename: files = [], ...options }) => {
      const { wait } = await import("./wait.ts");
      exit(await wait({ ...options, jobs, files, timeoutMs: timeout, stuckLimitMs: giveUpWhenStuck }, console));
    });
}
