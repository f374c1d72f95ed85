/**
 * What a profile adds to the answer of a review: to whom, and when not. What an answer looks like is in
 * test/host-node/cli/transcripts/webhook.txt.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LintCode } from "../../../bindings/js/abi.ts";
import { Engine } from "../../../bindings/js/engine.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../../cluster/apiserver/patch/json-patch.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { MAX_WARNING_CHARACTERS, MAX_WARNINGS, warningsOf } from "../../../host-node/webhook/answer.ts";
import { findingsOf } from "../../../host-node/webhook/findings.ts";
import { Forecasts } from "../../../host-node/webhook/forecasts.ts";
import { readProfile } from "../../../host-node/webhook/profile.ts";
import { type Phase, Reviewer } from "../../../host-node/webhook/reviewer.ts";
import { subjectOf } from "../../../host-node/webhook/subject.ts";
import { type AdmissionResponse, job, jobWithoutUid, responseIn, reviewOf, storedJob } from "./reviews.ts";

let engine: Engine;
let reviewer: Reviewer;
beforeAll(async () => {
  const { module } = await loadEngineModule();
  engine = await Engine.create(module);
  reviewer = new Reviewer(async () => engine);
});

async function answer(profile: string, review: string, phase: Phase = "validate"): Promise<AdmissionResponse> {
  const read = readProfile("strict", "strict.yaml", profile);
  const outcome = await reviewer.review(phase, new TextEncoder().encode(review), read);
  if (outcome.type !== "answered") throw new Error(outcome.reason);
  return responseIn(outcome.body);
}

const BATCH_CRON_JOB = { group: "batch", version: "v1", kind: "CronJob" };
const cronJob = (spec: JsonObject = {}, template: JsonObject = {}): JsonObject => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "nightly", namespace: "default", uid: "c" },
  spec: { schedule: "0 3 * * *", jobTemplate: { spec: job({ spec: template })["spec"]! }, ...spec },
});
const update = (object: JsonObject, oldObject: JsonObject, request: JsonObject = {}): string =>
  reviewOf(object, { operation: "UPDATE", oldObject, ...request });
const SPEECH = "rule: [NoDeadline=deny, NoTimeToLive=warn]";

describe("a rule of lint", () => {
  it("knows what the profile says of the surroundings", async () => {
    const off = "rule: [NoTimeToLive=off, NoDeadline=off]\n";
    const managed = reviewOf(job({ spec: { managedBy: "example.com/queue" } }));
    expect((await answer(`${off}managers: [example.com/other]`, managed)).warnings).toEqual([
      expect.stringMatching(/^UnknownManager: /),
    ]);
    expect(await answer(`${off}managers: [example.com/queue]`, managed)).not.toHaveProperty("warnings");
    expect(
      (await answer(`${off}gitOps: true`, reviewOf(job({ spec: { ttlSecondsAfterFinished: 60 } })))).warnings,
    ).toEqual([expect.stringMatching(/^TimeToLiveUnderGitOps: /)]);
  });
});

describe("an update", () => {
  const late = { activeDeadlineSeconds: 100 };

  it("is denied for what it brings about, and not for what was there before", async () => {
    const wide = (parallelism: number, deadline: JsonObject = {}): JsonObject =>
      storedJob({ completions: 100, parallelism, backoffLimit: 0, ...deadline });
    expect(await answer(SPEECH, update(wide(2), wide(1)))).toEqual({ uid: "the-review", allowed: true });
    expect(await answer(SPEECH, update(wide(1), wide(1, late)))).toMatchObject({ allowed: false });
    const hours = "maxPodHours: 1";
    expect(await answer(hours, update(wide(60, late), wide(1, late)))).toMatchObject({ allowed: false });
    expect(await answer(hours, update(wide(50, late), wide(60, late)))).toMatchObject({ allowed: true });
  });

  it("that leaves the spec as it is is not asked about, whatever the profile says", async () => {
    const labelled = { ...storedJob(), metadata: { ...(storedJob()["metadata"] as JsonObject), finalizers: [] } };
    expect(await answer(`failOn: warn\nforecast: warning\nmaxPods: 0`, update(labelled, storedJob()))).toEqual({
      uid: "the-review",
      allowed: true,
    });
  });

  it("of a Job that has ended, or is being deleted, is not asked about", async () => {
    const ended = { status: { conditions: [{ type: "Complete", status: "True" }] } };
    const deleted = {
      metadata: { ...(storedJob()["metadata"] as JsonObject), deletionTimestamp: "2026-11-22T00:00:00Z" },
    };
    for (const state of [ended, deleted]) {
      const review = update({ ...storedJob(), ...state }, { ...storedJob(late), ...state });
      expect(await answer(SPEECH, review)).toMatchObject({ allowed: true });
    }
  });

  it("that resumes a Job is asked about as if it were new; one that suspends it never makes it worse", async () => {
    const suspended = storedJob({ suspend: true });
    expect(await answer(SPEECH, update(storedJob({ suspend: false }), suspended))).toMatchObject({ allowed: false });
    expect(await answer(SPEECH, update(suspended, storedJob({ suspend: false })))).toMatchObject({ allowed: true });
  });

  it("of a CronJob is asked about in the same way", async () => {
    const request = { kind: BATCH_CRON_JOB };
    const change = (object: JsonObject, old: JsonObject): Promise<AdmissionResponse> =>
      answer(SPEECH, update(object, old, request));
    expect(await change(cronJob({ schedule: "0 4 * * *" }), cronJob())).toMatchObject({ allowed: true });
    expect(await change(cronJob(), cronJob({}, late))).toMatchObject({ allowed: false });
    expect(await change(cronJob({ suspend: false }), cronJob({ suspend: true }))).toMatchObject({ allowed: false });
  });
});

describe("the forecast", () => {
  it("is an annotation on request, beside what is there and behind the defaults", async () => {
    const given = jobWithoutUid();
    const mutate = async (object: JsonObject, request: JsonObject = {}): Promise<JsonObject> => {
      const { patch, ...rest } = await answer("forecast: annotation", reviewOf(object, request), "mutate");
      expect(rest).toEqual({ uid: "the-review", allowed: true, patchType: "JSONPatch" });
      const operations = JSON.parse(Buffer.from(patch!, "base64").toString()) as JsonPatchOperation[];
      return applyJsonPatch(structuredClone(object) as Json, operations) as JsonObject;
    };
    const text = "7 pods at most, gives up after 10 min 30 s";
    expect(await mutate(given)).toMatchObject({
      metadata: { annotations: { "stint.dev/forecast": text } },
      spec: { backoffLimit: 6 },
    });
    const metadata = { name: "pi", annotations: { a: "b", "stint.dev/forecast": "old" } };
    expect(await mutate({ ...given, metadata })).toMatchObject({
      metadata: { annotations: { a: "b", "stint.dev/forecast": text } },
    });
    expect(await mutate(cronJob(), { kind: BATCH_CRON_JOB })).toMatchObject({
      metadata: { annotations: { "stint.dev/forecast": text } },
    });
  });

  it("is no annotation without that, nor of an update that leaves the spec as it is", async () => {
    const { patch } = await answer("forecast: warning", reviewOf(jobWithoutUid()), "mutate");
    expect(Buffer.from(patch!, "base64").toString()).not.toContain("annotations");
    const same = await answer("forecast: annotation", update(storedJob(), storedJob()), "mutate");
    expect(same.patch === undefined ? "" : Buffer.from(same.patch, "base64").toString()).not.toContain("annotations");
  });
});

describe("answers", () => {
  const LOUD = "failOn: warn\nforecast: [warning, annotation]\nmaxPods: 1\nmaxDuration: 1s\nmaxPodHours: 0.1";

  it("that validate never have a patch, and those that mutate never deny or warn", async () => {
    for (const object of [job(), jobWithoutUid(), storedJob()]) {
      expect(await answer(LOUD, reviewOf(object))).not.toHaveProperty("patch");
      const mutating = await answer(LOUD, reviewOf(object), "mutate");
      expect(mutating).toMatchObject({ allowed: true });
      expect(mutating).not.toHaveProperty("warnings");
    }
  });

  it("have no warnings for a Job that a controller has made, but deny it", async () => {
    const made = job({
      metadata: {
        ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid: "c", controller: true }],
      },
    });
    expect(await answer("forecast: warning", reviewOf(made))).toEqual({ uid: "the-review", allowed: true });
    expect(await answer(SPEECH, reviewOf(made))).toMatchObject({ allowed: false });
  });

  it("have no more warnings than an API server passes on, and no control characters", () => {
    const finding = { rule: "X", action: "warn", field: "f", sentence: `a\u001b[2Jb\n${"c".repeat(300)}` } as const;
    const warnings = warningsOf(
      ["own"],
      "7 pods",
      Array.from({ length: 20 }, () => finding),
    );
    expect(warnings).toHaveLength(MAX_WARNINGS);
    expect(warnings.slice(0, 2)).toEqual(["own", "forecast: 7 pods"]);
    expect(warnings.at(-1)).toBe("and 11 more: stint lint shows all");
    for (const warning of warnings) {
      expect(warning.length).toBeLessThanOrEqual(MAX_WARNING_CHARACTERS);
      expect(warning).not.toMatch(/[\u0000-\u001f\u007f]/);
    }
    expect(warnings.join("").length).toBeLessThan(4096);
  });

  it("take the largest deadline that there is", async () => {
    const review = reviewOf(cronJob({}, { activeDeadlineSeconds: 4_711 }), { kind: BATCH_CRON_JOB });
    expect(await answer("maxDuration: 3650d", review.replace("4711", "9223372036854775807"))).toMatchObject({
      allowed: false,
      status: {
        message: expect.stringContaining("with spec.jobTemplate.spec.activeDeadlineSeconds 315359970 it fits"),
      },
    });
  });

  it("are refused for what cannot be read, so that failurePolicy decides", async () => {
    const broken = cronJob({ jobTemplate: { spec: { backoffLimit: "six" } } });
    await expect(answer("", reviewOf(broken, { kind: BATCH_CRON_JOB }))).rejects.toThrow(
      /^the question cannot be read: job\.spec\.backoffLimit: /,
    );
  });
});

/**
 * When a webhook is called, the API server has set all defaults. What lint says of a Job must not change by that, but
 * for what depends on who has set a field: there it is silent.
 */
