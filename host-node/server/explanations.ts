/**
 * `GET /debug/jobs/NAMESPACE/NAME`: the engine's explanation of a Job, in front of the other handlers.
 *
 * Invariant: it only reads. The form is that of the engine's `explain` (bindings/ABI.md). Where the server remembers
 * the pods of a Job that is not complete, it has beside that `lastFailure`, and `account`, with members of the engine's
 * `account`: `attempts` of the pods that failed or are gone, of a limited number, and where all is known that holds the
 * Job, those that do not grow with the pods. The status is 404 when the engine knows no such Job. Requests with
 * names that no Job can have go on to the API server, which answers 404 too.
 */
import { type Engine, EngineError } from "../../bindings/js/engine.ts";
import type { ApiResponse } from "../../bindings/js/host.ts";
import type { LastFailures } from "../words/last-failures.ts";
import { statusResponse } from "./guard.ts";
import type { RequestHandler } from "./https-server.ts";

const PATH = /^\/debug\/jobs\/([a-z0-9.-]+)\/([a-z0-9.-]+)(?:\?.*)?$/;

export function explanationPath(namespace: string, job: string): string {
  return `/debug/jobs/${namespace}/${job}`;
}

/** The Job that a path asks about; undefined: the path is another one. */
export function explanationTarget(path: string): { readonly namespace: string; readonly job: string } | undefined {
  const [, namespace, job] = PATH.exec(path) ?? [];
  return namespace === undefined || job === undefined ? undefined : { namespace, job };
}

/**
 * Adds explanations to a handler. `engineNow` is called for each request, because after a trap the engine is another
 * one. `now` is its clock, from which remaining waits are computed. `failures` has what is known of pods that are gone.
 */
export function withExplanations(
  handler: RequestHandler,
  engineNow: () => Engine,
  now: () => number,
  failures?: LastFailures,
): RequestHandler {
  return {
    handle: (request) => {
      const target = explanationTarget(request.path);
      if (target === undefined) return handler.handle(request);
      if (request.method !== "GET")
        return statusResponse(
          405,
          "MethodNotAllowed",
          "the server does not allow this method on the requested resource",
        );
      return explain(engineNow(), target.namespace, target.job, now(), failures);
    },
  };
}

/** Status 200 with the explanation, 404 with the explanation of an unknown Job, 503 when the engine has trapped. */
export function explain(
  engine: Engine,
  namespace: string,
  job: string,
  nowMs: number,
  failures?: LastFailures,
): ApiResponse {
  return asked(() => {
    const explanation = engine.explain(namespace, job, nowMs);
    const { found, state, uid } = explanation;
    const remembered = state === "Complete" ? {} : rememberedOf({ uid: String(uid) }, state === "Failed", failures);
    const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
    return { status: found ? 200 : 404, headers, body: `${JSON.stringify({ ...explanation, ...remembered })}\n` };
  });
}

function rememberedOf(job: { readonly uid: string }, hasEnded: boolean, failures: LastFailures | undefined): object {
  const account = failures?.accountOf(job);
  if (failures === undefined || account === undefined) return {};
  const lastFailure = failures.of(job, account);
  // It says of a pod that it is being ended, and that one is gone.
  const attempts = failures.keptOf(job, account).map(({ sentence: _, ...attempt }) => attempt);
  if (!failures.seesAllOf(job, hasEnded)) return { lastFailure, account: { attempts } };
  const { sentence, holds, next, remedies } = account;
  return { lastFailure, account: { sentence, holds, next, remedies, attempts } };
}

/** The answer of the engine; status 503 if it has trapped. */
export function asked(answer: () => ApiResponse): ApiResponse {
  try {
    return answer();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return statusResponse(503, "ServiceUnavailable", `the controller cannot answer: ${error.message}`);
  }
}
