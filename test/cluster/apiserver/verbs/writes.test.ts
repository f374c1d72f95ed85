/** Create, update and patch: docs/spec/api.md 3.2, 3.4, 3.5, 6.6, 6.7. */
import { describe, expect, test } from "vitest";
import { status as statusOf } from "../../../../cluster/apiserver/contract/resource-table.ts";
import { defineServed } from "../../../../cluster/apiserver/contract/served-resource.ts";
import { configMap, configMaps, Harness, job, jobs, pod, pods } from "../harness.ts";

const status = ({ status, body }: { status: number; body: any }): [number, string] => [status, body?.message];

describe("create", () => {
  test("drops what only the server sets", () => {
    const { body } = new Harness().post(jobs, {
      ...job(
        "j",
        {},
        {
          uid: "x",
          creationTimestamp: "2020-01-01T00:00:00Z",
          deletionTimestamp: "2020-01-01T00:00:00Z",
          generation: 9,
          managedFields: [],
        },
      ),
      status: { active: 3 },
    });
    expect(body.metadata).toMatchObject({ generation: 1, creationTimestamp: "2026-11-21T09:48:50Z" });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body.metadata).not.toHaveProperty("deletionTimestamp");
    expect(body.metadata).not.toHaveProperty("managedFields");
    expect(body.status).toEqual({});
  });

  test("drops the status of a kind without its own rules", () => {
    const kind = "PodDisruptionBudget";
    const subresources = [statusOf(kind)];
    const withoutRules = defineServed({ group: "policy", resource: "poddisruptionbudgets", kind }, { subresources });
    const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    const status = { currentHealthy: 3, conditions: [{ type: "A", status: "True" }] };
    const { body } = new Harness({ moreResources: [withoutRules] }).post(budgets, { metadata: { name: "b" }, status });
    expect(body.status).toEqual({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
  });

  test("generateName: five characters after a base cut to 58", () => {
    const { body } = new Harness().post(jobs, job("", {}, { generateName: `${"a".repeat(70)}-` }));
    expect(body.metadata.name).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(body.metadata.generateName).toBe(`${"a".repeat(70)}-`);
  });

  test("generateName gives up after eight more attempts", () => {
    const harness = new Harness({ random: () => 0 });
    expect(harness.post(configMaps, configMap("", { generateName: "a-" })).status).toBe(201);
    const again = harness.post(configMaps, configMap("", { generateName: "a-" }));
    expect(status(again)).toEqual([
      409,
      'configmaps "a-bbbbb" already exists, the server was not able to generate a unique name for the object',
    ]);
    expect(again.body.details).toEqual({ name: "a-bbbbb", kind: "configmaps", retryAfterSeconds: 1 });
    expect(again.headers["retry-after"]).toBe("1");
  });

  test("a resourceVersion is a plain 500", () => {
    const { body } = new Harness().post(jobs, job("j", {}, { resourceVersion: "5" }));
    expect(body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "resourceVersion should not be set on objects to be created",
      code: 500,
    });
  });

  test.each(["0", "none", "-1"])("a resourceVersion that names no version, %s, is dropped", (resourceVersion) => {
    const { status: code, body } = new Harness().post(jobs, job("j", {}, { resourceVersion }));
    expect(code).toBe(201);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
  });

  test("another namespace than the path's", () => {
    expect(status(new Harness().post(jobs, job("j", {}, { namespace: "other" })))).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });

  test("a missing namespace, a terminating namespace", () => {
    const harness = new Harness();
    expect(status(harness.post("/apis/batch/v1/namespaces/x/jobs", job("j")))).toEqual([
      404,
      'namespaces "x" not found',
    ]);
    harness.namespace("x");
    harness.delete("/api/v1/namespaces/x");
    const { status: code, body } = harness.post("/apis/batch/v1/namespaces/x/jobs", job("j"));
    expect([code, body.message]).toEqual([
      403,
      'jobs.batch "j" is forbidden: unable to create new content in namespace x because it is being terminated',
    ]);
    expect(body.details).toEqual({
      name: "j",
      group: "batch",
      kind: "jobs",
      causes: [
        { reason: "NamespaceTerminating", message: "namespace x is being terminated", field: "metadata.namespace" },
      ],
    });
  });
});

