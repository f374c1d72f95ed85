/**
 * Owners that are computed on the first read: they are those that each write would have found, from any client,
 * however many versions there are, and whatever the history still has.
 */
import { describe, expect, it } from "vitest";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import type { ServerRequest } from "../../../../cluster/apiserver/contract/context.ts";
import { validatingWebhooks } from "../../../../cluster/apiserver/admission-plugins/webhooks.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { moreResources } from "../../../../cluster/apiserver/registry/more-resources.ts";
import type { Stored } from "../../../../cluster/apiserver/storage/store.ts";
import type { Method } from "../../../../bindings/js/host.ts";
import { configMap, configMaps, Harness, pod, pods } from "../harness.ts";

const MERGE = { "content-type": "application/merge-patch+json" };
const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
const VERSIONS = 20_000;

type Write = readonly [method: Method, path: string, body: object, headers?: Record<string, string>];

const FINALIZERS = ["example.com/held"];
const binding = {
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name: "p" },
  target: { kind: "Node", name: "node-1" },
};
const READY = { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "Ready", status: "True" }] };
const LABELS = { labels: { of: "q" }, annotations: { a: "b" } };
const WRITES: readonly Write[] = [
  ["POST", `${configMaps}?fieldManager=one`, configMap("a", {}, { x: "1" })],
  ["PATCH", `${configMaps}/a?fieldManager=two`, { data: { y: "1" } }, MERGE],
  ["PATCH", `${configMaps}/a?fieldManager=one`, { data: { x: "2", y: null } }, MERGE],
  ["PATCH", `${configMaps}/a?fieldManager=three`, { data: { x: "2" } }, MERGE],
  ["POST", `${pods}?fieldManager=one`, pod("p", {}, { finalizers: FINALIZERS, labels: { of: "p" } })],
  ["POST", `${pods}/p/binding?fieldManager=scheduler`, binding],
  ["PATCH", `${pods}/p/status?fieldManager=kubelet`, { status: READY }, STRATEGIC],
  ["PATCH", `${pods}/p?fieldManager=two`, { metadata: LABELS }, STRATEGIC],
  ["PATCH", `${pods}/p/status?fieldManager=kubelet`, { status: { phase: "Running" } }, STRATEGIC],
  ["DELETE", `${pods}/p?gracePeriodSeconds=0`, {}],
];

class Writer extends Harness {
  /** As a component of this process that does not ask for owners, or as anybody else. */
  write([method, path, body, headers = {}]: Write, omitsOwners: boolean): string {
    const request: ServerRequest = { method, path, headers, body: JSON.stringify(body), omitsOwners };
    const answer = this.cluster.handle(request);
    expect(answer.status, `${method} ${path}`).toBeLessThan(300);
    this.clock.advance(5_000);
    return "body" in answer ? String(answer.body) : "";
  }
}

const writer = (options: object = {}): Writer => new Writer({ fieldOwners: trackFields, ...options });
const textOf = (harness: Harness): string => harness.get(configMaps).text + harness.get(pods).text;

describe("owners of fields that were not read yet", () => {
  it("are those that each write would have found, at every point", () => {
    for (let asked = 1; asked <= WRITES.length; asked++) {
      const [now, later] = [writer(), writer()];
      for (const write of WRITES.slice(0, asked)) {
        now.write(write, false);
        later.write(write, true);
      }
      expect(textOf(later)).toBe(textOf(now));
      for (const write of WRITES.slice(asked)) {
        now.write(write, false);
        later.write(write, true);
      }
      expect(textOf(later)).toBe(textOf(now));
    }
  });

  it("are those of a chain in which some asked and some did not", () => {
    const [now, mixed] = [writer(), writer()];
    WRITES.forEach((write, i) => {
      now.write(write, false);
      mixed.write(write, i % 2 === 0);
    });
    expect(textOf(mixed)).toBe(textOf(now));
  });

  it("are left out of answers to a component, and shown to every other client", () => {
    const harness = writer();
    const [create, patch] = WRITES as [Write, Write];
    expect(harness.write(create, true)).not.toContain("managedFields");
    const seen = harness.stream(`${configMaps}?watch=true`);
    expect(harness.write(patch, true)).not.toContain("managedFields");
    const managers = seen.events.map(({ object }) => object.metadata.managedFields.map(({ manager }: any) => manager));
    expect(managers).toEqual([["one"], ["one", "two"]]);
    const listed = harness.cluster.handle({
      method: "GET",
      path: configMaps,
      headers: {},
      omitsOwners: true,
    } as ServerRequest);
    expect("body" in listed && String(listed.body)).not.toContain("managedFields");
  });

  it("are computed for thousands of versions at once", () => {
    const harness = writer();
    harness.write(WRITES[0]!, true);
    for (let i = 0; i < VERSIONS; i++)
      harness.write(["PATCH", `${configMaps}/a?fieldManager=two`, { data: { y: String(i) } }, MERGE], true);
    const { managedFields } = harness.get(`${configMaps}/a`).body.metadata;
    expect(managedFields.map(({ manager }: { manager: string }) => manager)).toEqual(["one", "two"]);
  });

  it("are found when the history drops a version, which would be kept alive otherwise", () => {
    const harness = writer({ limits: { maxHistoryEvents: 3 } });
    const versions: Stored[] = [];
    harness.cluster.observe(({ stored }) => versions.push(stored));
    for (const write of WRITES.slice(0, 4)) harness.write(write, true);
    const waits = (): unknown[] =>
      versions.map(({ owned }) => (owned as unknown as { readonly isWaiting: boolean }).isWaiting);
    // The last of these writes changed nothing.
    expect(waits()).toEqual([true, true, true]);
    for (let i = 0; i < 2; i++) harness.write(["POST", configMaps, configMap(`b${i}`)], true);
    expect(waits().slice(0, 3)).toEqual([false, false, true]);
  });

  it("are found at once where webhooks may look at them", () => {
    const harness = writer({ moreResources, plugins: chain([validatingWebhooks]) });
    harness.write(WRITES[0]!, true);
    const configuration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "w" },
    };
    harness.post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", configuration);
    expect(harness.write(WRITES[1]!, true)).toContain("managedFields");
  });
});
