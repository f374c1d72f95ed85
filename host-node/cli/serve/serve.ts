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
import { metricsResources } from "../../../cluster/apiserver/registry/more-resources/metrics.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import { BoundedMap } from "../../../cluster/values/bounded-map.ts";
import type { NodeOptions } from "../../../cluster/components.ts";
import type { ContainerRuntime } from "../../../cluster/kubelet/container-runtime.ts";
import { kindOf } from "../../../cluster/manifests/ineffective-fields.ts";
import { RealClock } from "../../clock.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import { newIdentity } from "../../data/identity.ts";
import { EmbeddedCluster, type EmbeddedClusterOptions } from "../../embedded/embedded.ts";
import { SeenFailures } from "../../embedded/seen-failures.ts";
import type { Controlled } from "../../control/controlled.ts";
import { removeAbandoned } from "../../server/abandoned-kubeconfig.ts";
import { withExactNumbers } from "../../server/exact-numbers.ts";
import type { LastFailures } from "../../words/last-failures.ts";
import { withExplanations } from "../../server/explanations.ts";
import { withAdministrator } from "../../server/guard.ts";
import { type RequestHandler, type RunningServer, type ServerOptions, startServer } from "../../server/https-server.ts";
import { readTokenFile } from "../../server/token-file.ts";
import { withMetrics } from "../../server/metrics.ts";
import { withProtobuf } from "../../server/protobuf.ts";
import { withYaml } from "../../server/yaml.ts";
import { type Usages, withResourceMetrics } from "../../server/resource-metrics.ts";
import { writeKubeconfig } from "../../server/kubeconfig.ts";
import { connectionLimitsFor } from "../../server/connection-limits.ts";
import { UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { EXIT_MACHINE } from "../exit-status.ts";
import { nodeFor } from "../../runtime/node.ts";
import { nodeNames } from "../../words/node-names.ts";
import { serveOutputForPeople, serveOutputForPrograms } from "../output/serve-output.ts";
import { writeText } from "../output/wrapped.ts";
import { printable } from "../../words/printable.ts";
import { recorded } from "../record.ts";
import { checkedOptions, type ServeOptions } from "./serve-options.ts";
import { NO_STREAMS, runtimeFor, type ServeRuntime } from "./serve-runtime.ts";

/** The most kinds of ignored fields that are remembered as reported. */
const MAX_SAID = 1000;

/**
 * Resolves with the exit status after a signal to end.
 * @throws UsageError when the port or the file is taken, or an option has no meaning
 */
export async function serve(given: ServeOptions, console: Console): Promise<number> {
  const options = checkedOptions(given);
  return recorded(options, console, (recorder) => serveUntilEnd(options, recorder, console));
}

/** The state of a server from its start to its end. */
interface Serving {
  readonly options: ServeOptions;
  readonly console: Console;
  /** For certificates, connections and reports, whatever the cluster's clock is. */
  readonly clock: RealClock;
  readonly controlled: Controlled | undefined;
  readonly seen: SeenFailures;
  readonly runtime: ServeRuntime | undefined;
  readonly report: (text: string) => void;
  /** The first call counts. */
  readonly end: (exitStatus: number) => void;
  readonly ended: Promise<number>;
  readonly onFatal: (error: Error) => void;
}

async function serveUntilEnd(options: ServeOptions, recorder: Recorder | undefined, console: Console): Promise<number> {
  const clock = new RealClock();
  const report = (text: string): void =>
    console.writeError(`${new Date(clock.now()).toISOString()} ${printable(text)}\n`);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const onFatal = (error: Error): void => {
    report(`the controller has ended: ${error.message}`);
    end(1);
  };
  const controlled = options.control ? await createControlled(options, onFatal) : undefined;
  let cluster: Cluster | undefined;
  let data: DataFolder | undefined;
  const runtime = await runtimeFor(options, { clock, controlled, console, report, cluster: () => cluster! });
  const seen = controlled?.seen ?? new SeenFailures(() => clock.now());
  const serving: Serving = { options, console, clock, controlled, seen, runtime, report, end, ended, onFatal };
  try {
    data = await openData(options, clock, console, (error) => {
      report(`the server ends, because a write could not be stored: ${error.message}`);
      end(EXIT_MACHINE);
    });
    const identity = data?.identity ?? newIdentity(clock.now());
    const nodes = runtime === undefined ? [] : nodesFor(runtime, options);
    const embedded = await EmbeddedCluster.create({
      nodes,
      recorder,
      data,
      // Last, because a server with controls brings another recorder.
      ...clusterOptions(serving, identity.token),
    });
    ({ cluster } = embedded);
    if (controlled === undefined) seen.watch(embedded);
    const server = await startAt(options.port, data, report, serverOptions(serving, identity, embedded, data, nodes));
    return await untilEnd(serving, identity.token, embedded, server);
  } finally {
    if (runtime !== undefined && "close" in runtime) await runtime.close();
    clock.stop();
    controlled?.clock.stop();
    data?.close();
  }
}

function clusterOptions(
  { options, console, clock, controlled, seen, runtime, report, onFatal }: Serving,
  token: string,
): Omit<EmbeddedClusterOptions, "nodes"> {
  const { tokenAuthFile } = options;
  const users =
    tokenAuthFile === undefined ? undefined : readTokenFile(resolve(console.workingDirectory, tokenAuthFile));
  const processes = runtime !== undefined && "setServiceNames" in runtime ? runtime : undefined;
  return {
    clock: controlled?.clock ?? clock,
    jobController: options.controller,
    scheduler: options.scheduler,
    apiOnly: options.apiOnly,
    gangScheduling: options.featureGates.WorkloadWithJob,
    kubernetes: options.kubernetes,
    tracksFields: true,
    servesClients: true,
    ...(runtime !== undefined && "volumeFolders" in runtime && { volumeFolders: runtime.volumeFolders }),
    ...(processes && { onServiceNames: (names) => processes.setServiceNames(names) }),
    rbac: options.authorization === "rbac",
    authenticate: withAdministrator(token, users),
    onProblem: report,
    onUnsupported: unsupportedReports(report),
    onFatal,
    onOutput: seen.onOutput,
    ...controlled?.clusterOptions,
    ...(controlled && { random: controlled.random }),
  };
}

/** Reports each kind of ignored field once, for the first pod that has it. */
function unsupportedReports(report: (text: string) => void): NonNullable<EmbeddedClusterOptions["onUnsupported"]> {
  const said = new BoundedMap<string, true>(MAX_SAID);
  return (pod, fields) => {
    const unsaid = fields.filter((field) => !said.has(kindOf(field)));
    for (const field of unsaid) {
      said.put(kindOf(field), true);
      report(
        `pod ${pod.metadata.namespace}/${pod.metadata.name}: ${field.path} has no effect: ${field.why}; for other pods only their Events say so`,
      );
    }
  };
}

function serverOptions(
  { options, clock, controlled, seen, runtime, report }: Serving,
  { token, certificate }: ReturnType<typeof newIdentity>,
  embedded: EmbeddedCluster,
  data: DataFolder | undefined,
  nodes: readonly NodeOptions[],
): Omit<ServerOptions, "port"> {
  const control = controlled?.apiFor(
    embedded,
    nodes.map(({ nodeName }) => nodeName),
  );
  const base = options.controller
    ? withController(embedded, controlled?.clock ?? clock, seen.failures)
    : embedded.cluster;
  const streams = runtime !== undefined && "streams" in runtime ? runtime.streams : undefined;
  const handler = streams === undefined ? base : withUsage(base, embedded, streams);
  return {
    handler: withProtobuf(withYaml(withExactNumbers(controlled?.promptly(handler) ?? handler))),
    control,
    certificate,
    durability: data?.writes,
    token,
    clock,
    limits: connectionLimitsFor(options.maxWatches),
    authenticate: embedded.authenticate,
    conversations: embedded.conversations,
    streams: streams ?? { missing: NO_STREAMS[options.runtime] },
    onCrowded: report,
    onError: (error) => report(`a request failed: ${error.stack ?? error.message}`),
  };
}

/** From the kubeconfig to the exit status. The server and the cluster have ended when it resolves. */
async function untilEnd(
  { options, console, report, end, ended }: Serving,
  token: string,
  embedded: EmbeddedCluster,
  server: RunningServer,
): Promise<number> {
  const isForPrograms = options.output === "json";
  const voice = isForPrograms ? serveOutputForPrograms(options) : serveOutputForPeople(options, console.command);
  const say = (text: string): unknown => (isForPrograms ? console.writeOut(text) : writeText(console, text));
  // Listen before the file exists: an interruption must not come between the two.
  const stopListening = console.onSignal(() => end(0));
  let stopWaiting = (): void => {};
  try {
    const path = resolve(console.workingDirectory, options.kubeconfig);
    await makeWayFor(path, server.url, report);
    const removeKubeconfig = writeKubeconfig(path, { server: server.url, authority: server.authority, token });
    try {
      embedded.start();
      if (options.untilStdinCloses) stopWaiting = console.onInputClosed(() => end(0));
      say(voice.serving(server.url, path));
      const exitStatus = await ended;
      embedded.stop();
      return exitStatus;
    } finally {
      stopWaiting();
      say(voice.stopped(path, removeKubeconfig()));
    }
  } finally {
    stopListening();
    await server.close();
  }
}

/** Removes the kubeconfig of a server that was killed. @throws UsageError when that server still runs */
async function makeWayFor(path: string, url: string, report: (text: string) => void): Promise<void> {
  const before = await removeAbandoned(path, url);
  if (before === "abandoned") report(`${path} was left behind by a server that was killed, and is replaced`);
  else if (before !== "foreign")
    throw new UsageError(
      `${path} is the kubeconfig of a server that runs at ${before.livesAt}; end that one, or name another file with --kubeconfig`,
    );
}

function nodesFor(runtime: ContainerRuntime, { runtime: kind, nodes }: ServeOptions): readonly NodeOptions[] {
  const node = nodeFor(runtime, kind === "simulated");
  return nodes === undefined ? [node] : nodeNames(nodes).map((nodeName) => ({ ...node, nodeName }));
}

/** Node prints a warning that SQLite is experimental, so it is loaded only if needed. */
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

/** Unless a port is given, the server of a data folder uses its previous port, so its kubeconfig stays valid. */
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
  const { Controlled: create } = await import("../../control/controlled.ts");
  return new create({ clock, controller, seed, onFatal });
}

function withController(embedded: EmbeddedCluster, clock: Clock, failures: LastFailures): RequestHandler {
  const engine = (): Engine => embedded.engine;
  const { cluster } = embedded;
  const pages = withMetrics(
    withExplanations(cluster, engine, () => clock.now(), failures),
    engine,
  );
  // The cluster does not serve these pages, but decides who may read them.
  return {
    handle: (request) => {
      const answer = cluster.handle(request);
      return answer.status === 404 && !/^\/apis?\//.test(request.path) ? pages.handle(request) : answer;
    },
  };
}

/** Serves the metrics for `kubectl top`, where usage can be measured. */
function withUsage(
  handler: RequestHandler,
  { cluster }: EmbeddedCluster,
  streams: Usages & { measure(): void },
): RequestHandler {
  cluster.serve(metricsResources);
  streams.measure();
  return withResourceMetrics(handler, streams);
}
