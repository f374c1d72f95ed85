/**
 * Requests to the API server as client-go counts them: how many by code, method and host, and how long they took.
 *
 * Counted here and not by prom-client, which is loaded on the first request for the metrics page.
 */
import type { Method } from "../../bindings/js/host.ts";
import type { MetricFamily } from "../../bindings/js/metrics.ts";

/** Upper bounds in seconds, as client-go's. */
const BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

interface Durations {
  readonly verb: string;
  /** For each bound, how many were not above it. */
  readonly buckets: number[];
  sum: number;
  count: number;
}

export class RequestCounts {
  readonly #host: string;
  readonly #counts = new Map<string, { readonly code: string; readonly method: string; value: number }>();
  readonly #durations = new Map<string, Durations>();

  /** `host`: of the API server. */
  constructor(host: string) {
    this.#host = host;
  }

  /** Status 0: there was no answer. */
  add(method: Method, status: number, seconds: number): void {
    const code = status === 0 ? "<error>" : String(status);
    const counted = this.#counts.get(`${method} ${code}`);
    if (counted === undefined) this.#counts.set(`${method} ${code}`, { code, method, value: 1 });
    else counted.value++;
    let durations = this.#durations.get(method);
    if (durations === undefined) {
      durations = { verb: method, buckets: BOUNDS.map(() => 0), sum: 0, count: 0 };
      this.#durations.set(method, durations);
    }
    for (let i = BOUNDS.length - 1; i >= 0 && seconds <= BOUNDS[i]!; i--) durations.buckets[i]!++;
    durations.sum += seconds;
    durations.count++;
  }

  families(): MetricFamily[] {
    return [
      {
        name: "rest_client_requests_total",
        type: "counter",
        help: "Number of HTTP requests, by status code, method and host; code <error>: no answer.",
        labels: ["code", "method", "host"],
        samples: [...this.#counts.values()].map(({ code, method, value }) => ({
          labels: [code, method, this.#host],
          value,
        })),
      },
      {
        name: "rest_client_request_duration_seconds",
        type: "histogram",
        help: "Time from handing over a request to the last byte of its answer, or to the headers of a watch, by verb and host.",
        labels: ["verb", "host"],
        bounds: BOUNDS,
        samples: [...this.#durations.values()].map(({ verb, ...counted }) => ({
          labels: [verb, this.#host],
          ...counted,
        })),
      },
    ];
  }
}
