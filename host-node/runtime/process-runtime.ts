/**
 * The kubelet's container runtime that runs commands as processes of this machine, inside bubblewrap or without
 * isolation.
 *
 * Invariant: all processes of a container have ended before the container counts as ended, and none survives the
 * runtime. `close` kills them; if this program dies without calling it, bubblewrap and the reaper do. Without isolation
 * this holds for all processes that process-table.ts can find. `unsupported` names every field of a pod that this
 * runtime does not honour. Leaves out images, separate networks, and control groups without bubblewrap.
 */
import { randomBytes, randomInt } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type {
  ContainerEvents,
  ContainerExit,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  ProbeResult,
  UnsupportedField,
  VolumeFiles,
} from "../../cluster/kubelet/container-runtime.ts";
import { startProbes } from "../../cluster/kubelet/probes.ts";
import type { ServiceName } from "../../cluster/service-names/service-names.ts";
import type { VolumeFolders } from "../../cluster/controllers/volume-controller/volume-folders.ts";
import { UsageError } from "../usage-error.ts";
import { type Bubblewrap, bubblewrapArguments, MAX_ARGUMENTS, SANDBOX_FDS } from "./bubblewrap.ts";
import {
  commandLine,
  DEFAULT_PATH,
  directoryProblem,
  environment,
  type Executable,
  findExecutable,
  hostnameOf,
} from "./command.ts";
import { ContainerProcess, type Launch } from "./container-process.ts";
import { type CommandLimits, type ContainerPlace, ContainerStreams, type OutputListener } from "./container-streams.ts";
import { canReach, containerUser, type ContainerUser, giveTo } from "./container-user.ts";
import type { ControlGroup, Limits } from "./control-groups/control-groups.ts";
import { controlGroups } from "./control-groups/join-group.ts";
import { EmptyDirLimits } from "./empty-dir-limits.ts";
import { enterCommand, findPerl } from "./enter-script.ts";
import { closedHostPaths, refusedHostPaths } from "./host-paths.ts";
import { HOSTS_PATH, HostsFiles } from "./hosts-files.ts";
import { limitsOf, MemoryLimits } from "./memory-limits.ts";
import type { Mount } from "./mounts.ts";
import { OutputPipes } from "./output-pipes.ts";
import { probe } from "./probes.ts";
import { type ProcessView, viewCommand, viewEnvironment } from "./process-view.ts";
import { MAX_PROCESSES, processLimitCommand } from "./process-limit.ts";
import { Reaper } from "./reaper.ts";
import { removeTree } from "./remove-tree.ts";
import { messageMount, missingInSandbox, mountProblems, volumeMounts } from "./sandbox-content.ts";
import { seccompFilter } from "./seccomp.ts";
import { withTerminationMessage } from "./termination-message.ts";
import { unsupportedFields } from "./unsupported.ts";
import { isWithin, VisibleFiles } from "./visible-files.ts";
import { LocalVolumeFolders } from "./volume-folders.ts";
import { type ClaimedVolumes, makeVolumes, type Volume } from "./volumes.ts";
import type { Container, Pod, Probe as ProbeSpec } from "../../cluster/values/kinds.ts";

/** Lower ranges are used by other programs: 127.0.0.1 and 127.0.0.53, for example. */
const FIRST_LOOPBACK_RANGE = 16;
/** As the kubelet reports it. */
const OUT_OF_MEMORY: ContainerExit = { exitCode: 137, reason: "OOMKilled" };
/** The variable that marks the processes of a container without a sandbox. */
const MARK = "STINT_CONTAINER";

