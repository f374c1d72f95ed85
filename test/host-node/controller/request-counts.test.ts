/** How requests to the API server are counted, by what Prometheus would read. */
import { expect, it } from "vitest";
import { renderMetrics } from "../../../bindings/js/metrics.ts";
import { RequestCounts } from "../../../host-node/controller/request-counts.ts";

it("requests are counted by code and method, with their durations in buckets", () => {
  const counts = new RequestCounts("api:6443");
  counts.add("GET", 200, 0.025);
  counts.add("GET", 200, 0.3);
  counts.add("GET", 0, 90);
  const page = renderMetrics(counts.families());
  expect(page).toContain('rest_client_requests_total{code="200",method="GET",host="api:6443"} 2\n');
  expect(page).toContain('rest_client_requests_total{code="<error>",method="GET",host="api:6443"} 1\n');
  const buckets = [...page.matchAll(/le="([^"]+)"} (\d+)/g)].map(([, bound, count]) => `${bound}: ${count}`);
  expect(buckets).toEqual([
    ...["0.005: 0", "0.025: 1", "0.1: 1", "0.25: 1", "0.5: 2", "1: 2", "2: 2", "4: 2", "8: 2", "15: 2", "30: 2"],
    ...["60: 2", "+Inf: 3"],
  ]);
  expect(page).toContain('rest_client_request_duration_seconds_count{verb="GET",host="api:6443"} 3\n');
});
