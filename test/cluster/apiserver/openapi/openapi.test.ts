/**
 * The documents of OpenAPI v3: what clients look for in them. test/kubernetes/openapi.test.ts compares all of them with
 * those of a real API server.
 */
import { describe, expect, test } from "vitest";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import { readTypeTexts } from "../../../../host-node/type-texts.ts";
import { Harness } from "../harness.ts";

const BATCH = "/openapi/v3/apis/batch/v1";
const JOB = "/apis/batch/v1/namespaces/{namespace}/jobs/{name}";
const harness = new Harness({ moreResources, typeTexts: readTypeTexts });
const batch = harness.get(BATCH).body;
const core = harness.get("/openapi/v3/api/v1").body;
const fields = (document: any, name: string): any => document.components.schemas[name].properties;

test("a document has no field that the served version does not know", () => {
  const isKnown = (kubernetes: "1.36" | "1.37"): boolean => {
    const { body } = new Harness({ typeTexts: readTypeTexts, kubernetes }).get(BATCH);
    return "evictionResponders" in fields(body, "io.k8s.api.core.v1.PodSpec");
  };
  expect([isKnown("1.36"), isKnown("1.37")]).toEqual([false, true]);
});

test("what a kind requires, and the values of a field, are those of the served version", () => {
  const said = (kubernetes: "1.36" | "1.37"): unknown[] => {
    const { body } = new Harness({ moreResources, typeTexts: readTypeTexts, kubernetes }).get(
      "/openapi/v3/apis/apps/v1",
    );
    const schemas = body.components.schemas;
    const names = ["Deployment", "DeploymentCondition"].map((name) => `io.k8s.api.apps.v1.${name}`);
    const { type } = fields(body, "io.k8s.api.apps.v1.StatefulSetUpdateStrategy");
    return [...names.map((name) => schemas[name].required), type.enum];
  };
  expect(said("1.36")).toEqual([undefined, ["status", "type"], ["OnDelete", "RollingUpdate"]]);
  expect(said("1.37")).toEqual([["spec"], undefined, ["OnDelete", "Recreate", "RollingUpdate"]]);
});

test("elements of lists and maps have defaults until 1.36", () => {
  const itemsOf = (kubernetes: "1.36" | "1.37"): unknown[] => {
    const { body } = new Harness({ typeTexts: readTypeTexts, kubernetes }).get(BATCH);
    return [
      fields(body, "io.k8s.api.batch.v1.JobList").items.items,
      fields(body, "io.k8s.api.core.v1.PodSpec").containers.items,
      fields(body, "io.k8s.api.core.v1.Container").command.items,
    ];
  };
  const refs = ["batch.v1.Job", "core.v1.Container"].map((name) => ({
    $ref: `#/components/schemas/io.k8s.api.${name}`,
  }));
  expect(itemsOf("1.36")).toEqual([
    ...refs.map((ref) => ({ allOf: [ref], default: {} })),
    { type: "string", default: "" },
  ]);
  expect(itemsOf("1.37")).toEqual([...refs, { type: "string" }]);
});

