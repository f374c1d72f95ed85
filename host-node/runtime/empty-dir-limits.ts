/**
 * Evicts pods whose emptyDir volumes hold more than their `sizeLimit`, as the kubelet does it: it looks every ten
 * seconds, so for that long they may hold more.
 *
 * Invariant: one volume is read at a time, and a pod is evicted once. What counts is what the files take on the disk; a
 * file with several names counts once. Leaves out what the containers' user may not read itself, and what comes after
 * MAX_ENTRIES. Source: pkg/kubelet/eviction/eviction_manager.go.
 */
import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { canonicalQuantity, milliOf } from "../../cluster/values/quantities.ts";
import type { Volume } from "./volumes.ts";
import type { Pod, PodSpec } from "../../cluster/values/kinds.ts";

const LOOK_MS = 10_000;
/** The most files and folders of a volume that are measured. */
const MAX_ENTRIES = 1_000_000;
/** The unit of `blocks` in the kernel's answers, on every disk. */
const BLOCK_BYTES = 512n;
/** Pods of the system are not evicted. */
const CRITICAL_PRIORITY = 2_000_000_000;
const SLASH = Buffer.from("/");

interface LimitedVolume {
  readonly name: string;
  readonly path: string;
  /** As a quantity, in its canonical form. */
  readonly limit: string;
}

interface LimitedPod {
  readonly volumes: readonly LimitedVolume[];
  readonly evict: (message: string) => void;
}

export class EmptyDirLimits {
  readonly #lookMs: number;
  /** By their UIDs. */
  readonly #pods = new Map<string, LimitedPod>();
  #timer: NodeJS.Timeout | undefined;

  constructor(lookMs = LOOK_MS) {
    this.#lookMs = lookMs;
  }

  /** @param volumes that were made for the pod, by their names @param evict is called once, at most */
  watch(pod: Pod, volumes: ReadonlyMap<string, Pick<Volume, "path">>, evict: (message: string) => void): void {
    const limited = limitedVolumes(pod.spec, volumes);
    if (limited.length === 0) return;
    this.#pods.set(pod.metadata.uid, { volumes: limited, evict });
    this.#wait();
  }

  /** From now on the pod is never evicted. */
  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#lookMs).unref();
  }

  async #look(): Promise<void> {
    for (const [uid, pod] of this.#pods) {
      const full = await firstFull(pod.volumes);
      // It may have ended meanwhile.
      if (full === undefined || this.#pods.get(uid) !== pod) continue;
      this.#pods.delete(uid);
      pod.evict(`Usage of EmptyDir volume "${full.name}" exceeds the limit "${full.limit}". `);
    }
    this.#timer = undefined;
    if (this.#pods.size > 0) this.#wait();
  }
}

function limitedVolumes(spec: PodSpec, made: ReadonlyMap<string, Pick<Volume, "path">>): readonly LimitedVolume[] {
  if (spec.priority! >= CRITICAL_PRIORITY) return [];
  return (spec.volumes ?? []).flatMap(({ name, emptyDir }) => {
    const path = made.get(name)?.path;
    const limit = emptyDir?.sizeLimit === undefined ? "0" : canonicalQuantity(String(emptyDir.sizeLimit));
    return path !== undefined && milliOf(limit) > 0n ? [{ name, path, limit }] : [];
  });
}

async function firstFull(volumes: readonly LimitedVolume[]): Promise<LimitedVolume | undefined> {
  for (const volume of volumes) if (await holdsMoreThan(milliOf(volume.limit) / 1000n, volume.path)) return volume;
  return undefined;
}

/** Whether a folder and its content take more bytes on the disk. */
export async function holdsMoreThan(limitBytes: bigint, folder: string): Promise<boolean> {
  const folders = [Buffer.from(folder)];
  const seen = new Set<bigint>();
  let bytes = (await statOf(folders[0]!))?.blocks ?? 0n;
  let entries = 0;
  for (let open = folders.pop(); open !== undefined; open = folders.pop()) {
    for (const name of await namesIn(open)) {
      if (++entries > MAX_ENTRIES) return false;
      const path = Buffer.concat([open, SLASH, name]);
      const stat = await statOf(path);
      if (stat === undefined || (stat.nlink > 1n && !stat.isDirectory() && seen.has(stat.ino))) continue;
      if (stat.isDirectory()) folders.push(path);
      else if (stat.nlink > 1n) seen.add(stat.ino);
      bytes += stat.blocks;
      if (bytes * BLOCK_BYTES > limitBytes) return true;
    }
  }
  return bytes * BLOCK_BYTES > limitBytes;
}

/** As bytes: containers choose the names, which need not be text. */
async function namesIn(folder: Buffer): Promise<readonly Buffer[]> {
  try {
    return await readdir(folder, { encoding: "buffer" });
  } catch {
    return []; // It is gone, or may not be read.
  }
}

/** For a link: of the link itself, not of its target. */
async function statOf(path: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch {
    return undefined; // It is gone.
  }
}
