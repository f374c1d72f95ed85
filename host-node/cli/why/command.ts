/** How `stint why` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { contextOption, kubeconfigOption, outputOption } from "../options/shared.ts";
import { document } from "../../words/document.ts";

const HELP = `
OBJECT is what kubectl shows: job/pi or pi alone, job.batch/pi; cronjob/report
or cj/report; pod/pi-x2k9f or po/pi-x2k9f; jobset/train. The cluster is that of
--kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which stint serve
writes, else the one that kubectl takes. Times are UTC, and those of a schedule
in its time zone, too.

About a Job are asked, in this order: --controller; the server, which answers if
it is stint serve; a stint controller in the cluster, by its Lease. Where none
of them explains the Job, its own objects do, whoever runs it. For that get on
jobs and list on pods and events are enough; with get on pods/log the last lines
of the pod that failed last are shown, too. A pod needs no other rights; it is
explained together with its Job. A CronJob or JobSet is explained by its
objects: get on cronjobs or jobsets, and list on jobs are needed besides. What
may not be read is named, and the rest is used. Nothing is ever changed.

${document("docs/why.md")} has an example of each kind, and what --output json prints.
stint explain CODE says of each code what it means and what to do; -o json has
the code of each decision, too.

Exit status:
  0   there is an answer
  2   bad usage, no such object, or no cluster is reachable
  74  the output cannot be written

Examples:
  stint why pi
  stint why -n team job/retry --context prod
  stint why cronjob/report
  stint why pod/pi-x2k9f
  stint why pi --watch
  stint why pi --output json | jq .sentence
  kubectl -n stint-system port-forward POD 8080
  stint why pi --controller http://127.0.0.1:8080
  stint why pi --controller http://127.0.0.1:8080 --shadow
      where the built-in controller and Stint diverge in it

  job retry  Waiting
    waiting 7 s before the next pod is created: 1 failure in a row, …
    succeeded 0/1   failed 1 (backoffLimit 6)   active 0   ready 0   …
    next: in 7 s, at 10:02:21 UTC
    from its objects: no controller that explains it was found
    run by the built-in controller; kube-controller-manager wrote its …
`;

export function addWhy(program: Command, { console, exit }: CommandContext): void {
  program
    .command("why")
    .description("Say why a Job, CronJob, pod or JobSet is where it is, and what comes next.")
    .argument("<object>", "a Job, by its name, or KIND/NAME")
    .option("-n, --namespace <namespace>", "of the object; else that of the kubeconfig's context")
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option(
      "--controller <url>",
      "ask this controller first: http://127.0.0.1:8080 of a port-forward; it is sent no credentials",
    )
    .option(
      "--shadow",
      "what a stint controller --shadow at --controller has found to diverge in the Job, instead",
      false,
    )
    .option("-w, --watch", "print anew when the answer changes, until it can change no more, or Ctrl-C", false)
    .option("--controller-namespace <namespace>", "where the Lease of a stint controller is looked for", "stint-system")
    .addOption(outputOption("text for people, or one JSON object"))
    .addHelpText("after", HELP)
    .action(async (job: string, options) => {
      const { why } = await import("./why.ts");
      exit(await why({ ...options, job }, console));
    });
}
