/**
 * The page `/metrics`: the engine's metrics under upstream's names, requests and leadership under client-go's names,
 * and metrics of this process.
 *
 * The engine's counters are those of the present engine: they begin at zero when this replica begins to lead. The code
 * of the process metrics takes a tenth of the process's memory, so it is loaded on the first request for this page.
 */
import type { Engine } from "../../bindings/js/engine.ts";
import type { Method } from "../../bindings/js/host.ts";
import { METRICS_CONTENT_TYPE, type MetricFamily, renderMetrics } from "../../bindings/js/metrics.ts";
import type { FlightRecorder } from "../flight-recorder/flight-recorder.ts";
import { DROPPED_CONNECTIONS } from "../server/connections.ts";
import { RequestCounts } from "./request-counts.ts";
import type { Shard } from "./shard.ts";
import { single } from "./single-metric.ts";

type RecorderState = Pick<FlightRecorder, "isRecording" | "bytes" | "lost">;

export interface ControllerMetricsOptions {
  /** Undefined while this replica does not lead. */
  readonly engine: () => Engine | undefined;
  /** How many engines have trapped and were replaced since this replica leads. */
  readonly engineFailures: () => number;
  /** The most requests under way at once. */
  readonly maxInFlight: number;
  readonly isLeading: () => boolean;
  readonly leaseName: string;
  /** Undefined: it runs the Jobs of all namespaces, or of those that are named. */
  readonly shard?: Shard | undefined;
  /** Host of the API server, with its port unless that is the default of the protocol: `10.0.0.1:6443`. */
  readonly host: string;
  /** Undefined: nothing is recorded. */
  readonly recorder?: RecorderState | undefined;
}

/** Counts what happens outside the engine, and writes the whole page. */
export class ControllerMetrics {
  readonly contentType = METRICS_CONTENT_TYPE;
  readonly #options: ControllerMetricsOptions;
  readonly #requests: RequestCounts;
  #dropped = 0;
  #ofProcess: Promise<() => Promise<string>> | undefined;

  constructor(options: ControllerMetricsOptions) {
    this.#options = options;
    this.#requests = new RequestCounts(options.host);
  }

  /** Counts an answer; status 0: none. */
  readonly answered = (method: Method, status: number, durationMs: number): void => {
    this.#requests.add(method, status, durationMs / 1000);
  };

  /** Counts a connection that the server of these metrics closed to make room. */
  connectionDropped(): void {
    this.#dropped++;
  }

  /** Prometheus' text format. @throws EngineError while the engine cannot answer */
  async text(): Promise<string> {
    this.#ofProcess ??= import("./process-metrics.ts").then(({ processMetrics }) => processMetrics());
    const ofProcess = await (await this.#ofProcess)();
    const engine = this.#options.engine();
    const { recorder } = this.#options;
    const families = [
      ...this.#own(engine),
      ...(engine === undefined ? [] : this.#familiesOf(engine)),
      ...(recorder === undefined ? [] : familiesOfRecorder(recorder)),
    ];
    return ofProcess + renderMetrics(families);
  }

  #own(engine: Engine | undefined): MetricFamily[] {
    const { isLeading, leaseName, shard } = this.#options;
    return [
      ...this.#requests.families(),
      single(DROPPED_CONNECTIONS.name, "counter", DROPPED_CONNECTIONS.help, this.#dropped),
      {
        name: "leader_election_master_status",
        type: "gauge",
        help: "1 if this replica leads, else 0.",
        labels: ["name"],
        samples: [{ labels: [leaseName], value: isLeading() ? 1 : 0 }],
      },
      single(
        "stint_engine_memory_bytes",
        "gauge",
        "Linear memory of the engine; 0 while this replica does not lead.",
        engine?.memoryBytes ?? 0,
      ),
      ...(shard === undefined ? [] : [familyOfShard(shard)]),
    ];
  }

  /** What the engine holds and has counted. A replica that does not lead has none of it. */
  #familiesOf(engine: Engine): MetricFamily[] {
    const { jobs, pods, waitingPods, requestsUnderWay, eventsDropped, families } = engine.metrics();
    return [
      single("stint_jobs", "gauge", "Jobs that the engine knows, those that have ended among them.", jobs),
      single("stint_pods", "gauge", "Pods that the engine knows.", pods),
      single("stint_pods_without_job", "gauge", "Pods among them that no Job counts.", waitingPods),
      single("stint_requests_under_way", "gauge", "Requests sent and not yet answered.", requestsUnderWay),
      single(
        "stint_requests_under_way_limit",
        "gauge",
        "The most requests under way at once.",
        this.#options.maxInFlight,
      ),
      single("stint_events_dropped_total", "counter", "Kubernetes events that were given up.", eventsDropped),
      single(
        "stint_engine_failures_total",
        "counter",
        "Engines that trapped and were replaced.",
        this.#options.engineFailures(),
      ),
      ...families,
    ];
  }
}

function familyOfShard({ index, count }: Shard): MetricFamily {
  return {
    name: "stint_shard_info",
    type: "gauge",
    help: "Always 1: which shard of how many this controller has.",
    labels: ["shard", "shards"],
    samples: [{ labels: [String(index), String(count)], value: 1 }],
  };
}

function familiesOfRecorder({ isRecording, bytes, lost }: RecorderState): MetricFamily[] {
  return [
    single("stint_recording_active", "gauge", "1 while the flight recorder writes, else 0.", isRecording ? 1 : 0),
    single("stint_recording_bytes", "gauge", "Bytes of the flight recorder's files.", bytes),
    single("stint_recording_dropped_total", "counter", "Calls of the engine that were not recorded.", lost),
  ];
}
