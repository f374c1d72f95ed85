/**
 * Isolation of local processes by bubblewrap (`bwrap`): the arguments that make the sandbox, and whether it works here.
 *
 * Invariant: a container sees only the files that visible-files.ts names, read-only, and a private /tmp, /run and /dev.
 * It has its own processes, host name and IPC, and no network unless that was asked for. It has no capability, cannot
 * get one, and dies with this process. bwrap itself runs outside the sandbox. So it gets an empty environment, and
 * everything that comes from a pod (above all its variables) reaches it as arguments over a pipe.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { findProgram } from "./command.ts";
import { containerUser, type ContainerUser, SHOWN_AS } from "./container-user.ts";
import type { Mount } from "./mounts.ts";
import { isPrivate, PRIVATE_FOLDERS, VisibleFiles } from "./visible-files.ts";

/** The file descriptors that bwrap gets. */
export const SANDBOX_FDS = {
  /** Here bwrap says which process is the first of the container. */
  info: 3,
  /** Here it reads its arguments, each with a NUL at its end. */
  arguments: 4,
  /** Here it reads a seccomp filter. */
  seccomp: 5,
} as const;

export interface Bubblewrap {
  readonly path: string;
  /** Options that not every version has. */
  readonly options: readonly OptionalOption[];
}

export type OptionalOption = "--disable-userns" | "--size";
const OPTIONAL_OPTIONS: readonly OptionalOption[] = ["--disable-userns", "--size"];

export interface Sandbox {
  readonly hostname: string;
  readonly workingDirectory: string;
  /** The network of this machine; otherwise the container has none but its own loopback. */
  readonly network: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly visible: VisibleFiles;
  /** The user as which bwrap is started; undefined: this user. */
  readonly user: ContainerUser | undefined;
  /** Whether there is a filter on SANDBOX_FDS.seccomp. */
  readonly hasSeccompFilter: boolean;
}

/** MAX_ARGS in bubblewrap.c. */
export const MAX_ARGUMENTS = 9000;
/** The size of each private folder in memory. */
export const PRIVATE_FOLDER_BYTES = 1024 * 1024 * 1024;
/** /run holds sockets and process ids. */
export const RUN_FOLDER_BYTES = 16 * 1024 * 1024;
const TRIAL_LIMIT_MS = 10_000;

