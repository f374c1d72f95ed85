/**
 * The files of a pod's ConfigMap and Secret volumes: which objects they need, and what becomes of them. Pure functions; the objects
 * are fetched in between (env-sources.ts).
 *
 * Invariant: what is absent and not optional is an error, never a missing file. Leaves out projected and downward API volumes, and what
 * changes in the objects later.
 * Source: MakePayload in pkg/volume/configmap/configmap.go and pkg/volume/secret/secret.go.
 */
import { base64Bytes } from "../apiserver/text.ts";
import type { KubeObject } from "../types.ts";
import type { VolumeFile, VolumeFiles } from "./container-runtime.ts";
import type { EnvSource, EnvSourceKind } from "./env.ts";

const DEFAULT_MODE = 0o644;
const encoder = new TextEncoder();

/** A volume that cannot be made; the message is that of the FailedMount event. */
export class VolumeError extends Error {}

interface ObjectVolume {
  readonly name: string;
  readonly source: EnvSource;
  readonly optional: boolean;
  readonly defaultMode: number;
  readonly items: readonly { readonly key: string; readonly path: string; readonly mode?: number }[] | undefined;
}

/** The ConfigMaps and Secrets that a pod's volumes are made of, each once. */
export function volumeSourcesNeeded(pod: KubeObject): EnvSource[] {
  return [...new Map(objectVolumes(pod).map(({ source }) => [`${source.kind}/${source.name}`, source])).values()];
}

/** @param find the object, or undefined if it does not exist. @throws VolumeError naming the volume and what is missing */
export function volumeFiles(pod: KubeObject, find: (source: EnvSource) => KubeObject | undefined): VolumeFiles {
  return new Map(objectVolumes(pod).map((volume) => [volume.name, filesOf(volume, find(volume.source))]));
}

function objectVolumes(pod: KubeObject): ObjectVolume[] {
  return ((pod["spec"].volumes ?? []) as Record<string, any>[]).flatMap(({ name, configMap, secret }) => {
    if (configMap !== undefined) return [objectVolume(name, "ConfigMap", configMap.name, configMap)];
    return secret === undefined ? [] : [objectVolume(name, "Secret", secret.secretName, secret)];
  });
}

function objectVolume(name: string, kind: EnvSourceKind, objectName: string, { optional, defaultMode, items }: Record<string, any>): ObjectVolume {
  return { name, source: { kind, name: objectName }, optional: optional === true, defaultMode: defaultMode ?? DEFAULT_MODE, items };
}

function filesOf(volume: ObjectVolume, object: KubeObject | undefined): VolumeFile[] {
  const { name, source, optional, defaultMode, items } = volume;
  if (object === undefined) {
    if (optional) return [];
    throw failure(name, `${source.kind.toLowerCase()} ${JSON.stringify(source.name)} not found`);
  }
  const data = bytesByKey(source.kind, object);
  const wanted: ObjectVolume["items"] = items ?? [...data.keys()].sort().map((key) => ({ key, path: key }));
  return wanted.flatMap(({ key, path, mode }) => {
    const bytes = data.get(key);
    if (bytes !== undefined) return [{ path, bytes, mode: mode ?? defaultMode }];
    if (optional) return [];
    throw failure(name, `references non-existent ${source.kind === "Secret" ? "secret" : "config"} key: ${key}`);
  });
}

function bytesByKey(kind: EnvSourceKind, object: KubeObject): Map<string, Uint8Array> {
  const entries = (field: string, decode: (text: string) => Uint8Array): [string, Uint8Array][] =>
    Object.entries((object[field] ?? {}) as Record<string, string>).map(([key, value]) => [key, decode(value)]);
  if (kind === "Secret") return new Map(entries("data", base64Bytes));
  return new Map([...entries("data", (text) => encoder.encode(text)), ...entries("binaryData", base64Bytes)]);
}

function failure(volume: string, why: string): VolumeError {
  return new VolumeError(`MountVolume.SetUp failed for volume ${JSON.stringify(volume)} : ${why}`);
}
