/** Cluster.observe: every write of every resource, inside the write and by reference. */
import { expect, test } from "vitest";
import type { Write } from "../../cluster/index.ts";
import { Harness, configMap, configMaps, job, jobs } from "./apiserver/harness.ts";

function observed(): { harness: Harness; writes: Write[]; end: () => void } {
  const harness = new Harness();
  const writes: Write[] = [];
  return { harness, writes, end: harness.cluster.observe((write) => writes.push(write)) };
}

test("an observer sees each write of any resource before it is answered, with the object before it", () => {
  const { harness, writes } = observed();
  harness.post(configMaps, configMap("a"));
  expect(writes).toHaveLength(1);
  harness.merge(`${configMaps}/a`, { data: { x: "1" } });
  harness.post(jobs, job("j"));
  harness.delete(`${configMaps}/a`);
  const seen = writes.map(({ resource, type, object, revision }) => [
    ...[resource, type, object.metadata.name],
    revision === Number(object.metadata.resourceVersion),
  ]);
  expect(seen).toEqual([
    ["configmaps", "ADDED", "a", true],
    ["configmaps", "MODIFIED", "a", true],
    ["jobs", "ADDED", "j", true],
    ["configmaps", "DELETED", "a", true],
  ]);
  const [added, modified, createdJob, deleted] = writes;
  expect([added!.previous, createdJob!.previous]).toEqual([undefined, undefined]);
  expect(modified!.previous).toBe(added!.object);
  expect(deleted!.previous).toBe(modified!.object);
  expect(deleted!.object["data"]).toBe(modified!.object["data"]);
  const revisions = writes.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
});

test("a request that writes nothing is not observed", () => {
  const { harness, writes } = observed();
  harness.post(configMaps, configMap("a"));
  harness.get(`${configMaps}/a`);
  harness.merge(`${configMaps}/a`, {});
  harness.post(`${configMaps}?dryRun=All`, configMap("b"));
  harness.delete(`${configMaps}/absent`);
  expect(writes).toHaveLength(1);
});

test("events of both API groups are one resource, in the form of the store", () => {
  const { harness, writes } = observed();
  const regarding = { kind: "Pod", namespace: "default", name: "p" };
  const metadata = { name: "e" };
  const answer = harness.post("/apis/events.k8s.io/v1/namespaces/default/events", {
    metadata,
    regarding,
    reason: "R",
    action: "A",
    type: "Normal",
    eventTime: "2026-11-21T09:48:50.000000Z",
    reportingController: "c.io/d",
    reportingInstance: "i",
  });
  expect(answer.status).toBe(201);
  expect(writes.map(({ resource, object }) => [resource, object.apiVersion])).toEqual([["events", "v1"]]);
});

test("an observer hears nothing once it has ended", () => {
  const { harness, writes, end } = observed();
  end();
  harness.post(configMaps, configMap("a"));
  expect(writes).toEqual([]);
});