describe("create, of what admission or the server refuses", () => {
  test("what admission refuses comes back as it is", () => {
    const { status: code, body } = new Harness().post(
      jobs,
      job("j", { template: { spec: { containers: [{ name: "c", image: "b" }] } } }),
    );
    expect(code).toBe(422);
    expect(body).toMatchObject({
      reason: "Invalid",
      details: { name: "j", group: "batch", kind: "Job", causes: [{ field: "spec.template.spec.restartPolicy" }] },
    });
  });

  test("an admission that fails is an internal error, not the end of the server", () => {
    const harness = new Harness({
      admission: () => {
        throw new Error("trap");
      },
    });
    expect(harness.post(jobs, job("j")).body).toMatchObject({
      code: 500,
      reason: "InternalError",
      message: "Internal error occurred: admission failed: trap",
    });
    expect(harness.get(jobs).body.items).toEqual([]);
  });

  test("names and labels of kinds without admission", () => {
    const { body } = new Harness().post(configMaps, configMap("A", { labels: { "-a": "b c" } }));
    expect(body.code).toBe(422);
    expect(body.details.causes.map((cause: { field: string }) => cause.field)).toEqual([
      "metadata.name",
      "metadata.labels",
      "metadata.labels",
    ]);
    expect(body.message).toContain(
      "ConfigMap \"A\" is invalid: [metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
    expect(body.message).toContain("(e.g. 'MyName',  or 'my.name',  or '123-abc', regex");
  });

  test("a key of a label with two slashes", () => {
    const { status, body } = new Harness().post(configMaps, { metadata: { name: "c", labels: { "a/b/c": "" } } });
    expect(status).toBe(422);
    expect(body.message).toContain(
      `metadata.labels: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.'`,
    );
  });

  test("no name at all", () => {
    expect(status(new Harness().post(configMaps, {}))).toEqual([
      422,
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ]);
  });

  test("dryRun stores nothing and answers without a resourceVersion", () => {
    const harness = new Harness();
    const { status: code, body } = harness.post(`${jobs}?dryRun=All`, job("j"));
    expect(code).toBe(201);
    expect(body.metadata).not.toHaveProperty("resourceVersion");
    expect(harness.get(`${jobs}/j`).status).toBe(404);
    expect(status(harness.post(`${jobs}?dryRun=Nope`, job("j")))).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Nope"]: supported values: "All"',
    ]);
    expect(harness.post(`${jobs}?dryRun=`, job("j")).status).toBe(422);
  });

  test("repeated owners are merged with a warning", () => {
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u1" };
    const { headers, body } = new Harness().post(configMaps, configMap("a", { ownerReferences: [owner, owner] }));
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(headers["warning"]).toEqual([expect.stringContaining("duplicate UID(s) observed: u1")]);
  });

  test("a body over the limit", () => {
    const { body } = new Harness({ limits: { maxBodyBytes: 100 } }).post(jobs, job("j".repeat(100)));
    expect(body).toMatchObject({
      code: 413,
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 100",
    });
  });
});

