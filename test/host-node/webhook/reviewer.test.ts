/** Reviews beside those of transcripts/webhook.txt: mutation, verdicts, and what happens to an engine that fails. */
import { beforeAll, describe, expect, it } from "vitest";
import { Engine, EngineError, MAX_REVIEW_BYTES } from "../../../bindings/js/engine.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../../cluster/apiserver/patch/json-patch.ts";
import { type EngineModule, loadEngineModule } from "../../../host-node/engine-module.ts";
import { type Outcome, type Phase, Reviewer, type ReviewingEngine } from "../../../host-node/webhook/reviewer.ts";
import { type AdmissionResponse, job, jobWithoutUid, responseIn, reviewOf, storedJob } from "./reviews.ts";

let module: EngineModule;
beforeAll(async () => (module = await loadEngineModule()));
const createEngine = (): Promise<Engine> => Engine.create(module.module);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What an engine is asked beside reviews. */
const asking = (engine: Engine): Pick<Engine, "lint" | "forecast"> => ({
  lint: (question, nowMs) => engine.lint(question, nowMs),
  forecast: (question, nowMs) => engine.forecast(question, nowMs),
});

const ask = (phase: Phase, review: string, reviewer = new Reviewer(createEngine)): Promise<Outcome> =>
  reviewer.review(phase, bytes(review));
async function answer(phase: Phase, review: string): Promise<AdmissionResponse> {
  const outcome = await ask(phase, review);
  if (outcome.type !== "answered") throw new Error(outcome.reason);
  return responseIn(outcome.body);
}

const BAD = {
  spec: {
    completions: -1,
    template: {
      metadata: { labels: { "a key": "x" } },
      spec: { restartPolicy: "Always", containers: [{ name: "main", image: "i" }] },
    },
  },
};
const WARNED = { metadata: { name: "a.b" } };

describe("mutating", () => {
  it("sets defaults by a JSON patch; a second pass changes nothing", async () => {
    const given = jobWithoutUid();
    const response = await answer("mutate", reviewOf(given));
    expect(response).toEqual({ uid: "the-review", allowed: true, patchType: "JSONPatch", patch: expect.any(String) });
    const operations = JSON.parse(Buffer.from(response.patch!, "base64").toString()) as JsonPatchOperation[];
    const mutated = applyJsonPatch(structuredClone(given), operations) as typeof given;
    expect(mutated).toMatchObject({
      spec: { completions: 1, parallelism: 1, backoffLimit: 6, suspend: false, completionMode: "NonIndexed" },
    });
    expect(await answer("mutate", reviewOf(mutated))).toEqual({ uid: "the-review", allowed: true });
  });

  it.each([
    ["what the validating phase refuses", reviewOf(job(BAD), { operation: "UPDATE", oldObject: storedJob() })],
    ["an object that cannot be read as a Job", reviewOf(jobWithoutUid({ template: 5 }))],
  ])("refuses nothing, and patches nothing: %s", async (_, review) => {
    expect(await answer("mutate", review)).toEqual({ uid: "the-review", allowed: true });
    expect(await answer("validate", review)).toMatchObject({ allowed: false });
  });

  it("leaves warnings to the validating phase", async () => {
    expect(await answer("mutate", reviewOf(job(WARNED)))).not.toHaveProperty("warnings");
  });
});

