/** The namespace controller on the in-memory cluster (docs/spec/api.md 6.10). */
import { beforeEach, expect, test } from "vitest";
import { NamespaceController } from "../../../../cluster/controllers/namespace-controller/namespace-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

let h: Harness;
const IN_TEAM = "/api/v1/namespaces/team";
const pod = (metadata: object = {}) =>
  h.api("POST", `${IN_TEAM}/pods`, {
    metadata: { name: "p", ...metadata },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] },
  });
const exists = (path: string) => h.answer("GET", path).status !== 404;

beforeEach(() => {
  h = new Harness();
  h.api("POST", "/api/v1/namespaces", { metadata: { name: "team" } });
  new NamespaceController({ clock: h.clock, random: h.random, transport: h.transport }).start();
  h.clock.advance(10);
});

test("the namespace controller empties a namespace and lets it go, and leaves the others alone", () => {
  pod();
  h.api("POST", `${IN_TEAM}/configmaps`, { metadata: { name: "cm" } });
  h.api("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "cm" } });
  h.api("DELETE", "/api/v1/namespaces/team", {});
  expect(exists("/api/v1/namespaces/team")).toBe(true);
  h.clock.advance(10_000);
  expect(exists("/api/v1/namespaces/team")).toBe(false);
  expect(exists("/api/v1/namespaces/default/configmaps/cm")).toBe(true);
  expect(h.sent("PUT", "/finalize")).toHaveLength(1);
});

test("pods go first, and what has finalizers holds the namespace", () => {
  pod({ finalizers: ["a/b"] });
  h.api("POST", `${IN_TEAM}/configmaps`, { metadata: { name: "cm" } });
  h.api("DELETE", "/api/v1/namespaces/team", {});
  h.clock.advance(60_000);
  expect(h.api("GET", `${IN_TEAM}/pods/p`).metadata.deletionTimestamp).toBeDefined();
  expect(exists(`${IN_TEAM}/configmaps/cm`)).toBe(true);
  h.api("PATCH", `${IN_TEAM}/pods/p`, { metadata: { finalizers: null } }, "application/merge-patch+json");
  h.clock.advance(10_000);
  expect(exists("/api/v1/namespaces/team")).toBe(false);
});

test.each([
  ["500", failure(500, "InternalError")],
  ["a lost answer", "lost" as const],
])("%s is tried again", (_name, fault) => {
  let left = 5;
  h.fault = ({ method }) => (method !== "GET" && left-- > 0 ? fault : undefined);
  pod();
  h.api("POST", `${IN_TEAM}/configmaps`, { metadata: { name: "cm" } });
  h.api("DELETE", "/api/v1/namespaces/team", {});
  h.clock.advance(120_000);
  expect(exists("/api/v1/namespaces/team")).toBe(false);
});

test("a deletion that happened while the watch was down is noticed", () => {
  h.breakStreams("/namespaces", failure(410, "Expired"));
  h.api("DELETE", "/api/v1/namespaces/team", {});
  h.clock.advance(10_000);
  expect(exists("/api/v1/namespaces/team")).toBe(false);
});
