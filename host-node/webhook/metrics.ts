/** The page `/metrics` of the webhook: requests, reviews, the engine, the certificate, and this process. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { DROPPED_CONNECTIONS } from "../server/connections.ts";
import type { Phase, Verdict } from "./reviewer.ts";

/** Upper bounds in seconds. A review takes less than a millisecond; the rest is waiting. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 2.5, 5, 10];

export interface WebhookMetricsOptions {
  readonly engineMemoryBytes: () => number;
  /** The end of the validity of the certificate in use, in milliseconds since 1970. */
  readonly certificateNotAfterMs: () => number;
}

export class WebhookMetrics {
  readonly #registry = registryOfProcess();
  readonly contentType = this.#registry.contentType;
  readonly #requests = new Counter<"phase" | "code">({
    registers: [this.#registry],
    name: "stint_webhook_requests_total",
    help: "Number of requests for a review, by phase of admission and status code.",
    labelNames: ["phase", "code"],
  });
  readonly #durations = new Histogram<"phase">({
    registers: [this.#registry],
    name: "stint_webhook_request_duration_seconds",
    help: "Time from the headers of a request to its answer, by phase of admission.",
    labelNames: ["phase"],
    buckets: DURATION_BUCKETS,
  });
  readonly #reviews = new Counter<"phase" | "verdict">({
    registers: [this.#registry],
    name: "stint_webhook_reviews_total",
    help: "Number of reviews that were answered, by phase of admission and verdict: allowed or denied.",
    labelNames: ["phase", "verdict"],
  });
  readonly #warnings = new Counter({
    registers: [this.#registry],
    name: "stint_webhook_warnings_total",
    help: "Number of warnings in answers.",
  });
  readonly #findings = new Counter<"profile" | "rule" | "action">({
    registers: [this.#registry],
    name: "stint_webhook_findings_total",
    help: "Number of reviews in which a rule has spoken, by profile, rule and what was done: deny or warn. Rules are those of lint and the budgets; Refused: the object was not valid.",
    labelNames: ["profile", "rule", "action"],
  });
  readonly #restarts = new Counter({
    registers: [this.#registry],
    name: "stint_webhook_engine_failures_total",
    help: "Number of engines that trapped and were replaced.",
  });
  readonly #reloads = new Counter<"result">({
    registers: [this.#registry],
    name: "stint_webhook_certificate_reloads_total",
    help: "Number of readings of the certificate files that brought another pair (changed) or none that can be used (refused).",
    labelNames: ["result"],
  });
  readonly #profileReloads = new Counter<"result">({
    registers: [this.#registry],
    name: "stint_webhook_profile_reloads_total",
    help: "Number of readings of the profiles that brought others (changed) or some that cannot be used (refused).",
    labelNames: ["result"],
  });
  readonly #handshakes = new Counter({
    registers: [this.#registry],
    name: "stint_webhook_tls_handshake_errors_total",
    help: "Number of TLS handshakes that failed: clients that do not trust the certificate, mostly.",
  });
  readonly #dropped = new Counter({ registers: [this.#registry], ...DROPPED_CONNECTIONS });

  constructor({ engineMemoryBytes, certificateNotAfterMs }: WebhookMetricsOptions) {
    const registers = [this.#registry];
    new Gauge({
      registers,
      name: "stint_webhook_certificate_not_after_timestamp_seconds",
      help: "End of the validity of the certificate in use, in seconds since 1970.",
      collect() {
        this.set(certificateNotAfterMs() / 1000);
      },
    });
    new Gauge({
      registers,
      name: "stint_engine_memory_bytes",
      help: "Linear memory of the engine.",
      collect() {
        this.set(engineMemoryBytes());
      },
    });
  }

  /** Counts an answer with any status. */
  answered(phase: Phase, status: number, durationMs: number): void {
    this.#requests.inc({ phase, code: String(status) });
    this.#durations.observe({ phase }, durationMs / 1000);
  }

  /** @param profile the name of a known profile; undefined: none was asked */
  reviewed(phase: Phase, profile: string | undefined, { allowed, warnings, rules }: Verdict): void {
    this.#reviews.inc({ phase, verdict: allowed ? "allowed" : "denied" });
    this.#warnings.inc(warnings);
    for (const { rule, action } of rules) this.#findings.inc({ profile: profile ?? "", rule, action });
  }

  engineFailed(): void {
    this.#restarts.inc();
  }

  certificateRead(result: "changed" | "refused"): void {
    this.#reloads.inc({ result });
  }

  profilesRead(result: "changed" | "refused"): void {
    this.#profileReloads.inc({ result });
  }

  handshakeFailed(): void {
    this.#handshakes.inc();
  }

  connectionDropped(): void {
    this.#dropped.inc();
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** A registry that begins with the metrics of this process. */
function registryOfProcess(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}
