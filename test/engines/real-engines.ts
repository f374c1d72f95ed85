/**
 * Starts engines of this machine for the tests, each with separate folders and its own socket: dockerd and Podman's
 * service, where they are installed and this is root. Or uses one that runs: STINT_ENGINE_SOCKET names its socket, and
 * STINT_ENGINE says which it is.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineName } from "../../host-node/runtime/container-engine/engine-socket.ts";
import { ProcessGroup } from "../kubernetes/processes.ts";

/** A shell without libraries, for images that are made here. */
export const SHELL = "/usr/bin/busybox";
const READY_TRIES = 600;
const READY_POLL_MS = 100;
/** Limits that a root without CAP_SYS_RESOURCE can set; runc runs with every version of control groups. */
const PODMAN_SETTINGS = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

export interface RealEngine {
  readonly socketPath: string;
  close(): Promise<void>;
}

/** Why this engine cannot be tried here; undefined: it can. */
export function missing(name: EngineName): string | undefined {
  if (!isThere(SHELL)) return `there is no ${SHELL} for the images (apt install busybox-static)`;
  if (process.env["STINT_ENGINE_SOCKET"] !== undefined)
    return (process.env["STINT_ENGINE"] ?? "docker") === name ? undefined : "STINT_ENGINE names another engine";
  if (process.getuid!() !== 0) return "only root can start one; STINT_ENGINE_SOCKET names one that runs";
  const program = name === "docker" ? "dockerd" : "podman";
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.some((folder) => isThere(`${folder}/${program}`)) ? undefined : `there is no ${program}`;
}

/** @param registries their addresses, from which the engine may pull without TLS */
export async function startEngine(name: EngineName, ...registries: readonly string[]): Promise<RealEngine> {
  const running = process.env["STINT_ENGINE_SOCKET"];
  if (running !== undefined) return { socketPath: running, close: () => Promise.resolve() };
  const group = new ProcessGroup("stint-engine-");
  const socketPath = group.path("engine.sock");
  const engine = await (name === "docker"
    ? startDocker(group, socketPath)
    : startPodman(group, socketPath, registries));
  for (let tries = 0; !isThere(socketPath); tries++) {
    if (tries === READY_TRIES || engine.exited) throw new Error(`${name} did not start:\n${engine.log()}`);
    await sleep(READY_POLL_MS);
  }
  return { socketPath, close: () => stop(group) };
}

function startDocker(group: ProcessGroup, socketPath: string): ReturnType<ProcessGroup["start"]> {
  const folders = ["--data-root", group.path("data"), "--exec-root", group.path("exec"), "-p", group.path("dockerd")];
  const alone = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--storage-driver=vfs"];
  return group.start("dockerd", "dockerd", ["-H", `unix://${socketPath}`, ...folders, ...alone]);
}

function startPodman(
  group: ProcessGroup,
  socketPath: string,
  registries: readonly string[],
): ReturnType<ProcessGroup["start"]> {
  const insecure = registries.map((address) => `[[registry]]\nlocation = "${address}"\ninsecure = true\n`);
  const folders = ["--root", group.path("root"), "--runroot", group.path("run"), "--storage-driver", "vfs"];
  const service = ["system", "service", "-t", "0", `unix://${socketPath}`];
  return group.start("podman", "podman", [...folders, ...service], {
    CONTAINERS_CONF: group.write("containers.conf", PODMAN_SETTINGS),
    CONTAINERS_REGISTRIES_CONF: group.write("registries.conf", insecure.join("")),
  });
}

async function stop(group: ProcessGroup): Promise<void> {
  for (const engine of group.running) await engine.stop();
  for (const pid of pidsOf(group.directory)) process.kill(pid, "SIGKILL");
  // What the engine has mounted and did not take away.
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const left = mounts.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(`${group.directory}/`));
  for (const path of left.toReversed()) execFileSync("umount", ["-l", path]);
  await group.stop();
}

/**
 * Processes that an engine has left: Podman's monitor of a command waits five minutes, and then makes the folder again.
 */
function pidsOf(folder: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${folder}/`);
    } catch {
      return false; // It has ended meanwhile.
    }
  });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
