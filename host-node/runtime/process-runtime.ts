/**
 * The kubelet's container runtime that runs commands as processes of this machine, inside bubblewrap or without isolation.
 *
 * Invariant: every process that it starts is over before the container is, and none survives the runtime: `close` kills
 * them, and should this program die without a word, bubblewrap and the reaper do. What a pod asks for and this runtime
 * does not do is named by `unsupported`. Leaves out images, networks of their own and resource limits.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ContainerEvents, ContainerExit, ContainerHandle, ContainerRequest, ContainerRuntime, UnsupportedField } from "../../cluster/kubelet/container-runtime.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { bubblewrapArguments, canCreateAt, type Mount, mountProblem } from "./bubblewrap.ts";
import { commandLine, type ContainerCommand, directoryProblem, environment, findExecutable, hostnameOf } from "./command.ts";
import { ContainerProcess, type Launch } from "./container-process.ts";
import { OutputPipes } from "./output-pipes.ts";
import { Reaper } from "./reaper.ts";
import { unsupportedFields } from "./unsupported.ts";

/** Longest termination message of a container, as the kubelet's limit. */
const MAX_TERMINATION_MESSAGE_BYTES = 4096;
const DEFAULT_TERMINATION_MESSAGE_PATH = "/dev/termination-log";
/** bwrap tells about its sandbox on the first descriptor after the standard ones. */
const SANDBOX_INFO_FD = 3;

export interface ProcessRuntimeOptions {
  /** Path of bwrap (see detectBubblewrap), or "none": processes run with all the rights of the user. */
  readonly isolation: { readonly bubblewrap: string } | "none";
  /** Inside bubblewrap: whether containers reach the network. Without isolation they always do. */
  readonly network: boolean;
  /** Where containers without a workingDir run. Absolute. */
  readonly workingDirectory: string;
}

interface PodDirectory {
  readonly path: string;
  /** Directories of the emptyDir volumes by volume name. */
  readonly volumes: ReadonlyMap<string, string>;
}

