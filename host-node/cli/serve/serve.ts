/**
 * `stint serve`: the embedded cluster over HTTPS on loopback, for kubectl and other clients, until it is interrupted.
 *
 * Invariant: the port is taken before the kubeconfig is written, so the file always names a running server. When the
 * server ends, the file is removed and every process of a pod is ended.
 */
import { resolve } from "node:path";
import type { Engine } from "../../../bindings/js/engine.ts";
import type { Clock } from "../../../bindings/js/host.ts";
import type { Recorder } from "../../../bindings/js/recorder.ts";
import { metricsResources } from "../../../cluster/apiserver/more-resources/metrics.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { BoundedMap } from "../../../cluster/bounded-map.ts";
import type { NodeOptions } from "../../../cluster/components.ts";
import type { ContainerRuntime } from "../../../cluster/kubelet/container-runtime.ts";
import { RealClock } from "../../clock.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import { newIdentity } from "../../data/identity.ts";
import { EmbeddedCluster } from "../../embedded.ts";
import { type EngineName, isEngine } from "../../runtime/container-engine/engine-socket.ts";
import type { Controlled } from "../../server/controlled.ts";
import { removeAbandoned } from "../../server/abandoned-kubeconfig.ts";
import { withExactNumbers } from "../../server/exact-numbers.ts";
import { withExplanations } from "../../server/explanations.ts";
import { withAdministrator } from "../../server/guard.ts";
import { type RequestHandler, type RunningServer, type ServerOptions, startServer } from "../../server/https-server.ts";
import { readTokenFile } from "../../server/token-file.ts";
import { withMetrics } from "../../server/metrics.ts";
import { withProtobuf } from "../../server/protobuf.ts";
import { withYaml } from "../../server/yaml.ts";
import { type Usages, withResourceMetrics } from "../../server/resource-metrics.ts";
import { writeKubeconfig } from "../../server/kubeconfig.ts";
import { roomFor } from "../../server/room.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { type ContainerEngineOptions, refuseEngineOptions } from "../container-engine.ts";
import { EXIT_MACHINE } from "../exit-status.ts";
import type { FeatureGates } from "../feature-gates.ts";
import { type IsolationOptions, refuseIsolationOptions, refuseVolumeFolder } from "../isolation.ts";
import { kindOf } from "../../../cluster/manifests/ineffective-fields.ts";
import { nodeFor } from "../node.ts";
import { nodeNames } from "../node-names.ts";
import { forPeople, forPrograms } from "../output/serve-voice.ts";
import { printable } from "../output/printable.ts";
import { recorded, type RecordOptions } from "../record.ts";
import { NO_STREAMS, runtimeFor } from "./serve-runtime.ts";

/** How many kinds of fields without effect are remembered as already reported. */
const MAX_SAID = 1000;

export interface ServeOptions extends IsolationOptions, ContainerEngineOptions, RecordOptions {
  /** 0: a free one. */
  readonly port: number;
  readonly runtime: "simulated" | "process" | "none" | EngineName;
  /** Watches and followed logs at the same time. */
  readonly maxWatches: number;
  /** False: Jobs wait for a controller that comes through the API. */
  readonly controller: boolean;
  /** Whether pods are bound to nodes. Undefined: if there is a runtime. */
  readonly scheduler: boolean | undefined;
  /** No component at all, whatever the three above say. */
  readonly apiOnly: boolean;
  readonly kubeconfig: string;
  /** Ends when standard input closes: a program that starts this one and is killed leaves no server behind. */
  readonly untilStdinCloses: boolean;
  readonly output: "text" | "json";
  /** Virtual time stands still until a call of the control API moves it. */
  readonly clock: "real" | "virtual";
  /** Serves the control API. */
  readonly control: boolean;
  /** How many simulated nodes there are; one, with the name of this program, unless given. */
  readonly nodes?: number | undefined;
  /** Of names and run times of a cluster for tests; they cannot be predicted unless given. */
  readonly seed?: number | undefined;
  readonly featureGates: FeatureGates;
  readonly authorization: "always-allow" | "rbac";
  /** Users beside the administrator: token-file.ts. */
  readonly tokenAuthFile?: string | undefined;
  /** Where the volumes of claims are made, and stay; a temporary folder unless given. */
  readonly volumeFolder?: string | undefined;
  /** Where the cluster is kept for the next server; nowhere unless given. */
  readonly dataDir?: string | undefined;
}

/**
 * Resolves with the exit status when it was told to end.
 * @throws UsageError when the port or the file is taken, or an option has no meaning
 */
