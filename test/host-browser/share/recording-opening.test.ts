/** The Jobs of a recording as a manifest: whole, each once, whatever a line says. */
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { IngestKind } from "../../../bindings/js/engine.ts";
import { openingOf } from "../../../host-browser/share/recording-opening.ts";

const CONFIGURE = { call: "configure", configuration: { sources: [{ id: 3, resource: "jobs" }] } };
let revision = 0;

function job(metadata: object, spec: unknown = {}) {
  const resourceVersion = String(++revision);
  return { metadata: { namespace: "default", name: "pi", uid: `uid-${revision}`, resourceVersion, ...metadata }, spec };
}

const page = (...items: object[]) => ({
  call: "ingest",
  now: 1_000.5,
  source: 3,
  kind: IngestKind.page,
  text: JSON.stringify({ items }),
});

function jobsOf(...lines: object[]): any[] {
  const { yaml } = openingOf(lines.map((line) => JSON.stringify(line)));
  return parseAllDocuments(yaml).map((document) => document.toJS());
}

test("long lists are whole", () => {
  const args = Array.from({ length: 50 }, (_, i) => `--shard=${i}`);
  const spec = { template: { spec: { containers: [{ name: "main", args }] } } };
  expect(jobsOf(CONFIGURE, page(job({}, spec)))[0].spec).toEqual(spec);
});

test("a Job that was made again is there once, as it was first", () => {
  const again = page(job({}, { completions: 1 }), job({ namespace: "other" }), job({}, { completions: 2 }));
  const jobs = jobsOf(CONFIGURE, again);
  expect(jobs.map(({ metadata, spec }) => [metadata.namespace, spec.completions])).toEqual([
    ["default", 1],
    ["other", undefined],
  ]);
});

test("labels that are null are none", () => {
  const [found] = jobsOf(CONFIGURE, page(job({ labels: null }, { template: { metadata: { labels: null } } })));
  expect(found.metadata).toEqual({ name: "pi", namespace: "default" });
});

test.each([[{}], [5], [[null]], [null]])("sources that are %j have no Jobs", (sources) => {
  expect(jobsOf({ call: "configure", configuration: { sources } }, page(job({})))).toEqual([]);
});
