/**
 * A shadow of a real cluster's built-in Job controller: watches, comparison, metrics and pages, until the process stops
 * it. A `stint controller --shadow` process has one.
 *
 * Invariant: it sends nothing but GET. So it needs no election, and any number of shadows do no harm.
 */
import type { Transport } from "../../bindings/js/host.ts";
import { ApiClient } from "../../cluster/client/client.ts";
import type { RealClock } from "../clock.ts";
import { constantsOf, type Settings } from "../controller/settings.ts";
import { sourcesOf } from "../controller/sources.ts";
import { startStatusServer, type StatusServer } from "../controller/status-server.ts";
import type { EngineModule } from "../engine-module.ts";
import type { Log } from "../log.ts";
import type { Credentials } from "../transport/credentials.ts";
import { HttpTransport } from "../transport/http-transport.ts";
import type { Divergence } from "./divergence.ts";
import { ShadowMetrics } from "./metrics.ts";
import { Oracle } from "./oracle.ts";
import { SHADOW_PATHS, shadowPage } from "./pages.ts";
import { Shadow } from "./shadow.ts";
import { watchJobs } from "./watch-jobs.ts";

export interface ShadowReplicaOptions {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly engineModule: EngineModule;
  readonly clock: RealClock;
  readonly log: Log;
  readonly version: string;
}

/** Call `run` once, and `stop` to end it. */
export class ShadowReplica {
  readonly #options: ShadowReplicaOptions;
  readonly #metrics: ShadowMetrics;
  readonly #shadow: Shadow;
  readonly #transport: HttpTransport;
  #unwatch: () => void = () => {};
  #statusServer: StatusServer | undefined;
  readonly #ended: Promise<number>;
  #end!: (exitStatus: number) => void;

  constructor(options: ShadowReplicaOptions) {
    const { settings, credentials, engineModule, clock, log } = options;
    this.#options = options;
    this.#metrics = new ShadowMetrics({
      counts: () => this.#shadow.counts,
      host: new URL(credentials.origin).host,
    });
    this.#shadow = new Shadow({
      clock,
      windowMs: settings.shadowWindow,
      oracle: new Oracle(engineModule, constantsOf(settings)),
      onDivergence: (divergence) => this.#diverged(divergence),
      onProblem: (problem) => log.warn(problem),
    });
    this.#transport = new HttpTransport({
      credentials,
      clock,
      idleTimeoutMs: settings.idleTimeout,
      onProblem: (problem) => log.warn(problem),
      onAnswer: this.#metrics.answered,
      maxConnections: settings.maxInFlight,
      requestTimeoutMs: settings.requestTimeout,
    });
    this.#ended = new Promise((resolve) => (this.#end = resolve));
  }

  /** Runs until `stop`. @returns the exit status. @throws UsageError when the address to listen on cannot be used */
  async run(): Promise<number> {
    const { settings, clock, log, version, credentials } = this.#options;
    if (settings.listen !== undefined) {
      this.#statusServer = await startStatusServer({
        address: settings.listen,
        metrics: this.#metrics,
        clock,
        log,
        readiness: () => (this.#shadow.hasListed ? undefined : "not everything has been listed yet"),
        engine: () => undefined,
        leader: () => undefined,
        ownPages: { paths: SHADOW_PATHS, page: (path) => shadowPage(path, this.#shadow) },
      });
      log.info({ url: this.#statusServer.url }, "serving metrics, health and divergences");
    }
    const namespaces = settings.namespaces.length === 0 ? "all" : settings.namespaces.join(",");
    log.info(
      { version, server: credentials.origin, credentials: credentials.description, namespaces },
      "the shadow of the built-in Job controller starts; it writes nothing",
    );
    this.#shadow.start();
    this.#unwatch = watchJobs({
      shadow: this.#shadow,
      clock,
      random: Math.random,
      client: new ApiClient(readOnly(this.#transport), { userAgent: `stint-shadow/${version}` }),
      sources: sourcesOf({
        namespaces: settings.namespaces,
        allPods: settings.manualSelectors,
        gangScheduling: false,
      }),
      onProblem: (problem) => log.warn(problem),
    });
    return this.#ended;
  }

  /** Ends at once: no work under way matters. */
  stop(reason: string): void {
    this.#options.log.info({ reason, ...this.#shadow.counts }, "the shadow ends");
    this.#unwatch();
    this.#shadow.stop();
    void Promise.all([this.#transport.close(), this.#statusServer?.close()]).then(() => this.#end(0));
  }

  #diverged(divergence: Divergence): void {
    const { log } = this.#options;
    const { kind, namespace, job, uid, sentence, known } = divergence;
    this.#metrics.diverged(divergence);
    if (known === undefined) log.warn({ namespace, job, uid, kind }, sentence);
    else log.info({ namespace, job, uid, kind, known }, sentence);
  }
}

/** @throws Error for a request that would change something: no code here makes one */
function readOnly(transport: Transport): Transport {
  return {
    send: (request, done) => {
      if (request.method !== "GET") throw new Error(`a shadow does not send ${request.method} ${request.path}`);
      transport.send(request, done);
    },
    stream: (request, sink) => transport.stream(request, sink),
  };
}
