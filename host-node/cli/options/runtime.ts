/**
 * The options of the commands that run pods, `run` and `serve`: what pods may do, the gates of Kubernetes, and what is
 * recorded. Each group returns its command, for a chain.
 */
import { SERVED_KUBERNETES, SERVED_VERSIONS } from "../../../cluster/values/kubernetes-versions.ts";
import { type Command, Option } from "commander";
import { DEFAULT_FEATURE_GATES, formatFeatureGates } from "../../settings/feature-gates.ts";
import { ListOption } from "../strict-command.ts";
import { asFeatureGates } from "./parsers.ts";

export function withRecording(command: Command): Command {
  return command
    .optionsGroup("Recording:")
    .option(
      "--record <file>",
      "record all input of the engine, for stint replay; the file contains whole pods, including secrets, and only you can read it",
    )
    .option("--force", "with --record: replace the file", false);
}

export function withIsolation(command: Command): Command {
  return command
    .optionsGroup("What commands and containers may do, by runtime:")
    .option("--no-isolation", "process: run commands with your full permissions, not inside bubblewrap")
    .option(
      "--share-processes",
      "with --no-isolation: let commands see and signal all your processes; by default only those of their container, where the system supports that",
      false,
    )
    .option("--network", "process, docker, podman: let commands reach the network", false)
    .addOption(
      new ListOption(
        "--visible <path>",
        "process: a file or folder that commands inside bubblewrap may read; . is where you are; may be given several times",
        (paths) => paths,
      ).default([], "none"),
    )
    .option("--allow-host-path", "process, docker, podman: mount hostPath volumes, which are refused otherwise", false)
    .option(
      "--allow-privileged",
      "docker, podman: allow privileged containers, more capabilities and the host's namespaces",
      false,
    )
    .option("--engine-socket <path>", "docker, podman: the socket of the engine, which is looked for otherwise");
}

/** Which Kubernetes the cluster of the command is like. */
export function withKubernetes(command: Command): Command {
  return command
    .optionsGroup("Kubernetes:")
    .addOption(
      new Option("--kubernetes <version>", "the version that answers requests as its API server does")
        .choices(SERVED_VERSIONS)
        .default(SERVED_KUBERNETES),
    )
    .addOption(
      new ListOption(
        "--feature-gates <gates>",
        "alpha behaviour, as Name=true,Name=false: WorkloadWithJob gives Jobs a Workload and a PodGroup",
        asFeatureGates,
      ).default(DEFAULT_FEATURE_GATES, formatFeatureGates(DEFAULT_FEATURE_GATES)),
    );
}

export function volumeFolderOption(): Option {
  return new Option(
    "--volume-folder <folder>",
    "process, docker, podman: folder for the volumes of claims, which is kept; by default a temporary one, which is removed",
  );
}
