/** Deletion: docs/spec/api.md section 4, and namespaces in 6.10. */
import { describe, expect, test } from "vitest";
import { configMap, configMaps, Harness, job, jobs, pod, pods } from "../harness.ts";

const orphanWarning = [
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"',
];

function withJob(finalizers: string[] = []): Harness {
  const harness = new Harness();
  harness.post(jobs, job("j", {}, { finalizers }));
  return harness;
}
const background = { propagationPolicy: "Background" };
const foreground = { propagationPolicy: "Foreground" };

describe("propagation", () => {
  test("Foreground marks and keeps the object until its finalizer goes", () => {
    const harness = withJob();
    const { body } = harness.delete(`${jobs}/j`, foreground);
    expect(body.metadata).toMatchObject({
      finalizers: ["foregroundDeletion"],
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: "2026-11-21T09:48:50Z",
      generation: 2,
    });
    harness.merge(`${jobs}/j`, { metadata: { finalizers: null } });
    expect(harness.get(`${jobs}/j`).status).toBe(404);
  });

  test("Background with other finalizers adds none", () => {
    const { body } = withJob(["x/y"]).delete(`${jobs}/j`, background);
    expect(body.metadata.finalizers).toEqual(["x/y"]);
  });

  test("deleting again keeps what was decided, or decides again", () => {
    const harness = withJob();
    const first = harness.delete(`${jobs}/j`, foreground).body;
    expect(harness.delete(`${jobs}/j`).body).toEqual(first);
    expect(harness.delete(`${jobs}/j`, background).body).toMatchObject({ status: "Success" });
    expect(harness.get(`${jobs}/j`).status).toBe(404);
  });

  test("the default applies again when the finalizer was taken off", () => {
    const harness = withJob(["x/y"]);
    const first = harness.delete(`${jobs}/j`).body;
    harness.merge(`${jobs}/j`, { metadata: { finalizers: ["x/y"] } });
    const again = harness.delete(`${jobs}/j`).body;
    expect(again.metadata.finalizers).toEqual(["x/y", "orphan"]);
    expect(again.metadata.generation).toBe(first.metadata.generation);
    expect(Number(again.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
  });

  test("orphanDependents: false is Background, and 202 while the object stays", () => {
    expect(withJob(["x/y"]).delete(`${jobs}/j`, { orphanDependents: false }).status).toBe(202);
    expect(withJob().delete(`${jobs}/j`, { orphanDependents: false }).status).toBe(200);
    expect(withJob().delete(`${jobs}/j`, { orphanDependents: true }).body.metadata.finalizers).toEqual(["orphan"]);
  });

  test("options may come in the query; with a body the query is ignored", () => {
    expect(withJob().delete(`${jobs}/j?propagationPolicy=Background`).body.status).toBe("Success");
    expect(withJob().delete(`${jobs}/j?propagationPolicy=Background`, foreground).body.metadata.finalizers).toEqual([
      "foregroundDeletion",
    ]);
  });

  test("the warning about orphans comes before everything else", () => {
    expect(withJob().delete(`${jobs}/none`).headers["warning"]).toEqual(orphanWarning);
    expect(withJob().delete(`${jobs}/j`, background).headers).not.toHaveProperty("warning");
    const harness = new Harness();
    harness.post(configMaps, configMap("a"));
    expect(harness.delete(`${configMaps}/a`).headers).not.toHaveProperty("warning");
  });
});

describe("options that are refused", () => {
  const cases: readonly (readonly [unknown, number, string])[] = [
    [
      { propagationPolicy: "X" },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "X": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: "Orphan", orphanDependents: true },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { kind: "Foo", apiVersion: "v1" },
      400,
      'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { gracePeriodSeconds: "x" },
      400,
      "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    ["{", 400, "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      { dryRun: ["x"] },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
    ],
  ];
  for (const [options, code, message] of cases) {
    test(message, () => {
      const { status, body } = withJob().delete(`${jobs}/j`, options);
      expect([status, body.message]).toEqual([code, message]);
    });
  }

  test("a body of another type", () => {
    expect(withJob().send("DELETE", `${jobs}/j`, "x", { "content-type": "text/plain" }).status).toBe(415);
  });
});

test("preconditions name the Kind", () => {
  const harness = withJob();
  const { body } = harness.delete(`${jobs}/j`, { ...background, preconditions: { resourceVersion: "1" } });
  expect(body.message).toMatch(
    /^Operation cannot be fulfilled on Job\.batch "j": the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)\. The object might have been modified$/,
  );
  expect(body.details).toEqual({ name: "j", group: "batch", kind: "Job" });
});

test("a dry run answers as if and changes nothing", () => {
  const harness = withJob();
  expect(harness.delete(`${jobs}/j`, { ...background, dryRun: ["All"] }).body.status).toBe("Success");
  expect(harness.delete(`${jobs}/j`, { ...foreground, dryRun: ["All"] }).body.metadata.finalizers).toEqual([
    "foregroundDeletion",
  ]);
  expect(harness.get(`${jobs}/j`).body.metadata).not.toHaveProperty("deletionTimestamp");
});

test("deletecollection deletes what the selectors match and answers the list as it was", () => {
  const harness = new Harness();
  for (const name of ["a", "b", "c"])
    harness.post(configMaps, configMap(name, { labels: { keep: String(name === "b") } }));
  const { status, body } = harness.delete(`${configMaps}?labelSelector=keep%3Dfalse`);
  expect(status).toBe(200);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["a", "c"]);
  expect(harness.get(configMaps).body.items).toHaveLength(1);
  expect(harness.delete("/api/v1/namespaces/none/configmaps").body.items).toEqual([]);
});

