/**
 * The files of a pod's ConfigMap, Secret and projected volumes: which objects they need, which of these are missing,
 * and the files made from them. Pure functions; the objects are fetched in between (env-sources.ts).
 *
 * Invariant: a missing object or key that is not optional is an error, never a missing file. Leaves out the downward
 * API and tokens, and later changes of the objects. Source: MakePayload in pkg/volume/configmap/configmap.go and
 * pkg/volume/secret/secret.go, collectData in pkg/volume/projected/projected.go.
 */
import { base64Bytes } from "../apiserver/text.ts";
import type { KubeObject } from "../types.ts";
import type { VolumeFile, VolumeFiles } from "./container-runtime.ts";
import type { EnvSource, EnvSourceKind } from "./env.ts";

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

/** A ConfigMap or Secret that a volume is made of. */
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
}

type Find = (source: EnvSource) => KubeObject | undefined;

/** The ConfigMaps and Secrets that a pod's volumes are made of, each once. */
export function volumeSourcesNeeded(pod: KubeObject): EnvSource[] {
  if (pod["spec"].volumes === undefined) return [];
  const sources = objectVolumes(pod).flatMap(({ parts }) => parts.map(({ source }) => source));
  return [...new Map(sources.map((source) => [`${source.kind}/${source.name}`, source])).values()];
}

/** Everything that the volumes of a pod lack. @param find the object, or undefined if it does not exist */
export function volumeProblems(pod: KubeObject, find: Find): VolumeProblem[] {
  return objectVolumes(pod).flatMap(({ parts }) => parts.flatMap((part) => problemsOf(part, find(part.source))));
}

/**
 * @param find the object, or undefined if it does not exist.
 * @throws VolumeError naming the volume and what is missing
 */
export function volumeFiles(pod: KubeObject, find: Find): VolumeFiles {
  return new Map(objectVolumes(pod).map((volume) => [volume.name, filesOf(volume, find)]));
}

function objectVolumes(pod: KubeObject): ObjectVolume[] {
  return ((pod["spec"].volumes ?? []) as Record<string, any>[]).flatMap((volume, i) => {
    const path = `spec.volumes[${i}]`;
    const { name, configMap, secret, projected } = volume;
    if (projected !== undefined) {
      const sources = (projected.sources ?? []) as Record<string, any>[];
      const parts = sources.flatMap((source, j) => partsOf(`${path}.projected.sources[${j}]`, source));
      return [{ name, defaultMode: projected.defaultMode ?? DEFAULT_MODE, parts }];
    }
    const parts = partsOf(path, volume);
    return parts.length === 0 ? [] : [{ name, defaultMode: (configMap ?? secret).defaultMode ?? DEFAULT_MODE, parts }];
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

function problemsOf(part: ObjectPart, object: KubeObject | undefined): VolumeProblem[] {
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

function filesOf({ name, defaultMode, parts }: ObjectVolume, find: Find): VolumeFile[] {
  const files = new Map<string, VolumeFile>();
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

function bytesByKey(kind: EnvSourceKind, object: KubeObject): Map<string, Uint8Array> {
  const entries = (field: string, decode: (text: string) => Uint8Array): [string, Uint8Array][] =>
    Object.entries((object[field] ?? {}) as Record<string, string>).map(([key, value]) => [key, decode(value)]);
  if (kind === "Secret") return new Map(entries("data", base64Bytes));
  return new Map([...entries("data", (text) => encoder.encode(text)), ...entries("binaryData", base64Bytes)]);
}
