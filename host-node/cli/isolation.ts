/**
 * Decides how local processes are isolated from this machine: from the options, and from what this machine can do.
 */
import { resolve } from "node:path";
import { type BubblewrapProblem, detectBubblewrap } from "../runtime/bubblewrap.ts";
import { detectProcessView } from "../runtime/process-view.ts";
import { isEngine } from "../runtime/container-engine/engine-socket.ts";
import type { ProcessRuntimeOptions } from "../runtime/process-runtime.ts";
import { UsageError } from "../usage-error.ts";

/** The options of the command line that are about isolation. */
export interface IsolationOptions {
  /** False: --no-isolation. */
  readonly isolation: boolean;
  /** Without isolation: the processes of a container do not get a separate view of processes. */
  readonly shareProcesses: boolean;
  readonly network: boolean;
  /** Files and folders to show, as the user wrote them. */
  readonly visible: readonly string[];
  readonly allowHostPath: boolean;
}

/** The given flags that have a meaning only inside bubblewrap. */
function sandboxFlags({ network, visible, allowHostPath }: IsolationOptions): string[] {
  return [
    ...(network ? ["--network"] : []),
    ...(visible.length > 0 ? ["--visible"] : []),
    ...(allowHostPath ? ["--allow-host-path"] : []),
  ];
}

/** For runtimes that run no command. @throws UsageError for options that have no meaning with them */
export function refuseIsolationOptions(options: IsolationOptions, runtime: string): void {
  const [given] = [
    ...(options.isolation ? [] : ["--no-isolation"]),
    ...(options.shareProcesses ? ["--share-processes"] : []),
    ...sandboxFlags(options),
  ];
  if (given !== undefined)
    throw new UsageError(
      `${given} is given with --runtime ${runtime}, which runs no command; it is for --runtime process`,
    );
}

/** @throws UsageError for --volume-folder where no volume is mounted */
export function refuseVolumeFolder({
  volumeFolder,
  runtime,
  isolation,
}: {
  readonly volumeFolder?: string | undefined;
  readonly runtime: string;
  readonly isolation: boolean;
  /** Without isolation: the processes of a container do not get a separate view of processes. */
  readonly shareProcesses: boolean;
}): void {
  const isMounted = isEngine(runtime) || (runtime === "process" && isolation);
  if (volumeFolder !== undefined && !isMounted)
    throw new UsageError(
      "--volume-folder is given, but volumes are mounted in containers and inside bubblewrap only; it is for --runtime process with isolation, docker and podman",
    );
}

/** What the user has to do before commands can run inside bubblewrap. */
const REMEDIES: Readonly<Record<BubblewrapProblem, readonly string[]>> = {
  missing: [
    "Either install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap),",
  ],
  apparmor: [
    "AppArmor keeps it from using a user namespace, as Ubuntu does since 24.04. Either give it a profile, as root:",
    "  printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) {' '  userns,' '}' > /etc/apparmor.d/bwrap",
    "  apparmor_parser -r /etc/apparmor.d/bwrap",
    "or lift the restriction for all programs until the next boot: sysctl kernel.apparmor_restrict_unprivileged_userns=0,",
  ],
  other: ["Either allow it to make user namespaces: in a container and on some systems they are forbidden,"],
};

type Isolation = Pick<
  ProcessRuntimeOptions,
  "isolation" | "processView" | "network" | "visible" | "allowHostPath" | "workingDirectory"
>;

/**
 * @throws UsageError when isolation is wanted but impossible, with the cause and a remedy; and for flags that have no
 * meaning
 */
export function isolationOf(options: IsolationOptions, workingDirectory: string): Isolation {
  if (!options.isolation) {
    // --network is allowed here: without isolation the network is there anyway.
    const given = sandboxFlags(options).find((flag) => flag !== "--network");
    if (given !== undefined)
      throw new UsageError(`${given} is given with --no-isolation; it is for commands inside bubblewrap`);
    const processView = options.shareProcesses ? undefined : detectProcessView();
    return { isolation: "none", processView, network: true, workingDirectory };
  }
  if (options.shareProcesses)
    throw new UsageError("--share-processes is given without --no-isolation; inside bubblewrap no process is shared");
  const { network, allowHostPath } = options;
  const visible = options.visible.map((path) => resolve(workingDirectory, path));
  const bubblewrap = detectBubblewrap();
  if ("path" in bubblewrap) return { isolation: { bubblewrap }, network, visible, allowHostPath, workingDirectory };
  throw new UsageError(
    [
      `${bubblewrap.problem}.`,
      "The process runtime runs the commands of a Job inside it, without your files and without network.",
      ...REMEDIES[bubblewrap.cause],
      "or pass --runtime docker or podman to run the containers from their images,",
      "or pass --no-isolation to run the commands with your full permissions, if you trust them,",
      "or pass --runtime simulated to run no command at all.",
    ].join("\n"),
  );
}
