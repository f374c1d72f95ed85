/** The layer in front of the API server that explains Jobs: which requests it takes, and how it answers. */
import { describe, expect, it } from "vitest";
import { type Account, type Engine, EngineError, type Explanation } from "../../../bindings/js/engine.ts";
import type { ApiResponse, Method } from "../../../bindings/js/host.ts";
import type { LastFailures } from "../../../host-node/words/last-failures.ts";
import { explanationPath, withExplanations } from "../../../host-node/server/explanations.ts";

const explanation: Explanation = {
  namespace: "team",
  job: "pi",
  found: true,
  state: "Running",
  sentence: "s",
  nextMs: null,
  decisions: [],
};

/** An engine that knows one Job, in front of a handler that answers 418. */
function ask(
  path: string,
  {
    method = "GET",
    explain = known,
    failures,
  }: { method?: Method; explain?: Engine["explain"]; failures?: LastFailures } = {},
): ApiResponse {
  const behind = { handle: (): ApiResponse => ({ status: 418, headers: {}, body: "" }) };
  return withExplanations(
    behind,
    () => ({ explain }) as Engine,
    () => 7000,
    failures,
  ).handle({ method, path, headers: {} }) as ApiResponse;
}

function known(namespace: string, job: string, nowMs?: number): Explanation {
  return { ...explanation, nextMs: nowMs ?? null, namespace, job, found: namespace === "team" && job === "pi" };
}

describe("withExplanations", () => {
  it("answers 200 with the explanation of a Job, 404 with that of an unknown one", () => {
    const found = ask(explanationPath("team", "pi"));
    expect(found).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(found.body as string)).toEqual({ ...explanation, nextMs: 7000 });
    const unknown = ask("/debug/jobs/team/e?x=y");
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.body as string)).toMatchObject({ namespace: "team", job: "e", found: false });
  });

  it("has what is remembered of a Job that is not complete: of its pods those that are kept", () => {
    let seesAll = true;
    const told = { sentence: "the Job does not go on", holds: [], next: { atMs: null }, remedies: [] };
    const account = { ...told, verdict: {}, attempts: [{}, {}], last: null } as unknown as Account;
    const asked: unknown[] = [];
    const failures = {
      of: () => ({ pod: "pi-a" }),
      accountOf: (job: unknown) => {
        asked.push(job);
        return account;
      },
      keptOf: () => [{ pod: "pi-a" }],
      seesAllOf: () => seesAll,
    } as unknown as LastFailures;
    const page = (state: string): unknown =>
      JSON.parse(
        ask("/debug/jobs/team/pi", { failures, explain: (...job) => ({ ...known(...job), state, uid: "u" }) })
          .body as string,
      );
    const { account: has, lastFailure } = page("Running") as Record<string, unknown>;
    const attempts = [{ pod: "pi-a" }];
    expect({ has, lastFailure, asked }).toEqual({
      has: { ...told, attempts },
      lastFailure: { pod: "pi-a" },
      asked: [{ uid: "u" }],
    });
    seesAll = false;
    expect(page("Running")).toMatchObject({ account: { attempts }, lastFailure });
    expect((page("Running") as typeof told & { account: object }).account).toEqual({ attempts });
    expect(page("Complete")).not.toHaveProperty("account");
  });

  it("only reads", () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      expect(ask("/debug/jobs/team/pi", { method }).status).toBe(405);
  });

  it.each([
    "/debug/jobs/team",
    "/debug/jobs/team/pi/",
    "/debug/jobs//pi",
    "/debug/jobs/team/p%69",
    "/debug/jobs/team/a/b",
    "/x/debug/jobs/team/pi",
    "/apis",
  ])("leaves %s to what is behind it", (path) => {
    expect(ask(path).status).toBe(418);
  });

  it("answers 503 while the engine cannot, and passes bugs on", () => {
    const throws = (error: Error) => (): never => {
      throw error;
    };
    const answer = ask("/debug/jobs/team/pi", { explain: throws(new EngineError(-1, "the engine stopped")) });
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body as string)).toMatchObject({
      kind: "Status",
      message: "the controller cannot answer: the engine stopped",
    });
    expect(() => ask("/debug/jobs/team/pi", { explain: throws(new TypeError("a bug")) })).toThrow(TypeError);
  });
});
