/** What files a pod's ConfigMap, Secret and projected volumes have: keys, items, modes, and what is absent. */
import { describe, expect, test } from "vitest";
import type { EnvSource } from "../../../cluster/kubelet/env.ts";
import {
  VolumeError,
  volumeFiles,
  volumeProblems,
  volumeSourcesNeeded,
} from "../../../cluster/kubelet/volume-files.ts";
import type { ConfigMap, Pod } from "../../../cluster/values/kinds.ts";

const metadata = {
  name: "x",
  namespace: "default",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const pod = (...volumes: object[]): Pod => ({ metadata, spec: { volumes } }) as unknown as Pod;
const objects: Readonly<Record<string, object>> = {
  "ConfigMap/c": { data: { b: "text ü", a: "first" }, binaryData: { raw: "AAH/" } },
  "Secret/s": { data: { key: "/w==" } },
  "ConfigMap/empty": {},
};
const find = ({ kind, name }: EnvSource): ConfigMap | undefined => {
  const object = objects[`${kind}/${name}`];
  return object === undefined ? undefined : { metadata, ...object };
};
/** path, mode and bytes of each file. */
const filesOf = (volume: object): unknown[] =>
  (volumeFiles(pod({ name: "v", ...volume }), find).get("v") ?? []).map(({ path, mode, bytes }) => [
    path,
    mode.toString(8),
    [...bytes],
  ]);
const problemOf = (volume: object): string => {
  try {
    filesOf(volume);
  } catch (error) {
    if (error instanceof VolumeError) return error.message;
  }
  throw new Error("no VolumeError");
};
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

describe("volumeFiles", () => {
  test("a file for each key, in the order of their names", () => {
    expect(filesOf({ configMap: { name: "c" } })).toEqual([
      ["a", "644", bytes("first")],
      ["b", "644", bytes("text ü")],
      ["raw", "644", [0, 1, 255]],
    ]);
    expect(filesOf({ secret: { secretName: "s", defaultMode: 0o400 } })).toEqual([["key", "400", [255]]]);
    expect(filesOf({ configMap: { name: "empty" } })).toEqual([]);
  });

  test("items choose keys, paths and modes", () => {
    const items = [
      { key: "raw", path: "bin/raw", mode: 0o500 },
      { key: "a", path: "a" },
    ];
    expect(filesOf({ configMap: { name: "c", defaultMode: 0o440, items } })).toEqual([
      ["bin/raw", "500", [0, 1, 255]],
      ["a", "440", bytes("first")],
    ]);
  });

  test("what is absent is an error, unless it is optional", () => {
    expect(problemOf({ configMap: { name: "none" } })).toBe(
      'MountVolume.SetUp failed for volume "v" : configmap "none" not found',
    );
    expect(problemOf({ secret: { secretName: "none" } })).toBe(
      'MountVolume.SetUp failed for volume "v" : secret "none" not found',
    );
    expect(problemOf({ configMap: { name: "c", items: [{ key: "none", path: "p" }] } })).toBe(
      'MountVolume.SetUp failed for volume "v" : references non-existent config key: none',
    );
    expect(problemOf({ secret: { secretName: "s", items: [{ key: "none", path: "p" }] } })).toBe(
      'MountVolume.SetUp failed for volume "v" : references non-existent secret key: none',
    );
    expect(filesOf({ configMap: { name: "none", optional: true } })).toEqual([]);
    expect(
      filesOf({
        configMap: {
          name: "c",
          optional: true,
          items: [
            { key: "none", path: "p" },
            { key: "a", path: "a" },
          ],
        },
      }),
    ).toEqual([["a", "644", bytes("first")]]);
  });

  test("projected volumes have the files of all their sources, a later one in the place of an earlier", () => {
    const sources = [
      {
        configMap: {
          name: "c",
          items: [
            { key: "a", path: "key" },
            { key: "b", path: "b" },
          ],
        },
      },
      { secret: { name: "s" } },
      { downwardAPI: {} },
      { secret: { name: "none", optional: true } },
    ];
    expect(filesOf({ projected: { sources, defaultMode: 0o440 } })).toEqual([
      ["key", "440", [255]],
      ["b", "440", bytes("text ü")],
    ]);
    expect(filesOf({ projected: {} })).toEqual([]);
    expect(volumeSourcesNeeded(pod({ name: "v", projected: { sources } }))).toEqual([
      { kind: "ConfigMap", name: "c" },
      { kind: "Secret", name: "s" },
      { kind: "Secret", name: "none" },
    ]);
  });

  test("of a projected volume reports the first problem of each source", () => {
    const sources = [
      { configMap: { name: "none" } },
      {
        secret: {
          name: "s",
          items: [
            { key: "x", path: "x" },
            { key: "y", path: "y" },
          ],
        },
      },
    ];
    expect(problemOf({ projected: { sources: sources.slice(0, 1) } })).toBe(
      'MountVolume.SetUp failed for volume "v" : configmap "none" not found',
    );
    expect(problemOf({ projected: { sources } })).toBe(
      'MountVolume.SetUp failed for volume "v" : [configmap "none" not found, references non-existent secret key: x]',
    );
  });

  test("what is missing has a place in the pod", () => {
    const items = [
      { key: "none", path: "p" },
      { key: "a", path: "a" },
    ];
    const problems = volumeProblems(
      pod(
        { name: "e", emptyDir: {} },
        { name: "v", projected: { sources: [{ secret: { name: "none" } }, { configMap: { name: "c", items } }] } },
      ),
      find,
    );
    expect(problems).toEqual([
      {
        path: "spec.volumes[1].projected.sources[0].secret",
        source: { kind: "Secret", name: "none" },
        message: 'secret "none" not found',
      },
      {
        path: "spec.volumes[1].projected.sources[1].configMap.items[0].key",
        source: { kind: "ConfigMap", name: "c" },
        keys: ["b", "a", "raw"],
        message: "references non-existent config key: none",
      },
    ]);
  });

  test("other volumes have no files and need no object", () => {
    expect(
      volumeSourcesNeeded(
        pod(
          { name: "e", emptyDir: {} },
          { name: "c", configMap: { name: "c" } },
          { name: "d", configMap: { name: "c" } },
          { name: "s", secret: { secretName: "s" } },
        ),
      ),
    ).toEqual([
      { kind: "ConfigMap", name: "c" },
      { kind: "Secret", name: "s" },
    ]);
    expect([...volumeFiles(pod({ name: "e", emptyDir: {} }), find).keys()]).toEqual([]);
    expect(volumeSourcesNeeded(pod())).toEqual([]);
  });
});

test("a volume of the downward API has fields of the pod, and all labels a line each", () => {
  const labelled = { ...metadata, labels: { b: 'say "x"\n', a: "1" } };
  const items = [
    { path: "all/labels", fieldRef: { fieldPath: "metadata.labels" } },
    { path: "notes", fieldRef: { fieldPath: "metadata.annotations" } },
    { path: "name", fieldRef: { fieldPath: "metadata.name" }, mode: 0o400 },
    { path: "one", fieldRef: { fieldPath: "metadata.labels['a']" } },
    { path: "cpu", resourceFieldRef: { containerName: "c", resource: "limits.cpu" } },
  ];
  const volumes = [{ name: "v", downwardAPI: { items, defaultMode: 0o640 } }];
  const files = volumeFiles({ ...pod(...volumes), metadata: labelled }, find).get("v")!;
  expect(files.map(({ path, mode, bytes: all }) => [path, mode, new TextDecoder().decode(all)])).toEqual([
    ["all/labels", 0o640, 'a="1"\nb="say \\"x\\"\\n"'],
    ["notes", 0o640, ""],
    ["name", 0o400, "x"],
    ["one", 0o640, "1"],
  ]);
});