export interface ProcessRuntimeOptions {
  /** What detectBubblewrap found, or "none": processes run with all the rights of the user. */
  readonly isolation: { readonly bubblewrap: Bubblewrap } | "none";
  /** Without isolation: gives the processes of each container a separate view. Undefined: they share the machine's. */
  readonly processView?: ProcessView | undefined;
  /** Inside bubblewrap: whether containers reach the network. Without isolation they always do. */
  readonly network: boolean;
  /** Where containers without a workingDir run, if they can see it; else they run in /. Absolute. */
  readonly workingDirectory: string;
  /**
   * Inside bubblewrap: files and folders to show, read-only, beside those of the system. Absolute; none unless given.
   */
  readonly visible?: readonly string[];
  /** Inside bubblewrap: whether hostPath volumes are mounted; false unless given. */
  readonly allowHostPath?: boolean;
  /** Inside bubblewrap: processes and threads of all containers together; see process-limit.ts. */
  readonly maxProcesses?: number;
  /**
   * Clients may attach to containers, so a container with `stdin` waits for their input and one with `tty` has a
   * terminal. False unless given: then the standard input of every container is empty.
   */
  readonly isInteractive?: boolean;
  /** Inside bubblewrap: the volume that a claim is bound to. Undefined: claims are not mounted. */
  readonly findClaimed?: ClaimedVolumes["find"];
  /** The caller calls `setServiceNames`. False unless given. */
  readonly hasServiceNames?: boolean;
  /** Inside bubblewrap: where volumes of claims are made, and stay. Absolute; they go with the runtime unless given. */
  readonly volumeFolder?: string | undefined;
}

interface PodDirectory {
  readonly path: string;
  /** By volume name. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

/** The common settings of this runtime's containers, inside bubblewrap. */
interface Isolation extends CommandLimits {
  readonly bubblewrap: Bubblewrap;
  readonly visible: VisibleFiles;
  /** Undefined: claims are not mounted. */
  readonly volumeFolders: LocalVolumeFolders | undefined;
}

export class ProcessRuntime implements ContainerRuntime {
  readonly name = "process";
  readonly startProbes = startProbes;
  readonly #options: ProcessRuntimeOptions;
  /** Undefined: none. */
  readonly #isolation: Isolation | undefined;
  /** The folder for all files of the runtime. No other user may write to it. */
  readonly #directory: string;
  readonly #pipes: OutputPipes;
  readonly #reaper: Reaper;
  readonly #memoryLimits = new MemoryLimits();
  readonly #emptyDirLimits = new EmptyDirLimits();
  /** Cannot be guessed. */
  readonly #id = randomBytes(16).toString("hex");
  #started = 0;
  /** The reaper knows the names of the containers' control groups. */
  #hasGroups = false;
  readonly #pods = new Map<string, PodDirectory>();
  readonly #running = new Set<ContainerProcess>();
  readonly #hosts = new HostsFiles();
  /** What clients reach in the containers: commands, standard streams, ports. */
  readonly streams: ContainerStreams;
  #outputPaused = false;
  #closed = false;

