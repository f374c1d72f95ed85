/** A metric without labels, as the metrics pages of this host write it. */
import type { MetricFamily } from "../../bindings/js/metrics.ts";

export function single(name: string, type: "counter" | "gauge", help: string, value: number): MetricFamily {
  return { name, type, help, labels: [], samples: [{ labels: [], value }] };
}
