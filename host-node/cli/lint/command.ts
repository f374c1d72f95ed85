/** How `stint lint` is called: its description, options, settings and help. */
import { type Command, Option } from "commander";
import { variableOf } from "../../settings/table.ts";
import type { CommandContext } from "../command.ts";
import { addSettings, settingsOf } from "../options/settings.ts";
import { recursiveOption, requireJobsOption, verboseOption } from "../options/shared.ts";
import { SETTINGS } from "../../lint/settings.ts";
import { document } from "../../words/document.ts";

const HELP = `
FILE is YAML or JSON with Jobs and CronJobs, several documents if you like, and
lists; - is standard input. Other kinds are ignored, except that a
ResourceQuota, LimitRange or PodDisruptionBudget applies to the Jobs of its
namespace. In a folder, the command reads all files that end in .yaml, .yml or
.json. It prints first what the API server would refuse, then advice.
${document("docs/lint.md")} explains each code and what to do.

A comment suppresses a rule: behind a field for that line, on a separate line
for the next one, before an object for all of it. It needs a reason:

  # stint-ignore NoDeadline: the import may take days

Each setting can be given as a flag, in the environment (--fail-on as
${variableOf("failOn")}), and in the file (failOn).
A flag takes precedence over the environment, and that over the file.

Exit status:
  0   nothing, or warnings alone
  1   the API server would refuse a Job, or a rule denies it; with --fail-on
      warn, a warning is enough
  2   bad usage, or a file that cannot be read
  74  the output cannot be written

Examples:
  stint lint manifests/
  helm template chart | stint lint -
  stint lint --rule NoTimeToLive=off,LegacySidecar=deny job.yaml
  stint lint --output sarif manifests/ > lint.sarif
  stint lint --emit-policy --rule NoDeadline=deny | kubectl apply -f -
`;

export function addLint(program: Command, { console, exit, version }: CommandContext): void {
  const command = program
    .command("lint")
    .description("Say what is wrong with Jobs and CronJobs before they run.")
    .argument("[file...]", "manifests, and folders of them; - is standard input")
    .addOption(recursiveOption())
    .option("--skip-others", "skip documents that have neither apiVersion nor kind, such as a compose file", false)
    .addOption(requireJobsOption())
    .addOption(verboseOption())
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object, or what CI servers and forges read")
        .choices(["text", "json", "sarif", "junit", "github"])
        .default("text"),
    )
    .option("--emit-policy", "read no file: print the rules that CEL can say as ValidatingAdmissionPolicies", false)
    .addHelpText("after", HELP)
    .action(async (files: string[], { recursive, output, skipOthers, requireJobs, verbose, emitPolicy, ...given }) => {
      const options = { files, recursive, output, skipOthers, requireJobs, verbose, ...settingsOf(given), version };
      if (emitPolicy) exit((await import("./emit-policy.ts")).emitPolicy(options, console));
      else exit(await (await import("./lint.ts")).lint(options, console));
    });
  addSettings(command, SETTINGS, "rule: [NoDeadline=off]");
}