export async function serve(given: ServeOptions, console: Console): Promise<number> {
  const options: ServeOptions = given.apiOnly ? { ...given, runtime: "none", controller: false } : given;
  if (!options.controller && options.record !== undefined)
    throw new UsageError(
      "--record is given with --no-controller, but what it records is what the controller is told; leave one of them out",
    );
  if (!isEngine(options.runtime)) {
    if (options.runtime !== "process") refuseIsolationOptions(options, options.runtime);
    refuseEngineOptions(options, options.runtime);
  }
  refuseVolumeFolder(options);
  refuseUncontrolled(options);
  refuseNodes(options);
  return recorded(options, console, (recorder) => serveUntilEnd(options, recorder, console));
}

async function serveUntilEnd(options: ServeOptions, recorder: Recorder | undefined, console: Console): Promise<number> {
  const clock = new RealClock();
  const controlled = options.control ? await createControlled(options, (error) => fatal(error)) : undefined;
  /** The cluster's: certificates and connections have real time. */
  const clusterClock = controlled?.clock ?? clock;
  const voice = options.output === "json" ? forPrograms(options) : forPeople(options, console.command);
  let cluster: Cluster | undefined;
  let data: DataFolder | undefined;
  const report = (text: string): void =>
    console.writeError(`${new Date(clock.now()).toISOString()} ${printable(text)}\n`);
  const runtime = await runtimeFor(options, { clock, controlled, console, report, cluster: () => cluster! });
  const processes = runtime !== undefined && "setServiceNames" in runtime ? runtime : undefined;
  const said = new BoundedMap<string, true>(MAX_SAID);
  let end!: (exitStatus: number) => void;
  const ended = new Promise<number>((resolve) => (end = resolve));
  const fatal = (error: Error): void => {
    report(`the controller has ended: ${error.message}`);
    end(1);
  };
  try {
    data = await openData(options, clock, console, (error) => {
      report(`the server ends, because a write could not be stored: ${error.message}`);
      end(EXIT_MACHINE);
    });
    const { token, certificate } = data?.identity ?? newIdentity(clock.now());
    const users =
      options.tokenAuthFile === undefined
        ? undefined
        : readTokenFile(resolve(console.workingDirectory, options.tokenAuthFile));
    const nodes = runtime === undefined ? [] : nodesFor(runtime, options);
    const embedded = await EmbeddedCluster.create({
      clock: clusterClock,
      recorder,
      data,
      ...{ jobController: options.controller, scheduler: options.scheduler, apiOnly: options.apiOnly },
      nodes,
      gangScheduling: options.featureGates.WorkloadWithJob,
      tracksFields: true,
      servesClients: true,
      ...(runtime !== undefined && "volumeFolders" in runtime && { volumeFolders: runtime.volumeFolders }),
      ...(processes && { onServiceNames: (names) => processes.setServiceNames(names) }),
      rbac: options.authorization === "rbac",
      authenticate: withAdministrator(token, users),
      onProblem: report,
      onUnsupported: (pod, fields) => {
        const unsaid = fields.filter((field) => !said.has(kindOf(field)));
        for (const field of unsaid) {
          said.put(kindOf(field), true);
          report(
            `pod ${pod.metadata.namespace}/${pod.metadata.name}: ${field.path} has no effect: ${field.why}; for other pods only their Events say so`,
          );
        }
      },
      onFatal: fatal,
      ...controlled?.clusterOptions,
      ...(controlled && { random: controlled.random }),
    });
    ({ cluster } = embedded);
    const control = controlled?.apiFor(
      embedded,
      nodes.map(({ nodeName }) => nodeName),
    );
    const base = options.controller ? withController(embedded, clusterClock) : embedded.cluster;
    const streams = runtime !== undefined && "streams" in runtime ? runtime.streams : undefined;
    const handler = streams === undefined ? base : withUsage(base, embedded, streams);
    const server = await startAt(options.port, data, report, {
      ...{
        handler: withProtobuf(withYaml(withExactNumbers(controlled?.promptly(handler) ?? handler))),
        control,
        certificate,
        durability: data?.writes,
        token,
        clock,
        limits: roomFor(options.maxWatches),
        authenticate: embedded.authenticate,
        conversations: embedded.conversations,
        streams: streams ?? { missing: NO_STREAMS[options.runtime] },
      },
      onCrowded: report,
      onError: (error) => report(`a request failed: ${error.stack ?? error.message}`),
    });
    // Listen before the file exists: an interruption must not come between the two.
    const stopListening = console.onSignal(() => end(0));
    let stopWaiting = (): void => {};
    try {
      const path = resolve(console.workingDirectory, options.kubeconfig);
      const before = await removeAbandoned(path, server.url);
      if (before === "abandoned") report(`${path} was left behind by a server that was killed, and is replaced`);
      else if (before !== "foreign")
        throw new UsageError(
          `${path} is the kubeconfig of a server that runs at ${before.livesAt}; end that one, or name another file with --kubeconfig`,
        );
      const removeKubeconfig = writeKubeconfig(path, { server: server.url, authority: server.authority, token });
      try {
        embedded.start();
        if (options.untilStdinCloses) stopWaiting = console.onInputClosed(() => end(0));
        console.writeOut(voice.serving(server.url, path));
        const exitStatus = await ended;
        embedded.stop();
        return exitStatus;
      } finally {
        stopWaiting();
        console.writeOut(voice.stopped(path, removeKubeconfig()));
      }
    } finally {
      stopListening();
      await server.close();
    }
  } finally {
    if (runtime !== undefined && "close" in runtime) await runtime.close();
    clock.stop();
    controlled?.clock.stop();
    data?.close();
  }
}

