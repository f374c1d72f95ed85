/** How `stint webhook` is called: its description, help and settings. */
import type { Command } from "commander";
import { variableOf } from "../../settings/table.ts";
import { PROFILE_SETTINGS } from "../../webhook/profile-settings.ts";
import { SETTINGS } from "../../webhook/settings.ts";
import type { CommandContext } from "../command.ts";
import { keepHeapSmall } from "../engine-flags.ts";
import { addSettings, type GivenSettings, settingsOf } from "../options/settings.ts";
import { document } from "../../words/document.ts";

const HELP = `
Each setting can be given as a flag, in the environment (--reload-period as
${variableOf("reloadPeriod")}), and in the file (reloadPeriod).
A flag takes precedence over the environment, and that over the file. --cert
and --key are required.

  POST /validate   says what is wrong with a Job or Pod, field by field, and
                   warns of probable mistakes; changes nothing
  POST /mutate     sets the defaults of Kubernetes; refuses nothing
  POST /validate/NAME  /mutate/NAME
                   the same, and what the profile NAME asks of Jobs and CronJobs
  GET  /healthz  /readyz  /metrics

All take an AdmissionReview of admission.k8s.io/v1, for CREATE and UPDATE of
Jobs, CronJobs and Pods and UPDATE of jobs/status; everything else is allowed as
it is.

A profile is a file NAME.yaml in the folder of --profiles, with these settings
or with those of a settings file of stint lint (${document("docs/webhook.md")}):

${profileHelp()}

Exit status:
  0   ended by SIGTERM or Ctrl-C; requests in flight were answered
  1   an unrecoverable error
  2   bad usage, or a certificate or a profile that cannot be used
  74  the log cannot be written: a full disk, for example

Examples:
  stint webhook --cert tls.crt --key tls.key
      on loopback, port 8443
  stint webhook --cert tls.crt --key tls.key --listen 0.0.0.0:8443
      inside a pod
  stint webhook --cert tls.crt --key tls.key --profiles profiles/
      with profiles/strict.yaml: rule: [NoDeadline=deny] and maxPods: 50
  curl --cacert ca.crt https://localhost:8443/readyz
`;

export function addWebhook(program: Command, { console, exit, version }: CommandContext): void {
  const command = program
    .command("webhook")
    .description("Review the Jobs of a real cluster before they are stored: an admission webhook over HTTPS.")
    .addHelpText("after", HELP)
    .action(async (given: GivenSettings) => {
      keepHeapSmall();
      const { webhook } = await import("./webhook.ts");
      exit(await webhook({ ...settingsOf(given), version }, console));
    });
  addSettings(command, SETTINGS, "requestTimeout: 5s");
}

/** The settings of a profile, a line each. */
function profileHelp(): string {
  return Object.entries(PROFILE_SETTINGS)
    .map(([name, { help }]) => `  ${name.padEnd(12)}  ${help}`)
    .join("\n");
}
