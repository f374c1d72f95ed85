/**
 * The kubelet's container runtime that runs containers from their images, in an engine with Docker's API.
 *
 * Invariant: the containers of a pod share the network of one that does nothing else, which lives as long as the pod,
 * and so do its volumes. `close` removes all that was made; what a killed process leaves is removed by the next one.
 * `unsupported` names every field of a pod that is not honoured. Leaves out when something is tried again.
 */
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ContainerEvents,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  ProbeResult,
  UnsupportedField,
  VolumeFiles,
} from "../../../cluster/kubelet/container-runtime.ts";
import { startProbes } from "../../../cluster/kubelet/probes.ts";
import { probe } from "../probes.ts";
import { removeTree } from "../remove-tree.ts";
import type { OutputListener } from "../container-streams.ts";
import { withTerminationMessage } from "../termination-message.ts";
import { LocalVolumeFolders } from "../volume-folders.ts";
import type { ClaimedVolumes } from "../volumes.ts";
import { ConfigError, containerBody, sandboxBody } from "./container-body.ts";
import { EngineClient, EngineError, type EngineVersion } from "./engine-client.ts";
import { EngineContainer, removeContainer } from "./engine-container.ts";
import { EngineStreams } from "./engine-streams.ts";
import type { EngineName } from "./engine-socket.ts";
import { ImageError, Images, type PullListener } from "./images.ts";
import { ownLabels, removeLabelled, removeLeftBehind } from "./left-behind.ts";
import { makePauseImage } from "./pause-image.ts";
import { type PodVolume, podVolumes } from "./pod-volumes.ts";
import { type Allowances, refusedFields, refusedOfContainer } from "./privileges.ts";
import { tarArchive } from "./tar-archive.ts";
import { unsupportedByEngine } from "./unsupported.ts";
import type { Pod, Probe as ProbeSpec, Secret } from "../../../cluster/values/kinds.ts";

/** How long `close` waits for the engine. */
const CLOSE_TIMEOUT_MS = 10_000;
const KILLED_EXIT_CODE = 137;

export interface EngineRuntimeOptions extends Allowances {
  readonly name: EngineName;
  readonly socketPath: string;
  /** Whether containers reach the network; otherwise they have the loopback of their pod. */
  readonly network: boolean;
  /** A Secret of the cluster, for imagePullSecrets. Undefined: it does not exist. */
  findSecret(namespace: string, name: string): Secret | undefined;
  /** The volume that a claim is bound to. Undefined: claims are not mounted. */
  readonly findClaimed?: ClaimedVolumes["find"];
  /** Where volumes of claims are made, and stay. Absolute; they go with the runtime unless given. */
  readonly volumeFolder?: string | undefined;
  /** Clients may attach to containers; false unless given. */
  readonly isInteractive?: boolean;
  /** What happens with images, for the output. */
  readonly onPull?: PullListener;
  /** An event of a container in upstream's words, for its pod; all are of type Normal. */
  onEvent?(request: Pick<ContainerRequest, "pod" | "container" | "isInit">, reason: string, message: string): void;
}

interface EnginePod {
  readonly sandboxId: string;
  readonly volumes: ReadonlyMap<string, PodVolume>;
  /** Where the engine has the volumes that it made, by their names. */
  readonly folders: ReadonlyMap<string, string>;
}

export class EngineRuntime implements ContainerRuntime {
  readonly name: EngineName;
  readonly startProbes = startProbes;
  readonly engine: EngineVersion;
  /** The processes whose leftovers were removed from the engine. */
  readonly removedOf: readonly string[];
  readonly #options: EngineRuntimeOptions;
  readonly #client: EngineClient;
  readonly #images: Images;
  /** What clients reach in the containers: commands, standard streams. */
  readonly streams: EngineStreams;
  readonly #pauseImage: string;
  readonly #labels = ownLabels();
  /** For the files of termination messages. */
  readonly #directory: string;
  /** Where the volumes of claims are made; undefined: claims are not mounted. */
  readonly volumeFolders: OpenFolders | undefined;
  readonly #pods = new Map<string, EnginePod>();
  readonly #running = new Set<EngineContainer>();
  /** The removals of pods, under way. */
  readonly #removals = new Set<Promise<void>>();
  #isOutputPaused = false;
  #isClosed = false;
  #messages = 0;