/** bwrap's arguments, for SANDBOX_FDS.arguments. The command itself goes onto bwrap's command line. */
export function bubblewrapArguments({ options }: Bubblewrap, sandbox: Sandbox): string[] {
  const has = (option: OptionalOption): boolean => options.includes(option);
  const tmpfs = (path: string): string[] => [
    ...(has("--size") ? ["--size", String(path === "/run" ? RUN_FOLDER_BYTES : PRIVATE_FOLDER_BYTES)] : []),
    "--tmpfs",
    path,
  ];
  return [
    ...["--die-with-parent", "--new-session", "--info-fd", String(SANDBOX_FDS.info)],
    ...[
      "--unshare-user",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
      "--cap-drop",
      "ALL",
    ],
    ...(sandbox.user === undefined ? [] : ["--uid", String(SHOWN_AS.uid), "--gid", String(SHOWN_AS.gid)]),
    ...(has("--disable-userns") ? ["--disable-userns"] : []),
    ...(sandbox.hasSeccompFilter ? ["--seccomp", String(SANDBOX_FDS.seccomp)] : []),
    ...(sandbox.network ? [] : ["--unshare-net"]),
    ...["--hostname", sandbox.hostname],
    ...sandbox.visible.systemArguments(sandbox.mounts.map(({ target }) => target)),
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    // The first process of the sandbox is bwrap's own, and has no filter. A container that reached its memory could run
    // code without the filter, too.
    ...["--tmpfs", "/proc/1", "--remount-ro", "/proc/1"],
    ...["--dev", "/dev", ...tmpfs("/dev/shm")],
    ...privateFolders().flatMap(tmpfs),
    ...(sandbox.network ? resolverArguments() : []),
    ...sandbox.visible.privateFolderArguments(),
    ...sandbox.mounts.flatMap(({ source, target, readOnly }) => [readOnly ? "--ro-bind" : "--bind", source, target]),
    // This must be last: before, mount points can still be made in these file systems.
    ...["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", sandbox.workingDirectory],
    ...Object.entries(sandbox.environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** As SANDBOX_FDS.arguments takes them. */
export function encodeArguments(list: readonly string[]): Buffer {
  return Buffer.from(list.map((argument) => `${argument}\0`).join(""));
}

/** bubblewrap if it works here; or why it does not. */
export type BubblewrapState = Bubblewrap | { readonly problem: string; readonly cause: BubblewrapProblem };

/**
 * `missing`: it is not installed. `apparmor`: AppArmor keeps programs without a profile from making user namespaces, as
 * Ubuntu does since 24.04. `other`: it does not work for another reason.
 */
export type BubblewrapProblem = "missing" | "apparmor" | "other";

/** What bwrap says where it may make a user namespace, and may do nothing in it. */
const NO_RIGHTS_IN_NAMESPACE = "setting up uid map: Permission denied";

/** Finds bwrap and makes a trial run, because an installed bwrap does not work where user namespaces are forbidden. */
export function detectBubblewrap(): BubblewrapState {
  const found = findProgram("bwrap");
  if ("error" in found) return { problem: "bubblewrap (the command bwrap) is not installed", cause: "missing" };
  const help = spawnSync(found.path, ["--help"], { encoding: "utf8", timeout: TRIAL_LIMIT_MS, env: {} });
  const known = OPTIONAL_OPTIONS.filter((option) => `${help.stdout}${help.stderr}`.includes(`${option} `));
  const bubblewrap: Bubblewrap = { path: found.path, options: known };
  const problem = trialProblem(bubblewrap);
  if (problem === undefined) return bubblewrap;
  // A set-uid bwrap knows --disable-userns but refuses it. The filter of system calls has the same effect.
  const plain: Bubblewrap = { path: found.path, options: [] };
  if (trialProblem(plain) === undefined) return plain;
  const cause = problem.includes(NO_RIGHTS_IN_NAMESPACE) ? "apparmor" : "other";
  return { problem: `bubblewrap is installed but does not work here: ${problem}`, cause };
}

function trialProblem(bubblewrap: Bubblewrap): string | undefined {
  const user = containerUser();
  const environment = { PATH: "/usr/bin:/bin" };
  const visible = new VisibleFiles([], user);
  const sandbox = {
    hostname: "trial",
    workingDirectory: "/",
    network: false,
    mounts: [],
    environment,
    visible,
    user,
    hasSeccompFilter: false,
  };
  const trial = spawnSync(bubblewrap.path, ["--args", "0", "--", "true"], {
    encoding: "utf8",
    timeout: TRIAL_LIMIT_MS,
    cwd: "/",
    env: {},
    ...user,
    input: encodeArguments(bubblewrapArguments(bubblewrap, sandbox)),
    stdio: ["pipe", "ignore", "pipe", "pipe"],
  });
  if (trial.status === 0) return undefined;
  // If bwrap ends before it has read its arguments, the error is a broken pipe. What bwrap says is the cause.
  return trial.stderr?.trim() || (trial.error?.message ?? `exit code ${trial.status}`);
}

/** Not every machine has a folder /var/tmp. */
function privateFolders(): string[] {
  return PRIVATE_FOLDERS.filter(
    (path) => dirname(path) === "/" || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** /etc/resolv.conf is often a link into /run. */
function resolverArguments(): string[] {
  try {
    const path = realpathSync("/etc/resolv.conf");
    return isPrivate(path) ? ["--ro-bind", path, path] : [];
  } catch {
    return [];
  }
}
