/**
 * Which cluster a command asks, and as which user: the kubeconfig that is named, else $KUBECONFIG, else the one that
 * `stint serve` has written here, else the one that kubectl uses. `kubectl stint` asks the cluster that kubectl asks.
 *
 * Invariant: a kubeconfig that was found here, and not named, is used only in the form that `stint serve` writes, and
 * standard error says that it is used. Anything else at its path is an error, so no command silently asks another
 * cluster.
 */
import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import { readFoundKubeconfig } from "../server/found-kubeconfig.ts";
import { Credentials } from "../transport/credentials.ts";
import { UsageError } from "../usage-error.ts";
import type { Console } from "./console.ts";
import { AS_PLUGIN } from "./how-called.ts";
import { printable } from "../words/printable.ts";

/** The default path to which `stint serve` writes its kubeconfig. */
const SERVE_KUBECONFIG = "./stint.kubeconfig";

export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** The path to pass to kubectl. Undefined: kubectl finds this kubeconfig itself. */
export function kubeconfigFor(
  { kubeconfig }: ClusterChoice,
  { environment, workingDirectory, command }: Console,
): string | undefined {
  if (kubeconfig !== undefined || (environment["KUBECONFIG"] ?? "") !== "" || command === AS_PLUGIN) return kubeconfig;
  // A dangling link counts as a file, too: it is refused.
  const isThere = lstatSync(resolve(workingDirectory, SERVE_KUBECONFIG), { throwIfNoEntry: false }) !== undefined;
  return isThere ? SERVE_KUBECONFIG : undefined;
}

/** @param kubeconfig what `kubeconfigFor` has found. @throws UsageError when there are no credentials */
export function loadCredentials(choice: ClusterChoice, kubeconfig: string | undefined, console: Console): Credentials {
  const { environment, workingDirectory } = console;
  const isFound = kubeconfig !== undefined && choice.kubeconfig === undefined;
  // Later errors, such as a missing context, do not say where the file comes from.
  let isFoundTaken = false;
  const readFound = (path: string): string => {
    const text = readFoundKubeconfig(path, kubeconfig!);
    isFoundTaken = true;
    return text;
  };
  try {
    const credentials = Credentials.load({
      kubeconfig: kubeconfig === undefined ? undefined : resolve(workingDirectory, kubeconfig),
      readKubeconfig: isFound ? readFound : undefined,
      context: choice.context,
      environment,
    });
    if (isFound)
      console.writeError(
        `stint: the cluster is ${printable(credentials.origin)}, by ${printable(kubeconfig)}, which was found here; --kubeconfig names another\n`,
      );
    return credentials;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (isFoundTaken)
      throw new UsageError(
        `${error.message}\nThat file was found here, and not named. Name the one that is meant: --kubeconfig ~/.kube/config`,
      );
    throw kubeconfig === undefined && !environment["KUBECONFIG"] && console.command !== AS_PLUGIN
      ? new UsageError(`${error.message}\nThere is no ${SERVE_KUBECONFIG} either, which \`stint serve\` writes.`)
      : error;
  }
}

/** The result of `run`, or the UsageError that it throws: for a caller that can continue without it. */
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