  private constructor(options: EngineRuntimeOptions, connected: Connected) {
    this.name = options.name;
    this.#options = options;
    this.#client = connected.client;
    this.engine = connected.engine;
    this.removedOf = connected.removedOf;
    this.#pauseImage = connected.pauseImage;
    this.#images = new Images(connected.client);
    this.streams = new EngineStreams(connected.client, (podUid) => this.#pods.get(podUid)?.sandboxId);
    this.#directory = mkdtempSync(join(tmpdir(), "stint-"));
    if (options.findClaimed !== undefined)
      this.volumeFolders = new OpenFolders(options.volumeFolder ?? join(this.#directory, "volumes"), undefined);
  }

  /** @throws UsageError when there is no engine that can be used */
  static async connect(options: EngineRuntimeOptions): Promise<EngineRuntime> {
    const { client, engine } = await EngineClient.connect(options.socketPath);
    try {
      const removedOf = await removeLeftBehind(client);
      const pauseImage = await makePauseImage(client, engine);
      return new EngineRuntime(options, { client, engine, removedOf, pauseImage });
    } catch (error) {
      client.close();
      throw error;
    }
  }

  unsupported(pod: Pod): readonly UnsupportedField[] {
    const { isInteractive } = this.#options;
    const abilities = { hasClaims: this.volumeFolders !== undefined, hasInput: isInteractive === true };
    const { hasLimits } = this.engine;
    return unsupportedByEngine(pod, { ...abilities, hasMemorySizes: this.#hasMemorySizes, hasLimits });
  }

  /** Podman treats the size of a volume as a quota of its file system, which few have. */
  get #hasMemorySizes(): boolean {
    return this.name !== "podman";
  }

  /** The fields of a pod because of which its containers can never start here. */
  refused(pod: Pod): readonly UnsupportedField[] {
    return refusedFields(pod, this.#options);
  }

  createPod(pod: Pod, files: VolumeFiles, done: (error?: string) => void): void {
    this.#createPod(pod, files).then(
      () => done(),
      (error: Error) => {
        this.#remove(pod.metadata.uid);
        void Promise.all(this.#removals).then(() => done(error.message));
      },
    );
  }

  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const { container, pod } = request;
    const target = { streams: this.streams, podUid: pod.metadata.uid, container };
    const handle = new PendingContainer((spec, podIP) => probe(spec, { ...target, podIP }));
    this.#start(request, events, handle).catch((error: Error) => events.failed(...reasonOf(error)));
    return handle;
  }

  removePod(podUid: string): void {
    if (this.#pods.delete(podUid)) this.#remove(podUid);
  }

  /** Backpressure: while paused, no output is read, so containers wait when the engine's buffers are full. */
  setOutputPaused(paused: boolean): void {
    this.#isOutputPaused = paused;
    for (const container of this.#running) container.setOutputPaused(paused);
  }

  /** Kills every container and removes all that was made. Nothing can be started after this. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.streams.close();
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(() => timeout.resolve(), CLOSE_TIMEOUT_MS);
    await Promise.race([this.#removeAll(), timeout.promise]);
    clearTimeout(timer);
    this.#client.close();
    removeTree(this.#directory);
  }

  /** Everything that cannot be removed now is removed at the end of the run. */
  #remove(podUid: string): void {
    const removal = removeLabelled(this.#client, { ...this.#labels, ...uidLabel(podUid) }).catch(() => {});
    this.#removals.add(removal);
    void removal.finally(() => this.#removals.delete(removal));
  }

  async #removeAll(): Promise<void> {
    await Promise.all(this.#removals);
    await removeLabelled(this.#client, this.#labels).catch(() => {});
  }

  async #createPod(pod: Pod, files: VolumeFiles): Promise<void> {
    const [refused] = this.refused(pod);
    if (refused !== undefined) throw new Error(`${refused.path} is refused: ${refused.why}`);
    const { uid, name, namespace } = pod.metadata;
    const { network, allowHostPath } = this.#options;
    const volumes = podVolumes(pod, files, {
      prefix: `stint-${process.pid}-${uid}`,
      allowHostPath,
      claims: this.#claims,
      hasMemorySizes: this.#hasMemorySizes,
    });
    const labels = { ...this.#labels, ...uidLabel(uid) };
    const folders = new Map<string, string>();
    for (const { name: Name, options } of volumes.made) {
      const body = { Name, Driver: "local", DriverOpts: options, Labels: labels };
      const { Mountpoint } = await this.#client.json("POST", "/volumes/create", { body });
      folders.set(Name, Mountpoint);
    }
    const body = sandboxBody({ pod, pauseImage: this.#pauseImage, hasNetwork: network, volumes: volumes.made, labels });
    const query = { name: `stint_POD_${name}_${namespace}_${uid}` };
    const { Id } = await this.#client.json("POST", "/containers/create", { query, body });
    const entries = volumes.made.flatMap((volume) => volume.entries);
    if (entries.length > 0)
      await this.#client.json("PUT", `/containers/${Id}/archive`, { query: { path: "/" }, body: tarArchive(entries) });
    await this.#client.json("POST", `/containers/${Id}/start`);
    if (this.#isClosed) await removeContainer(this.#client, Id);
    this.#pods.set(uid, { sandboxId: Id, volumes: volumes.byName, folders });
  }

  async #start(request: ContainerRequest, events: ContainerEvents, handle: PendingContainer): Promise<void> {
    const { pod, container, attempt } = request;
    const { uid, name, namespace } = pod.metadata;
    const [refused] = refusedOfContainer(container, this.#options);
    if (refused !== undefined)
      throw new ConfigError(`${refused.path} of container ${container.name} is refused: ${refused.why}`);
    const image = await this.#images.ensure(
      {
        name: String(container.image ?? ""),
        policy: container.imagePullPolicy ?? "IfNotPresent",
        secrets: this.#pullSecrets(pod),
      },
      this.#listener(request),
    );
    const place = this.#pods.get(uid);
    if (place === undefined || this.#isClosed || handle.isCancelled) {
      events.exited({ exitCode: KILLED_EXIT_CODE });
      return;
    }
    const hasInput = this.#options.isInteractive === true && container.stdin === true;
    const messageFile = this.#makeMessageFile();
    const body = containerBody({
      ...request,
      ...place,
      image,
      messageFile,
      hasInput,
      labels: this.#labels,
      sharesHostname: this.name === "docker",
    });
    let heard: OutputListener = () => {};
    let removed = (): void => {};
    const started: EngineContainer = await EngineContainer.create(
      this.#client,
      {
        name: `stint_${container.name}_${name}_${namespace}_${uid}_${attempt}`,
        body,
        stopSignal: image.stopSignal,
        isOutputPaused: this.#isOutputPaused,
      },
      {
        started: () => {
          const place = { podUid: uid, container: String(container.name), hasInput };
          ({ heard, removed } = this.streams.add({ ...place, isInputOnce: container.stdinOnce === true }, started));
          events.started();
        },
        output: (stream, chunk) => {
          events.output(stream, chunk);
          heard(stream, chunk);
        },
        ended: (exit) => {
          this.#running.delete(started);
          removed();
          void withTerminationMessage(exit, messageFile).then((told) => {
            removeTree(messageFile);
            events.exited(told);
          });
        },
      },
    );
    this.#running.add(started);
    try {
      await started.start({ hasTerminal: container.tty === true, hasInput });
    } catch (error) {
      this.#running.delete(started);
      throw new StartError((error as Error).message);
    }
    handle.begin(started);
  }

  /** Reports a pull, in the words of pkg/kubelet/images/image_manager.go, too. */
  #listener(request: ContainerRequest): PullListener {
    const { onPull = SILENT } = this.#options;
    const event = (reason: string, message: string): void => this.#options.onEvent?.(request, reason, message);
    return {
      pulling: (image) => {
        onPull.pulling(image);
        event("Pulling", `Pulling image ${JSON.stringify(image)}`);
      },
      progress: (image, doneBytes, totalBytes) => onPull.progress(image, doneBytes, totalBytes),
      pulled: (image, size, durationMs) => {
        onPull.pulled(image, size, durationMs);
        const took = goDurationMs(durationMs);
        const how = `in ${took} (${took} including waiting). Image size: ${size} bytes.`;
        event("Pulled", `Successfully pulled image ${JSON.stringify(image)} ${how}`);
      },
      present: (image) => {
        onPull.present(image);
        const where = "already present on machine and can be accessed by the pod";
        event("Pulled", `Container image ${JSON.stringify(image)} ${where}`);
      },
    };
  }

  get #claims(): ClaimedVolumes | undefined {
    const find = this.#options.findClaimed;
    const folders = this.volumeFolders;
    return find && folders && { find, isOurs: (path) => folders.has(path) };
  }

  #pullSecrets(pod: Pod): Secret[] {
    const references = pod.spec.imagePullSecrets ?? [];
    return references.flatMap(({ name }) => this.#options.findSecret(pod.metadata.namespace!, name ?? "") ?? []);
  }

  /** Each start of a container has its own file. Any user that the container runs as may write to it. */
  #makeMessageFile(): string {
    const path = join(this.#directory, `termination-log-${++this.#messages}`);
    writeFileSync(path, "");
    chmodSync(path, 0o666);
    return path;
  }
}

/** Containers run as the users of their images, so all users may write. No other user can find the folders. */
class OpenFolders extends LocalVolumeFolders {
  override make(volumeName: string): string {
    const path = super.make(volumeName);
    chmodSync(path, 0o777);
    return path;
  }
}

interface Connected {
  readonly client: EngineClient;
  readonly engine: EngineVersion;
  readonly removedOf: readonly string[];
  readonly pauseImage: string;
}

/** The engine has created a container that cannot start: its command is missing, for example. */
class StartError extends Error {}

/** A container between the call that starts it and its start. It may be stopped before it exists. */
class PendingContainer implements ContainerHandle {
  isCancelled = false;
  readonly #probeOnce: ProbeOnce;
  #graceSeconds = 0;
  #container: EngineContainer | undefined;

  constructor(probeOnce: ProbeOnce) {
    this.#probeOnce = probeOnce;
  }

  begin(container: EngineContainer): void {
    this.#container = container;
    if (this.isCancelled) container.stop(this.#graceSeconds);
  }

  stop(gracePeriodSeconds: number): void {
    this.isCancelled = true;
    this.#graceSeconds = gracePeriodSeconds;
    this.#container?.stop(gracePeriodSeconds);
  }

  probe(spec: ProbeSpec, podIP: string, done: (result: ProbeResult) => void): void {
    void this.#probeOnce(spec, podIP).then(done);
  }
}

type ProbeOnce = (spec: ProbeSpec, podIP: string) => Promise<ProbeResult>;

const SILENT: PullListener = { pulling: () => {}, progress: () => {}, pulled: () => {}, present: () => {} };

/** As Go prints a duration that was cut to milliseconds: `250ms`, `1.25s`, `2m5.5s`. */
function goDurationMs(durationMs: number): string {
  const ms = Math.floor(durationMs);
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  return `${minutes > 0 ? `${minutes}m` : ""}${(ms % 60_000) / 1000}s`;
}

function uidLabel(uid: string): Record<string, string> {
  return { "io.kubernetes.pod.uid": uid };
}

/** The waiting reason and the message of a container that did not start. */
function reasonOf(error: Error): [reason: string, message: string] {
  if (error instanceof ImageError) return [error.reason, error.message];
  if (error instanceof ConfigError) return ["CreateContainerConfigError", error.message];
  if (error instanceof StartError) return ["StartError", error.message];
  return ["CreateContainerError", error instanceof EngineError ? error.message : `the engine: ${error.message}`];
}
