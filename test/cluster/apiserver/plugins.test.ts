/** Admission plugins and authorization, which a cluster may be given; and resources that come and go. */
import { expect, test } from "vitest";
import { type AdmissionPlugin, chain } from "../../../cluster/apiserver/admission-plugins/chain.ts";
import { define } from "../../../cluster/apiserver/contract/resource-table.ts";
import { failure } from "../../../cluster/apiserver/contract/status-errors.ts";
import { configMap, configMaps, Harness, job, jobs } from "./harness.ts";

function withPlugins(...plugins: AdmissionPlugin[]): Harness {
  return new Harness({ plugins: chain(plugins) });
}

function refuse(message: string): never {
  throw failure({ code: 403, reason: "Forbidden", message });
}

test("plugins change an object one after another, then each checks the object to store", () => {
  const seen: string[] = [];
  const label = (name: string): AdmissionPlugin => ({
    mutate: (object, _current, { definition }) =>
      definition.resource === "configmaps"
        ? { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [name]: "yes" } } }
        : object,
    validate: (object) => seen.push(Object.keys(object?.metadata.labels ?? {}).join("+")),
  });
  const harness = withPlugins(label("first"), label("second"));
  const metadata = { labels: { first: "yes", second: "yes" } };
  expect(harness.post(configMaps, configMap("a"))).toMatchObject({ status: 201, body: { metadata } });
  expect(seen).toEqual(["first+second", "first+second"]);
});

test("what a plugin makes of an object has to be valid", () => {
  const harness = withPlugins({
    mutate: (object) => ({ ...object, metadata: { ...object.metadata, labels: { "no good": "yes" } } }),
  });
  expect(harness.post(configMaps, configMap("a"))).toMatchObject({ status: 422, body: { reason: "Invalid" } });
  expect(harness.get(`${configMaps}/a`).status).toBe(404);
});

test("a plugin refuses a create, an update, a patch and a delete, of status too, and nothing is written", () => {
  const asked: string[] = [];
  const harness = withPlugins({
    validate: (object, current, { subresource, name }) => {
      asked.push([object ? (current ? "update" : "create") : "delete", subresource?.name ?? name].join(" "));
      if (asked.length > 1) refuse("not now");
    },
  });
  const before = harness.post(jobs, job("j")).body;
  const answers = [
    harness.put(`${jobs}/j`, before),
    harness.merge(`${jobs}/j`, { metadata: { labels: { a: "b" } } }),
    harness.merge(`${jobs}/j/status`, { status: { active: 1 } }),
    harness.delete(`${jobs}/j`),
  ];
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(answers.map(() => [403, "not now"]));
  expect(asked.slice(1)).toEqual(["update j", "update j", "update status", "delete j"]);
  expect(harness.get(`${jobs}/j`).body).toEqual(before);
});

test("authorization sees each request with its user, and refuses it before anything else", () => {
  const asked: string[] = [];
  const harness = new Harness({
    authorize: (request) => {
      const { method, path, user } = request;
      asked.push(`${user?.name ?? "component"} ${method} ${path}`);
      if (user?.name === "eve") refuse("eve may not");
      return request;
    },
  });
  const ask = (name: string) =>
    harness.cluster.handle({
      method: "GET",
      path: "/api/v1/nothing-like-that",
      headers: {},
      user: { name, groups: [] },
    });
  expect(ask("eve").status).toBe(403);
  expect(ask("ann").status).toBe(404);
  expect(asked).toEqual(["eve GET /api/v1/nothing-like-that", "ann GET /api/v1/nothing-like-that"]);
});

test("a resource is served from the time on that it is added, in several versions, until it is withdrawn", () => {
  const harness = new Harness();
  const writes: string[] = [];
  harness.cluster.observe(({ resource, type }) => writes.push(`${type} ${resource}`));
  const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
  expect(harness.get(path).status).toBe(404);
  const versions = ["v1beta1", "v1", "v2alpha1"].map((version) =>
    define(
      { group: "scheduling.k8s.io", version, resource: "priorityclasses", kind: "PriorityClass", schema: "Namespace" },
      { isNamespaced: false },
    ),
  );
  harness.cluster.serve(versions);
  expect(harness.post(path, { metadata: { name: "high" } }).status).toBe(201);
  expect(writes).toEqual(["ADDED priorityclasses"]);
  const group = harness.get("/apis/scheduling.k8s.io").body;
  expect(group.versions.map(({ version }: { version: string }) => version)).toEqual(["v1", "v1beta1", "v2alpha1"]);
  expect(group.preferredVersion.version).toBe("v1");
  expect(harness.get("/apis/scheduling.k8s.io/v1beta1").body.groupVersion).toBe("scheduling.k8s.io/v1beta1");
  harness.cluster.withdraw(versions);
  expect(harness.get(path).status).toBe(404);
});
