/**
 * Every request of every vector names the decision that it carries out. A reader who follows ABI.md ("poll") comes to a
 * decision that leads to such a request; only patches of pods that no Job counts name none.
 */
import { beforeAll, expect, test } from "vitest";
import type { Decision, Engine, EngineRequest, PollResult } from "../../../bindings/js/engine.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { loadVectors, newEngine } from "./vector-files.ts";
import { runVector } from "./vector-runner.ts";

/** What one engine has handed out. */
interface Life {
  readonly sent: EngineRequest[];
  readonly decisions: Decision[];
}

const lives: Life[] = [];

beforeAll(async () => {
  await buildModule("engine");
  for (const { vector, objects } of loadVectors()) {
    await runVector(vector, objects, {
      newEngine: (): Promise<Engine> => {
        lives.push({ sent: [], decisions: [] });
        return newEngine();
      },
      observe: (output) => {
        if (isPollResult(output)) take(lives.at(-1)!, output);
      },
    });
  }
}, 120_000);

function isPollResult(output: unknown): output is PollResult {
  return typeof output === "object" && output !== null && "requests" in output;
}

function take(life: Life, { requests, decisions }: PollResult): void {
  life.decisions.push(...decisions);
  life.sent.push(...requests);
}

/** The rule of ABI.md: its own decision, else the last of the Job before it. */
function behind({ decisions }: Life, id: number, isOfJob: (decision: Decision) => boolean): Decision | undefined {
  const exact = decisions.find((decision) => decision.id === id);
  return exact ?? decisions.filter((decision) => isOfJob(decision) && decision.id! < id).at(-1);
}

const KINDS: readonly (readonly [string, RegExp])[] = [
  ["event", /^(POST|PATCH) \/api\/v1\/namespaces\/[^/]+\/events/],
  ["list", /^GET .*\/pods\?labelSelector/],
  ["create", /^POST .*\/pods$/],
  ["delete", /^DELETE .*\/pods\//],
  ["patch", /^PATCH .*\/pods\//],
  ["status", /^PATCH .*\/jobs\/[^/]+\/status$/],
  ["read", /^GET .*\/jobs\//],
  ["remove", /^DELETE .*\/jobs\//],
  ["gang", /^(GET|POST|PATCH) .*\/(workloads|podgroups)/],
];

function kindOf({ method, path }: EngineRequest): string {
  return KINDS.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0] ?? `${method} ${path}`;
}

/** The codes of the decisions behind the requests of each kind, sorted. */
function codesByKind(): Record<string, string[]> {
  const codes = new Map<string, Set<string>>();
  for (const life of lives) {
    for (const request of life.sent) {
      const kind = kindOf(request);
      const found = request.decision === 0 ? undefined : behind(life, request.decision, isOfJobOf(request));
      const code = request.decision === 0 ? "none" : (found?.code ?? "unknown");
      codes.set(kind, (codes.get(kind) ?? new Set()).add(code));
    }
  }
  return Object.fromEntries([...codes].sort().map(([kind, set]) => [kind, [...set].sort()]));
}

/** Requests do not say their Job: its UID is in the body, or its name in the path. */
function isOfJobOf({ path, body }: EngineRequest): (decision: Decision) => boolean {
  const text = `${path} ${new TextDecoder().decode(body)}`;
  return ({ uid, job, namespace }) =>
    text.includes(`"${uid}"`) || text.includes(`/namespaces/${namespace}/jobs/${job}`) || text.includes(`${uid}&`);
}

const ENDINGS = [
  "DeadlinePassed",
  "PolicyFailsJob",
  "SuccessPolicyMet",
  "TooManyFailedIndexes",
  "TooManyFailures",
  "TooManyRestarts",
];

test("the cause of each request is a decision that leads to such a request", () => {
  const codes = codesByKind();
  expect(Object.keys(codes)).toEqual(KINDS.map(([kind]) => kind).sort());
  expect(codes["create"]).toEqual(["Creating"]);
  expect(codes["remove"]).toEqual(["Removing"]);
  expect(codes["list"]).toEqual(["Retry"]);
  // Counted: an earlier engine decided the end, and this one reports the next step.
  expect(codes["delete"]).toEqual(["Counted", "DeletingSurplus", "Suspending", ...ENDINGS].sort());
  expect(codes["status"]).toEqual(expect.arrayContaining(["Counted", "Creating", "Ended", "WaitingForPods"]));
  expect(codes["event"]).toEqual(expect.arrayContaining(["CreateFailed", "DeleteFailed", "Refused", "Suspended"]));
});

test("only patches of pods that no Job counts name no cause", () => {
  const without = Object.entries(codesByKind()).filter(([, codes]) => codes.includes("none"));
  expect(without.map(([kind]) => kind)).toEqual(["patch"]);
});

test("the engine numbers the decisions of one Job upwards", () => {
  for (const { decisions } of lives) {
    const latest = new Map<string, number>();
    for (const { uid, id } of decisions) {
      expect(id).toBeGreaterThan(latest.get(uid) ?? 0);
      latest.set(uid, id!);
    }
  }
});
