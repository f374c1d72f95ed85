/**
 * What a container finds inside its sandbox: the volumes of its pod, its working directory, its program, and a file for
 * its last words.
 *
 * Invariant: what cannot be there is known before anything is started, with a sentence for the pod's status. Leaves out
 * how bubblewrap makes it (bubblewrap.ts).
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { directoryProblem, findExecutable } from "./command.ts";
import { canCreateAt, type Mount, mountProblem } from "./mounts.ts";
import { isWithin, PRIVATE_FOLDERS, type VisibleFiles } from "./visible-files.ts";
import type { Volume } from "./volumes.ts";
import type { Container } from "../../cluster/values/kinds.ts";

const DEFAULT_TERMINATION_MESSAGE_PATH = "/dev/termination-log";

/** The command line, the variables and the working directory. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/** Why the command cannot start in the sandbox: its working directory or its program is missing. Undefined: it can. */
export function missingInSandbox(
  { argv, env, workingDirectory }: SandboxedCommand,
  volumes: readonly Mount[],
  visible: VisibleFiles,
): string | undefined {
  // A command or directory in a volume does not exist outside the sandbox. Only bwrap can find it.
  const inVolume = (path: string): boolean => volumes.some(({ target }) => isWithin(path, target));
  const isMade =
    inVolume(workingDirectory) ||
    PRIVATE_FOLDERS.includes(workingDirectory) ||
    volumes.some(({ target }) => isWithin(target, workingDirectory));
  if (!isMade) {
    const isShown = visible.shows(workingDirectory) || workingDirectory === "/";
    const missing = isShown ? directoryProblem(workingDirectory) : notThere(workingDirectory);
    if (missing !== undefined) return missing;
  }
  if (inVolume(resolve(workingDirectory, argv[0]!)) || env.PATH!.split(":").some(inVolume)) return undefined;
  const executable = findExecutable(argv[0]!, env.PATH!, workingDirectory, (path) => visible.shows(path));
  return "error" in executable ? executable.error : undefined;
}

/** The file of the termination message, in `folder` outside. Undefined: none can be made at that path. */
export function messageMount(
  container: Container,
  folder: string,
  volumes: readonly Mount[],
  visible: VisibleFiles,
): Mount | undefined {
  const target = container.terminationMessagePath || DEFAULT_TERMINATION_MESSAGE_PATH;
  const mounted = volumes.map((volume) => volume.target);
  if (!canCreateAt(target, mounted, visible)) return undefined;
  return { source: join(folder, `termination-log-${container.name}`), target, readOnly: false };
}

function notThere(directory: string): string {
  return `chdir to cwd ("${directory}") failed: no such file or directory`;
}

/** The mounts of a container, or why one cannot be made. @param volumes of its pod, by name */
export function volumeMounts(
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
): { readonly list: Mount[] } | { readonly error: string } {
  const list: Mount[] = [];
  for (const mount of container.volumeMounts ?? []) {
    const volume = volumes.get(mount.name);
    if (volume === undefined) continue; // Another kind of volume: `unsupported` has named it.
    const { name, subPath } = mount;
    // A container may put a link into a volume, which could lead a subPath out of it. So no such subPath is mounted.
    if (mount.subPathExpr || (subPath && !volume.isMadeOfObjects))
      return { error: `volumeMount ${name}: subPath is not supported; mount the whole volume` };
    const source = subPath ? join(volume.path, subPath) : volume.path;
    if (!isWithin(source, volume.path) || !existsSync(source))
      return { error: `volumeMount ${name}: the volume has no ${JSON.stringify(subPath)}` };
    list.push({ source, target: mount.mountPath, readOnly: volume.readOnly || mount.readOnly === true });
  }
  return { list };
}

/** The problems with the mount paths of a container's volumes. */
export function mountProblems(
  container: Container,
  visible: VisibleFiles,
): { readonly index: number; readonly why: string }[] {
  const paths = (container.volumeMounts ?? []).map(({ mountPath }) => mountPath);
  return paths.flatMap((path, index) => {
    const why = mountProblem(
      path,
      paths.filter((_, other) => other !== index),
      visible,
    );
    return why === undefined ? [] : [{ index, why }];
  });
}
