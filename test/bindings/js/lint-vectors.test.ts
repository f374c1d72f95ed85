/**
 * Plays the lint vectors (test/vectors/lint/README.md) on the built engine, and the examples of docs/lint.md. Policies
 * are compared with a naive twin, too.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Advice, EngineError, ErrorCode, LintCode, type LintQuestion } from "../../../bindings/js/engine.ts";
import { jobIn } from "../../../host-node/manifests/job-in.ts";
import { deadRules, type FailurePolicy } from "../../naive/dead-rules.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { newEngine } from "./vector-files.ts";
import { tries } from "../../tries.ts";

/** A lint vector, as test/vectors/lint/README.md describes it. */
interface LintVector {
  readonly name: string;
  readonly nowMs: number;
  readonly input?: LintQuestion;
  /** Bytes that are no question. */
  readonly text?: string;
  readonly code?: string;
  readonly advice?: Partial<Advice> | null;
  readonly codes?: readonly string[];
  /** A part of the refusal. */
  readonly refused?: string;
}

const repository = path.resolve(import.meta.dirname, "../../..");
const folder = path.join(repository, "test/vectors/lint");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const casesOf = (file: string): readonly LintVector[] =>
  (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { cases: LintVector[] }).cases;
const all = files.flatMap((file) => casesOf(file));
const codes: readonly string[] = Object.values(LintCode);
const NOW_MS = 1_767_225_610_000;

const engine = await newEngine();

describe.each(files)("%s", (file) => {
  test.each(casesOf(file))("$name", ({ text, input, nowMs, code, advice: wanted, codes: all, refused }) => {
    const ask = () => engine.lint(text ?? input!, nowMs);
    if (refused !== undefined) {
      expect(ask).toThrow(EngineError);
      expect(ask).toThrow(refused);
      return;
    }
    const { advice } = ask();
    if (all !== undefined) expect(advice.map((each) => each.code)).toEqual(all);
    const about = advice.filter((each) => each.code === code);
    if (code !== undefined) expect(about).toMatchObject(wanted === null ? [] : [wanted!]);
    for (const { sentence, fix } of advice) {
      expect(sentence).toMatch(/^[^\s.][^{}|]*[^\s.]$/);
      expect(fix).toMatch(/^[a-z][^{}|]*[^\s.]$/);
    }
  });
});

test("vectors have unique names", () => {
  expect(all.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test.each(codes)("%s has a file of vectors, with one that gives its advice and one that gives none", (code) => {
  const vectors = casesOf(`${code.replace(/(?<=.)[A-Z]/g, "-$&").toLowerCase()}.json`);
  expect([...new Set(vectors.map((vector) => vector.code))]).toEqual([code]);
  expect(new Set(vectors.map((vector) => vector.advice === null)).size).toBe(2);
});

describe("docs/lint.md", () => {
  const page = readFileSync(path.join(repository, "docs/lint.md"), "utf8");
  // What the examples cannot show, for it is not in a Job.
  const contexts: Record<string, LintQuestion["context"]> = {
    ParallelismAboveQuota: { quota: { pods: 4 } },
    SameName: { earlier: "jobs.yaml:1" },
    QuotaNeedsResources: { quota: { "requests.cpu": 4 } },
    BudgetBlocksDrains: {
      disruptionBudgets: [{ spec: { maxUnavailable: 1, selector: { matchLabels: { app: "import" } } } }],
    },
    TimeToLiveInCronJob: { cronJob: { metadata: { name: "nightly" }, spec: { schedule: "0 0 * * *" } } },
  };

  const CRON_JOB_FIELDS = ["schedule", "startingDeadlineSeconds", "failedJobsHistoryLimit"];

  test.each(codes)("has an example of %s", (code) => {
    const section = page.split(`\n### ${code}\n`)[1]!.split(/^#/m)[0]!;
    const [, example] = [...section.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].at(-1)!;
    const object = parse(example!) as { readonly spec?: object };
    const isCronJob = CRON_JOB_FIELDS.some((field) => field in (object.spec ?? {}));
    const whole = { apiVersion: "batch/v1", kind: isCronJob ? "CronJob" : "Job", ...object };
    const { job, context } = jobIn(whole, "default")!;
    const { advice } = engine.lint({ job, context: { ...context, ...contexts[code] } }, NOW_MS);
    expect(advice.map((each) => each.code)).toContain(code);
  });
});

test("lint() changes nothing, and works before configure()", async () => {
  const fresh = await newEngine();
  const job = { spec: { backoffLimit: 1 } };
  const first = fresh.lint({ job }, NOW_MS);
  fresh.configure({
    instance: "l",
    sources: [
      { id: 0, resource: "jobs" },
      { id: 1, resource: "pods" },
    ],
  });
  const before = fresh.poll(1000, 10);
  expect(fresh.lint({ job }, NOW_MS)).toEqual(first);
  expect(fresh.poll(1000, 10)).toEqual(before);
  expect(fresh.metrics()["jobs"]).toBe(0);
});

test("an answer has at most 200 pieces of advice", () => {
  const containers = Array.from({ length: 300 }, (_, i) => ({
    name: `c${i}`,
    resources: { requests: { memory: "1Gi" } },
  }));
  expect(engine.lint({ job: { spec: { template: { spec: { containers } } } } }, NOW_MS).advice).toHaveLength(200);
});

test("a time that is none is refused", () => {
  expect(() => engine.lint({ job: {} }, -1)).toThrow(expect.objectContaining({ code: ErrorCode.badJson }));
});

test("rules of a policy that never decide are those of a naive twin", () => {
  const random = seededRandom(1);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const names = ["a", "b"];
  let found = 0;
  for (let i = 0; i < tries(20_000); i++) {
    const containers = names.slice(0, 1 + below(2));
    const rules = Array.from({ length: 1 + below(5) }, () => {
      if (below(4) === 0) {
        const types = Array.from({ length: 1 + below(2) }, () => ({
          type: pick(["DisruptionTarget", "X"]),
          status: pick(["True", "False"]),
        }));
        return { action: "Count", onPodConditions: types };
      }
      const values = [...new Set(Array.from({ length: 1 + below(3) }, () => pick([1, 2, 3, 255, 256])))];
      const containerName = pick([undefined, ...containers]);
      return {
        action: "Count",
        onExitCodes: { operator: pick(["In", "In", "NotIn"]), values, ...(containerName && { containerName }) },
      };
    });
    const policy: FailurePolicy = { rules };
    const spec = {
      podFailurePolicy: policy,
      template: { spec: { containers: containers.map((name) => ({ name })) } },
    };
    const { advice } = engine.lint({ job: { spec } }, NOW_MS);
    const dead = advice.filter(({ code }) => code === "RuleNeverMatches" || code === "RuleShadowed");
    expect(
      dead.map(({ numbers }) => numbers["rule"]),
      JSON.stringify(policy),
    ).toEqual(deadRules(policy, containers));
    found += dead.length;
  }
  expect(found).toBeGreaterThan(1000);
});