describe("the Jobs of lint's vectors, with their defaults", () => {
  const folder = join(import.meta.dirname, "../../vectors/lint");
  interface Case {
    readonly name: string;
    readonly input?: { readonly job?: JsonObject; readonly context?: JsonObject };
    readonly refused?: string;
  }
  const cases = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => (JSON.parse(readFileSync(join(folder, file), "utf8")) as { cases: Case[] }).cases)
    .filter(({ input, refused }) => refused === undefined && input?.job?.["spec"] !== undefined);

  function withDefaults(object: JsonObject): JsonObject {
    const metadata = { ...(object["metadata"] as JsonObject | undefined) };
    delete metadata["uid"];
    const { response } = JSON.parse(engine.review(reviewOf({ ...object, metadata }))) as {
      response: AdmissionResponse;
    };
    if (response.patch === undefined) return object;
    const operations = JSON.parse(Buffer.from(response.patch, "base64").toString()) as JsonPatchOperation[];
    return applyJsonPatch({ ...object, metadata } as Json, operations) as JsonObject;
  }

  it("get the advice that they get as they are written, or less where the setter of a field is unknown", () => {
    const all = Object.fromEntries(Object.values(LintCode).map((code) => [code, "warn"]));
    const rule = Object.entries(all).map(([code, severity]) => `${code}=${severity}`);
    const profile = readProfile("all", "all.yaml", `rule: [${rule.join(", ")}]`);
    const silent = new Map<string, number>();
    for (const { name, input } of cases) {
      const context = { ...input!.context };
      const codes = (of: JsonObject): string[] =>
        findingsOf(
          engine,
          new Forecasts(engine, 0),
          { ...subjectOf({ kind: { group: "batch", kind: "Job" }, operation: "CREATE", object: of })!, context },
          profile,
        ).map(({ rule }) => rule);
      const written = engine.lint({ job: input!.job!, context, rules: profile.rule }, 0).advice.map(({ code }) => code);
      const defaulted = codes(withDefaults(input!.job!));
      expect([name, defaulted.filter((code) => !written.includes(code as LintCode))]).toEqual([name, []]);
      for (const code of written) if (!defaulted.includes(code)) silent.set(code, (silent.get(code) ?? 0) + 1);
    }
    expect(cases.length).toBeGreaterThan(100);
    expect([...silent.keys()].toSorted()).toEqual(["ReplacedWhileTerminating", "RetriesPastDeadline"]);
  });
});
