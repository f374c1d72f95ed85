/** Options that several commands have, in the same words. */
import { Option } from "commander";

/** Credentials of a cluster that is read. */
export function kubeconfigOption(): Option {
  return new Option("--kubeconfig <file>", "credentials; else $KUBECONFIG, else ./stint.kubeconfig, else as kubectl");
}

export function contextOption(): Option {
  return new Option("--context <name>", "context of the kubeconfig; else its current one");
}

/** Of files that are read, and of a lint or upgrade check of them. */
export function recursiveOption(): Option {
  return new Option("-R, --recursive", "of a folder, the folders within it too").default(false);
}

export function requireJobsOption(): Option {
  return new Option("--require-jobs", "exit with 2 if there is no Job and no CronJob in the files").default(false);
}

export function verboseOption(): Option {
  return new Option("--verbose", "as text: each finding, however many are alike").default(false);
}

export function outputOption(description: string): Option {
  return new Option("-o, --output <format>", description).choices(["text", "json"]).default("text");
}
