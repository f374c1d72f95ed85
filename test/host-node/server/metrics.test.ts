/** The layer in front of the API server that serves the metrics: which requests it takes, and how it answers. */
import { describe, expect, it } from "vitest";
import { type Engine, EngineError } from "../../../bindings/js/engine.ts";
import type { ApiResponse, Method } from "../../../bindings/js/host.ts";
import type { EngineMetrics } from "../../../bindings/js/metrics.ts";
import { withMetrics } from "../../../host-node/server/metrics.ts";

const families: EngineMetrics["families"] = [
  { name: "a_total", type: "counter", help: "A", labels: [], samples: [{ labels: [], value: 1 }] },
];

/** An engine with one family, in front of a handler that answers 418. */
function ask(
  path: string,
  {
    method = "GET",
    metrics = () => ({ families }) as unknown as EngineMetrics,
  }: { method?: Method; metrics?: Engine["metrics"] } = {},
): ApiResponse {
  const behind = { handle: (): ApiResponse => ({ status: 418, headers: {}, body: "" }) };
  return withMetrics(behind, () => ({ metrics }) as Engine).handle({ method, path, headers: {} }) as ApiResponse;
}

describe("withMetrics", () => {
  it.each(["/metrics", "/metrics?name=a"])("answers GET %s with text of version 0.0.4", (path) => {
    expect(ask(path)).toMatchObject({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: "# HELP a_total A\n# TYPE a_total counter\na_total 1\n",
    });
  });

  it("only reads", () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      expect(ask("/metrics", { method }).status).toBe(405);
  });

  it.each(["/metrics/", "/metricsx", "/x/metrics", "/apis"])("leaves %s to what is behind it", (path) => {
    expect(ask(path).status).toBe(418);
  });

  it("answers 503 while the engine cannot", () => {
    const metrics = (): never => {
      throw new EngineError(-1, "the engine stopped");
    };
    expect(ask("/metrics", { metrics }).status).toBe(503);
  });
});
