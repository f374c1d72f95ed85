/**
 * The webhook as one process: certificate, profiles, engine, server, until it gets a signal to end.
 *
 * Invariant: it serves only with a certificate that TLS accepts, and reports ready only while that is valid. To end in
 * good order means: take no new connection, and answer the requests under way. Leaves out how settings are read
 * (configuration.ts) and where the log goes.
 */
import { Engine } from "../../bindings/js/engine.ts";
import type { Timer } from "../../bindings/js/host.ts";
import type { RealClock } from "../clock.ts";
import type { EngineModule } from "../engine-module.ts";
import type { Log } from "../log.ts";
import { CertificateFiles } from "./certificate-files.ts";
import type { Configuration } from "./configuration.ts";
import { WebhookMetrics } from "./metrics.ts";
import { Profiles } from "./profiles.ts";
import { Reviewer } from "./reviewer.ts";
import { WebhookServer } from "./webhook-server.ts";

export interface WebhookProcessOptions {
  readonly configuration: Configuration;
  readonly engineModule: EngineModule;
  readonly clock: RealClock;
  readonly log: Log;
  readonly version: string;
}

export class WebhookProcess {
  readonly #options: WebhookProcessOptions;
  readonly #certificates: CertificateFiles;
  readonly #profiles: Profiles;
  readonly #metrics: WebhookMetrics;
  readonly #reviewer: Reviewer;
  readonly #told: Promise<string>;
  #tell!: (signal: string) => void;
  #isEnding = false;
  #reloadTimer: Timer | undefined;

  /** @throws UsageError when the certificate, the key or the profiles cannot be used */
  constructor(options: WebhookProcessOptions) {
    const { configuration, engineModule, clock, log } = options;
    this.#options = options;
    this.#certificates = new CertificateFiles({
      cert: configuration.cert,
      key: configuration.key,
      wallTime: () => clock.now(),
      log,
    });
    this.#profiles = new Profiles({ folder: configuration.profiles, log });
    this.#reviewer = new Reviewer(async () => {
      const engine = await Engine.create(engineModule.module, engineModule.sha256);
      engine.configure({ kubernetes: configuration.kubernetes });
      return engine;
    });
    this.#metrics = new WebhookMetrics({
      engineMemoryBytes: () => this.#reviewer.memoryBytes,
      certificateNotAfterMs: () => this.#certificates.current.notAfterMs,
    });
    this.#told = new Promise((resolve) => (this.#tell = resolve));
  }

  /** Serves until `stop`. @throws UsageError when the address cannot be used */
  async run(): Promise<void> {
    const { configuration, clock, log, version } = this.#options;
    await this.#reviewer.start();
    const server = await WebhookServer.start({
      clock,
      log,
      metrics: this.#metrics,
      reviewer: this.#reviewer,
      profiles: () => this.#profiles.current,
      address: configuration.address,
      requestTimeoutMs: configuration.requestTimeout,
      certificate: this.#certificates.current,
      readiness: () => this.#missing(),
    });
    log.info(
      {
        url: server.url,
        version,
        profiles: [...this.#profiles.current.keys()],
        notAfter: new Date(this.#certificates.current.notAfterMs).toISOString(),
      },
      "serving /validate and /mutate",
    );
    this.#reloadAgain(server);
    log.info({ signal: await this.#told }, "ending: no new connection is taken, what is under way is answered");
    this.#reloadTimer?.cancel();
    await server.close(configuration.shutdownGracePeriod);
    log.info("ended");
  }

  stop(signal: string): void {
    this.#isEnding = true;
    this.#tell(signal);
  }

  #missing(): string | undefined {
    if (this.#isEnding) return "it is ending";
    const { notAfterMs } = this.#certificates.current;
    return notAfterMs > this.#options.clock.now()
      ? undefined
      : `the certificate was valid until ${new Date(notAfterMs).toISOString()}`;
  }

  #reloadAgain(server: WebhookServer): void {
    const { clock, configuration } = this.#options;
    this.#reloadTimer = clock.setTimer(configuration.reloadPeriod, () => {
      const result = this.#certificates.reload();
      if (result !== "same") this.#metrics.certificateRead(result);
      if (result === "changed") server.useCertificate(this.#certificates.current);
      const profiles = this.#profiles.reload();
      if (profiles !== "same") this.#metrics.profilesRead(profiles);
      this.#reloadAgain(server);
    });
  }
}
