/** The options of `stint run`: how the command line names them, and what the command gets. */
import { type Command, Option } from "commander";
import type { ServedVersion } from "../../../cluster/values/kubernetes-versions.ts";
import type { EngineName } from "../../runtime/container-engine/engine-socket.ts";
import type { FeatureGates } from "../../settings/feature-gates.ts";
import type { ContainerEngineOptions } from "../container-engine.ts";
import type { IsolationOptions } from "../isolation.ts";
import { asDuration } from "../options/parsers.ts";
import { volumeFolderOption, withIsolation, withKubernetes, withRecording } from "../options/runtime.ts";
import { recursiveOption } from "../options/shared.ts";
import { RUN_FORMATS, type RunFormat } from "../output/formats.ts";
import type { RecordOptions } from "../record.ts";
import { ListOption } from "../strict-command.ts";

/** What the command gets; command.ts reads the duration and joins the files. */
export interface RunOptions extends IsolationOptions, ContainerEngineOptions, RecordOptions {
  /** Files, folders, and - for standard input. */
  readonly files: readonly string[];
  /** Folders within folders, too. */
  readonly recursive: boolean;
  /** Run again whenever a file has changed. */
  readonly watch: boolean;
  /** The Jobs of CronJobs are run, too, once. */
  readonly now: boolean;
  readonly runtime: "process" | "simulated" | EngineName;
  readonly output: RunFormat;
  /** Where the volumes of claims are made, and stay; a temporary folder unless given. */
  readonly volumeFolder?: string | undefined;
  readonly timeoutMs: number | undefined;
  /** A simulation refuses missing objects, as the other runtimes do. */
  readonly strict: boolean;
  /** Shows each decision of the engine. */
  readonly explain: boolean;
  readonly featureGates: FeatureGates;
  /** The version as which requests are answered. */
  readonly kubernetes: ServedVersion;
}

/** Adds them to the command. @returns the command, for a chain */
export function withRunOptions(command: Command): Command {
  command
    .optionsGroup("What is run:")
    .addOption(
      new ListOption(
        "-f, --filename <file>",
        "a file or folder, as kubectl names it; may be given several times",
        (files) => files,
      ),
    )
    .addOption(recursiveOption());
  return withRecording(withKubernetes(withIsolation(command)))
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
    );
}
