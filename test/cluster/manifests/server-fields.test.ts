/** What a server adds to an object is taken out of it, and named; everything else stays. */
import { describe, expect, it } from "vitest";
import { parseManifests } from "../../../cluster/manifests/manifests.ts";
import { serverFieldsNote, withoutServerFields } from "../../../cluster/manifests/server-fields.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";

const UID = "2585d759-5c3d-45c3-8b6c-a3174b04296d";
const GENERATED = {
  "batch.kubernetes.io/controller-uid": UID,
  "batch.kubernetes.io/job-name": "j",
  "controller-uid": UID,
  "job-name": "j",
};
const WRITTEN: JsonObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j", labels: { app: "a" }, annotations: { "a/b": "c" }, ownerReferences: [{ kind: "CronJob" }] },
  spec: { manualSelector: false, template: { metadata: { labels: { app: "a" } }, spec: { restartPolicy: "Never" } } },
};

/** As the API server shows it. */
function live(job: JsonObject, labels: JsonObject = GENERATED): JsonObject {
  const { metadata, spec } = job as { metadata: JsonObject; spec: JsonObject };
  const template = spec["template"] as { metadata: JsonObject; spec: JsonObject };
  return {
    ...job,
    metadata: {
      ...metadata,
      uid: UID,
      resourceVersion: "7",
      generation: 1,
      creationTimestamp: "2026-11-28T05:10:51Z",
      selfLink: "/apis/batch",
      managedFields: [{}],
      deletionTimestamp: "2026-11-28T05:10:51Z",
      deletionGracePeriodSeconds: 0,
      annotations: {
        ...(metadata["annotations"] as JsonObject),
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "batch.kubernetes.io/job-tracking": "",
      },
      labels: { ...(metadata["labels"] as JsonObject), ...labels },
    },
    spec: {
      ...spec,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": UID } },
      template: { ...template, metadata: { labels: { ...(template.metadata["labels"] as JsonObject), ...labels } } },
    },
    status: { succeeded: 1 },
  };
}

describe("withoutServerFields", () => {
  it("gives the manifest back that a live object came from, and names each field", () => {
    const given = live(WRITTEN);
    const before = structuredClone(given);
    const { object, dropped } = withoutServerFields(given);
    expect(object).toEqual(WRITTEN);
    expect(given).toEqual(before);
    expect(dropped).toEqual([
      "metadata.creationTimestamp",
      "metadata.deletionGracePeriodSeconds",
      "metadata.deletionTimestamp",
      "metadata.generation",
      "metadata.managedFields",
      "metadata.resourceVersion",
      "metadata.selfLink",
      "metadata.uid",
      "metadata.annotations[kubectl.kubernetes.io/last-applied-configuration]",
      ...["batch.kubernetes.io/controller-uid", "controller-uid", "batch.kubernetes.io/job-name", "job-name"].map(
        (name) => `metadata.labels[${name}]`,
      ),
      "spec.selector",
      ...["batch.kubernetes.io/controller-uid", "controller-uid", "batch.kubernetes.io/job-name", "job-name"].map(
        (name) => `spec.template.metadata.labels[${name}]`,
      ),
      "status",
    ]);
  });

  it("knows the labels of older servers, alone", () => {
    const old = live(WRITTEN, { "controller-uid": UID, "job-name": "j" });
    const { spec } = old as { spec: JsonObject };
    const { object } = withoutServerFields({
      ...old,
      spec: { ...spec, selector: { matchLabels: { "controller-uid": UID } } },
    });
    expect(object).toEqual(WRITTEN);
  });

  it("leaves a manifest alone, and what the user selects", () => {
    expect(withoutServerFields(WRITTEN)).toEqual({ object: WRITTEN, dropped: [] });
    const spec = {
      manualSelector: true,
      selector: { matchLabels: { "controller-uid": "mine" } },
      template: { metadata: { labels: { "controller-uid": "mine", "job-name": "mine" } } },
    };
    const own: JsonObject = { ...WRITTEN, spec };
    expect(withoutServerFields(own).object).toEqual(own);
    const named: JsonObject = { ...WRITTEN, spec: { template: { metadata: { labels: { "job-name": "mine" } } } } };
    expect(withoutServerFields(named).object).toEqual(named);
    const selecting: JsonObject = { ...WRITTEN, spec: { selector: { matchLabels: { app: "a" } } } };
    expect(withoutServerFields(selecting).object).toEqual(selecting);
  });

  it("says nothing of what kubectl create --dry-run writes", () => {
    const object: JsonObject = { ...WRITTEN, metadata: { name: "j", creationTimestamp: null }, status: {} };
    expect(withoutServerFields(object).dropped).toEqual([]);
    expect(withoutServerFields(object).object["status"]).toBeUndefined();
  });

  it.each([
    { kind: "Job", metadata: [], spec: "x", status: 5 },
    { kind: "Job", metadata: { labels: 5, annotations: [] }, spec: { selector: [], template: null } },
    { kind: "Job", metadata: null, spec: { selector: { matchLabels: {} }, template: { metadata: { labels: [] } } } },
  ])("takes values of any type: %j", (object) => {
    expect(() => withoutServerFields(object as JsonObject)).not.toThrow();
  });
});

it("one sentence names the server's fields of all objects", () => {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: [live(WRITTEN), live(WRITTEN), WRITTEN] });
  const { manifests, diagnostics } = parseManifests({ file: "l.json", text }, readYaml);
  expect(diagnostics).toEqual([]);
  expect(manifests.map(({ object }) => object)).toEqual([WRITTEN, WRITTEN, WRITTEN]);
  expect(serverFieldsNote(manifests)).toBe(
    "passed over the fields that a server has added (2 objects, first l.json:1): metadata.creationTimestamp, metadata.deletionGracePeriodSeconds, metadata.deletionTimestamp and 16 more",
  );
  expect(serverFieldsNote(manifests.slice(2))).toBeUndefined();
});

it("who sends objects to a server that has them keeps the fields", () => {
  const text = JSON.stringify(live(WRITTEN));
  const { manifests } = parseManifests({ file: "j", text }, readYaml, { isVerbatim: true });
  expect(manifests[0]!.object).toEqual(live(WRITTEN));
});
