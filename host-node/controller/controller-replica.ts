/**
 * One replica of the controller of a real cluster: election, Job controller, metrics and health, until the process
 * stops it. A `stint controller` process has one.
 *
 * Invariant: an engine exists only while this replica leads. A new engine begins only when no request of the previous
 * one is under way, so its lists show everything that has happened. A write goes to the network only while the Lease is
 * held for at least as long as that write may take, and with a shard only to its namespaces. To end in good order means
 * to take no new work, settle the requests under way, and give the Lease back. Leaves out how settings are read
 * (configuration.ts) and where the log goes.
 */
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Decision } from "../../bindings/js/engine.ts";
import type { ApiRequest, Transport } from "../../bindings/js/host.ts";
import type { RealClock } from "../clock.ts";
import type { EngineModule } from "../engine-module.ts";
import type { FlightRecorder } from "../flight-recorder/flight-recorder.ts";
import type { Credentials } from "../transport/credentials.ts";
import { FencedTransport } from "../transport/fenced-transport.ts";
import { HttpTransport } from "../transport/http-transport.ts";
import { RateLimitedTransport } from "../transport/rate-limited-transport.ts";
import { GonePods } from "./gone-pods.ts";
import { JobController } from "./job-controller.ts";
import { LeaderElection } from "./leader-election.ts";
import type { Log } from "../log.ts";
import { ControllerMetrics } from "./metrics.ts";
import { checkServer } from "./server-check.ts";
import { constantsOf, SETTINGS, type Settings } from "./settings.ts";
import { type Shard, shardSelectorOf, shardText } from "./shard.ts";
import { checkShard } from "./shard-check.ts";
import { ShardFence } from "./shard-fence.ts";
import { type JobControllerSource, sourcesOf } from "./sources.ts";
import { startStatusServer, type StatusServer } from "./status-server.ts";

const LEASE_NAME = "stint-job-controller";
/** Bytes of the engine's instance name. It makes the names of its events different from those of other engines. */
const INSTANCE_BYTES = 4;
const CONNECTIONS_OF_ELECTION = 2;
const EXIT_REFUSED = 2;

export interface ControllerReplicaOptions {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly engineModule: EngineModule;
  readonly clock: RealClock;
  readonly log: Log;
  readonly version: string;
  /** Records the inputs of the engine. The replica closes it at its end. */
  readonly recorder?: FlightRecorder | undefined;
}

/** What exists only while this replica leads. */
interface Session {
  readonly controller: JobController;
  readonly gonePods: GonePods;
  readonly fence: FencedTransport;
  /** The rate limit in front of the fence; undefined: there is no limit. */
  readonly limiter: RateLimitedTransport | undefined;
}

/** Call `run` once, and `stop` to end it. */
export class ControllerReplica {
  readonly #options: ControllerReplicaOptions;
  readonly #metrics: ControllerMetrics;
  readonly #transport: HttpTransport;
  readonly #electionTransport: HttpTransport;
  readonly #election: LeaderElection | undefined;
  #session: Session | undefined;
  /** Resolves when no request of an earlier session is under way. */
  #settled: Promise<void> = Promise.resolve();
  #isLeading = false;
  /** Counts each time that leadership comes or goes. */
  #term = 0;
  #isEnding = false;
  #statusServer: StatusServer | undefined;
  /** What the API server does with fields of Jobs, in words. */
  #serverSays = "the API server has not told its version yet";
  /** With a shard: the API server honours it. */
  #isShardHonoured = false;
  readonly #ended: Promise<number>;
  #end!: (exitStatus: number) => void;

