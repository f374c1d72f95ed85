/** How `stint serve` is called: its description, options and help. */
import { type Command, Option } from "commander";
import { DEFAULT_WATCHES } from "../../server/connection-limits.ts";
import type { CommandContext } from "../command.ts";
import { keepHeapSmall } from "../engine-flags.ts";
import { asCount, asMaxWatches, asNodes, asPort } from "../options/parsers.ts";
import { withKubernetes, withIsolation, withRecording, volumeFolderOption } from "../options/runtime.ts";
import { outputOption } from "../options/shared.ts";
import { document } from "../../words/document.ts";

const HELP = `
The server generates a certificate and a token and writes both to the
kubeconfig, which only you can read and which it removes when it ends. It
listens on 127.0.0.1 only. It replaces a kubeconfig that a killed server of this
machine has left behind.

Exit status:
  0   ended by SIGTERM or Ctrl-C
  1   an unrecoverable error
  2   bad usage: the port is in use, the kubeconfig exists
  74  the system refuses an operation: a full disk, no temporary folder

Examples:
  stint serve
  stint serve --runtime process --no-isolation --port 6443
  stint serve --no-controller
      to try a controller of your own, or stint controller --default-controller
  stint serve --kubernetes 1.34
      what a server of that version refuses, drops and fills in of Jobs and Pods
  stint serve --api-only
      for upstream's kube-controller-manager and kube-scheduler, and kwok
  stint serve --clock virtual --control --until-stdin-closes --output json
      for a program that starts it: a line of JSON says where it serves
  stint serve --authorization rbac --token-auth-file users.csv
      what roles and bindings allow; a line of the file is token,name,uid
  stint serve --data-dir ./stint-data
      the same cluster again after a restart, and after a crash
  export KUBECONFIG=$PWD/stint.kubeconfig; kubectl create -f examples/pi.yaml
  kubectl logs job/pi --follow
`;

/** Options of components that --api-only turns off, as the names of their values. */
const PARTS = [
  "runtime",
  "scheduler",
  "nodes",
  "record",
  "isolation",
  "shareProcesses",
  "network",
  "visible",
  "allowHostPath",
  "allowPrivileged",
  "engineSocket",
  "volumeFolder",
];

export function addServe(program: Command, { console, exit }: CommandContext): void {
  const command = withRecording(withKubernetes(withIsolation(program.command("serve"))));
  withTests(withAccess(withParts(command)))
    .description("Serve the cluster on loopback, for kubectl and other clients, until Ctrl-C.")
    .addOption(outputOption("text for people, or one JSON object a line for the program that started it"))
    .addHelpText("after", HELP)
    .action(async ({ record, ...options }) => {
      // Many test clusters run at once, and none of them is busy for long.
      if (options.control) keepHeapSmall();
      const { serve } = await import("./serve.ts");
      exit(await serve({ ...options, record }, console));
    });
}

/** Where the cluster is served, and which of its parts run. */
function withParts(command: Command): Command {
  return command
    .optionsGroup("What is served:")
    .option("--port <number>", "port on 127.0.0.1; 0: any free one", asPort, 0)
    .addOption(
      new Option("--runtime <runtime>", "what runs the pods; none: another program, through the API")
        .choices(["simulated", "process", "docker", "podman", "none"])
        .default("simulated"),
    )
    .option("--max-watches <number>", "watches and followed logs at the same time", asMaxWatches, DEFAULT_WATCHES)
    .option("--no-controller", "run no controller of Jobs and CronJobs: another program does, through the API")
    .option("--scheduler", "run the scheduler with --runtime none too, where other programs create the nodes")
    .option("--no-scheduler", "run no scheduler: another program binds pods, through the API")
    .addOption(
      new Option("--api-only", "the API alone: no controller, scheduler, kubelet or garbage collector")
        .default(false)
        .conflicts(PARTS),
    );
}

/** The options for permissions and for storage. */
function withAccess(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "where to write the kubeconfig; never over an existing file", "./stint.kubeconfig")
    .addOption(
      new Option("--authorization <mode>", "permissions: all for every user, or by roles and bindings")
        .choices(["always-allow", "rbac"])
        .default("always-allow"),
    )
    .addOption(volumeFolderOption())
    .option("--data-dir <folder>", "store the cluster in this folder, which is created if needed, and continue from it")
    .option("--token-auth-file <file>", 'further users, a line each: token,name,uid,"group1,group2"');
}

/** The options for tests and for the program that starts this one. */
function withTests(command: Command): Command {
  return command
    .addOption(
      new Option("--clock <clock>", "the cluster's time; virtual: it stands still until a test moves it")
        .choices(["real", "virtual"])
        .default("real"),
    )
    .addOption(
      new Option(
        "--control",
        `serve the API by which tests move time and decide how pods end: ${document("docs/control-api.md")}`,
      )
        .default(false)
        .conflicts(["apiOnly", "dataDir", "record"]),
    )
    .option("--nodes <number>", "simulated nodes, node-1 and so on; by default one, stint", asNodes)
    .option("--seed <number>", "with --control: seed for names and run times", asCount)
    .option(
      "--until-stdin-closes",
      "end when standard input closes, so that the server does not outlive the program that started it",
      false,
    );
}