describe("the index", () => {
  test("has a path for each group version, with a hash that changes when the document does", () => {
    const { paths } = JSON.parse(harness.get("/openapi/v3?timeout=32s").text);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["api/v1", "apis/batch/v1", "apis/events.k8s.io/v1"]));
    const url: string = paths["apis/batch/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/batch\/v1\?hash=[0-9A-F]+$/);
    expect(harness.get(url).body).toEqual(batch);
    const other = JSON.parse(new Harness({ typeTexts: readTypeTexts }).get("/openapi/v3").text);
    expect(other.paths["apis/batch/v1"].serverRelativeURL).not.toBe(url);
    expect(other.paths["apis/events.k8s.io/v1"]).toEqual(paths["apis/events.k8s.io/v1"]);
  });

  test("changes when a resource comes or goes", () => {
    const changing = new Harness({ typeTexts: readTypeTexts });
    const before = changing.get("/openapi/v3").text;
    changing.cluster.serve(moreResources);
    expect(changing.get("/openapi/v3").text).not.toEqual(before);
    changing.cluster.withdraw(moreResources);
    expect(changing.get("/openapi/v3").text).toEqual(before);
  });

  test("the document of v2 is made again only when a resource comes or goes", () => {
    let made = 0;
    const counted = new Harness({ typeTexts: () => (made++, readTypeTexts()) });
    const ask = (): any => counted.get("/openapi/v2").body.definitions;
    const [first, second] = [ask(), ask()];
    expect([made, second]).toEqual([1, first]);
    counted.cluster.serve(moreResources);
    expect(Object.keys(ask()).length).toBeGreaterThan(Object.keys(first).length);
    expect(made).toBe(2);
  });

  test("a client that has the document gets 304", () => {
    const { headers } = harness.get(BATCH);
    const again = harness.send("GET", BATCH, undefined, { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(harness.send("GET", BATCH, undefined, { "if-none-match": '"other"' }).status).toBe(200);
    expect(harness.get("/openapi/v3/apis/none/v1").status).toBe(404);
  });
});

describe("schemas", () => {
  test("describe fields, with their types, formats and defaults", () => {
    const spec = batch.components.schemas["io.k8s.api.batch.v1.JobSpec"];
    expect(spec).toMatchObject({ description: expect.stringContaining("JobSpec"), required: ["template"] });
    expect(spec.properties.backoffLimit).toEqual({
      description: expect.stringMatching(
        /^Specifies the number of retries before marking this job failed\. Defaults to 6/,
      ),
      type: "integer",
      format: "int32",
    });
    expect(spec.properties.template).toEqual({
      description: expect.any(String),
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec" }],
      default: {},
    });
    expect(fields(core, "io.k8s.api.core.v1.ContainerPort").protocol.default).toBe("TCP");
    expect(fields(core, "io.k8s.api.core.v1.ResourceRequirements").limits).toEqual({
      description: expect.any(String),
      type: "object",
      additionalProperties: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" },
    });
  });

  test("say how lists are merged, as kubectl apply and server-side apply do it", () => {
    const container = fields(core, "io.k8s.api.core.v1.Container");
    expect(container.ports).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      "x-kubernetes-patch-merge-key": "containerPort",
      "x-kubernetes-patch-strategy": "merge",
    });
    expect(container.args).toMatchObject({ "x-kubernetes-list-type": "atomic" });
    expect(container.args).not.toHaveProperty("x-kubernetes-patch-strategy");
    expect(fields(core, "io.k8s.api.core.v1.PodSpec").volumes["x-kubernetes-patch-strategy"]).toBe("merge,retainKeys");
    expect(fields(core, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").finalizers).toMatchObject({
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    });
  });

  test("belong to the package of their kind, and kinds say which they are", () => {
    expect(batch.components.schemas["io.k8s.api.batch.v1.JobList"]["x-kubernetes-group-version-kind"]).toEqual([
      { group: "batch", version: "v1", kind: "JobList" },
    ]);
    expect(core.components.schemas).toHaveProperty(["io.k8s.api.policy.v1.Eviction"]);
    const events = harness.get("/openapi/v3/apis/events.k8s.io/v1").body;
    expect(fields(events, "io.k8s.api.events.v1.Event").series.allOf).toEqual([
      { $ref: "#/components/schemas/io.k8s.api.events.v1.EventSeries" },
    ]);
  });

  test("no reference leads nowhere", () => {
    for (const document of [batch, core])
      for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
        expect(document.components.schemas).toHaveProperty([name!]);
  });

  test("a server that has no texts describes its kinds without them", () => {
    const bare = new Harness().get("/openapi/v3/api/v1").body;
    expect(bare.components.schemas["io.k8s.api.core.v1.Pod"].properties.spec).toEqual({
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodSpec" }],
      default: {},
    });
  });
});

describe("operations", () => {
  test("kubectl finds what it may patch, and that fields are checked", () => {
    const { patch, parameters } = batch.paths[JOB];
    expect(patch).toMatchObject({
      operationId: "patchBatchV1NamespacedJob",
      "x-kubernetes-action": "patch",
      "x-kubernetes-group-version-kind": { group: "batch", version: "v1", kind: "Job" },
    });
    expect(patch.parameters.map(({ name }: any) => name)).toEqual([
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    expect(Object.keys(patch.requestBody.content)).toContain("application/apply-patch+yaml");
    expect(parameters.map(({ name }: any) => name)).toEqual(["namespace", "name", "pretty"]);
  });

  test("there is one for each verb, and none that the server does not have", () => {
    expect(Object.keys(batch.paths).filter((path) => path.includes("/jobs"))).toEqual([
      "/apis/batch/v1/jobs",
      "/apis/batch/v1/namespaces/{namespace}/jobs",
      JOB,
      `${JOB}/status`,
    ]);
    expect(Object.keys(batch.paths[JOB])).toEqual(["delete", "get", "patch", "put", "parameters"]);
    expect(core.paths["/api/v1/namespaces"]).not.toHaveProperty("delete");
    expect(core.paths["/api/v1/namespaces/{namespace}/pods/{name}/eviction"].post).toMatchObject({
      operationId: "createCoreV1NamespacedPodEviction",
      "x-kubernetes-group-version-kind": { group: "policy", version: "v1", kind: "Eviction" },
    });
  });
});
