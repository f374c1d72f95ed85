/**
 * Isolation of local processes by bubblewrap (`bwrap`): the arguments that make the sandbox, and whether it works here.
 *
 * Invariant: a container sees this machine's files read-only, a private /tmp, /run and /dev, its own processes, host name
 * and IPC, no network unless asked for, and dies with this process. /run is private because a read-only mount does not
 * stop anybody from talking to the sockets in it. What the user who runs this may read, a container may read.
 */
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findExecutable } from "./command.ts";

/** A directory of this machine at a path of the container. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface Sandbox {
  readonly hostname: string;
  readonly workingDirectory: string;
  /** The network of this machine; otherwise the container has none but its own loopback. */
  readonly network: boolean;
  readonly mounts: readonly Mount[];
  /** Directories that stay readable even where they lie in one that is private to the container. */
  readonly visible: readonly string[];
}

/** What the container gets of its own, empty. */
const PRIVATE_DIRECTORIES = ["/tmp", "/var/tmp", "/run"];
const NOT_FROM_THIS_MACHINE = new Set(["proc", "dev", "tmp", "run", "lost+found"]);
const TRIAL_LIMIT_MS = 10_000;

/** bwrap's arguments up to the command. bwrap tells on `infoFd` which process is the container's first. */
export function bubblewrapArguments(sandbox: Sandbox, infoFd: number): string[] {
  return [
    ...["--die-with-parent", "--new-session", "--info-fd", String(infoFd)],
    ...["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"],
    ...(sandbox.network ? [] : ["--unshare-net"]),
    ...["--hostname", sandbox.hostname],
    ...rootArguments(),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...privateDirectories().flatMap((path) => ["--tmpfs", path]),
    ...(sandbox.network ? resolverArguments() : []),
    ...sandbox.visible.filter(isHidden).flatMap((path) => ["--ro-bind", path, path]),
    ...sandbox.mounts.flatMap(({ source, target, readOnly }) => [readOnly ? "--ro-bind" : "--bind", source, target]),
    // Last: until here the root is a file system of our own, in which mount points could be made.
    ...["--remount-ro", "/", "--chdir", sandbox.workingDirectory, "--"],
  ];
}

export type BubblewrapState = { readonly path: string } | { readonly problem: string };

/** Finds bwrap and makes a trial run: being installed is not enough where user namespaces are forbidden. */
export function detectBubblewrap(): BubblewrapState {
  const found = findExecutable("bwrap", process.env["PATH"] ?? "", "/");
  if ("error" in found) return { problem: "bubblewrap (the command bwrap) is not installed" };
  const sandbox: Sandbox = { hostname: "trial", workingDirectory: "/", network: false, mounts: [], visible: [] };
  const trial = spawnSync(found.path, [...bubblewrapArguments(sandbox, 1), "true"], { encoding: "utf8", timeout: TRIAL_LIMIT_MS });
  if (trial.status === 0) return { path: found.path };
  return { problem: `bubblewrap is installed but does not work here: ${trial.error?.message ?? (trial.stderr.trim() || `exit code ${trial.status}`)}` };
}

/** The entries of the root one by one, for the root itself has to be writable while mount points are made. */
function rootArguments(): string[] {
  return readdirSync("/")
    .filter((name) => !NOT_FROM_THIS_MACHINE.has(name))
    .flatMap((name) => {
      const path = `/${name}`;
      return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind-try", path, path];
    });
}

function privateDirectories(): string[] {
  return PRIVATE_DIRECTORIES.filter((path) => dirname(path) === "/" || (existsSync(path) && lstatSync(path).isDirectory()));
}

/** /etc/resolv.conf is often a link into /run. */
function resolverArguments(): string[] {
  try {
    const path = realpathSync("/etc/resolv.conf");
    return isHidden(path) ? ["--ro-bind", path, path] : [];
  } catch {
    return [];
  }
}

function isHidden(path: string): boolean {
  return PRIVATE_DIRECTORIES.some((hidden) => path.startsWith(`${hidden}/`));
}

/** Whether the sandbox can have something new at this path: that takes a file system of its own, not one of this machine. */
export function canCreateAt(path: string): boolean {
  return path.startsWith("/") && !path.split("/").includes("..") && (topOf(path) === "/dev" || isHidden(path) || !existsSync(topOf(path)));
}

/** An error text if no volume can be mounted at this path. */
export function mountProblem(target: string): string | undefined {
  if (!target.startsWith("/") || target === "/" || target.split("/").includes("..")) return `mountPath ${target}: allowed is an absolute path below / without ".."`;
  if (canCreateAt(target) || PRIVATE_DIRECTORIES.includes(target)) return undefined;
  if (existsSync(target)) return statSync(target).isDirectory() ? undefined : `mountPath ${target}: there is a file of this machine at that path`;
  return `mountPath ${target}: ${topOf(target)} is a directory of this machine and read-only, so nothing new can be mounted in it; allowed are directories that exist and new ones directly below /`;
}

/** The entry of the root that a path leads through. */
function topOf(path: string): string {
  return join("/", path.split("/")[1]!);
}
