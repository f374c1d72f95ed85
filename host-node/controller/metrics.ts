/**
 * The page `/metrics`: the engine's metrics under upstream's names, requests and leadership under client-go's names,
 * and metrics of this process.
 *
 * The engine's counters are those of the present engine: they begin at zero when this replica begins to lead.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Engine } from "../../bindings/js/engine.ts";
import type { Method } from "../../bindings/js/host.ts";
import { METRICS_CONTENT_TYPE, type MetricFamily, renderMetrics } from "../../bindings/js/metrics.ts";
import type { FlightRecorder } from "../flight-recorder/flight-recorder.ts";
import { DROPPED_CONNECTIONS } from "../server/connections.ts";

/** Upper bounds in seconds, as client-go's. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

export interface ControllerMetricsOptions {
  /** Undefined while this replica does not lead. */
  readonly engine: () => Engine | undefined;
  /** How many engines have trapped and were replaced since this replica leads. */
  readonly engineFailures: () => number;
  /** The most requests under way at once. */
  readonly maxInFlight: number;
  readonly isLeading: () => boolean;
  readonly leaseName: string;
  /** Host of the API server, with its port unless that is the default of the protocol: `10.0.0.1:6443`. */
  readonly host: string;
  /** Undefined: nothing is recorded. */
  readonly recorder?: FlightRecorder | undefined;
}

/** Counts what happens outside the engine, and writes the whole page. */
export class ControllerMetrics {
  readonly contentType = METRICS_CONTENT_TYPE;
  readonly #registry = new Registry();
  readonly #engine: () => Engine | undefined;
  readonly #engineFailures: () => number;
  readonly #recorder: FlightRecorder | undefined;
  readonly #maxInFlight: number;
  readonly #host: string;
  readonly #requests: Counter<"code" | "method" | "host">;
  readonly #durations: Histogram<"verb" | "host">;
  readonly #dropped: Counter;

  constructor(options: ControllerMetricsOptions) {
    const { engine, engineFailures, maxInFlight, isLeading, leaseName, host, recorder } = options;
    this.#engine = engine;
    this.#recorder = recorder;
    this.#engineFailures = engineFailures;
    this.#maxInFlight = maxInFlight;
    this.#host = host;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      registers,
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, by status code, method and host; code <error>: no answer.",
      labelNames: ["code", "method", "host"],
    });
    this.#durations = new Histogram({
      registers,
      name: "rest_client_request_duration_seconds",
      help: "Time from handing over a request to the last byte of its answer, or to the headers of a watch, by verb and host.",
      labelNames: ["verb", "host"],
      buckets: REQUEST_BUCKETS,
    });
    this.#dropped = new Counter({ registers, ...DROPPED_CONNECTIONS });
    new Gauge({
      registers,
      name: "leader_election_master_status",
      help: "1 if this replica leads, else 0.",
      labelNames: ["name"],
      collect() {
        this.set({ name: leaseName }, isLeading() ? 1 : 0);
      },
    });
    new Gauge({
      registers,
      name: "stint_engine_memory_bytes",
      help: "Linear memory of the engine; 0 while this replica does not lead.",
      collect() {
        this.set(engine()?.memoryBytes ?? 0);
      },
    });
  }

  /** Counts an answer; status 0: none. */
  readonly answered = (method: Method, status: number, durationMs: number): void => {
    this.#requests.inc({ code: status === 0 ? "<error>" : String(status), method, host: this.#host });
    this.#durations.observe({ verb: method, host: this.#host }, durationMs / 1000);
  };

  /** Counts a connection that the server of these metrics closed to make room. */
  connectionDropped(): void {
    this.#dropped.inc();
  }

  /** Prometheus' text format. @throws EngineError while the engine cannot answer */
  async text(): Promise<string> {
    const page = await this.#registry.metrics();
    const engine = this.#engine();
    const families = [
      ...(engine === undefined ? [] : this.#familiesOf(engine)),
      ...(this.#recorder === undefined ? [] : familiesOfRecorder(this.#recorder)),
    ];
    return `${page}${renderMetrics(families)}`;
  }

  /** What the engine holds and has counted. A replica that does not lead has none of it. */
  #familiesOf(engine: Engine): MetricFamily[] {
    const { jobs, pods, waitingPods, requestsUnderWay, eventsDropped, families } = engine.metrics();
    return [
      single("stint_jobs", "gauge", "Jobs that the engine knows, those that have ended among them.", jobs),
      single("stint_pods", "gauge", "Pods that the engine knows.", pods),
      single("stint_pods_without_job", "gauge", "Pods among them that no Job counts.", waitingPods),
      single("stint_requests_under_way", "gauge", "Requests sent and not yet answered.", requestsUnderWay),
      single("stint_requests_under_way_limit", "gauge", "The most requests under way at once.", this.#maxInFlight),
      single("stint_events_dropped_total", "counter", "Kubernetes events that were given up.", eventsDropped),
      single(
        "stint_engine_failures_total",
        "counter",
        "Engines that trapped and were replaced.",
        this.#engineFailures(),
      ),
      ...families,
    ];
  }
}

function familiesOfRecorder({ isRecording, bytes, lost }: FlightRecorder): MetricFamily[] {
  return [
    single("stint_recording_active", "gauge", "1 while the flight recorder writes, else 0.", isRecording ? 1 : 0),
    single("stint_recording_bytes", "gauge", "Bytes of the flight recorder's files.", bytes),
    single("stint_recording_dropped_total", "counter", "Calls of the engine that were not recorded.", lost),
  ];
}

function single(name: string, type: "counter" | "gauge", help: string, value: number): MetricFamily {
  return { name, type, help, labels: [], samples: [{ labels: [], value }] };
}
