/**
 * What keeping account of owners leaves alone: entries, sets of fields and their parts are the same objects before and
 * after a write that has nothing to do with them. That makes it cheap, in time and in memory. What the entries say is
 * tested in apply.test.ts.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { difference, intersection, setOf, union } from "../../../../cluster/apiserver/apply/field-set.ts";
import { type Managers, readManagers } from "../../../../cluster/apiserver/apply/managers.ts";
import { trackFields } from "../../../../cluster/apiserver/apply/tracking.ts";
import type { KubeObject } from "../../../../cluster/index.ts";
import { configMap, configMaps, Harness, pod, pods } from "../harness.ts";

describe("the owners of fields", () => {
  let harness: Harness;
  let stored: Map<string, KubeObject>;
  beforeEach(() => {
    harness = new Harness({ fieldOwners: trackFields });
    stored = new Map();
    harness.cluster.observe(({ object }) => stored.set(object.metadata.name, object));
  });

  const entriesOf = (name: string): Managers => stored.get(name)!.metadata.managedFields as unknown as Managers;

  it("are the same list after a write without a manager's fields", () => {
    harness.post(`${configMaps}?fieldManager=me`, configMap("a", {}, { x: "1" }));
    const before = entriesOf("a");
    harness.clock.advance(5_000);
    harness.merge(`${configMaps}/a?fieldManager=me`, { data: { x: "1" } });
    expect(entriesOf("a")).toBe(before);
  });

  it("keep the entry of a manager whose fields another one leaves alone", () => {
    harness.post(`${configMaps}?fieldManager=me`, configMap("a", {}, { x: "1" }));
    const [mine] = entriesOf("a");
    harness.clock.advance(5_000);
    harness.merge(`${configMaps}/a?fieldManager=you`, { data: { y: "1" } });
    expect(entriesOf("a").map(({ manager }) => manager)).toEqual(["me", "you"]);
    expect(entriesOf("a")[0]).toBe(mine);
  });

  it("keep the set of a manager that writes its fields again", () => {
    harness.post(`${configMaps}?fieldManager=me`, configMap("a", {}, { x: "1" }));
    const [before] = entriesOf("a");
    harness.clock.advance(5_000);
    harness.merge(`${configMaps}/a?fieldManager=me`, { data: { x: "2" } });
    const [after] = entriesOf("a");
    expect(after!.time).not.toBe(before!.time);
    expect(after!.fieldsV1).toBe(before!.fieldsV1);
  });

  it("share equal parts between objects, also after others have written", () => {
    for (const name of ["a", "b"]) harness.post(`${pods}?fieldManager=me`, pod(name, {}, { labels: { of: name } }));
    const [a, b] = [entriesOf("a")[0]!.fieldsV1, entriesOf("b")[0]!.fieldsV1];
    expect(b).toBe(a);
    harness.clock.advance(5_000);
    const podIPs = { a: [{ ip: "10.0.0.1" }], b: [{ ip: "10.0.0.2" }] };
    for (const name of ["a", "b"] as const)
      harness.strategic(`${pods}/${name}/status?fieldManager=you`, {
        status: { podIPs: podIPs[name], conditions: [{ type: "Ready", status: "True" }] },
      });
    const [ofA, ofB] = [entriesOf("a")[1]!.fieldsV1["f:status"]!, entriesOf("b")[1]!.fieldsV1["f:status"]!];
    expect(ofB["f:podIPs"]).not.toEqual(ofA["f:podIPs"]);
    expect(ofB["f:conditions"]).toBe(ofA["f:conditions"]);
    expect(entriesOf("b")[0]).toBe(entriesOf("a")[0]);
  });

  it("are known when they are stored, and need not be read again", () => {
    for (const name of ["a", "b", "c"]) {
      harness.post(`${pods}?fieldManager=me`, pod(name));
      harness.strategic(`${pods}/${name}/status?fieldManager=kubelet`, { status: { phase: "Running" } });
      harness.merge(`${pods}/${name}?fieldManager=you`, { metadata: { labels: { of: name } } });
    }
    for (const name of ["a", "b", "c"]) expect(readManagers(entriesOf(name))).toBe(entriesOf(name));
  });

  it("are the same text when they are read from the text", () => {
    harness.post(`${pods}?fieldManager=me`, pod("a", {}, { finalizers: ["x/b", "x/a"], labels: { z: "1", a: "1" } }));
    const text = JSON.stringify(entriesOf("a"));
    expect(JSON.stringify(readManagers(JSON.parse(text)))).toBe(text);
  });
});

describe("a set of fields", () => {
  const set = setOf(["a", "b"], ["a", "c"], ["d"]);

  it("is the same after an operation that changes nothing", () => {
    expect(union(set, setOf(["a", "c"], ["d"]))).toBe(set);
    expect(difference(set, setOf(["a", "x"], ["y"]))).toBe(set);
  });

  it("keeps the parts that an operation leaves alone", () => {
    expect(union(set, setOf(["e"]))["f:a"]).toBe(set["f:a"]);
    expect(difference(set, setOf(["d"]))["f:a"]).toBe(set["f:a"]);
  });

  it("has its elements in order, whatever came first", () => {
    expect(JSON.stringify(union(setOf(["d"]), setOf(["a", "c"], ["a"], ["a", "b"])))).toBe(
      '{"f:a":{".":{},"f:b":{},"f:c":{}},"f:d":{}}',
    );
    expect(JSON.stringify(intersection(set, setOf(["d"], ["a", "c"])))).toBe('{"f:a":{"f:c":{}},"f:d":{}}');
  });
});
