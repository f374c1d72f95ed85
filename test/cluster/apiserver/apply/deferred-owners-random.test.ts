/**
 * Random writes of components that do not read owners, between reads and writes of clients: each reader sees, byte for
 * byte, what it would have seen if each write had computed the owners at once. Examples are in deferred-owners.test.ts.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Method } from "../../../../bindings/js/host.ts";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import { configMap, configMaps, Harness, type Lines, pod, pods } from "../harness.ts";
import { tries } from "../../../tries.ts";

const HISTORY = 8;
const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";

interface Ask {
  readonly method: Method;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
  readonly agent?: string;
}

function trackingCluster(): Harness {
  return new Harness({ fieldOwners: trackFields, limits: { maxHistoryEvents: HISTORY } });
}

/** As a component sends it: the body is an object, or text as the engine's. */
function ask(
  harness: Harness,
  { method, path, body, type, agent = "kubelet" }: Ask,
  omitsOwners: boolean,
  asText = false,
) {
  const headers = { "user-agent": agent, ...(body && { "content-type": type ?? "application/json" }) };
  const content = body === undefined ? {} : { body: JSON.stringify(body), ...(!asText && { content: body as never }) };
  const answer = harness.cluster.handle({ method, path, headers, ...content, omitsOwners });
  if (!("body" in answer)) throw new Error(`${method} ${path} answered a stream`);
  return { status: answer.status, body: JSON.parse(String(answer.body)) };
}

const names = fc.constantFrom("a", "b");
const writer = fc.constantFrom("kubelet", "kube-controller-manager/v1");
const text = fc.constantFrom("x", "y", "z");

/** Writes of components. */
const written: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ name: names, label: text, agent: writer }).map(({ name, label, agent }) => ({
    method: "POST" as const,
    path: pods,
    agent,
    body: pod(name, {}, { labels: { of: label }, finalizers: ["x/y"] }),
  })),
  fc.record({ name: names, ip: text, phase: text, agent: writer }).map(({ name, ip, phase, agent }) => ({
    method: "PATCH" as const,
    path: `${pods}/${name}/status`,
    type: STRATEGIC,
    agent,
    body: { status: { message: phase, podIPs: [{ ip }], conditions: [{ type: ip, status: "True" }] } },
  })),
  fc
    .record({ name: names, labels: fc.dictionary(text, fc.option(text)), agent: writer })
    .map(({ name, labels, agent }) => ({
      method: "PATCH" as const,
      path: `${pods}/${name}`,
      type: MERGE,
      agent,
      body: { metadata: { labels } },
    })),
  fc.record({ name: names }).map(({ name }) => ({
    method: "PATCH" as const,
    path: `${pods}/${name}`,
    type: MERGE,
    body: { metadata: { finalizers: null } },
  })),
  fc.record({ name: names }).map(({ name }) => ({
    method: "POST" as const,
    path: `${pods}/${name}/binding`,
    body: { metadata: { name }, target: { kind: "Node", name: "n" } },
  })),
  fc.record({ name: names }).map(({ name }) => ({ method: "DELETE" as const, path: `${pods}/${name}`, body: {} })),
  fc.record({ name: names, data: fc.dictionary(text, text), agent: writer }).map(({ name, data, agent }) => ({
    method: "PUT" as const,
    path: `${configMaps}/${name}`,
    agent,
    body: configMap(name, {}, data),
  })),
  fc
    .record({ name: names, data: fc.dictionary(text, text) })
    .map(({ name, data }) => ({ method: "POST" as const, path: configMaps, body: configMap(name, {}, data) })),
);

/** No client that omits owners should, but an object that a client read may come back. */
const reset: fc.Arbitrary<Ask> = fc
  .record({ name: names, managedFields: fc.constantFrom([], [{}]) })
  .map(({ name, managedFields }) => ({
    method: "PATCH" as const,
    path: `${pods}/${name}`,
    type: MERGE,
    body: { metadata: { managedFields } },
  }));

type Step = { readonly component: Ask; readonly asText: boolean } | { readonly outside: "read" | "write" | "apply" };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ component: written, asText: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ component: reset, asText: fc.constant(false) }) },
  {
    weight: 2,
    arbitrary: fc.record({ outside: fc.constantFrom("read" as const, "write" as const, "apply" as const) }),
  },
);

function outside(harness: Harness, what: "read" | "write" | "apply"): string {
  if (what === "read") return harness.get(pods).text + harness.get(`${pods}/a`).text + harness.get(configMaps).text;
  if (what === "write") return harness.merge(`${pods}/a?fieldManager=me`, { metadata: { labels: { mine: "1" } } }).text;
  const applied = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", labels: { applied: "1" } } };
  const headers = { "content-type": "application/apply-patch+yaml" };
  return harness.send("PATCH", `${pods}/a?fieldManager=me&force=true`, { ...pod("a"), ...applied }, headers).text;
}

test("owners that are computed on first read are those that each write would have computed", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isWatched) => {
      const [now, later] = [trackingCluster(), trackingCluster()];
      const watches: Lines[] = isWatched ? [now, later].map((one) => one.stream(`${pods}?watch=1`)) : [];
      for (const one of steps) {
        for (const harness of [now, later]) harness.clock.advance(1_500);
        if ("outside" in one) expect(outside(later, one.outside)).toBe(outside(now, one.outside));
        else
          expect(ask(later, one.component, true, one.asText).status).toBe(
            ask(now, one.component, false, one.asText).status,
          );
      }
      const ofHistory = (harness: Harness): string => {
        const revision = Number(harness.get(pods).body.metadata.resourceVersion) - 3;
        return harness.stream(`${pods}?watch=1&resourceVersion=${revision}`).text();
      };
      expect(watches[1]?.text()).toBe(watches[0]?.text());
      expect(ofHistory(later)).toBe(ofHistory(now));
      expect(outside(later, "read")).toBe(outside(now, "read"));
    }),
    { numRuns: tries(300), seed: 1 },
  );
});
