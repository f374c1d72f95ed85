/**
 * What a container runs as a local process: its command line, its environment and its working directory.
 *
 * Invariant: a process sees the variables that its pod defines, and a few that every container has (PATH, HOME,
 * HOSTNAME). It sees nothing of the environment of this program, because that holds the user's secrets. Errors have the
 * words of containerd, because users know these. Leaves out $(VAR) references, which the kubelet resolves.
 */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isSingleExecutable } from "../embedded-file.ts";

/**
 * The default search path for commands. The directory of this Node comes first, so that every machine that runs this
 * has `node`; but a single executable has none.
 */
export const DEFAULT_PATH = [
  ...(isSingleExecutable ? [] : [dirname(process.execPath)]),
  "/usr/local/sbin",
  "/usr/local/bin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
].join(":");

/** The part of a container's manifest that its process needs. */
export interface ContainerCommand {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
}

/** The command and its arguments; an error text if the container relies on its image for the command. */
export function commandLine(
  container: ContainerCommand,
): { readonly argv: readonly string[] } | { readonly error: string } {
  const argv = [...(container.command ?? []), ...(container.args ?? [])];
  if (container.command?.length) return { argv };
  return {
    error: `container "${container.name}" has no command: local processes run commands of this machine, and the entrypoint of an image is not known here`,
  };
}

/** The environment of a container; a later entry of `env` wins. */
export function environment(
  env: readonly { readonly name: string; readonly value: string }[],
  home: string,
  hostname: string,
): Record<string, string> {
  const variables: Record<string, string> = { PATH: DEFAULT_PATH, HOME: home, HOSTNAME: hostname };
  for (const { name, value } of env) variables[name] = value;
  return variables;
}

/** The host name of a pod: spec.hostname, else the pod's name, cut to what a host name may be. */
export function hostnameOf(pod: {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly hostname?: string };
}): string {
  return pod.spec?.hostname ?? pod.metadata.name.slice(0, 63).replace(/[-.]+$/, "");
}

/** An executable. Otherwise an error text, and the path if the executable exists but the container does not see it. */
export type Executable = { readonly path: string } | { readonly error: string; readonly hidden?: string };

/** A path in which nothing is found. */
const NO_FOLDER = "/dev/null";

/** Looks an executable up as execvp does. @param shows whether a container sees a path of this machine */
export function findExecutable(
  file: string,
  pathVariable: string,
  workingDirectory: string,
  shows: (path: string) => boolean = () => true,
): Executable {
  const candidates = file.includes("/")
    ? [resolve(workingDirectory, file)]
    : pathVariable.split(":").map((directory) => resolve(workingDirectory, directory || ".", file));
  let denied = false;
  let hidden: string | undefined;
  for (const path of candidates) {
    const problem = problemOf(path);
    if (problem === undefined && shows(path)) return { path };
    if (problem === undefined) hidden ??= path;
    denied ||= problem === "EACCES" && shows(path);
  }
  const missing = file.includes("/") ? `stat ${file}: no such file or directory` : "executable file not found in $PATH";
  return {
    error: `exec: "${file}": ${denied ? "permission denied" : missing}`,
    ...(hidden === undefined ? {} : { hidden }),
  };
}

/**
 * Looks up a program that Stint starts for itself. Relative entries of the path count as none: what lies in the current
 * folder starts nothing.
 */
export function findProgram(name: string, pathVariable = process.env.PATH ?? ""): Executable {
  const folders = pathVariable.split(":").filter((folder) => folder.startsWith("/"));
  return findExecutable(name, folders.length === 0 ? NO_FOLDER : folders.join(":"), "/");
}

/** An error text if a process cannot start in this directory. */
export function directoryProblem(directory: string): string | undefined {
  try {
    return statSync(directory).isDirectory() ? undefined : `chdir to cwd ("${directory}") failed: not a directory`;
  } catch {
    return `chdir to cwd ("${directory}") failed: no such file or directory`;
  }
}

function problemOf(path: string): "ENOENT" | "EACCES" | undefined {
  try {
    if (!statSync(path).isFile()) return "EACCES";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "EACCES" : "ENOENT";
  }
}