/** @throws UsageError when nobody could move time, or nothing could be controlled */
function refuseUncontrolled({ clock, control, runtime, seed }: ServeOptions): void {
  if (seed !== undefined && !control)
    throw new UsageError(
      "--seed is given without --control; it makes names that anybody can predict, for tests; add --control, or leave out --seed",
    );
  if (clock === "virtual" && !control)
    throw new UsageError(
      "--clock virtual is given without --control, by which alone that time moves; add --control, or leave out --clock virtual",
    );
  if (control && runtime !== "simulated" && runtime !== "none")
    throw new UsageError(
      `--control is given with --runtime ${runtime}, but it decides how containers end; it is for --runtime simulated, or none`,
    );
}

/** @throws UsageError where the pods run on this machine, or nowhere */
function refuseNodes({ nodes, runtime }: ServeOptions): void {
  if (nodes === undefined || runtime === "simulated") return;
  const why = runtime === "none" ? "has none of its own" : "has one node: this machine";
  throw new UsageError(`--nodes is given with --runtime ${runtime}, which ${why}; it is for --runtime simulated`);
}

function nodesFor(runtime: ContainerRuntime, { runtime: kind, nodes }: ServeOptions): readonly NodeOptions[] {
  const node = nodeFor(runtime, kind === "simulated");
  return nodes === undefined ? [node] : nodeNames(nodes).map((nodeName) => ({ ...node, nodeName }));
}

/** Node says that SQLite is new to it; so that is loaded only where it is needed. */
async function openData(
  { dataDir }: ServeOptions,
  clock: RealClock,
  { workingDirectory }: Console,
  onFailure: (error: Error) => void,
): Promise<DataFolder | undefined> {
  if (dataDir === undefined) return undefined;
  const { DataFolder: folders } = await import("../../data/data-folder.ts");
  return folders.open(resolve(workingDirectory, dataDir), { nowMs: clock.now(), onFailure });
}

/** Where no port is asked for, the server of a data folder is where it was before, so its kubeconfig stays valid. */
async function startAt(
  port: number,
  data: DataFolder | undefined,
  report: (text: string) => void,
  options: Omit<ServerOptions, "port">,
): Promise<RunningServer> {
  const before = port === 0 ? (data?.port ?? 0) : 0;
  let server: RunningServer | undefined;
  if (before !== 0)
    server = await startServer({ ...options, port: before }).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      report(`${error.message}; the server has another port than before, and a new kubeconfig`);
      return undefined;
    });
  server ??= await startServer({ ...options, port });
  if (data !== undefined) data.port = server.port;
  return server;
}

/** Only a server with controls loads them. */
async function createControlled(
  { clock, controller, seed }: ServeOptions,
  onFatal: (error: Error) => void,
): Promise<Controlled> {
  const { Controlled: create } = await import("../../server/controlled.ts");
  return new create({ clock, controller, seed, onFatal });
}

function withController(embedded: EmbeddedCluster, clock: Clock): RequestHandler {
  const engine = (): Engine => embedded.engine;
  const { cluster } = embedded;
  const pages = withMetrics(
    withExplanations(cluster, engine, () => clock.now()),
    engine,
  );
  // The cluster does not have these pages, but knows who may not ask for them.
  return {
    handle: (request) => {
      const answer = cluster.handle(request);
      return answer.status === 404 && !/^\/apis?\//.test(request.path) ? pages.handle(request) : answer;
    },
  };
}

/** Serves what `kubectl top` asks for, where there is something to measure. */
function withUsage(
  handler: RequestHandler,
  { cluster }: EmbeddedCluster,
  streams: Usages & { measure(): void },
): RequestHandler {
  cluster.serve(metricsResources);
  streams.measure();
  return withResourceMetrics(handler, streams);
}
