/** Metrics of this process and of Node, under the names of prom-client. Loaded on the first request for them. */
import { collectDefaultMetrics, Registry } from "prom-client";

/** @returns what writes them in Prometheus' text format */
export function processMetrics(): () => Promise<string> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return () => register.metrics();
}
