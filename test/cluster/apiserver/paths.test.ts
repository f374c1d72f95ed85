/** Paths, methods, discovery and OpenAPI: docs/spec/api.md 6.1, 6.2, 6.3. */
import { describe, expect, test } from "vitest";
import type { Method } from "../../../bindings/js/host.ts";
import { moreResources } from "../../../cluster/apiserver/registry/more-resources.ts";
import { Harness, job, jobs, pod, pods } from "./harness.ts";

const aggregatedAccept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

describe("paths that lead nowhere", () => {
  const cases: readonly (readonly [Method, string, number, string | undefined])[] = [
    ["GET", "/apis/batch/v2/jobs", 404, "NotFound"],
    ["GET", "/api/v1/nopes", 404, "NotFound"],
    ["GET", `${jobs}/j/scale`, 404, "NotFound"],
    ["GET", "/apis/batch/v1/jobs/j", 404, "NotFound"],
    ["GET", "/api/v1/namespaces/default/nodes", 404, "NotFound"],
    ["GET", "/api/v1/namespaces/default/nodes/n/x/y", 404, "NotFound"],
    ["GET", "/apis/nope/v1/jobs", 404, undefined],
    ["GET", "/metricsx", 404, undefined],
    ["POST", "/apis/batch/v1/jobs", 405, "MethodNotAllowed"],
    ["DELETE", "/api/v1/namespaces", 405, "MethodNotAllowed"],
    ["POST", `${jobs}/j`, 405, "MethodNotAllowed"],
    ["PATCH", jobs, 405, "MethodNotAllowed"],
    ["DELETE", `${jobs}/j/status`, 405, "MethodNotAllowed"],
    ["GET", `${pods}/p/binding`, 405, "MethodNotAllowed"],
    ["HEAD" as Method, jobs, 405, "MethodNotAllowed"],
    ["POST", "/version", 405, "MethodNotAllowed"],
    ["POST", "/apis/batch/v1", 405, "MethodNotAllowed"],
  ];
  for (const [method, path, code, reason] of cases) {
    test(`${method} ${path}`, () => {
      const { status, body, text } = new Harness().send(method, path);
      expect(status).toBe(code);
      if (reason === undefined) expect(text).toBe("404 page not found\n");
      else expect(body).toMatchObject({ reason, details: {}, code });
    });
  }
});

test("a path may have a slash after a collection, and an escaped name", () => {
  const harness = new Harness();
  harness.post(`${jobs}/`, job("j"));
  expect(harness.get(`${jobs}/%6a`).body.metadata.name).toBe("j");
});

test("health, version and root are served", () => {
  const harness = new Harness();
  for (const path of ["/healthz", "/livez", "/readyz"])
    expect(harness.get(path)).toMatchObject({ status: 200, text: "ok" });
  expect(harness.get("/version").body).toMatchObject({ major: "1", minor: "37", gitVersion: "v1.37.2" });
  expect(harness.get("/version/").body).toEqual(harness.get("/version").body);
  expect(harness.get("/version").text).toContain('{\n  "major": "1",');
  expect(harness.get("/").body.paths).toContain("/apis/batch/v1");
});

describe("discovery", () => {
  test("aggregated, for both roots, with an ETag that answers 304", () => {
    const harness = new Harness();
    const { body, headers } = harness.get("/apis?timeout=32s", aggregatedAccept);
    expect(headers).toMatchObject({
      "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      vary: "Accept",
      "cache-control": "public",
    });
    const batch = body.items.find((item: any) => item.metadata.name === "batch");
    expect(batch.versions).toEqual([
      {
        version: "v1",
        freshness: "Current",
        resources: [
          {
            resource: "jobs",
            responseKind: { group: "", version: "", kind: "Job" },
            scope: "Namespaced",
            singularResource: "job",
            verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
            categories: ["all"],
            subresources: [
              {
                subresource: "status",
                responseKind: { group: "", version: "", kind: "Job" },
                verbs: ["get", "patch", "update"],
              },
            ],
          },
        ],
      },
    ]);
    const core = harness.get("/api?timeout=32s", aggregatedAccept).body.items;
    expect(core).toHaveLength(1);
    const eviction = core[0].versions[0].resources
      .find((resource: any) => resource.resource === "pods")
      .subresources.find((subresource: any) => subresource.subresource === "eviction");
    expect(eviction.responseKind).toEqual({ group: "policy", version: "v1", kind: "Eviction" });
    const cached = harness.send("GET", "/apis", undefined, {
      accept: aggregatedAccept,
      "if-none-match": String(headers["etag"]),
    });
    expect([cached.status, cached.text]).toEqual([304, ""]);
  });

  test("resources are in the order of their names", () => {
    const harness = new Harness({ moreResources });
    const names = ({ resources }: any, name: string): string[] => resources.map((resource: any) => resource[name]);
    expect(names(harness.get("/apis/batch/v1").body, "name")).toEqual([
      "cronjobs",
      "cronjobs/status",
      "jobs",
      "jobs/status",
    ]);
    const [core] = harness.get("/api", aggregatedAccept).body.items;
    expect(names(core.versions[0], "resource")).toEqual(names(core.versions[0], "resource").toSorted());
  });

  test("the older documents", () => {
    const harness = new Harness();
    expect(harness.send("GET", "/api", undefined, { host: "h:1" }).body).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "h:1" }],
    });
    expect(harness.get("/apis").body.groups.map((group: any) => group.name)).toEqual([
      "batch",
      "coordination.k8s.io",
      "events.k8s.io",
    ]);
    expect(harness.get("/apis/batch").body).toMatchObject({
      kind: "APIGroup",
      name: "batch",
      preferredVersion: { groupVersion: "batch/v1", version: "v1" },
    });
    const core = harness.get("/api/v1", aggregatedAccept).body;
    expect(core).not.toHaveProperty("apiVersion");
    expect(core.resources).toContainEqual({
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    });
  });
});

test("answers carry an audit id and are not cached", () => {
  const { headers } = new Harness().get(jobs);
  expect(headers).toMatchObject({
    "audit-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "cache-control": "no-cache, private",
    "content-type": "application/json",
  });
});

test("an answer can be copied", () => {
  const answer = new Harness().cluster.handle({
    method: "POST",
    path: pods,
    headers: {},
    body: JSON.stringify(pod("p")),
  });
  expect({ ...answer }).toMatchObject({
    status: 201,
    headers: expect.objectContaining({ "audit-id": expect.any(String) }),
    body: expect.stringContaining('"name":"p"'),
  });
});

test("bodies escape what Go escapes", () => {
  const { text } = new Harness().post(pods, pod("p", {}, { annotations: { a: "<&>" } }));
  expect(text).toContain('"a":"\\u003c\\u0026\\u003e"');
});