  constructor(options: ControllerReplicaOptions) {
    const { settings, credentials, clock, log, version, recorder } = options;
    this.#options = options;
    this.#metrics = new ControllerMetrics({
      engine: () => this.#session?.controller.engine,
      engineFailures: () => this.#session?.controller.restarts ?? 0,
      maxInFlight: settings.maxInFlight,
      isLeading: () => this.#isLeading,
      leaseName: leaseNameOf(settings),
      shard: settings.shard,
      host: new URL(credentials.origin).host,
      recorder,
    });
    this.#ended = new Promise((resolve) => (this.#end = resolve));
    const transportOptions = {
      credentials,
      clock,
      idleTimeoutMs: settings.idleTimeout,
      onProblem: (problem: string) => log.warn(problem),
      onAnswer: this.#metrics.answered,
    };
    this.#transport = new HttpTransport({
      ...transportOptions,
      maxConnections: settings.maxInFlight,
      requestTimeoutMs: settings.requestTimeout,
    });
    // The election has separate connections, so a renewal never waits for one that other requests use.
    this.#electionTransport = new HttpTransport({
      ...transportOptions,
      maxConnections: CONNECTIONS_OF_ELECTION,
      requestTimeoutMs: Math.ceil(settings.renewDeadline / 2),
    });
    if (!settings.leaderElect) return;
    this.#election = new LeaderElection({
      clock,
      random: Math.random,
      wallTime: Date.now,
      transport: this.#electionTransport,
      userAgent: `stint/${version}`,
      times: {
        leaseDurationMs: settings.leaseDuration,
        renewDeadlineMs: settings.renewDeadline,
        retryPeriodMs: settings.retryPeriod,
      },
      namespace: settings.leaseNamespace ?? credentials.namespace ?? "default",
      name: leaseNameOf(settings),
      identity: `${hostname()}_${randomBytes(8).toString("hex")}`,
      onStarted: () => this.#lead(),
      onStopped: (reason) => this.#follow(reason),
      onRenewed: () => this.#session?.fence.release(),
      onLeader: (identity) => log.info({ leader: identity }, "the Lease has a new holder"),
      onProblem: (problem) => log.warn(problem),
    });
  }

  /** Runs until `stop`. @returns the exit status. @throws UsageError when the address to listen on cannot be used */
  async run(): Promise<number> {
    const { settings, log, version, credentials } = this.#options;
    if (settings.listen !== undefined) {
      this.#statusServer = await startStatusServer({
        address: settings.listen,
        metrics: this.#metrics,
        readiness: () => this.#readiness(),
        details: () => this.#details(),
        engine: () => this.#session?.controller.engine,
        failures: () => this.#session?.gonePods.failures,
        clock: this.#options.clock,
        log,
        leader: () => this.#election?.leader,
      });
      log.info({ url: this.#statusServer.url }, "serving metrics, health and explanations");
    }
    const jobs = settings.defaultController
      ? "those of the built-in controller"
      : `those managed by ${settings.managedBy}`;
    const namespaces = settings.namespaces.length === 0 ? "all" : settings.namespaces.join(",");
    log.info(
      {
        version,
        server: credentials.origin,
        credentials: credentials.description,
        jobs,
        namespaces,
        ...(settings.shard === undefined ? {} : { shard: shardText(settings.shard) }),
        leaderElection: settings.leaderElect,
      },
      "the Job controller starts",
    );
    void this.#checkServer();
    if (settings.shard !== undefined) void this.#checkShard(settings.shard);
    else this.#begin();
    return this.#ended;
  }

  #begin(): void {
    if (this.#election === undefined) this.#lead();
    else this.#election.start();
  }

  /** Begins if the server honours the shard, and ends if it does not. */
  async #checkShard(shard: Shard): Promise<void> {
    const { clock, log, version } = this.#options;
    const verdict = await checkShard({
      transport: this.#transport,
      clock,
      userAgent: `stint/${version}`,
      shard,
      sources: this.#sources(),
      isOver: () => this.#isEnding,
      onProblem: (problem) => log.warn(`${problem}; it is tried again`),
    });
    if (verdict === undefined) return;
    if (!verdict.isHonoured) {
      log.fatal(verdict.problem);
      this.stop("the API server has no shards", EXIT_REFUSED);
      return;
    }
    this.#isShardHonoured = true;
    log.info(`the API server honours ${shardText(shard)}`);
    this.#begin();
  }

  async #checkServer(): Promise<void> {
    const { settings, credentials, clock, log, version } = this.#options;
    const facts = await checkServer({
      transport: this.#transport,
      clock,
      userAgent: `stint/${version}`,
      isOver: () => this.#isEnding,
      namespace: settings.namespaces[0] ?? settings.leaseNamespace ?? credentials.namespace ?? "default",
    });
    if (facts === undefined) return;
    this.#serverSays = facts.sentence;
    if (settings.defaultController || !facts.dropsManagedBy) {
      log[facts.isDoubtful ? "warn" : "info"](facts.sentence);
      return;
    }
    log.fatal(
      `${facts.sentence}; no Job can be managed by ${settings.managedBy} here. Turn the feature gate JobManagedBy on, or run with --default-controller in place of the built-in controller`,
    );
    this.stop("the API server drops managedBy", EXIT_REFUSED);
  }

  /** Ends in good order; then `run` returns. A second call changes nothing. */
  stop(reason: string, exitStatus = 0): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#options.log.info({ reason }, "the Job controller ends: it takes no more work");
    this.#endInOrder().then(
      () => this.#end(exitStatus),
      (error: Error) => {
        this.#options.log.error({ error: error.message }, "the Job controller could not end in good order");
        this.#end(1);
      },
    );
  }

  async #endInOrder(): Promise<void> {
    const { settings, log } = this.#options;
    this.#endSession();
    const isSettled = await this.#within(settings.shutdownGracePeriod, this.#settled);
    if (!isSettled) {
      const lease = this.#election?.isLeading ? "; the Lease runs out, as they may yet arrive" : "";
      log.warn(`requests are still under way after ${settings.shutdownGracePeriod / 1000} s, and are given up${lease}`);
    }
    if (this.#election !== undefined)
      await new Promise<void>((resolve) => this.#election!.stop(resolve, { keepsLease: !isSettled }));
    await Promise.all([
      ...[this.#transport.close(), this.#electionTransport.close(), this.#statusServer?.close()],
      this.#options.recorder?.close(),
    ]);
  }

  #within(ms: number, done: Promise<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(ms, () => resolve(false));
      void done.then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  #lead(): void {
    this.#isLeading = true;
    this.#options.log.info(this.#election === undefined ? "acts without an election" : "leads");
    const term = ++this.#term;
    void this.#settled.then(() => this.#startSession(term)).catch((error: Error) => this.#fail(error));
  }

  #follow(reason: string): void {
    this.#isLeading = false;
    this.#term++;
    this.#options.log.warn({ reason }, "leads no longer");
    this.#endSession();
  }

  async #startSession(term: number): Promise<void> {
    if (term !== this.#term || this.#isEnding) return;
    const { settings, engineModule, clock, log, version, recorder } = this.#options;
    const fence = new FencedTransport({ transport: this.#transport, clock, mayWrite: () => this.#mayWrite() });
    const limiter =
      settings.kubeApiQps === 0
        ? undefined
        : new RateLimitedTransport(fence, clock, { qps: settings.kubeApiQps, burst: settings.kubeApiBurst });
    const transport = this.#inShard(limiter ?? fence);
    const sources = this.#sources();
    const gonePods = new GonePods({ sources, wallTime: Date.now });
    const controller = await JobController.create({
      engineModule,
      clock,
      transport,
      random: Math.random,
      maxInFlight: settings.maxInFlight,
      userAgent: `stint/${version}`,
      streamsLists: settings.streamingLists,
      wallTime: Date.now,
      recorder,
      gonePods,
      sources,
      configuration: {
        instance: randomBytes(INSTANCE_BYTES).toString("hex"),
        gangScheduling: settings.featureGates.WorkloadWithJob,
        constants: constantsOf(settings),
        ...(settings.defaultController ? {} : { managedBy: settings.managedBy, finalizer: settings.finalizer }),
        ...(settings.ttlAfterFinished === undefined ? {} : { removesFinished: settings.ttlAfterFinished }),
      },
      onDecisions: (decisions) => this.#decided(decisions),
      onProblem: (problem) => log.warn(problem),
      onFatal: (error) => this.#fail(error),
    });
    // While the engine was made, this replica may have lost the leadership. It may even have regained it, and made
    // another engine.
    if (term !== this.#term || this.#isEnding) return;
    this.#session = { controller, gonePods, fence, limiter };
    controller.start();
  }

  #endSession(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    this.#settled = new Promise((resolve) => session.controller.stop(resolve));
    session.limiter?.close();
    session.fence.close();
  }

  #sources(): JobControllerSource[] {
    const { namespaces, manualSelectors, featureGates, shard } = this.#options.settings;
    const gangScheduling = featureGates.WorkloadWithJob;
    return sourcesOf({ namespaces, allPods: manualSelectors, gangScheduling, shard });
  }

  /** The same, but no write leads out of the shard. */
  #inShard(transport: Transport): Transport {
    const { settings, clock } = this.#options;
    const { shard } = settings;
    if (shard === undefined) return transport;
    const onForeign = ({ method, path }: ApiRequest): void =>
      this.#fail(
        new Error(
          `the API server no longer honours ${shardText(shard)}: it shows Jobs or pods of another, and ${method} ${path} was not sent. Turn the feature gate ShardedListAndWatch on at every API server`,
        ),
      );
    return new ShardFence({ transport, clock, shard, onForeign });
  }

  #mayWrite(): boolean {
    return this.#election?.holdsFor(this.#options.settings.requestTimeout) ?? true;
  }

  #decided(decisions: readonly Decision[]): void {
    const { log } = this.#options;
    for (const { namespace, job, uid, code, message, numbers } of decisions) {
      const fields = { namespace, job, uid, code, ...numbers };
      if (code === "Ended") log.info(fields, message);
      else if (code === "Refused") log.warn(fields, message);
      else log.debug(fields, message);
    }
  }

  #fail(error: Error): void {
    this.#options.log.fatal({ error: error.message }, "the Job controller cannot continue");
    this.stop("a fault", 1);
  }

  #details(): string {
    const { shard } = this.#options.settings;
    return shard === undefined
      ? this.#serverSays
      : `${this.#serverSays}\n${shardText(shard)}, of namespaces by their hash: ${shardSelectorOf(shard)}`;
  }

  /** Why this replica is not ready; undefined: it is ready. */
  #readiness(): string | undefined {
    const { clock, settings } = this.#options;
    if (this.#isEnding) return "it is ending";
    if (settings.shard !== undefined && !this.#isShardHonoured)
      return `the API server has not said whether it honours ${shardText(settings.shard)}`;
    if (this.#isLeading)
      return this.#session?.controller.hasListed === true ? undefined : "not everything has been listed yet";
    const answeredMs = this.#election?.answeredMs ?? -Infinity;
    return clock.now() - answeredMs <= settings.leaseDuration
      ? undefined
      : (this.#election?.refusal ?? "the API server does not answer about the Lease");
  }
}

/** The name of the Lease. Controllers of other Jobs use another one, and each shard has its own. */
function leaseNameOf(settings: Settings): string {
  const { shard } = settings;
  const name = leaseNameOfAll(settings);
  return shard === undefined ? name : `${name}-shard-${shard.index}-of-${shard.count}`;
}

function leaseNameOfAll({ leaseName, defaultController, managedBy, namespaces }: Settings): string {
  if (leaseName !== undefined) return leaseName;
  const jobs = [defaultController ? "" : managedBy, ...namespaces.toSorted()].join("\n");
  return jobs === SETTINGS.managedBy.initial
    ? LEASE_NAME
    : `${LEASE_NAME}-${createHash("sha256").update(jobs).digest("hex").slice(0, 8)}`;
}
