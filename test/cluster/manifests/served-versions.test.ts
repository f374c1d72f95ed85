/** Versions of Jobs and CronJobs that Kubernetes does not serve: the sentence, and what the object is read as. */
import { expect, it } from "vitest";
import { diagnosticText } from "../../../cluster/manifests/diagnostic.ts";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";

const parse = (apiVersion: string, kind: string): ReturnType<typeof parseManifests> =>
  parseManifests({ file: "j", text: `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n` }, readYaml);

it.each<[string, string, string]>([
  [
    "batch/v1beta1",
    "CronJob",
    "j:1:13: apiVersion: here is batch/v1beta1 CronJob, which Kubernetes does not serve since 1.25; use batch/v1, which it serves since 1.21",
  ],
  [
    "batch/v2alpha1",
    "CronJob",
    "j:1:13: apiVersion: here is batch/v2alpha1 CronJob, which Kubernetes does not serve since 1.21; use batch/v1, which it serves since 1.21",
  ],
  [
    "extensions/v1beta1",
    "Job",
    "j:1:13: apiVersion: here is extensions/v1beta1 Job, which Kubernetes does not serve since 1.6; use batch/v1, which it serves since 1.2",
  ],
  [
    "batch/v1beta1",
    "Job",
    "j:1:13: apiVersion: here is batch/v1beta1 Job, which Kubernetes does not serve; use batch/v1",
  ],
  ["v1", "Job", "j:1:13: apiVersion: here is v1 Job, which Kubernetes does not serve; use batch/v1"],
  ["apps/v1", "CronJob", "j:1:13: apiVersion: here is apps/v1 CronJob, which Kubernetes does not serve; use batch/v1"],
  [
    "batch/v1",
    "job",
    "j:2:7: kind: here is batch/v1 job, a kind that Kubernetes does not serve; did you mean batch/v1 Job?",
  ],
  [
    "batch/v1beta1",
    "Cronjob",
    "j:2:7: kind: here is batch/v1beta1 Cronjob, a kind that Kubernetes does not serve; did you mean batch/v1 CronJob?",
  ],
])("%s %s", (apiVersion, kind, message) => {
  const { manifests, diagnostics } = parse(apiVersion, kind);
  expect(diagnostics.map(diagnosticText)).toEqual([message]);
  expect(manifests[0]!.wrongHead).toEqual(diagnostics[0]);
  expect(manifests[0]!.object.apiVersion).toBe("batch/v1");
  expect(manifests[0]!.object.kind).toMatch(/^(Job|CronJob)$/);
});

it("a kind that is like none cannot be read", () => {
  const { manifests, diagnostics } = parse("batch/v1", "Workflow");
  expect(manifests).toEqual([]);
  expect(diagnostics.map(diagnosticText)).toEqual([
    "j:2:7: kind: here is batch/v1 Workflow, a kind that Kubernetes does not serve",
  ]);
});

it.each([
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
  ["batch.volcano.sh/v1alpha1", "Job"],
  ["apps/v1", "Deployment"],
])("%s %s is taken as it is", (apiVersion, kind) => {
  const { manifests, diagnostics } = parse(apiVersion, kind);
  expect(diagnostics).toEqual([]);
  expect(manifests[0]!.object).toMatchObject({ apiVersion, kind });
  expect(manifests[0]!.wrongHead).toBeUndefined();
});