describe("pods", () => {
  function bound(spec: object = {}): Harness {
    const harness = new Harness();
    harness.post(pods, pod("p", spec));
    harness.post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } });
    return harness;
  }

  test("an unbound or finished pod goes at once, and the answer is the pod", () => {
    const harness = new Harness();
    harness.post(pods, pod("p"));
    const { body } = harness.delete(`${pods}/p`);
    expect(body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: "2026-11-21T09:48:50Z",
      generation: 2,
    });
    expect(harness.get(`${pods}/p`).status).toBe(404);
    const finished = bound();
    finished.merge(`${pods}/p/status`, { status: { phase: "Failed" } });
    finished.delete(`${pods}/p`);
    expect(finished.get(`${pods}/p`).status).toBe(404);
  });

  test("the deletionTimestamp is the deadline; the kubelet's delete ends it", () => {
    const harness = bound();
    const { body } = harness.delete(`${pods}/p`);
    expect(body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 30,
      deletionTimestamp: "2026-11-21T09:49:20Z",
      generation: 2,
    });
    expect(harness.delete(`${pods}/p`).body).toEqual(body);
    const last = harness.delete(`${pods}/p`, { gracePeriodSeconds: 0, preconditions: { uid: body.metadata.uid } });
    expect(last.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect(harness.get(`${pods}/p`).status).toBe(404);
  });

  test("only a shorter grace changes anything", () => {
    const harness = bound();
    harness.delete(`${pods}/p`, { gracePeriodSeconds: 60 });
    harness.clock.advance(10_000);
    expect(harness.delete(`${pods}/p`, { gracePeriodSeconds: 60 }).body.metadata.deletionGracePeriodSeconds).toBe(60);
    expect(harness.delete(`${pods}/p`, { gracePeriodSeconds: 20 }).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 20,
      deletionTimestamp: "2026-11-21T09:49:10Z",
    });
    harness.clock.advance(20_000);
    expect(harness.delete(`${pods}/p`, { gracePeriodSeconds: 5 }).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 1,
      deletionTimestamp: "2026-11-21T09:49:20Z",
    });
  });

  test("a finalizer holds a pod without grace, and the last one to go removes it", () => {
    const harness = new Harness();
    harness.post(pods, pod("p", {}, { finalizers: ["batch.kubernetes.io/job-tracking"] }));
    expect(harness.delete(`${pods}/p`).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ["batch.kubernetes.io/job-tracking"],
    });
    harness.strategic(`${pods}/p`, {
      metadata: { "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"] },
    });
    expect(harness.get(`${pods}/p`).status).toBe(404);
  });

  test("a pod with grace left outlives its finalizers", () => {
    const harness = bound();
    harness.merge(`${pods}/p`, { metadata: { finalizers: ["a/b"] } });
    harness.delete(`${pods}/p`);
    harness.merge(`${pods}/p`, { metadata: { finalizers: null } });
    expect(harness.get(`${pods}/p`).status).toBe(200);
  });

  test("a negative grace is one second", () => {
    expect(bound().delete(`${pods}/p`, { gracePeriodSeconds: -1 }).body.metadata.deletionGracePeriodSeconds).toBe(1);
  });
});

describe("namespaces", () => {
  const path = "/api/v1/namespaces/x";

  test("terminate, are finalized, and are gone", () => {
    const harness = new Harness();
    harness.namespace("x");
    expect(harness.get(path).body).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "x" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    const lines = harness.stream("/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Dx");
    const { status, body } = harness.delete(path);
    expect(status).toBe(200);
    expect(body.status.phase).toBe("Terminating");
    expect(body.metadata.deletionTimestamp).toBe("2026-11-21T09:48:50Z");
    expect(body.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    expect(harness.delete(path).body).toEqual(body);
    const finalized = harness.put(`${path}/finalize`, { ...body, spec: { finalizers: [] } });
    expect([finalized.status, finalized.body.spec]).toEqual([200, {}]);
    expect(harness.get(path).status).toBe(404);
    expect(lines.events.map((event) => event.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  test("spec.finalizers cannot be changed otherwise", () => {
    const harness = new Harness();
    harness.namespace("x");
    expect(harness.merge(path, { spec: { finalizers: null } }).body.spec.finalizers).toEqual(["kubernetes"]);
  });

  test("three of the first four stay", () => {
    const harness = new Harness();
    const { status, body } = harness.delete("/api/v1/namespaces/default");
    expect([status, body.message]).toEqual([
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
    expect(harness.delete("/api/v1/namespaces/kube-node-lease").status).toBe(200);
  });
});