export class ProcessRuntime implements ContainerRuntime {
  readonly name = "process";
  readonly #options: ProcessRuntimeOptions;
  /** Private to this user; everything the runtime writes lies in it. */
  readonly #directory: string;
  readonly #pipes: OutputPipes;
  readonly #reaper: Reaper;
  readonly #pods = new Map<string, PodDirectory>();
  readonly #running = new Set<ContainerProcess>();
  #outputPaused = false;
  #closed = false;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.#directory = mkdtempSync(join(tmpdir(), "stint-"));
    this.#pipes = new OutputPipes(this.#directory);
    this.#reaper = new Reaper(this.#directory);
  }

  unsupported(pod: KubeObject): readonly UnsupportedField[] {
    return unsupportedFields(pod, { isolated: this.#options.isolation !== "none", network: this.#options.network });
  }

  createPod(pod: KubeObject, done: (error?: string) => void): void {
    let problem: string | undefined;
    try {
      const path = join(this.#directory, pod.metadata.uid);
      const volumes = ((pod["spec"].volumes ?? []) as { name: string; emptyDir?: object }[])
        .filter((volume) => volume.emptyDir !== undefined)
        .map((volume) => [volume.name, join(path, "volumes", volume.name)] as const);
      mkdirSync(join(path, "home"), { recursive: true });
      for (const [, directory] of volumes) mkdirSync(directory, { recursive: true });
      this.#pods.set(pod.metadata.uid, { path, volumes: new Map(volumes) });
    } catch (error) {
      problem = `cannot make the directories of the pod: ${(error as Error).message}`;
    }
    setImmediate(() => done(problem));
  }

  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const prepared = this.#prepare(request);
    if ("error" in prepared) return failLater(events, prepared.error);
    const { launch, terminationMessageFile } = prepared;
    // Each start has a message of its own.
    const ready = terminationMessageFile === undefined ? Promise.resolve() : writeFile(terminationMessageFile, "", { mode: 0o666 });
    const handle = new PendingStart();
    ready.then(
      () => {
        if (handle.isCancelled || this.#closed) events.exited({ exitCode: 137 });
        else this.#start(launch, terminationMessageFile, handle, events);
      },
      (error: Error) => events.failed("StartError", error.message),
    );
    return handle;
  }

  removePod(podUid: string): void {
    const pod = this.#pods.get(podUid);
    if (pod === undefined) return;
    this.#pods.delete(podUid);
    removeTree(pod.path);
  }

  /** Back-pressure: while paused no output is read, so containers wait when they have filled their pipes. */
  setOutputPaused(paused: boolean): void {
    if (paused === this.#outputPaused) return;
    this.#outputPaused = paused;
    for (const process of this.#running) process.setOutputPaused(paused);
  }

  /** Kills every process and removes all files, at once. Nothing can be started after this. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const process of this.#running) process.kill();
    removeTree(this.#directory);
    this.#reaper.close();
  }

  #start(launch: Launch, terminationMessageFile: string | undefined, handle: PendingStart, events: ContainerEvents): void {
    let process: ContainerProcess;
    try {
      process = new ContainerProcess(launch, this.#pipes, this.#outputPaused, {
        started: (pid) => {
          this.#reaper.add(pid);
          events.started();
        },
        output: (stream, chunk) => events.output(stream, chunk),
        exited: (pid, exit) => {
          this.#running.delete(process);
          this.#reaper.remove(pid);
          withTerminationMessage(exit, terminationMessageFile, (whole) => events.exited(whole));
        },
        failed: (message) => {
          this.#running.delete(process);
          events.failed("StartError", message);
        },
      });
    } catch (error) {
      events.failed("StartError", (error as Error).message);
      return;
    }
    this.#running.add(process);
    handle.begin(process);
  }

  #prepare(request: ContainerRequest): { readonly launch: Launch; readonly terminationMessageFile: string | undefined } | { readonly error: string } {
    const { pod } = request;
    const container = request.container as ContainerCommand & Readonly<Record<string, any>>;
    const directory = this.#pods.get(pod.metadata.uid);
    if (directory === undefined || this.#closed) return { error: `pod ${pod.metadata.namespace}/${pod.metadata.name} is not on this node any more` };
    const command = commandLine(container);
    if ("error" in command) return command;

    const { isolation, network } = this.#options;
    const hostname = hostnameOf(pod as { metadata: { name: string } });
    const env = environment(request.env, isolation === "none" ? join(directory.path, "home") : "/tmp", hostname);
    const workingDirectory = resolve(this.#options.workingDirectory, container.workingDir ?? ".");

    if (isolation === "none") {
      const executable = findExecutable(command.argv[0]!, env["PATH"]!, workingDirectory);
      const problem = "error" in executable ? executable.error : directoryProblem(workingDirectory);
      if (problem !== undefined) return { error: problem };
      return { launch: { file: (executable as { path: string }).path, argv: command.argv, env, workingDirectory, sandboxInfoFd: undefined }, terminationMessageFile: undefined };
    }

    const mounts = volumeMounts(container, directory);
    if ("error" in mounts) return mounts;
    // A command or directory inside a volume is for bwrap to find: it is not there from outside.
    const inVolume = (path: string): boolean => mounts.list.some(({ target }) => path === target || path.startsWith(`${target}/`));
    const problem = inVolume(workingDirectory) ? undefined : directoryProblem(workingDirectory);
    if (problem !== undefined) return { error: problem };
    if (!inVolume(resolve(workingDirectory, command.argv[0]!)) && !env["PATH"]!.split(":").some(inVolume)) {
      const executable = findExecutable(command.argv[0]!, env["PATH"]!, workingDirectory);
      if ("error" in executable) return executable;
    }
    const messagePath = (container["terminationMessagePath"] as string | undefined) || DEFAULT_TERMINATION_MESSAGE_PATH;
    const terminationMessageFile = canCreateAt(messagePath) ? join(directory.path, `termination-log-${container.name}`) : undefined;
    const messageMounts = terminationMessageFile === undefined ? [] : [{ source: terminationMessageFile, target: messagePath, readOnly: false }];
    const sandbox = {
      hostname,
      workingDirectory,
      network,
      mounts: [...mounts.list, ...messageMounts],
      visible: [this.#options.workingDirectory, join(process.execPath, "..")],
    };
    const argv = ["bwrap", ...bubblewrapArguments(sandbox, SANDBOX_INFO_FD), ...command.argv];
    return { launch: { file: isolation.bubblewrap, argv, env, workingDirectory: "/", sandboxInfoFd: SANDBOX_INFO_FD }, terminationMessageFile };
  }
}

/** A container between the call that starts it and its process: it may be stopped before there is one. */
class PendingStart implements ContainerHandle {
  isCancelled = false;
  #process: ContainerProcess | undefined;

  begin(process: ContainerProcess): void {
    this.#process = process;
  }

  stop(gracePeriodSeconds: number): void {
    if (this.#process === undefined) this.isCancelled = true;
    else this.#process.stop(gracePeriodSeconds);
  }
}

/** Best effort: a process that is being killed may still write. What is left goes with the reaper. */
function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}

function failLater(events: ContainerEvents, message: string): ContainerHandle {
  setImmediate(() => events.failed("StartError", message));
  return { stop: () => {} };
}

function volumeMounts(container: Readonly<Record<string, any>>, pod: PodDirectory): { readonly list: Mount[] } | { readonly error: string } {
  const list: Mount[] = [];
  for (const mount of (container["volumeMounts"] ?? []) as { name: string; mountPath: string; readOnly?: boolean; subPath?: string; subPathExpr?: string }[]) {
    const source = pod.volumes.get(mount.name);
    if (source === undefined) continue; // Another kind of volume: `unsupported` has named it.
    // A link that a container has put into the volume could lead a subPath out of it, so none is mounted.
    if (mount.subPath || mount.subPathExpr) return { error: `volumeMount ${mount.name}: subPath is not supported; mount the whole volume` };
    const problem = mountProblem(mount.mountPath);
    if (problem !== undefined) return { error: problem };
    list.push({ source, target: mount.mountPath, readOnly: mount.readOnly === true });
  }
  return { list };
}

function withTerminationMessage(exit: ContainerExit, file: string | undefined, done: (exit: ContainerExit) => void): void {
  if (file === undefined) {
    done(exit);
    return;
  }
  readStart(file).then(
    (message) => done(message === "" ? exit : { ...exit, message }),
    () => done(exit), // Removed with its pod meanwhile.
  );
}

async function readStart(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_TERMINATION_MESSAGE_BYTES));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
