/**
 * `stint why`: asks a running `stint serve` what its controller knows of a Job, and why it does what it does.
 *
 * Invariant: it changes nothing, and never shows the token.
 */
import { resolve } from "node:path";
import { UsageError } from "../usage-error.ts";
import { askForExplanation, askForJobs } from "./ask-server.ts";
import type { Console } from "./console.ts";
import { DEFAULT_KUBECONFIG, kubeconfigPath, readKubeconfig } from "./input/read-kubeconfig.ts";
import { explanationLines } from "./output/explanation.ts";
import { printable } from "./output/printable.ts";
import { shellWord } from "./output/shell-word.ts";
import { styleFor } from "./output/style.ts";
import { type JobName, similarJobs } from "./similar-names.ts";

const EXIT_FOUND = 0;
const EXIT_NOT_FOUND = 1;

export interface WhyOptions {
  /** As kubectl shows it or without its kind: `pi`, `job/pi`, `job.batch/pi`. */
  readonly job: string;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly output: "text" | "json";
}

/** @returns the exit status. @throws UsageError for bad usage, or when there is no server to ask. */
export async function why(options: WhyOptions, console: Console): Promise<number> {
  const job = named("the Job's name", options.job.replace(/^jobs?(\.batch)?\//, ""));
  const path = kubeconfigPath(options.kubeconfig, console.environment);
  const access = readKubeconfig(resolve(console.workingDirectory, path), path);
  const namespace = named("the namespace", options.namespace ?? access.namespace);
  const explanation = await askForExplanation(access, namespace, job);
  console.onOutputClosed(() => {}); // Whoever reads one line of the answer may go then.
  if (options.output === "json") {
    console.writeOut(`${JSON.stringify(explanation)}\n`);
  } else if (explanation.found) {
    const style = styleFor(console.terminal !== undefined, console.environment);
    const ofNamespace = namespace === access.namespace ? "" : ` -n ${namespace}`;
    // kubectl looks into $KUBECONFIG too, but has another default.
    const ofServer = options.kubeconfig === undefined && path !== DEFAULT_KUBECONFIG ? "" : ` --kubeconfig ${shellWord(path)}`;
    console.writeOut(`${explanationLines(explanation, Date.now(), style, console.terminal?.().columns, ofNamespace + ofServer).join("\n")}\n`);
  } else {
    const similar = similarJobs({ namespace, name: job }, await askForJobs(access));
    console.writeError(`stint: the controller at ${access.server} knows no Job ${job} in namespace ${namespace}.\n${adviceOf(namespace, similar)}\n`);
  }
  return explanation.found ? EXIT_FOUND : EXIT_NOT_FOUND;
}

function adviceOf(namespace: string, similar: readonly JobName[]): string {
  if (similar.length === 0) return "`kubectl get jobs --all-namespaces` lists the Jobs there are; --namespace names another namespace.";
  const commands = similar.map((job) => `  stint why ${printable(job.name)}${job.namespace === namespace ? "" : ` -n ${printable(job.namespace)}`}`);
  return ["Did you mean this?", ...commands].join("\n");
}

function named(what: string, name: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && name.length <= 253) return name;
  throw new UsageError(`${what} is ${JSON.stringify(name)}; allowed are small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last`);
}
