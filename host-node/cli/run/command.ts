/** How `stint run` is called: its description and help. Its options are in options.ts. */
import type { Command } from "commander";
import type { CommandContext } from "../command.ts";
import { withRunOptions } from "./options.ts";

const HELP = `
FILE is YAML or JSON with Jobs, ConfigMaps, Secrets, PersistentVolumeClaims,
ResourceQuotas and Namespaces, several documents if you like; - is standard
input. With --now it also runs the Job of each CronJob. It ignores other kinds,
with a warning. In a folder, it reads all files that end in .yaml, .yml or
.json. It checks all input before anything runs.

Exit status:
  0    every Job is complete
  1    a Job has failed
  2    bad input: file, line, column, field and what is allowed
  74   the system refuses an operation: a full disk, no temporary folder
  124  the time of --timeout is over
  130  interrupted: Ctrl-C stops the pods, a second one kills them
  141  the reader of the output has gone
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
    .description("Run Jobs to their end and show their progress and logs.")
    .argument("[file...]", "manifests, and folders of them; - is standard input");
  withRunOptions(command)
    .addHelpText("after", HELP)
    .action(async (files: string[], { timeout, record, filename = [], ...options }) => {
      const { run } = await import("./run.ts");
      exit(await run({ ...options, files: [...files, ...filename], record, timeoutMs: timeout }, console));
    });
}
