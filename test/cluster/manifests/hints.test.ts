/** A hint about an unknown field is one that can be followed: the API server refuses nothing else because of it. */
import { assert, constantFrom, integer, property } from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { type ApiResource, CRON_JOBS, JOBS } from "../../../cluster/client/client.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { attemptIn } from "../../../cluster/manifests/dry-run.ts";
import { parseFieldPath } from "../../../cluster/manifests/field-path.ts";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { statusDiagnostics } from "../../../cluster/manifests/status-diagnostics.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

let cluster: Cluster;
beforeAll(async () => {
  await buildModule("engine");
  const engine = await Engine.create((await loadEngineModule()).module);
  cluster = new Cluster({
    clock: new VirtualClock(0),
    random: () => 0.5,
    admission: (review) => engine.review(review),
    moreResources,
  });
});

const template = { spec: { restartPolicy: "Never", containers: [{ name: "m", image: "busybox" }] } };
const JOB = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { template } };
const CRON_JOB = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "c" },
  spec: { schedule: "0 1 * * *", jobTemplate: { spec: { template } } },
};
const KINDS: readonly { readonly resource: ApiResource; readonly object: JsonObject; readonly parents: string[] }[] = [
  {
    resource: JOBS,
    object: JOB,
    parents: ["", "spec", "spec.template", "spec.template.spec", "spec.template.spec.containers[0]", "metadata"],
  },
  {
    resource: CRON_JOBS,
    object: CRON_JOB,
    parents: [
      ...["", "spec", "spec.jobTemplate", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template"],
      ...["spec.jobTemplate.spec.template.spec", "spec.jobTemplate.spec.template.spec.containers[0]", "metadata"],
    ],
  },
];
/** Fields of all levels, some misspelt, with values that they may have at their place, and others. */
const FIELDS: readonly (readonly [string, Json])[] = [
  ["backoffLimit", 1],
  ["backofLimit", 1],
  ["activeDeadlineSeconds", 5],
  ["startingDeadlineSeconds", 60],
  ["ttlSecondsAfterFinished", 60],
  ["concurrencyPolicy", "Forbid"],
  ["concurrencyPolicy", "forbid"],
  ["schedule", "0 1 * * *"],
  ["shedule", "0 1 * * *"],
  ["timeZone", "Europe/Berlin"],
  ["restartPolicy", "Never"],
  ["restartPolicy", "Always"],
  ["command", ["date"]],
  ["command", "date"],
  ["image", "busybox"],
  ["containers", [{ name: "o", image: "i" }]],
  ["template", template],
  ["parallelism", -1],
  ["paralelism", 2],
  ["serviceAccountName", "x"],
  ["labels", { a: "b" }],
  ["name", "x"],
  ["port", 80],
  ["xyzzy", 1],
];

function withMember(at: Json | undefined, path: readonly (string | number)[], value: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value!;
  if (Array.isArray(at)) return at.map((item, i) => (i === step ? withMember(item, rest, value) : item));
  const { [step]: old, ...others } = (at ?? {}) as JsonObject;
  if (rest.length === 0 && value === undefined) return others;
  return { ...others, [step]: withMember(old, rest, value) };
}

function valueIn(at: Json | undefined, path: readonly (string | number)[]): Json | undefined {
  return path.reduce((value: any, step) => value?.[step], at);
}

const textsOf = (resource: ApiResource, object: JsonObject): string[] => {
  const attempt = attemptIn(cluster, resource, "default");
  const refusal = attempt(object, "Strict");
  const [manifest] = parseManifests({ file: "f", text: JSON.stringify(object) }, readYaml).manifests;
  return refusal === undefined ? [] : statusDiagnostics(manifest!, refusal, attempt).map(({ message }) => message);
};
/** Without the hints. */
const problemsOf = (texts: readonly string[]): string[] => texts.map((text) => text.split("; did you mean ")[0]!);

function hintIn(texts: readonly string[], path: string): string | undefined {
  const line = texts.find((text) => text.startsWith(`${path}: unknown field`));
  return /; did you mean (.*)\?$/.exec(line ?? "")?.[1];
}

it("hints about any field at any place: what the server says after it was followed, it said before", () => {
  let followed = 0;
  const kinds = constantFrom(...KINDS);
  assert(
    property(
      kinds,
      integer({ min: 0, max: 99 }),
      constantFrom(...FIELDS),
      ({ resource, object, parents }, n, field) => {
        const [name, value] = field;
        const parent = parents[n % parents.length]!;
        const path = parent === "" ? name : `${parent}.${name}`;
        const segments = parseFieldPath(path);
        if (valueIn(object, segments) !== undefined) return;
        const wrong = withMember(object, segments, value) as JsonObject;
        const texts = textsOf(resource, wrong);
        const hint = hintIn(texts, path);
        if (hint === undefined) return;
        followed++;
        const to = parseFieldPath(hint.includes(".") ? hint : [...segments.slice(0, -1), hint].join("."));
        const steps = to.flatMap((step, i) =>
          Array.isArray(valueIn(wrong, to.slice(0, i + 1))) && i < to.length - 1 ? [step, 0] : [step],
        );
        const target = hint.includes(".") ? steps : [...segments.slice(0, -1), hint];
        const right = withMember(withMember(wrong, segments, undefined), target, value) as JsonObject;
        const after = textsOf(resource, right);
        expect(after, `${path} to ${hint}`).not.toContain(texts.find((text) => text.startsWith(`${path}:`)));
        expect(problemsOf(texts)).toEqual(expect.arrayContaining(problemsOf(after)));
      },
    ),
    { seed: 7, numRuns: 300 },
  );
  expect(followed).toBeGreaterThan(40);
});

it.each([
  ["spec.ttlSecondsAfterFinished", 60, "spec.jobTemplate.spec.ttlSecondsAfterFinished"],
  ["spec.activeDeadlineSeconds", 5, "spec.jobTemplate.spec.activeDeadlineSeconds"],
  ["spec.jobTemplate.spec.concurrencyPolicy", "Forbid", "spec.concurrencyPolicy"],
  ["spec.jobTemplate.spec.concurrencyPolicy", "forbid", undefined],
  ["spec.concurencyPolicy", "Forbid", "concurrencyPolicy"],
  ["spec.restartPolicy", "Always", undefined],
])("hints about a CronJob: %s: %j", (path, value, hint) => {
  const object = withMember(CRON_JOB, parseFieldPath(path), value) as JsonObject;
  expect(hintIn(textsOf(CRON_JOBS, object), path)).toBe(hint);
});

it("a field whose place is taken is one of two", () => {
  const spec = { ...CRON_JOB.spec, suspend: true, suspnd: false };
  const texts = textsOf(CRON_JOBS, { ...CRON_JOB, spec, schedule: "1 1 * * *" });
  expect(texts).toEqual(
    [
      "schedule: unknown field of batch/v1 CronJob; its place is spec.schedule, which has a value already: remove one of them",
      "spec.suspnd: unknown field of batch/v1 CronJob; did you mean suspend, which has a value already? Remove one of them",
    ].toSorted((a, b) => texts.indexOf(a) - texts.indexOf(b)),
  );
});
