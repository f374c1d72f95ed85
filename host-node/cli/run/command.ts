/** How `stint run` is called: its description, options and help. */
import { type Command, Option } from "commander";
import type { CommandContext } from "../command.ts";
import { asDuration } from "../options/parsers.ts";
import { withKubernetes, withIsolation, withRecording, volumeFolderOption } from "../options/runtime.ts";
import { recursiveOption } from "../options/shared.ts";
import { RUN_FORMATS } from "../output/formats.ts";
import { ListOption } from "../strict-command.ts";

const HELP = `
FILE is YAML or JSON with Jobs, ConfigMaps, Secrets, PersistentVolumeClaims,
ResourceQuotas and Namespaces, several documents if you like; - is standard
input. With --now the Job of each CronJob is run, too. Other kinds are left out,
with a warning. Of a folder, all files are taken that end in .yaml, .yml or
.json. All of them are checked before anything runs.

Exit status:
  0    every Job is complete
  1    a Job has failed
  2    bad input: file, line, column, field and what is allowed
  74   the machine refuses what is needed: a full disk, no temporary folder
  124  the time-out has come
  130  interrupted: Ctrl-C stops the pods, a second one kills them
  141  nobody reads the output any more
  143  ended by SIGTERM, as by Ctrl-C; 129 by SIGHUP

Examples:
  stint run examples/pi.yaml
  stint run --visible . job.yaml
      commands see the system's programs, not your files; here, this folder
  stint run --now cronjob.yaml
      run the Job of a CronJob once
  stint run --watch jobs/
      run again at each change of a file
  helm template chart | stint run -
  stint run --timeout 5m --output json job.yaml | jq 'select(.type == "log")'
  stint run --output junit jobs/ > jobs.xml
  stint run --output github jobs/
      in a workflow: groups, annotations, and a table on its page
  stint run --runtime simulated examples/simulated-failure.yaml
  stint run --runtime simulated --explain examples/simulated-failure.yaml
`;

export function addRun(program: Command, { console, exit }: CommandContext): void {
  const command = program
    .command("run")
    .optionsGroup("What is run:")
    .addOption(
      new ListOption(
        "-f, --filename <file>",
        "a file or folder, as kubectl names it; may be given several times",
        (files) => files,
      ),
    )
    .addOption(recursiveOption());
  withRecording(withKubernetes(withIsolation(command)))
    .description("Run Jobs to their end and show their progress and logs.")
    .argument("[file...]", "manifests, and folders of them; - is standard input")
    .optionsGroup("How it is run, and what is shown:")
    .addOption(
      new Option("--runtime <runtime>", "what runs the pods")
        .choices(["process", "simulated", "docker", "podman"])
        .default("process"),
    )
    .addOption(
      new Option("-o, --output <format>", "text for people, one JSON object a line, or what CI servers and forges read")
        .choices(RUN_FORMATS)
        .default("text"),
    )
    .addOption(volumeFolderOption())
    .option("--watch", "run again whenever a file has changed, until Ctrl-C", false)
    .option("--now", "run the Job of each CronJob once, whatever its schedule says", false)
    .option(
      "--strict",
      "simulated: refuse Secrets, labels of nodes, devices and other things that the files do not have",
      false,
    )
    .option(
      "--timeout <duration>",
      "end after this long: 30s, 5m, 1h30m; in simulated time if the runtime is simulated",
      asDuration,
    )
    .option(
      "--explain",
      "show each decision of the controller as it is made: why, and what comes next; stint explain says more of a code",
      false,
    )
    .addHelpText("after", HELP)
    .action(async (files: string[], { timeout, record, filename = [], ...options }) => {
      const { run } = await import("./run.ts");
      exit(await run({ ...options, files: [...files, ...filename], record, timeoutMs: timeout }, console));
    });
}
