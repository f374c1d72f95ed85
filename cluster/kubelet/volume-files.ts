/**
 * The files of a pod's ConfigMap, Secret, downward API and projected volumes: which objects they need, which of these
 * are missing, and the files made from them. Pure functions; the caller fetches the objects in between
 * (env-sources.ts).
 *
 * Invariant: a missing object or key that is not optional is an error, never a missing file. Leaves out resources in
 * the downward API, tokens, and later changes of the objects and of the pod. Source: MakePayload in
 * pkg/volume/configmap/configmap.go and pkg/volume/secret/secret.go, collectData in pkg/volume/projected/projected.go
 * and pkg/volume/downwardapi/downwardapi.go.
 */
import { base64Bytes } from "../values/text.ts";
import type { VolumeFile, VolumeFiles } from "./container-runtime.ts";
import { type EnvSource, type EnvSourceKind, fieldValue } from "./env.ts";
import type { ConfigMap, Pod, Secret } from "../values/kinds.ts";

const DEFAULT_MODE = 0o644;
const encoder = new TextEncoder();

/** A volume that cannot be made; the message is that of the FailedMount event. */
export class VolumeError extends Error {}

/** A missing object, or a missing key of an object, that a volume needs. */
export interface VolumeProblem {
  /** Path in the pod: `spec.volumes[0].configMap.items[1].key`. */
  readonly path: string;
  /** Upstream's message about the volume. */
  readonly message: string;
  readonly source: EnvSource;
  /** The keys of an object that exists. */
  readonly keys?: readonly string[];
}

interface Item {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}

/** A ConfigMap or Secret that is a source of a volume. */
interface ObjectPart {
  /** In the pod. */
  readonly path: string;
  readonly source: EnvSource;
  readonly optional: boolean;
  readonly items: readonly Item[] | undefined;
}

interface ObjectVolume {
  readonly name: string;
  readonly defaultMode: number;
  readonly parts: readonly ObjectPart[];
  /** Of the downward API. */
  readonly fields: readonly FieldItem[];
}

interface FieldItem {
  readonly path: string;
  readonly mode?: number;
  readonly fieldRef?: { readonly fieldPath: string };
}

type Find = (source: EnvSource) => ConfigMap | Secret | undefined;

/** The ConfigMaps and Secrets that a pod's volumes need, each once. */
export function volumeSourcesNeeded(pod: Pod): EnvSource[] {
  if (pod.spec.volumes === undefined) return [];
  const sources = objectVolumes(pod).flatMap(({ parts }) => parts.map(({ source }) => source));
  return [...new Map(sources.map((source) => [`${source.kind}/${source.name}`, source])).values()];
}

/** Everything that the volumes of a pod lack. @param find the object, or undefined if it does not exist */
export function volumeProblems(pod: Pod, find: Find): VolumeProblem[] {
  return objectVolumes(pod).flatMap(({ parts }) => parts.flatMap((part) => problemsOf(part, find(part.source))));
}

/**
 * @param find the object, or undefined if it does not exist.
 * @throws VolumeError naming the volume and what is missing
 */
export function volumeFiles(pod: Pod, find: Find): VolumeFiles {
  return new Map(objectVolumes(pod).map((volume) => [volume.name, filesOf(volume, pod, find)]));
}

function objectVolumes(pod: Pod): ObjectVolume[] {
  return (pod.spec.volumes ?? []).flatMap((volume, i) => {
    const path = `spec.volumes[${i}]`;
    const { name, configMap, secret, projected, downwardAPI } = volume;
    if (projected !== undefined) {
      const sources = projected.sources ?? [];
      const parts = sources.flatMap((source, j) => partsOf(`${path}.projected.sources[${j}]`, source));
      const fields = sources.flatMap((source) => source.downwardAPI?.items ?? []);
      return [{ name, defaultMode: projected.defaultMode ?? DEFAULT_MODE, parts, fields }];
    }
    const kind = configMap ?? secret ?? downwardAPI;
    if (kind === undefined) return [];
    const fields = downwardAPI?.items ?? [];
    return [{ name, defaultMode: kind.defaultMode ?? DEFAULT_MODE, parts: partsOf(path, volume), fields }];
  });
}

