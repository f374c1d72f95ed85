/** Volumes of claims inside the sandbox: who shares one, what may be mounted, and what stays. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PersistentVolume } from "../../../cluster/values/kinds.ts";
import { ProcessRuntime, type ProcessRuntimeOptions } from "../../../host-node/runtime/process-runtime.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { createPod, podOf, run } from "./running.ts";

const MOUNTED = { volumeMounts: [{ name: "v", mountPath: "/data" }] };
const claiming = (claimName: string, more: object = {}): object => ({
  volumes: [{ name: "v", persistentVolumeClaim: { claimName, ...more } }],
});
const sh = (script: string): string[] => ["sh", "-c", script];

describe.skipIf(!hasBubblewrap)("a claim", () => {
  const kept = mkdtempSync(join(tmpdir(), "stint-kept-"));
  // Containers of root run as another user.
  chmodSync(kept, 0o755);
  const volumes = new Map<string, object>();
  const find: ProcessRuntimeOptions["findClaimed"] = (namespace, claimName) => {
    const spec = volumes.get(`${namespace}/${claimName}`);
    if (spec === undefined) throw new Error(`persistentvolumeclaim "${claimName}" not found`);
    return { metadata: { name: `pv-${claimName}` }, spec } as unknown as PersistentVolume;
  };
  const newRuntime = (more: Partial<ProcessRuntimeOptions> = {}): ProcessRuntime =>
    new ProcessRuntime({
      isolation: { bubblewrap },
      network: false,
      workingDirectory: "/",
      findClaimed: find,
      ...more,
    });
  let runtime: ProcessRuntime;
  beforeAll(() => {
    runtime = newRuntime();
    volumes.set("default/shared", { hostPath: { path: runtime.volumeFolders!.make("pvc-1") } });
  });
  afterAll(() => {
    runtime.close();
    rmSync(kept, { recursive: true });
  });

  it("gives its pods one after another the same files", async () => {
    const write = await run(runtime, podOf(sh("echo written > /data/a"), MOUNTED, claiming("shared")));
    expect(write.exit).toMatchObject({ exitCode: 0 });
    expect((await run(runtime, podOf(sh("cat /data/a"), MOUNTED, claiming("shared")))).stdout).toBe("written\n");
  });

  it("can be mounted read-only", async () => {
    const pod = podOf(sh("touch /data/b || echo refused"), MOUNTED, claiming("shared", { readOnly: true }));
    expect((await run(runtime, pod)).stdout).toBe("refused\n");
  });

  it("that does not exist is an error, which the kubelet tries again", async () => {
    await expect(createPod(runtime, podOf(["true"], MOUNTED, claiming("none")))).rejects.toThrow(
      'volume "v": persistentvolumeclaim "none" not found',
    );
  });

  it("to a volume of another kind is an error", async () => {
    volumes.set("default/remote", { nfs: { server: "s", path: "/" } });
    await expect(createPod(runtime, podOf(["true"], MOUNTED, claiming("remote")))).rejects.toThrow(
      'volume "v": PersistentVolume pv-remote is of a kind that cannot be mounted; allowed is hostPath',
    );
  });

  it("takes its folder with it", () => {
    const folders = runtime.volumeFolders!;
    const path = folders.make("pvc-2");
    writeFileSync(join(path, "a"), "");
    folders.remove("pvc-2");
    expect(existsSync(path)).toBe(false);
    folders.remove(relative(join(path, ".."), kept));
    expect(existsSync(kept)).toBe(true);
  });

  it("leaves its files in the folder that is kept, and no others", async () => {
    const other = newRuntime({ volumeFolder: join(kept, "deep", "volumes") });
    const temporary = runtime.volumeFolders!.make("pvc-3");
    volumes.set("default/kept", { hostPath: { path: other.volumeFolders!.make("pvc-4") } });
    await run(other, podOf(sh("echo result > /data/a"), MOUNTED, claiming("kept")));
    other.close();
    expect(readdirSync(join(kept, "deep", "volumes", "pvc-4"))).toEqual(["a"]);
    runtime.close();
    expect(existsSync(temporary)).toBe(false);
  });

  it("has no volume where nothing binds claims, and the field is named", () => {
    const pod = podOf(["true"], { image: null, ...MOUNTED }, claiming("shared"));
    const without = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" });
    expect(without.unsupported(pod)).toEqual([
      {
        path: "spec.volumes[0].persistentVolumeClaim",
        why: "only configMap, downwardAPI, emptyDir, hostPath, projected, secret volumes can be mounted",
      },
    ]);
    expect(runtime.unsupported(pod)).toEqual([]);
    without.close();
  });
});
