/**
 * Starts engines of this machine for the tests, each with folders and a socket of its own: dockerd and Podman's
 * service, where they are installed and this is root. Or uses one that runs: STINT_ENGINE_SOCKET names its socket, and
 * STINT_ENGINE says which it is.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineName } from "../../host-node/runtime/container-engine/engine-socket.ts";

/** A shell without libraries, for images that are made here. */
export const SHELL = "/usr/bin/busybox";
const READY_TRIES = 300;
const READY_POLL_MS = 100;

export interface RealEngine {
  readonly name: EngineName;
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
  return isThere(`/usr/sbin/${program}`) || isThere(`/usr/bin/${program}`) ? undefined : `there is no ${program}`;
}

/** @param registries their addresses, from which the engine may pull without TLS */
export async function startEngine(name: EngineName, ...registries: readonly string[]): Promise<RealEngine> {
  const running = process.env["STINT_ENGINE_SOCKET"];
  if (running !== undefined) return { name, socketPath: running, close: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), "stint-engine-"));
  const socketPath = join(folder, "engine.sock");
  const log = join(folder, "log");
  const [command, environment] =
    name === "docker" ? docker(folder, socketPath) : podman(folder, socketPath, registries);
  const output = openSync(log, "w");
  const child = spawn(command[0]!, command.slice(1), {
    // Podman's monitor writes a file where it is started.
    ...{ cwd: folder, env: { ...process.env, ...environment } },
    stdio: ["ignore", output, output],
  });
  for (let tries = 0; !isThere(socketPath); tries++) {
    if (tries === READY_TRIES || child.exitCode !== null)
      throw new Error(`${name} did not start:\n${readFileSync(log)}`);
    await sleep(READY_POLL_MS);
  }
  return { name, socketPath, close: () => end(child, folder) };
}

type Start = [command: readonly string[], environment: Readonly<Record<string, string>>];

function docker(folder: string, socketPath: string): Start {
  const folders = ["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")];
  const alone = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--storage-driver=vfs"];
  return [["dockerd", "-H", `unix://${socketPath}`, "-p", join(folder, "pid"), ...folders, ...alone], {}];
}

function podman(folder: string, socketPath: string, addresses: readonly string[]): Start {
  const containers = join(folder, "containers.conf");
  const registries = join(folder, "registries.conf");
  // Limits that a root without CAP_SYS_RESOURCE can set; runc runs with every version of control groups.
  writeFileSync(
    containers,
    '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\n',
  );
  const insecure = addresses.map((address) => `[[registry]]\nlocation = "${address}"\ninsecure = true\n`);
  writeFileSync(registries, insecure.join(""));
  const folders = ["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  return [
    ["podman", ...folders, "system", "service", "-t", "0", `unix://${socketPath}`],
    { CONTAINERS_CONF: containers, CONTAINERS_REGISTRIES_CONF: registries },
  ];
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
  // What the engine has mounted and did not take away.
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  for (const path of mounts
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path.startsWith(folder))
    .toReversed())
    execFileSync("umount", ["-l", path]);
  rmSync(folder, { recursive: true, force: true });
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