/** The objects of a volume, or of a source of a projected volume. The two name a Secret in different members. */
function partsOf(path: string, { configMap, secret }: Readonly<Record<string, any>>): ObjectPart[] {
  const parts: ObjectPart[] = [];
  const add = (kind: EnvSourceKind, field: string, name: string, { optional, items }: Record<string, any>): void => {
    parts.push({ path: `${path}.${field}`, source: { kind, name }, optional: optional === true, items });
  };
  if (configMap !== undefined) add("ConfigMap", "configMap", configMap.name, configMap);
  if (secret !== undefined) add("Secret", "secret", secret.secretName ?? secret.name, secret);
  return parts;
}

function problemsOf(part: ObjectPart, object: ConfigMap | Secret | undefined): VolumeProblem[] {
  const { path, source, optional, items = [] } = part;
  const { kind, name } = source;
  if (optional) return [];
  if (object === undefined)
    return [{ path, source, message: `${kind.toLowerCase()} ${JSON.stringify(name)} not found` }];
  if (items.length === 0) return [];
  const keys = [...bytesByKey(kind, object).keys()];
  return items.flatMap(({ key }, i) => {
    if (keys.includes(key)) return [];
    const message = `references non-existent ${kind === "Secret" ? "secret" : "config"} key: ${key}`;
    return [{ path: `${path}.items[${i}].key`, source, keys, message }];
  });
}

function filesOf({ name, defaultMode, parts, fields }: ObjectVolume, pod: Pod, find: Find): VolumeFile[] {
  const files = new Map<string, VolumeFile>();
  for (const { path, mode, fieldRef } of fields)
    if (fieldRef)
      files.set(path, { path, bytes: encoder.encode(fieldText(fieldRef.fieldPath, pod)), mode: mode ?? defaultMode });
  const problems = new Set<string>();
  for (const part of parts) {
    const object = find(part.source);
    // Upstream reports the first problem of each object.
    const [problem] = problemsOf(part, object);
    if (problem !== undefined) problems.add(problem.message);
    const data = object === undefined ? new Map<string, Uint8Array>() : bytesByKey(part.source.kind, object);
    const wanted: readonly Item[] = part.items ?? [...data.keys()].sort().map((key) => ({ key, path: key }));
    for (const { key, path, mode } of wanted) {
      const bytes = data.get(key);
      if (bytes !== undefined) files.set(path, { path, bytes, mode: mode ?? defaultMode });
    }
  }
  if (problems.size === 0) return [...files.values()];
  const why = problems.size === 1 ? [...problems][0]! : `[${[...problems].join(", ")}]`;
  throw new VolumeError(`MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${why}`);
}

/** A field in the form of a file: labels and annotations have a line each. */
function fieldText(fieldPath: string, pod: Pod): string {
  const all = /^metadata\.(labels|annotations)$/.exec(fieldPath);
  if (all === null) return fieldValue(fieldPath, { pod, podIP: "", hostIP: "" });
  const map = pod.metadata[all[1] as "labels"] ?? {};
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${JSON.stringify(map[key])}`)
    .join("\n");
}

function bytesByKey(kind: EnvSourceKind, object: ConfigMap | Secret): Map<string, Uint8Array> {
  const entries = (field: string, decode: (text: string) => Uint8Array): [string, Uint8Array][] =>
    Object.entries(object[field as "data"] ?? {}).map(([key, value]) => [key, decode(value)]);
  if (kind === "Secret") return new Map(entries("data", base64Bytes));
  return new Map([...entries("data", (text) => encoder.encode(text)), ...entries("binaryData", base64Bytes)]);
}