  /** @throws UsageError for a folder that cannot be shown, or cannot have volumes. */
  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    const user = options.isolation === "none" ? undefined : containerUser();
    const visible = new VisibleFiles(options.visible ?? [], user);
    const { findClaimed, volumeFolder } = options;
    const keptFolders = volumeFolder === undefined ? undefined : new LocalVolumeFolders(volumeFolder, user);
    this.#directory = makeDirectory(user);
    if (options.isolation !== "none") {
      this.#isolation = {
        volumeFolders: findClaimed && (keptFolders ?? new LocalVolumeFolders(join(this.#directory, "volumes"), user)),
        bubblewrap: options.isolation.bubblewrap,
        visible,
        user,
        seccompFile: writeSeccompFilter(this.#directory),
        limitCommand: processLimitCommand(user?.uid ?? process.getuid!(), options.maxProcesses ?? MAX_PROCESSES),
      };
    }
    this.#pipes = new OutputPipes(this.#directory, user);
    this.#reaper = new Reaper(this.#directory, `${MARK}=${this.#id}/`);
    this.podCIDR = process.platform === "linux" ? loopbackRange() : undefined;
    this.streams = new ContainerStreams({
      limits: this.#isolation,
      sharesNetwork: this.#isolation === undefined || options.network,
      pipes: this.#pipes,
      reaper: this.#reaper,
    });
  }

  unsupported(pod: Pod): readonly UnsupportedField[] {
    return unsupportedFields(pod, {
      visible: this.#isolation?.visible,
      network: this.#options.network,
      hasInput: this.#options.isInteractive === true,
      hasTerminals: this.hasTerminals,
      hasClaims: this.volumeFolders !== undefined,
      hasServiceNames: this.#options.hasServiceNames === true,
      cpuLimitProblem: () =>
        this.#isolation === undefined
          ? "without bubblewrap a command could leave its control group"
          : controlGroups().problemOf("cpu"),
    });
  }

  /** Where the volumes of claims are made; undefined: claims are not mounted. */
  get volumeFolders(): VolumeFolders | undefined {
    return this.#isolation?.volumeFolders;
  }

  get #claims(): ClaimedVolumes | undefined {
    const folders = this.#isolation?.volumeFolders;
    const find = this.#options.findClaimed;
    return folders && find && { find, isOurs: (path) => folders.has(path) };
  }

  /**
   * Each pod has its own address on loopback. Where pods share the network of this machine, two may listen on the same
   * port, and reach each other. Undefined: this system has one address there.
   */
  readonly podCIDR: string | undefined;

  /** @param names all that headless Services give to pods now */
  setServiceNames(names: readonly ServiceName[]): void {
    this.#hosts.setNames(names);
  }

  /** Whether containers can have a terminal. */
  get hasTerminals(): boolean {
    const perl = this.#options.isInteractive === true ? findPerl() : undefined;
    return perl !== undefined && this.#isolation?.visible.shows(perl) !== false;
  }

  /**
   * The fields of a pod because of which its containers can never start here.
   * @param pods all pods of the run: a path that one of them may create is waited for
   */
  refused(pod: Pod, pods: readonly Pod[] = []): readonly UnsupportedField[] {
    if (this.#isolation === undefined) return [];
    const { visible } = this.#isolation;
    const { initContainers = [], containers } = pod.spec;
    const hostPaths = refusedHostPaths(pod, pods, this.#isolation.user, this.#options.allowHostPath === true);
    const mounts = Object.entries({ initContainers, containers: containers ?? [] }).flatMap(([list, items]) =>
      items.flatMap((container, i) =>
        mountProblems(container, visible).map(({ index, why }) => ({
          path: `spec.${list}[${i}].volumeMounts[${index}].mountPath`,
          why,
        })),
      ),
    );
    return [...hostPaths, ...mounts];
  }

  /** The hostPath volumes of an accepted pod into which its containers should write but may not. */
  closedVolumes(pod: Pod): readonly UnsupportedField[] {
    return closedHostPaths(pod, this.#isolation?.user);
  }

  /** The program that a container would start for this word, as far as that is known before the container exists. */
  findCommand(file: string, pathVariable: string = DEFAULT_PATH, workingDir?: string): Executable {
    return findExecutable(
      file,
      pathVariable,
      this.#workingDirectory(workingDir),
      (path) => this.#isolation?.visible.shows(path) !== false,
    );
  }

  createPod(pod: Pod, files: VolumeFiles, done: (error?: string) => void, evict: (message: string) => void): void {
    let problem: string | undefined;
    const path = join(this.#directory, pod.metadata.uid);
    try {
      mkdirSync(join(path, "home"), { recursive: true });
      mkdirSync(join(path, "volumes"));
      // Other users can search this directory but not list it, and the names of pods in it cannot be guessed.
      if (this.#isolation?.user !== undefined) for (const part of [path, join(path, "volumes")]) chmodSync(part, 0o711);
      const options = {
        directory: join(path, "volumes"),
        user: this.#isolation?.user,
        allowHostPath: this.#options.allowHostPath === true,
        claims: this.#claims,
      };
      const volumes = this.#isolation === undefined ? new Map<string, Volume>() : makeVolumes(pod, files, options);
      this.#pods.set(pod.metadata.uid, { path, volumes });
      this.#emptyDirLimits.watch(pod, volumes, evict);
    } catch (error) {
      problem = (error as Error).message;
      removeTree(path);
    }
    setImmediate(() => done(problem));
  }

  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const prepared = this.#prepare(request);
    if ("error" in prepared) return failLater(events, prepared.error);
    const { launch, terminationMessageFile, inside } = prepared;
    const { container } = request;
    const place = { podUid: request.pod.metadata.uid, container: String(container.name), ...inside };
    // Each start of a container has its own termination message.
    const ready =
      terminationMessageFile === undefined ? Promise.resolve() : this.#makeMessageFile(terminationMessageFile);
    const handle = new PendingStart((spec, podIP) =>
      probe(spec, { streams: this.streams, podUid: place.podUid, container, podIP }),
    );
    ready.then(
      () => {
        if (handle.isCancelled || this.#closed) events.exited({ exitCode: 137 });
        else this.#start(launch, place, { terminationMessageFile, limits: limitsOf(container) }, handle, events);
      },
      (error: Error) => events.failed("StartError", error.message),
    );
    return handle;
  }

  removePod(podUid: string): void {
    const pod = this.#pods.get(podUid);
    if (pod === undefined) return;
    this.#pods.delete(podUid);
    this.#hosts.forget(podUid);
    this.#emptyDirLimits.forget(podUid);
    removeTree(pod.path);
  }

  /** Backpressure: while paused, no output is read, so containers wait when their pipes are full. */
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
    this.streams.close();
    removeTree(this.#directory);
    this.#reaper.close();
  }

  #start(
    launch: Launch,
    place: ContainerPlace,
    { terminationMessageFile, limits }: EndConditions,
    handle: PendingStart,
    events: ContainerEvents,
  ): void {
    let process: ContainerProcess;
    let removed = (): void => {};
    let heard: OutputListener = () => {};
    let unwatched = (): void => {};
    let isOutOfMemory = false;
    const ranOut = (): void => {
      isOutOfMemory = true;
      process.kill();
    };
    let group: ControlGroup | undefined;
    try {
      group = this.#makeGroup(limits);
      process = new ContainerProcess(launch, group, this.#pipes, this.#outputPaused, {
        started: (pid) => {
          this.#reaper.add(pid);
          if (group?.hasMemoryLimit) unwatched = this.#memoryLimits.watchGroup(group, ranOut);
          else if (limits.memory !== undefined) unwatched = this.#memoryLimits.watch(pid, limits.memory, ranOut);
          ({ removed, heard } = this.streams.add(place, process));
          events.started();
        },
        output: (stream, chunk) => {
          events.output(stream, chunk);
          heard(stream, chunk);
        },
        exited: (pid, exit) => {
          this.#running.delete(process);
          removed();
          unwatched();
          this.#reaper.remove(pid);
          isOutOfMemory ||= group?.hasRunOutOfMemory() === true;
          group?.remove();
          const ended = isOutOfMemory ? OUT_OF_MEMORY : exit;
          void withTerminationMessage(ended, terminationMessageFile).then((told) => events.exited(told));
        },
        failed: (message) => {
          this.#running.delete(process);
          group?.remove();
          events.failed("StartError", message);
        },
      });
    } catch (error) {
      group?.remove();
      events.failed("StartError", (error as Error).message);
      return;
    }
    this.#running.add(process);
    handle.begin(process);
  }

  /**
   * Undefined: it has no limits, or they cannot be kept so.
   * @throws Error when the kernel refuses it
   */
  #makeGroup(limits: Limits): ControlGroup | undefined {
    if (this.#isolation === undefined || !(limits.cpu || limits.memory)) return undefined;
    const groups = controlGroups();
    if (!this.#hasGroups) for (const prefix of groups.prefixes(this.#id)) this.#reaper.addGroups(prefix);
    this.#hasGroups = true;
    return groups.make(this.#id, limits);
  }

  async #makeMessageFile(path: string): Promise<void> {
    await writeFile(path, "", { mode: 0o600 });
    giveTo(this.#isolation?.user, path);
  }

  #prepare(request: ContainerRequest): PreparedStart | { readonly error: string } {
    const { pod } = request;
    const container = request.container;
    const directory = this.#pods.get(pod.metadata.uid);
    if (directory === undefined || this.#closed)
      return { error: `pod ${pod.metadata.namespace}/${pod.metadata.name} is not on this node any more` };
    const command = commandLine(container);
    if ("error" in command) return command;
    const hostname = hostnameOf(pod as { metadata: { name: string } });
    const env = environment(
      request.env,
      this.#isolation === undefined ? join(directory.path, "home") : "/tmp",
      hostname,
    );
    const workingDirectory = this.#workingDirectory(container.workingDir);
    const hasInput = this.#options.isInteractive === true && container.stdin === true;
    const start = { request, container, argv: command.argv, env, workingDirectory, hasInput };
    return this.#isolation === undefined
      ? this.#prepareBare(start)
      : this.#prepareSandbox(start, hostname, directory, this.#isolation);
  }

  #prepareBare(start: Start): PreparedStart | { readonly error: string } {
    const { container, argv, env, workingDirectory, hasInput } = start;
    const executable = findExecutable(argv[0]!, env.PATH!, workingDirectory);
    if ("error" in executable) return executable;
    const problem = directoryProblem(workingDirectory);
    if (problem !== undefined) return { error: problem };
    const value = `${this.#id}/${++this.#started}`;
    const hasTerminal = this.#wantsTerminal(container);
    const withTerminal = this.#withTerminal(start);
    const marked = { ...env, [MARK]: value };
    const file = withTerminal === argv ? executable.path : withTerminal[0]!;
    const { processView } = this.#options;
    const program =
      processView === undefined
        ? { file, argv: withTerminal, env: marked }
        : {
            file: processView.perl,
            argv: viewCommand(processView, file, withTerminal),
            env: viewEnvironment(marked, [MARK]),
          };
    const launch = {
      ...program,
      workingDirectory,
      hasInput,
      hasTerminal,
      sandbox: undefined,
      hasView: processView !== undefined,
      mark: `${MARK}=${value}`,
    };
    return { launch, terminationMessageFile: undefined, inside: insideOf({ ...start, env: marked }) };
  }

  #prepareSandbox(
    start: Start,
    hostname: string,
    directory: PodDirectory,
    isolation: Isolation,
  ): PreparedStart | { readonly error: string } {
    const { container, argv, env, workingDirectory, hasInput } = start;
    const { bubblewrap, visible, user, limitCommand, seccompFile } = isolation;
    const [problem] = mountProblems(container, visible);
    if (problem !== undefined) return { error: problem.why };
    const volumes = volumeMounts(container, directory.volumes);
    if ("error" in volumes) return volumes;
    const missing = missingInSandbox(start, volumes.list, visible);
    if (missing !== undefined) return { error: missing };
    const message = messageMount(container, directory.path, volumes.list, visible);
    const { network } = this.#options;
    const messageMounts = message === undefined ? [] : [message];
    const mounts = [...volumes.list, ...messageMounts, ...this.#hostsMounts(start, hostname, directory, volumes.list)];
    const sandbox = {
      hostname,
      workingDirectory,
      network,
      environment: env,
      mounts,
      visible,
      user,
      hasSeccompFilter: seccompFile !== undefined,
    };
    const list = bubblewrapArguments(bubblewrap, sandbox);
    const total = list.length + argv.length;
    if (total > MAX_ARGUMENTS)
      return {
        error: `${Object.keys(env).length} variables and ${argv.length} words of the command are ${total} arguments of bubblewrap; it takes at most ${MAX_ARGUMENTS}`,
      };
    const fromPipe = ["--args", String(SANDBOX_FDS.arguments)];
    const command = [...limitCommand, bubblewrap.path, ...fromPipe, "--", ...this.#withTerminal(start)];
    const launch = {
      file: command[0]!,
      argv: command,
      env: {},
      workingDirectory: "/",
      sandbox: { arguments: list, seccompFile, user },
      hasView: false,
      mark: "",
      hasInput,
      hasTerminal: this.#wantsTerminal(container),
    };
    return { launch, terminationMessageFile: message?.source, inside: insideOf(start) };
  }

  /** None if a volume is mounted there. */
  #hostsMounts(
    { request: { pod, podIP } }: Start,
    hostname: string,
    directory: PodDirectory,
    volumes: readonly Mount[],
  ): Mount[] {
    if (volumes.some(({ target }) => isWithin(HOSTS_PATH, target.replace(/\/+$/, "")))) return [];
    const source = join(directory.path, "hosts");
    return this.#hosts.add(pod, podIP, hostname, source) ? [{ source, target: HOSTS_PATH, readOnly: true }] : [];
  }

  /** The command of a container, with a program before it that gives it a terminal if it asks for one. */
  #withTerminal({ container, argv, workingDirectory }: Start): readonly string[] {
    if (!this.#wantsTerminal(container)) return argv;
    const inside = { mode: "inside", pid: 0, rights: "none", hasSeccompFilter: false } as const;
    return enterCommand(findPerl()!, { ...inside, workingDirectory, words: argv });
  }

  #wantsTerminal(container: Start["container"]): boolean {
    return container.tty === true && this.hasTerminals;
  }

  /** Where a container runs. */
  #workingDirectory(workingDir: string | undefined): string {
    const { workingDirectory } = this.#options;
    const isThere = this.#isolation === undefined || this.#isolation.visible.shows(workingDirectory);
    return resolve(isThere ? workingDirectory : "/", workingDir ?? ".");
  }
}

type Inside = Omit<ContainerPlace, "podUid" | "container">;

/** The settings for a command that starts in the container later. */
function insideOf({ container, env, workingDirectory }: Start): Inside {
  return { env, workingDirectory, isInputOnce: container.stdinOnce === true };
}

interface PreparedStart {
  readonly launch: Launch;
  readonly inside: Inside;
  readonly terminationMessageFile: string | undefined;
}

/** The conditions of a container's end, beside its process. */
interface EndConditions {
  readonly terminationMessageFile: string | undefined;
  readonly limits: Limits;
}

interface Start {
  readonly request: ContainerRequest;
  readonly container: Container;
  readonly argv: readonly string[];
  readonly env: Record<string, string>;
  readonly workingDirectory: string;
  readonly hasInput: boolean;
}

/**
 * A container between the call that starts it and the start of its process. It may be stopped before the process
 * exists.
 */
class PendingStart implements ContainerHandle {
  isCancelled = false;
  readonly #probeOnce: (spec: ProbeSpec, podIP: string) => Promise<ProbeResult>;
  #process: ContainerProcess | undefined;

  constructor(probeOnce: (spec: ProbeSpec, podIP: string) => Promise<ProbeResult>) {
    this.#probeOnce = probeOnce;
  }

  begin(process: ContainerProcess): void {
    this.#process = process;
  }

  stop(gracePeriodSeconds: number): void {
    if (this.#process === undefined) this.isCancelled = true;
    else this.#process.stop(gracePeriodSeconds);
  }

  probe(spec: ProbeSpec, podIP: string, done: (result: ProbeResult) => void): void {
    void this.#probeOnce(spec, podIP).then(done);
  }
}

/** 65,534 addresses that no other server of this machine is likely to have chosen. */
function loopbackRange(): string {
  return `127.${randomInt(FIRST_LOOPBACK_RANGE, 255)}.0.0/16`;
}

/** @throws UsageError when the containers' user cannot reach it. */
function makeDirectory(user: ContainerUser | undefined): string {
  const directory = mkdtempSync(join(tmpdir(), "stint-"));
  if (user === undefined) return directory;
  chmodSync(directory, 0o711);
  if (canReach(user, join(directory, ".."))) return directory;
  removeTree(directory);
  throw new UsageError(
    `containers of root run as another user, who may not read ${tmpdir()}, where their files would be; set TMPDIR to another folder`,
  );
}

function writeSeccompFilter(directory: string): string | undefined {
  const filter = seccompFilter();
  if (filter === undefined) return undefined;
  const path = join(directory, "seccomp");
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}

function failLater(events: ContainerEvents, message: string): ContainerHandle {
  setImmediate(() => events.failed("StartError", message));
  return { stop: () => {} };
}
