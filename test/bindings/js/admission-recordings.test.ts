/**
 * Admission against what a real API server said: single exchanges, and every write of the scenarios that the upstream
 * controller ran. Leaves out managedFields and what other admission plugins add to Pods.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { type AdmissionResponse, type Cause, freshEngine, patched, reviewRequest } from "./admission-engine.ts";

const recordings = path.resolve(import.meta.dirname, "../../vectors/recordings");
/** The server that was recorded was one of 1.36. */
const reviewer = await freshEngine();
reviewer.configure({ kubernetes: "1.36" });
const jobKind = { group: "batch", version: "v1", kind: "Job" };
const podKind = { group: "", version: "v1", kind: "Pod" };

/** The spec of a Pod without what the plugins that are on by default add. */
function withoutPlugins(spec: JsonObject): JsonObject {
  const { tolerations: _tolerations, priority: _priority, preemptionPolicy: _policy, ...rest } = spec;
  return rest;
}

interface Exchange {
  readonly request: { readonly body: string };
  readonly response: { readonly body: string };
}
function exchange(name: string): { sent: JsonObject; answered: JsonObject } {
  const { request, response } = JSON.parse(
    readFileSync(path.join(recordings, "api", `${name}.json`), "utf8"),
  ) as Exchange;
  return { sent: JSON.parse(request.body) as JsonObject, answered: JSON.parse(response.body) as JsonObject };
}

/** The Job that job-create-defaults shows, under another name. */
function storedJob(name: string, changes: JsonObject = {}): JsonObject {
  const text = JSON.stringify(exchange("job-create-defaults").answered).replaceAll('"j1"', JSON.stringify(name));
  return { ...(JSON.parse(text) as JsonObject), ...changes };
}

function withoutDuplicates(causes: readonly Cause[]): Cause[] {
  return causes.filter(
    (cause, index) => causes.findIndex((other) => JSON.stringify(other) === JSON.stringify(cause)) === index,
  );
}

test("job-create-defaults: labels and spec", () => {
  const { sent, answered } = exchange("job-create-defaults");
  const { metadata } = answered as { metadata: JsonObject };
  const object = { ...sent, metadata: { name: "j1", namespace: "v2-a", uid: metadata["uid"]! } };
  const result = patched(
    object,
    reviewRequest({ uid: "r", kind: jobKind, operation: "CREATE", object }, reviewer),
  ) as JsonObject & { metadata: JsonObject };
  expect(result["spec"]).toEqual(answered["spec"]);
  expect(result.metadata["labels"]).toEqual(metadata["labels"]);
});

test("pod-create-defaults: the spec, but for what admission plugins add", () => {
  const { sent, answered } = exchange("pod-create-defaults");
  const object = { ...sent, metadata: { name: "p1", namespace: "v2-a", uid: "u" } };
  const result = patched(object, reviewRequest({ uid: "r", kind: podKind, operation: "CREATE", object }, reviewer));
  expect((result as JsonObject)["spec"]).toEqual(withoutPlugins(answered["spec"] as JsonObject));
});

/** The answer to an update, against the Status that was recorded. */
function expectRefusal(name: string, object: JsonObject, oldObject: JsonObject, subResource?: string): void {
  const { answered } = exchange(name);
  const request = {
    uid: "r",
    kind: jobKind,
    operation: "UPDATE",
    object,
    oldObject,
    ...(subResource !== undefined && { subResource }),
  };
  const { status } = reviewRequest(request, reviewer);
  const recorded = answered as unknown as NonNullable<AdmissionResponse["status"]>;
  expect(status).toEqual({
    ...recorded,
    details: { ...recorded.details, causes: withoutDuplicates(recorded.details!.causes!) },
  });
}

test("job-put-manifest-invalid", () => {
  const old = storedJob("j");
  const { sent } = exchange("job-put-manifest-invalid");
  expectRefusal("job-put-manifest-invalid", { ...sent, metadata: { name: "j", namespace: "v2-a" } }, old);
});

test("job-status-complete-invalid", () => {
  const old = storedJob("j", { status: { active: 2, ready: 0 } });
  const { status } = exchange("job-status-complete-invalid").sent as { status: JsonObject };
  expectRefusal(
    "job-status-complete-invalid",
    { ...old, status: { ...(old["status"] as JsonObject), ...status } },
    old,
    "status",
  );
});

test("job-patch-uid-mismatch", () => {
  const recorded = JSON.stringify(exchange("job-patch-uid-mismatch").answered);
  const uid = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(recorded)![0];
  const created = exchange("job-create-defaults").answered as { metadata: { uid: string } };
  const old = JSON.parse(JSON.stringify(storedJob("j")).replaceAll(created.metadata.uid, uid)) as JsonObject & {
    metadata: JsonObject;
    spec: JsonObject;
  };
  const object = { ...old, metadata: { ...old.metadata, uid: "zzz" }, spec: { ...old.spec, parallelism: 3 } };
  expectRefusal("job-patch-uid-mismatch", object, old);
});

interface Write {
  readonly verb: string;
  readonly uri: string;
  readonly request: JsonObject;
  readonly response: JsonObject & { metadata: JsonObject & { uid: string } };
}

describe.each(readdirSync(recordings).filter((file) => file.endsWith(".jsonl")))("%s", (file) => {
  const lines = readFileSync(path.join(recordings, file), "utf8").trimEnd().split("\n");
  const writes = lines.map((line) => JSON.parse(line) as Write);
  const resourceOf = ({ uri }: Write): string =>
    uri
      .split("?")[0]!
      .split("/")
      .filter((part) => ["jobs", "pods", "status"].includes(part))
      .join("/");

  test("what was created has the same spec", () => {
    const created = writes.filter((write) => write.verb === "create" && ["jobs", "pods"].includes(resourceOf(write)));
    expect(created.length).toBeGreaterThan(1);
    for (const write of created) {
      const { name, namespace, uid } = write.response.metadata;
      const object: JsonObject = {
        ...write.request,
        metadata: { ...(write.request["metadata"] as JsonObject), name: name!, namespace: namespace!, uid },
      };
      const isJob = resourceOf(write) === "jobs";
      const response = reviewRequest({ uid: "r", kind: isJob ? jobKind : podKind, operation: "CREATE", object });
      expect(response.allowed, response.status?.message).toBe(true);
      const spec = withoutPlugins((patched(object, response) as JsonObject)["spec"] as JsonObject);
      expect(spec).toEqual(withoutPlugins(write.response["spec"] as JsonObject));
    }
  });

  test("every update of a Job is allowed and changes nothing else", () => {
    const stored = new Map<string, JsonObject>();
    let updates = 0;
    for (const write of writes) {
      const resource = resourceOf(write);
      // The garbage collector gets metadata alone in its answers.
      if (!resource.startsWith("jobs") || write.response["spec"] === undefined) continue;
      const { uid } = write.response.metadata;
      const oldObject = stored.get(uid);
      stored.set(uid, write.response);
      if (oldObject === undefined || write.verb === "delete") continue;
      updates++;
      const subResource = resource === "jobs/status" ? { subResource: "status" } : {};
      const response = reviewRequest({
        uid: "r",
        kind: jobKind,
        operation: "UPDATE",
        object: write.response,
        oldObject,
        ...subResource,
      });
      expect(response.allowed, response.status?.message).toBe(true);
      expect(response.patch).toBeUndefined();
    }
    expect(updates).toBeGreaterThan(0);
  });
});
