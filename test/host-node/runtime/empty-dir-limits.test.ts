/** How much a volume holds, and which pods are evicted for it. */
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EmptyDirLimits, holdsMoreThan } from "../../../host-node/runtime/empty-dir-limits.ts";
import { podOf } from "./running.ts";

const MIB = 1024 * 1024;
const MIB_OF_TEXT = "x".repeat(MIB);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-volume-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("what a volume holds", () => {
  const holds = (mib: number): Promise<boolean> => holdsMoreThan(BigInt(Math.round(mib * MIB)), folder);

  it("is what its files take on the disk, in all its folders", async () => {
    mkdirSync(join(folder, "a/b"), { recursive: true });
    writeFileSync(join(folder, "one"), MIB_OF_TEXT);
    expect([await holds(0.99), await holds(1.5)]).toEqual([true, false]);
    writeFileSync(join(folder, "a/b/two"), MIB_OF_TEXT);
    expect([await holds(1.99), await holds(2.5)]).toEqual([true, false]);
  });

  it("is not what links lead to, nor what holes in files pretend, and a file with two names counts once", async () => {
    writeFileSync(join(folder, "one"), MIB_OF_TEXT);
    linkSync(join(folder, "one"), join(folder, "again"));
    symlinkSync("/usr", join(folder, "usr"));
    symlinkSync(".", join(folder, "itself"));
    writeFileSync(join(folder, "hole"), "");
    truncateSync(join(folder, "hole"), 100 * MIB);
    expect([await holds(0.99), await holds(1.5)]).toEqual([true, false]);
  });

  it("has names that are no text", async () => {
    mkdirSync(Buffer.concat([Buffer.from(join(folder, "a")), Buffer.from([0xff, 0xfe])]));
    writeFileSync(
      Buffer.concat([Buffer.from(join(folder, "a")), Buffer.from([0xff, 0xfe]), Buffer.from("/f")]),
      MIB_OF_TEXT,
    );
    expect(await holds(0.99)).toBe(true);
  });

  it("is nothing when it is gone", async () => {
    expect(await holdsMoreThan(0n, join(folder, "gone"))).toBe(false);
  });
});

describe("a pod", () => {
  const pod = (name: string, emptyDir: object, spec: object = {}): ReturnType<typeof podOf> => {
    const made = podOf(["true"], {}, { volumes: [{ name: "data", emptyDir }], ...spec });
    return { ...made, metadata: { ...made.metadata, name, uid: name } };
  };
  /** @returns who was evicted, up to the pod `last`, which holds too much */
  async function evicted(limits: EmptyDirLimits, ...pods: readonly ReturnType<typeof podOf>[]): Promise<string[]> {
    writeFileSync(join(folder, "one"), MIB_OF_TEXT);
    const volumes = new Map([["data", { path: folder }]]);
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      for (const each of [...pods, pod("last", { sizeLimit: "1" })])
        limits.watch(each, volumes, (message) => {
          seen.push(`${each.metadata.name}: ${message}`);
          if (each.metadata.name === "last") resolve();
        });
      limits.forget("ended");
    });
    return seen;
  }

  it("is evicted when it holds more than its limit, in the words of the kubelet", async () => {
    const pods = [
      pod("full", { sizeLimit: "0.5Mi" }),
      pod("not-full", { sizeLimit: "2Mi" }),
      pod("no-limit", {}),
      pod("zero", { sizeLimit: "0" }),
      pod("ended", { sizeLimit: "1" }),
      pod("critical", { sizeLimit: "1" }, { priority: 2_000_000_000 }),
    ];
    expect(await evicted(new EmptyDirLimits(1), ...pods)).toEqual([
      'full: Usage of EmptyDir volume "data" exceeds the limit "512Ki". ',
      'last: Usage of EmptyDir volume "data" exceeds the limit "1". ',
    ]);
  });

  it("is looked at again while it holds less", async () => {
    const limits = new EmptyDirLimits(1);
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const watch = (name: string, path: string): Promise<string> =>
      new Promise((resolve) => limits.watch(pod(name, { sizeLimit: "512Ki" }), new Map([["data", { path }]]), resolve));
    const filled = watch("filled", empty);
    writeFileSync(join(folder, "one"), MIB_OF_TEXT);
    await watch("full", folder);
    // Both have been looked at.
    writeFileSync(join(empty, "one"), MIB_OF_TEXT);
    expect(await filled).toContain('"512Ki"');
  });
});
