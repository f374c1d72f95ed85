/** The page `/metrics` of a shadow: what was compared and what diverged, its requests, and metrics of this process. */
import type { Method } from "../../bindings/js/host.ts";
import { METRICS_CONTENT_TYPE, type MetricFamily, renderMetrics } from "../../bindings/js/metrics.ts";
import { RequestCounts } from "../controller/request-counts.ts";
import { single } from "../controller/single-metric.ts";
import { DROPPED_CONNECTIONS } from "../server/connections.ts";
import { DIVERGENCE_KINDS, type Divergence } from "./divergence.ts";
import type { ShadowCounts } from "./shadow.ts";
import { document } from "../words/document.ts";

export interface ShadowMetricsOptions {
  readonly counts: () => ShadowCounts;
  /** As of {@link RequestCounts}. */
  readonly host: string;
}

export class ShadowMetrics {
  readonly contentType = METRICS_CONTENT_TYPE;
  readonly #counts: () => ShadowCounts;
  readonly #requests: RequestCounts;
  readonly #divergences = DIVERGENCE_KINDS.flatMap((kind) =>
    [true, false].map((isKnown) => ({ kind, isKnown, value: 0 })),
  );
  #dropped = 0;
  #ofProcess: Promise<() => Promise<string>> | undefined;

  constructor({ counts, host }: ShadowMetricsOptions) {
    this.#counts = counts;
    this.#requests = new RequestCounts(host);
  }

  /** Counts an answer; status 0: none. */
  readonly answered = (method: Method, status: number, durationMs: number): void =>
    this.#requests.add(method, status, durationMs / 1000);

  /** Counts a connection that the server of these metrics closed to make room. */
  connectionDropped(): void {
    this.#dropped++;
  }

  diverged({ kind, known }: Divergence): void {
    const isKnown = known !== undefined;
    this.#divergences.find((counted) => counted.kind === kind && counted.isKnown === isKnown)!.value++;
  }

  /** Prometheus' text format. */
  async text(): Promise<string> {
    this.#ofProcess ??= import("../controller/process-metrics.ts").then(({ processMetrics }) => processMetrics());
    return (await (await this.#ofProcess)()) + renderMetrics(this.#own());
  }

  #own(): MetricFamily[] {
    const { judged, undecided, stalled, jobs } = this.#counts();
    return [
      ...this.#requests.families(),
      single(DROPPED_CONNECTIONS.name, "counter", DROPPED_CONNECTIONS.help, this.#dropped),
      {
        name: "stint_shadow_divergences_total",
        type: "counter",
        help: `What the built-in controller wrote and Stint would not have, or the other way round, by kind; known: ${document("docs/differences.md")} names it.`,
        labels: ["kind", "known"],
        samples: this.#divergences.map(({ kind, isKnown, value }) => ({ labels: [kind, String(isKnown)], value })),
      },
      single(
        "stint_shadow_comparisons_total",
        "counter",
        "Writes of the built-in controller that were compared.",
        judged,
      ),
      single(
        "stint_shadow_undecided_total",
        "counter",
        "Those among them that were too involved to be compared.",
        undecided,
      ),
      single(
        "stint_shadow_stalled_total",
        "counter",
        "Those among them that seemed to diverge while the shadow or a watch stood still, and were not told.",
        stalled,
      ),
      single("stint_shadow_jobs", "gauge", "Jobs that the shadow knows.", jobs),
    ];
  }
}
