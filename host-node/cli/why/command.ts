/** How `stint why` is called: its description, options and help. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { contextOption, kubeconfigOption, outputOption } from "../options/shared.ts";

const HELP = `
JOB is a name, or what kubectl shows: pi, job/pi, job.batch/pi. The cluster is
that of --kubeconfig, else of $KUBECONFIG, else of ./stint.kubeconfig, which
stint serve writes, else the one that kubectl takes. Times are UTC.

Asked are, in this order: --controller; the server, which answers if it is
stint serve; a stint controller in the cluster, by its Lease. Where none of
them explains the Job, its own objects do, whoever runs it. For that get on
jobs and list on pods and events are enough; with get on pods/log the last lines
of the pod that failed last are shown, too. Nothing is ever changed.

stint explain CODE says of each code what it means and what to do; -o json has
the code of each decision, too.

Exit status:
  0  there is an answer
  2  bad usage, no such Job, or no cluster is reachable
  74 the output cannot be written

Examples:
  stint why pi
  stint why -n team job/retry --context prod
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
    .description("Say why a Job of any cluster is where it is, and what comes next.")
    .argument("<job>", "its name")
    .option("-n, --namespace <namespace>", "of the Job; else that of the kubeconfig's context")
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
    .option("--controller-namespace <namespace>", "where the Lease of a stint controller is looked for", "stint-system")
    .addOption(outputOption("text for people, or the whole explanation as JSON"))
    .addHelpText("after", HELP)
    .action(async (job: string, options) => {
      const { why } = await import("./why.ts");
      exit(await why({ ...options, job }, console));
    });
}
