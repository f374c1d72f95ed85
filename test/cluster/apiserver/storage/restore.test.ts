/** Saved objects in a new server: what comes back, with which versions, and what is too old. */
import { describe, expect, test } from "vitest";
import { Restore, type SavedObject } from "../../../../cluster/apiserver/storage/restore.ts";
import { Harness } from "../harness.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";

/** What a server has stored, and its latest revision. */
function saved(harness: Harness): { objects: SavedObject[]; latest: number } {
  return harness.cluster.withServer((server) => ({
    objects: server.definitions.flatMap((definition) =>
      definition.conversion
        ? []
        : [...server.store(definition).scan("", "")].map(({ key, revision, text }) => ({
            resource: definition.storage,
            key,
            revision,
            object: JSON.parse(text),
          })),
    ),
    latest: server.revisions.current,
  }));
}

function restored({ objects, latest }: ReturnType<typeof saved>): Harness {
  const harness = new Harness();
  harness.cluster.withServer((server) => {
    const restore = new Restore(server, latest);
    expect(restore.put(objects)).toEqual([]);
    restore.finish();
  });
  return harness;
}

function withMaps(): Harness {
  const harness = new Harness();
  for (const name of ["a", "b", "c"]) harness.post(MAPS, { metadata: { name }, data: { name } });
  harness.merge(`${MAPS}/a`, { data: { more: "yes" } });
  harness.delete(`${MAPS}/c`);
  return harness;
}

describe("a restored server", () => {
  test("has every object byte for byte, in its version", () => {
    const before = withMaps();
    const after = restored(saved(before));
    for (const path of [`${MAPS}/a`, `${MAPS}/b`, `${MAPS}/c`, MAPS, "/api/v1/namespaces"])
      expect(after.get(path).text).toBe(before.get(path).text);
  });

  test("continues with a version that is later than all before, also that of a deletion", () => {
    const before = withMaps();
    const deleted = Number(before.get(MAPS).body.metadata.resourceVersion);
    const after = restored(saved(before));
    const next = after.post(MAPS, { metadata: { name: "next" } }).body.metadata.resourceVersion;
    expect(Number(next)).toBe(deleted + 1);
  });

  test("writes what was not saved once more", () => {
    const { objects, latest } = saved(withMaps());
    const after = restored({ objects: objects.filter(({ resource }) => resource !== "namespaces"), latest });
    const { metadata } = after.get("/api/v1/namespaces/default").body;
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(latest);
  });

  test("says that versions from before have expired, but for the latest", () => {
    const before = withMaps();
    const latest = Number(before.get(MAPS).body.metadata.resourceVersion);
    const after = restored(saved(before));
    const fromBefore = after.stream(`${MAPS}?watch=1&resourceVersion=${latest - 1}`);
    expect(fromBefore.events.map(({ type, object }) => [type, object.code])).toEqual([["ERROR", 410]]);
    const fromLatest = after.stream(`${MAPS}?watch=1&resourceVersion=${latest}`);
    after.post(MAPS, { metadata: { name: "next" } });
    expect(fromLatest.events.map(({ type, object }) => [type, object.metadata.name])).toEqual([["ADDED", "next"]]);
  });

  test("gives back what is saved of resources that are not served", () => {
    const after = new Harness();
    const widget: SavedObject = {
      resource: "widgets.example.com",
      key: "default/w",
      revision: 7,
      object: { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } } as never,
    };
    after.cluster.withServer((server) => expect(new Restore(server, 9).put([widget])).toEqual([widget]));
  });
});
