/**
 * Which cluster a command asks, and as whom: the kubeconfig that is named, else $KUBECONFIG, else the one that
 * `stint serve` has written here, else what kubectl takes.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Credentials } from "../transport/credentials.ts";
import { UsageError } from "../usage-error.ts";
import type { Console } from "./console.ts";

/** Where `stint serve` writes its kubeconfig by default. */
const SERVE_KUBECONFIG = "./stint.kubeconfig";

export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** The path to name to kubectl. Undefined: kubectl finds this kubeconfig itself. */
export function kubeconfigFor(
  { kubeconfig }: ClusterChoice,
  { environment, workingDirectory }: Console,
): string | undefined {
  if (kubeconfig !== undefined || (environment["KUBECONFIG"] ?? "") !== "") return kubeconfig;
  return existsSync(resolve(workingDirectory, SERVE_KUBECONFIG)) ? SERVE_KUBECONFIG : undefined;
}

/** @param kubeconfig what `kubeconfigFor` has found. @throws UsageError when there are no credentials */
export function loadCredentials(
  { context }: ClusterChoice,
  kubeconfig: string | undefined,
  { environment, workingDirectory }: Console,
): Credentials {
  try {
    return Credentials.load({
      kubeconfig: kubeconfig === undefined ? undefined : resolve(workingDirectory, kubeconfig),
      context,
      environment,
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw kubeconfig === undefined && !environment["KUBECONFIG"]
      ? new UsageError(`${error.message}\nThere is no ${SERVE_KUBECONFIG} either, which \`stint serve\` writes.`)
      : error;
  }
}

/** What it returns, or the UsageError that it throws: for a caller that can go on without. */
export function asUsageError<Result>(run: () => Result): Result | UsageError {
  try {
    return run();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The name of a Job as kubectl shows it: `pi`, `job/pi`, `job.batch/pi`. @throws UsageError when it is none */
export function jobNameOf(text: string): string {
  return named("the Job's name", text.replace(/^jobs?(\.batch)?\//, ""));
}

/** @throws UsageError when it can be no name. @param what `--namespace` */
export function named(what: string, name: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name) && name.length <= 253) return name;
  throw new UsageError(
    `${what} is ${JSON.stringify(name)}; allowed are small letters, digits, - and ., at most 253 characters, with a letter or a digit first and last`,
  );
}
