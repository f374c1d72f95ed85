/** How `stint upgrade-check` is called: its description, options and help. */
import { type Command, Option } from "commander";
import type { CommandContext } from "../command.ts";
import {
  contextOption,
  kubeconfigOption,
  recursiveOption,
  requireJobsOption,
  verboseOption,
} from "../options/shared.ts";
import { KUBERNETES_VERSIONS, NEWEST_KUBERNETES } from "../../../cluster/values/kubernetes-versions.ts";
import { document } from "../../words/document.ts";

const HELP = `
FILE is YAML or JSON with Jobs and CronJobs, several documents if you like; - is
standard input. In a folder, it reads all files that end in .yaml, .yml or
.json. Without FILE it lists the Jobs and CronJobs of a cluster, and writes
nothing. Only files can show a field that the present version drops.

VERSION is one of ${KUBERNETES_VERSIONS[0]} to ${NEWEST_KUBERNETES}, or ${KUBERNETES_VERSIONS.at(-1)}, as of its beta.
${document("docs/upgrade-check.md")} explains each change and what to do.

Exit status:
  0   nothing changes
  1   Jobs behave differently
  2   bad usage, or a file or a cluster that cannot be read
  74  the output cannot be written

Examples:
  stint upgrade-check --from 1.34 manifests/
  helm template chart | stint upgrade-check --from 1.34 --to 1.37 -
  stint upgrade-check --context production
      from the version that the cluster has now
`;

export function addUpgradeCheck(program: Command, { console, exit }: CommandContext): void {
  program
    .command("upgrade-check")
    .description("Say which Jobs behave differently on a later version of Kubernetes, and why.")
    .argument("[file...]", "manifests, and folders of them; - is standard input; none: a cluster")
    .option("--from <version>", "the present version of Kubernetes; else that of the cluster")
    .option("--to <version>", "the later one", NEWEST_KUBERNETES)
    .addOption(recursiveOption())
    .addOption(requireJobsOption())
    .addOption(verboseOption())
    .option("-n, --namespace <namespace>", "of the cluster's Jobs; else all")
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object, or annotations for GitHub")
        .choices(["text", "json", "github"])
        .default("text"),
    )
    .addHelpText("after", HELP)
    .action(async (files: string[], options) => {
      const { upgradeCheck } = await import("./upgrade-check.ts");
      exit(await upgradeCheck({ ...options, files }, console));
    });
}
