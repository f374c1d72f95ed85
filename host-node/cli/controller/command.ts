/** How `stint controller` is called: its description, help and settings. */
import type { Command } from "commander";
import { SETTINGS } from "../../controller/settings.ts";
import { variableOf } from "../../settings/table.ts";
import type { CommandContext } from "../command.ts";
import { compileWebAssemblyOnce, keepHeapSmall } from "../engine-flags.ts";
import { addSettings, type GivenSettings, settingsOf } from "../options/settings.ts";

const HELP = `
Each setting can be given as a flag, in the environment (--lease-duration as
${variableOf("leaseDuration")}), and in the file (leaseDuration).
A flag takes precedence over the environment, and that over the file.

By default it runs the Jobs whose spec.managedBy is
${SETTINGS.managedBy.initial} and leaves all others to the built-in controller.

Exit status:
  0   ended by SIGTERM or Ctrl-C; its requests in flight were completed
  1   an unrecoverable error
  2   bad usage, or an API server that drops managedBy or does not know shards
  74  the log cannot be written: a full disk, for example

Examples:
  stint controller
      for the cluster of your kubeconfig, alongside the built-in controller
  stint controller --namespaces ci --leader-elect=false --listen off
      as a sidecar: one namespace, no election, the least memory
  stint controller --default-controller --config stint.yaml
      in place of the built-in controller
  stint controller --shard 0/2
      as one of two that share the namespaces of a large cluster
  stint controller --shadow
      to write nothing, and report where the built-in controller differs
  curl http://127.0.0.1:8080/debug/jobs/default/pi
      what it does with a Job, and why
`;

export function addController(program: Command, { console, exit, version }: CommandContext): void {
  const command = program
    .command("controller")
    .description("Run the Jobs of a real cluster, through its API server, until SIGTERM or Ctrl-C.")
    .addHelpText("after", HELP)
    .action(async (given: GivenSettings) => {
      keepHeapSmall();
      compileWebAssemblyOnce();
      const { controller } = await import("./controller.ts");
      exit(await controller({ ...settingsOf(given), version }, console));
    });
  addSettings(command, SETTINGS, "leaseDuration: 15s");
}