describe("update", () => {
  test("status is kept, generation counts changes of spec, the same object is no write", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    const { body: created } = harness.merge(`${jobs}/j/status`, { status: { active: 1 } });
    const same = harness.put(`${jobs}/j`, { ...created, status: {} });
    expect(same.body).toEqual(created);
    const labelled = harness.put(`${jobs}/j`, {
      ...created,
      metadata: { ...created.metadata, labels: { a: "b" } },
    }).body;
    expect(labelled.metadata.generation).toBe(1);
    const changed = harness.put(`${jobs}/j`, { ...labelled, spec: { ...labelled.spec, parallelism: 3 } }).body;
    expect(changed.metadata.generation).toBe(2);
    expect(changed.status).toEqual({ active: 1 });
  });

  test("no watch event for a write that changes nothing", () => {
    const harness = new Harness();
    const { body } = harness.post(jobs, job("j"));
    const lines = harness.stream(`${jobs}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    harness.put(`${jobs}/j`, body);
    harness.merge(`${jobs}/j`, {});
    harness.merge(`${jobs}/j`, { metadata: { annotations: {} } });
    harness.jsonPatch(`${jobs}/j`, []);
    expect(lines.events).toEqual([]);
    expect(harness.get(`${jobs}/j`).body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test("status keeps the spec, and may change metadata", () => {
    const harness = new Harness();
    const { body } = harness.post(jobs, job("j"));
    const updated = harness.put(`${jobs}/j/status`, {
      ...body,
      metadata: { ...body.metadata, labels: { a: "b" } },
      spec: { ...body.spec, parallelism: 9 },
      status: { active: 1 },
    }).body;
    expect(updated.spec).toEqual(body.spec);
    expect(updated.status).toEqual({ active: 1 });
    expect(updated.metadata).toMatchObject({ labels: { a: "b" }, generation: 1 });
    expect(harness.get(`${jobs}/j/status`).body).toEqual(updated);
  });

  test("resourceVersion: stale, zero, no number", () => {
    const harness = new Harness();
    const { body } = harness.post(jobs, job("j"));
    const withVersion = (resourceVersion: string): object => ({
      ...body,
      metadata: { ...body.metadata, resourceVersion, annotations: { at: resourceVersion } },
    });
    expect(harness.put(`${jobs}/j`, withVersion("1")).body).toMatchObject({
      code: 409,
      reason: "Conflict",
      details: { name: "j", group: "batch", kind: "jobs" },
    });
    expect(harness.put(`${jobs}/j`, withVersion("0")).status).toBe(200);
    expect(harness.put(`${jobs}/j`, withVersion("abc")).body).toMatchObject({
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  test("a body without its namespace", () => {
    const harness = new Harness();
    harness.post(configMaps, configMap("a"));
    const { status: code, body } = harness.put(`${configMaps}/a`, configMap("a", {}, { x: "1" }));
    expect([code, body.metadata.namespace]).toEqual([200, "default"]);
  });

  test("another name, a missing object", () => {
    const harness = new Harness();
    expect(status(harness.put(`${jobs}/a`, job("b")))).toEqual([
      400,
      "the name of the object (b) does not match the name on the URL (a)",
    ]);
    expect(status(harness.put(`${jobs}/a`, job("a")))).toEqual([404, 'jobs.batch "a" not found']);
  });

  test("Events and Leases are created by PUT; a Lease needs its resourceVersion", () => {
    const harness = new Harness();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    expect(harness.put(`${leases}/l`, { metadata: { name: "l" } }).status).toBe(201);
    expect(status(harness.put(`${leases}/l`, { metadata: { name: "l" } }))).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
    expect(
      harness.put("/api/v1/namespaces/default/events/e", {
        metadata: { name: "e" },
        involvedObject: { namespace: "default" },
      }).status,
    ).toBe(201);
  });

  test("finalizers may not be added to an object being deleted", () => {
    const harness = new Harness();
    harness.post(configMaps, configMap("a", { finalizers: ["a/b"] }));
    harness.delete(`${configMaps}/a`);
    expect(status(harness.merge(`${configMaps}/a`, { metadata: { finalizers: ["a/b", "c/d"] } }))).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    ]);
  });

  test("a deletionTimestamp cannot be set by an update", () => {
    const harness = new Harness();
    harness.post(configMaps, configMap("a"));
    expect(
      status(harness.merge(`${configMaps}/a`, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } })),
    ).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
    ]);
  });

  test("violations found by the server come before those of admission, each once", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    const { body } = harness.merge(`${jobs}/j`, {
      metadata: { uid: "zzz" },
      spec: { template: { spec: { restartPolicy: "Always" } } },
    });
    expect(body.message).toBe(
      'Job.batch "j" is invalid: [metadata.uid: Invalid value: "zzz": field is immutable, spec.template.spec.restartPolicy: Unsupported value: "Always": supported values: "OnFailure", "Never"]',
    );
    expect(body.details.causes).toHaveLength(2);
  });
});

describe("patch", () => {
  test("applies to the object with its defaults, in all three formats", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    expect(harness.merge(`${jobs}/j`, { spec: { parallelism: 2 } }).body.spec).toMatchObject({
      parallelism: 2,
      backoffLimit: 6,
    });
    expect(harness.strategic(`${jobs}/j`, { spec: { parallelism: 3 } }).body.spec.parallelism).toBe(3);
    expect(
      harness.jsonPatch(`${jobs}/j`, [{ op: "replace", path: "/spec/parallelism", value: 4 }]).body.metadata.generation,
    ).toBe(4);
  });

  test("a resourceVersion in the patch is a lock", () => {
    const harness = new Harness();
    const { body } = harness.post(jobs, job("j"));
    harness.merge(`${jobs}/j`, { spec: { parallelism: 2 } });
    expect(
      harness.merge(`${jobs}/j`, {
        metadata: { resourceVersion: body.metadata.resourceVersion },
        spec: { parallelism: 3 },
      }).body.reason,
    ).toBe("Conflict");
  });

  test("a controller's patches of an object that was replaced", () => {
    const harness = new Harness();
    const { body } = harness.post(
      pods,
      pod(
        "p",
        {},
        {
          finalizers: ["batch.kubernetes.io/job-tracking"],
          ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u" }],
        },
      ),
    );
    const gone = harness.strategic(`${pods}/p`, {
      metadata: { uid: "other", "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"] },
    });
    expect(status(gone)).toEqual([422, 'Pod "p" is invalid: metadata.uid: Invalid value: "other": field is immutable']);
    const { uid } = body.metadata;
    const patched = harness.strategic(`${pods}/p`, {
      metadata: {
        uid,
        "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"],
        ownerReferences: [{ $patch: "delete", uid: "u" }],
      },
    });
    expect(patched.body.metadata).not.toHaveProperty("finalizers");
    expect(patched.body.metadata).not.toHaveProperty("ownerReferences");
    expect(patched.body.metadata.generation).toBe(1);
  });

  const refused: readonly (readonly [string, "merge" | "strategic" | "jsonPatch", unknown, number, string])[] = [
    ["no JSON", "merge", "{", 400, "invalid JSON patch"],
    ["no JSON, strategic", "strategic", "{", 400, "invalid JSON patch"],
    [
      "a list",
      "merge",
      [],
      400,
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      "a list, strategic",
      "strategic",
      [],
      400,
      "json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      "an object",
      "jsonPatch",
      {},
      400,
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    [
      "a wrong type",
      "strategic",
      { spec: { parallelism: "x" } },
      422,
      ' "" is invalid: patch: Invalid value: "map[spec:map[parallelism:x]]": unrecognized type: int32',
    ],
    [
      "another name",
      "merge",
      { metadata: { name: "k" } },
      400,
      "the name of the object (k) does not match the name on the URL (j)",
    ],
    [
      "another namespace",
      "merge",
      { metadata: { namespace: "k" } },
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "no merge key",
      "strategic",
      { spec: { template: { spec: { containers: [{ image: "x" }] } } } },
      500,
      "map: map[image:x] does not contain declared merge key: name",
    ],
  ];
  for (const [name, format, patch, code, message] of refused) {
    test(`refuses ${name}`, () => {
      const harness = new Harness();
      harness.post(jobs, job("j"));
      expect(status(harness[format](`${jobs}/j`, patch))).toEqual([code, message]);
    });
  }
});

describe("patch, by its outcome, content type and options", () => {
  test("an outcome that does not decode shows the whole object", () => {
    const harness = new Harness();
    const { body } = harness.post(configMaps, configMap("a"));
    const { message, details } = harness.merge(`${configMaps}/a`, { data: "x" }).body;
    expect(message).toBe(
      ` "" is invalid: patch: Invalid value: ${JSON.stringify(JSON.stringify({ ...body, data: "x" }))}: json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string`,
    );
    expect(details).toEqual({
      causes: [
        { reason: "FieldValueInvalid", message: message.slice(' "" is invalid: patch: '.length), field: "patch" },
      ],
    });
  });

  test("unknown fields under Strict", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    expect(status(harness.strategic(`${jobs}/j?fieldValidation=Strict`, { spec: { foo: 1 } }))).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: "map[spec:map[foo:1]]": strict decoding error: unknown field "spec.foo"',
    ]);
  });

  test("other content types", () => {
    const harness = new Harness();
    harness.post(jobs, job("j"));
    const said = "the body of the request was in an unknown format - accepted media types include: application/json";
    for (const type of ["application/vnd.kubernetes.protobuf", "application/yaml"]) {
      expect(harness.send("POST", jobs, "k8s\0", { "content-type": type }).body).toMatchObject({
        code: 415,
        reason: "UnsupportedMediaType",
        message: said,
      });
      expect(harness.send("DELETE", `${jobs}/j`, "k8s\0", { "content-type": type }).body).toMatchObject({
        code: 415,
        message: said,
      });
    }
    for (const headers of [
      {},
      { "content-type": "application/json" },
      { "content-type": "application/apply-patch+yaml" },
    ]) {
      expect(harness.send("PATCH", `${jobs}/j`, {}, headers).body).toMatchObject({
        code: 415,
        reason: "UnsupportedMediaType",
        message: "415: Unsupported Media Type",
        details: {},
      });
    }
  });

  test("a dry run shows the next generation with the stored resourceVersion", () => {
    const harness = new Harness();
    const { body } = harness.post(jobs, job("j"));
    const dry = harness.send(
      "PATCH",
      `${jobs}/j?dryRun=All`,
      { spec: { parallelism: 5 } },
      { "content-type": "application/merge-patch+json" },
    ).body;
    expect(dry.metadata).toMatchObject({ generation: 2, resourceVersion: body.metadata.resourceVersion });
    expect(harness.get(`${jobs}/j`).body).toEqual(body);
  });
});
