/**
 * `GET /metrics`: the controller's counters, in Prometheus' text format, in front of the other handlers.
 *
 * Invariant: it only reads. The counters are those of the present engine: after a trap they begin at zero, as after a
 * restart.
 */
import type { Engine } from "../../bindings/js/engine.ts";
import { METRICS_CONTENT_TYPE, renderMetrics } from "../../bindings/js/metrics.ts";
import { asked } from "./explanations.ts";
import { statusResponse } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

const PATH = /^\/metrics(?:\?.*)?$/;

/**
 * Adds the page to a handler. `engineNow` is called for each request, because after a trap the engine is another one.
 */
export function withMetrics(handler: RequestHandler, engineNow: () => Engine): RequestHandler {
  return {
    handle: (request) => {
      if (!PATH.test(request.path)) return handler.handle(request);
      if (request.method !== "GET")
        return statusResponse(
          405,
          "MethodNotAllowed",
          "the server does not allow this method on the requested resource",
        );
      return asked(() => ({
        status: 200,
        headers: { "content-type": METRICS_CONTENT_TYPE, "cache-control": "no-cache, private" },
        body: renderMetrics(engineNow().metrics().families),
      }));
    },
  };
}
