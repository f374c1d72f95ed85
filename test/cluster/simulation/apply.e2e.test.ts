/** Applying a manifest in the page comes to what kubectl makes of it, by objects and by words. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject, KubeObject } from "../../../cluster/values/types.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { hasKubectl, kubectl } from "../../host-node/kubectl.ts";
import { type Served, startServe } from "../../host-node/serving.ts";
import { threeWayPatch } from "../../../cluster/simulation/three-way-patch.ts";
import { Applied, applyYaml } from "../../../cluster/simulation/apply.ts";
import { Api } from "../../../cluster/simulation/api.ts";
import { CONFIG_MAPS, JOBS, resourcePath } from "../../../cluster/client/client.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Engine } from "../../../bindings/js/engine.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import { APPLY_CASES, type ApplyCase } from "./apply-cases.ts";
import { engineModule, jobYaml, run } from "./harness.ts";

/** What was done, in the end. */
interface Outcome {
  readonly object: JsonObject | undefined;
  /** Of each step. */
  readonly problems: readonly string[];
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** An object without what another server gives it: UIDs, times and versions. */
function comparable(object: KubeObject | undefined): JsonObject | undefined {
  if (object === undefined) return undefined;
  const { kind, metadata, ...rest } = JSON.parse(withoutUids(JSON.stringify(object))) as Record<string, any>;
  const { labels, annotations = {} } = metadata;
  delete annotations[LAST_APPLIED];
  delete rest["status"];
  delete rest["apiVersion"];
  return { ...rest, kind, labels: labels ?? {}, annotations } as Json as JsonObject;
}

function withoutUids(text: string): string {
  return text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UID");
}

/** A refusal, line by line, with the value in it as what it is: its members may be printed in another order. */
function wordsOf(problem: string): readonly unknown[] {
  return withoutUids(problem)
    .split("\n")
    .map((line) => {
      const [, before, value, after] = /^(.*?Invalid value: )(\{.*\})(: [^{}]*)$/.exec(line) ?? [];
      return value === undefined ? line : [before, JSON.parse(value), after];
    });
}

function kindOf({ steps }: ApplyCase): "job" | "configmap" {
  return String(steps[0]).includes("ConfigMap") ? "configmap" : "job";
}

function byThePage(given: ApplyCase, name: string): Outcome {
  const reviewer = Engine.createSync(engineModule);
  const cluster = new Cluster({
    clock: new VirtualClock(0),
    random: () => 0.5,
    admission: (review) => reviewer.review(review),
  });
  const to = { api: new Api(cluster), applied: new Applied([]), readYaml };
  const path = resourcePath(kindOf(given) === "job" ? JOBS : CONFIG_MAPS, "default", name);
  const problems = given.steps.map((step) => {
    if (typeof step === "string") return applyYaml(to, step.replaceAll("$name", name)).join("\n");
    const answer = to.api.mergePatch(path, { spec: step.patch });
    return answer.ok ? "" : answer.message;
  });
  const answer = to.api.get(path);
  return { object: comparable(answer.ok ? answer.object : undefined), problems };
}

describe.skipIf(!hasKubectl)("what kubectl makes of", () => {
  let served: Served;
  beforeAll(async () => {
    await buildModule("engine");
    served = await startServe();
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  async function byKubectl(given: ApplyCase, name: string): Promise<Outcome> {
    const problems: string[] = [];
    for (const step of given.steps) {
      const { err, status } =
        typeof step === "string"
          ? await kubectl(served, ["apply", "-f", "-"], step.replaceAll("$name", name))
          : await kubectl(served, ["patch", "job", name, "--type=merge", "-p", JSON.stringify({ spec: step.patch })]);
      problems.push(status === 0 ? "" : err.trim());
    }
    const { out, status } = await kubectl(served, ["get", kindOf(given), name, "-o", "json"]);
    return { object: status === 0 ? comparable(JSON.parse(out) as KubeObject) : undefined, problems };
  }

  test.each(APPLY_CASES.map((given, i) => ({ ...given, i })))("$name", async ({ i, ...given }) => {
    const there = await byKubectl(given, `case-${i}`);
    const here = byThePage(given, `case-${i}`);
    expect(here.object).toEqual(there.object);
    there.problems.forEach((problem, step) => {
      if (problem.includes('unknown field "spec.paralelism"'))
        // kubectl shows the whole patch; the page says which field may be meant.
        expect(here.problems[step]).toMatch(/^spec\.paralelism: unknown field of batch\/v1 Job; .*parallelism/);
      else expect(wordsOf(here.problems[step]!)).toEqual(wordsOf(problem.replace(/^error: /, "")));
    });
  });
});

test("the manifest that a run starts with counts as applied", () => {
  const before = jobYaml("activeDeadlineSeconds: 20\nbackoffLimit: 2\ncompletions: 1", '{ "runMs": 60000 }');
  const after = before.replace(/ *activeDeadlineSeconds.*\n/, "").replace(/ *backoffLimit.*\n/, "");
  expect(run(before).recorder.condition()).toBe("Failed DeadlineExceeded");
  const { recorder } = run(before, [{ atMs: 5_000, action: { kind: "apply", yaml: after } }]);
  expect(recorder.flags[0]!.problem).toBeUndefined();
  expect(recorder.condition()).toMatch(/^Complete/);
  expect(recorder.job()["spec"].backoffLimit).toBe(6);
  expect(recorder.job()["spec"].activeDeadlineSeconds).toBeUndefined();
});

test("an object that was deleted is created again, and then what was applied to the new one counts", () => {
  const [first, second, third] = ["parallelism: 2", "activeDeadlineSeconds: 500", ""].map((spec) =>
    jobYaml(spec, '{ "runMs": 60000 }'),
  ) as [string, string, string];
  const { recorder } = run(first, [
    { atMs: 1_000, action: { kind: "delete-job", namespace: "default", name: "pi" } },
    { atMs: 100_000, action: { kind: "apply", yaml: second } },
    { atMs: 101_000, action: { kind: "apply", yaml: third } },
  ]);
  expect(recorder.flags.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
  expect(recorder.job()["spec"].activeDeadlineSeconds).toBeUndefined();
});

test.each([
  [{}, {}, {}, {}],
  [{ a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
  [{ a: 1 }, {}, { a: 1, b: 2 }, { a: null }],
  [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 2, d: 4 } }, { a: { b: null, c: 3 } }],
  [{ a: { b: 1 } }, {}, { a: { b: 1, d: 4 } }, { a: null }],
  [{}, { a: {} }, {}, { a: {} }],
  [{}, { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, {}],
  [{}, { a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }] }, { a: [1, { b: 2 }] }],
  [{}, { a: null }, { a: 1 }, { a: null }],
  [{}, { a: { b: 1 } }, { a: 2 }, { a: { b: 1 } }],
])("a patch from %j over %j to %j is %j", (original, modified, current, patch) =>
  expect(threeWayPatch(original, modified, current)).toEqual(patch),
);