describe("the verdict, for metrics and the log", () => {
  it("names the object and its fields, and nothing that is in it", async () => {
    const outcome = await ask("validate", reviewOf(job(BAD)));
    expect(outcome).toMatchObject({
      verdict: { uid: "the-review", allowed: false, kind: "Job", name: "pi", warnings: 0 },
    });
    const { fields } = (outcome as Extract<Outcome, { type: "answered" }>).verdict;
    expect(fields).toEqual(expect.arrayContaining(["spec.completions", "spec.template.spec.restartPolicy"]));
    expect(JSON.stringify(fields)).not.toContain("a key");
  });

  it("has no keys of maps, but indexes of lists, and at most 16 fields", async () => {
    const engine = {
      ...asking(await createEngine()),
      memoryBytes: 0,
      review: () =>
        JSON.stringify({
          response: {
            uid: "u",
            allowed: false,
            status: {
              details: {
                causes: ["a[0].b[my key].c", ...Array.from({ length: 20 }, () => "x")].map((field) => ({ field })),
              },
            },
          },
        }),
    };
    const outcome = (await ask("validate", "{}", new Reviewer(async () => engine))) as Extract<
      Outcome,
      { type: "answered" }
    >;
    expect(outcome.verdict.fields).toHaveLength(16);
    expect(outcome.verdict.fields[0]).toBe("a[0].b[…].c");
  });

  it("counts warnings", async () => {
    expect(await ask("validate", reviewOf(job(WARNED)))).toMatchObject({ verdict: { allowed: true, warnings: 1 } });
  });
});

describe("what is no AdmissionReview", () => {
  it.each([
    ["{", /^the review cannot be read: .+, at byte \d+$/],
    ["[]", /^the input is apiVersion "", kind ""/],
    [
      reviewOf(job()).replace("admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
      /apiVersion "admission\.k8s\.io\/v1beta1", kind "AdmissionReview": only an AdmissionReview of admission\.k8s\.io\/v1 is answered$/,
    ],
    [JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" }), /has no request with a uid/],
    [`"${" ".repeat(MAX_REVIEW_BYTES)}"`, /^the review has 8388610 bytes: at most 8388608 are read$/],
  ])("is refused with a reason: %#", async (text, reason) => {
    expect(await ask("validate", text)).toEqual({ type: "unreadable", reason: expect.stringMatching(reason) });
  });
});

describe("an engine that fails", () => {
  /** Traps on what contains "trap". */
  const fragile = (engine: Engine): ReviewingEngine => ({
    ...asking(engine),
    memoryBytes: 7,
    review: (input) => {
      if (new TextDecoder().decode(input).includes("trap"))
        throw new EngineError(-1, "the engine stopped: unreachable; discard it and list again");
      return engine.review(input);
    },
  });

  it("is replaced, and nothing but that one request fails", async () => {
    let made = 0;
    const reviewer = new Reviewer(async () => {
      made++;
      return fragile(await createEngine());
    });
    const reviews = [reviewOf(job()), "trap", reviewOf(job()), "{"];
    const outcomes: Outcome[] = [];
    for (const review of reviews) outcomes.push(await ask("validate", review, reviewer));
    expect(outcomes.map(({ type }) => type)).toEqual(["answered", "failed", "answered", "unreadable"]);
    expect(outcomes[1]).toEqual({
      type: "failed",
      reason: "the engine stopped: unreachable; discard it and list again",
    });
    expect(made).toBe(2);
  });

  it("fails a request when there can be none, and is tried again with the next one", async () => {
    let attempts = 0;
    const reviewer = new Reviewer(async () => {
      if (attempts++ === 0) throw new Error("no memory");
      return createEngine();
    });
    expect(reviewer.memoryBytes).toBe(0);
    expect(await ask("validate", reviewOf(job()), reviewer)).toEqual({ type: "failed", reason: "no memory" });
    expect(await ask("validate", reviewOf(job()), reviewer)).toMatchObject({ type: "answered" });
    expect(reviewer.memoryBytes).toBeGreaterThan(0);
  });

  it("keeps its memory over many reviews", async () => {
    const reviewer = new Reviewer(createEngine);
    for (let i = 0; i < 50; i++) await ask("validate", reviewOf(job(BAD)), reviewer);
    const before = reviewer.memoryBytes;
    for (let i = 0; i < 2000; i++) await ask("validate", reviewOf(job(BAD)), reviewer);
    expect(reviewer.memoryBytes).toBe(before);
  });
});
