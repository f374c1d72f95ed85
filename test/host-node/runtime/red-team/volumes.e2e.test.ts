/**
 * Volumes: links and mount points that lead out of them, files that cannot be removed, and volumes that a manifest may
 * not have.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createPod, podOf, start } from "../running.ts";
import type { PersistentVolume } from "../../../../cluster/values/kinds.ts";
import type { ProcessRuntime, ProcessRuntimeOptions } from "../../../../host-node/runtime/process-runtime.ts";
import {
  attempt,
  bare,
  isRoot,
  PREY,
  preyFile,
  preyFolder,
  redTeam,
  sandboxed,
  type Tried,
  tryPod,
} from "./attempts.ts";

const DATA = { volumes: [{ name: "data", emptyDir: {} }] };
const MOUNTED = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
const CONFIG = { volumes: [{ name: "data", configMap: { name: "c" } }] };

redTeam("volumes", () => {
  const inside = sandboxed();
  const outside = bare();
  const folder = preyFolder();
  chmodSync(folder, 0o777);
  const prey = preyFile(folder);

  it("reads through a link in a volume", async () => {
    const script = (link: string): string =>
      `ln -s ${prey} ${link}; cat ${link} 2>&1; cat /data/../../../..${prey} 2>&1`;
    expect((await attempt(outside, script(join(folder, "link")))).output).toContain(PREY);
    expect((await attempt(inside, script("/data/link"), { container: MOUNTED, spec: DATA })).output).not.toContain(
      PREY,
    );
  });

  it("has its termination message written through a link", async () => {
    const path = "/data/message";
    const pod = podOf(
      ["sh", "-c", `ln -sf ${join(folder, "message")} ${path}; ln -sf /oldroot${folder}/message2 ${path}2`],
      { ...MOUNTED },
      DATA,
    );
    pod["spec"].containers.push(
      { name: "second", resources: {}, command: ["true"], ...MOUNTED, terminationMessagePath: path },
      { name: "third", resources: {}, command: ["true"], ...MOUNTED, terminationMessagePath: `${path}2` },
    );
    await createPod(inside, pod);
    for (const index of [0, 1, 2]) await start(inside, pod, [], index).end;
    expect(readdirSync(folder).filter((name) => name.startsWith("message"))).toEqual([]);
  });

  it("has a mount point made through a link", async () => {
    // bwrap makes what is missing with the rights of the user, while this machine's root is still at /oldroot.
    const pod = podOf(["sh", "-c", `ln -s /oldroot${folder} /data/link`], MOUNTED, {
      volumes: [...DATA.volumes, { name: "other", emptyDir: {} }],
    });
    const nested = { volumeMounts: [...MOUNTED.volumeMounts, { name: "other", mountPath: "/data/link/made" }] };
    pod["spec"].containers.push({ name: "second", resources: {}, command: ["true"], ...nested });
    await createPod(inside, pod);
    await start(inside, pod).end;
    const { failed } = await start(inside, pod, [], 1).end;
    expect(failed?.message).toBe(
      "mountPath /data/link/made: it lies in the volume at /data, and no volume can be mounted inside another",
    );
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(inside.refused(pod)).toEqual([
      { path: "spec.containers[1].volumeMounts[1].mountPath", why: failed!.message },
    ]);
  });

  it("links a file of this machine into a volume", async () => {
    const { output } = await attempt(inside, "ln /etc/passwd /data/passwd 2>&1", { container: MOUNTED, spec: DATA });
    expect(output).toMatch(/cross-device link|not permitted/);
  });

  it("mounts by subPath what a link leads to", async () => {
    const pod = podOf(["true"], { volumeMounts: [{ name: "data", mountPath: "/data", subPath: "link" }] }, DATA);
    expect((await tryPod(inside, pod)).refusal).toBe(
      "volumeMount data: subPath is not supported; mount the whole volume",
    );
  });

  it("leaves a volume made of objects by subPath", async () => {
    const subPath = "../../../../../../../../../etc";
    const pod = podOf(
      ["true"],
      { volumeMounts: [{ name: "config", mountPath: "/data", subPath }] },
      {
        volumes: [{ name: "config", configMap: { name: "c" } }],
      },
    );
    expect((await tryPod(inside, pod)).refusal).toBe(`volumeMount config: the volume has no "${subPath}"`);
  });

  it.each(["../../../escape", "a/../../escape", "..", ".", ""])(
    "has a file of a ConfigMap written to %s",
    async (path) => {
      const files = new Map([["data", [{ path, bytes: Buffer.from("x"), mode: 0o644 }]]]);
      expect((await tryPod(inside, podOf(["true"], MOUNTED, CONFIG), { files })).refusal).toMatch(
        /^volume "data": the path ".*" leads out of it$/,
      );
    },
  );

  it("changes a ConfigMap or a Secret that others mount", async () => {
    const files = new Map([["data", [{ path: "a", bytes: Buffer.from("as made\n"), mode: 0o666 }]]]);
    const script =
      "echo changed > /data/a; chmod 777 /data/a; rm -f /data/a; touch /data/b; mv /data/a /data/c; cat /data/a; ls /data";
    const { output } = await attempt(inside, `(${script}) 2>/dev/null`, { container: MOUNTED, spec: CONFIG, files });
    expect(output).toBe("as made\na\n");
  });

  it("finds the volumes of another pod", async () => {
    const secret = podOf(["sh", "-c", `echo ${PREY} > /data/secret; echo ready; sleep 600`], MOUNTED, DATA);
    await createPod(inside, secret);
    const running = start(inside, secret);
    await running.outputHas("ready");
    const { output } = await attempt(
      inside,
      `grep -rls '${PREY.slice(4)}' /tmp /var /run /data /dev/shm 2>/dev/null; sed -n 's/.*\\(stint-[^ ]*\\) .*/\\1/p' /proc/self/mountinfo | sort -u`,
      { container: MOUNTED, spec: DATA },
    );
    expect(output).not.toContain(secret.metadata.uid);
    expect(output).not.toContain("secret");
    running.handle.stop(0);
    await running.end;
  });

  it("leaves files behind that cannot be removed", async () => {
    const own = sandboxed();
    const deep = `perl -e 'chdir "/data"; for (1..600) { mkdir "d" x 20; chdir "d" x 20 or die }'`;
    const script = `mkdir /data/closed && touch /data/closed/x && chmod 0 /data/closed; touch "$(printf '/data/-rf\\n*')"; ln -s / /data/root; ${deep}`;
    const pod = podOf(["sh", "-c", script], MOUNTED, DATA);
    const { exitCode } = await tryPod(own, pod);
    expect(exitCode).toBe(0);
    const directory = directoryOf(own, pod.metadata.uid);
    own.removePod(pod.metadata.uid);
    while (existsSync(directory)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(readFileSync(prey, "utf8")).toContain(PREY);
  });

  it("leaves files in the folders for temporary files", async () => {
    const name = `stint-red-team-left-${process.pid}`;
    await attempt(inside, `for place in /tmp /var/tmp /run /dev/shm; do touch $place/${name} || echo failed; done`);
    expect(["/tmp", "/var/tmp", "/run", "/dev/shm"].filter((place) => existsSync(join(place, name)))).toEqual([]);
  });
});

redTeam("places of this machine", () => {
  const inside = sandboxed();
  const folder = preyFolder();
  chmodSync(folder, 0o777);
  const prey = preyFile(folder);

  it("asks for a hostPath volume", async () => {
    const hostPath = { volumes: [{ name: "data", hostPath: { path: folder } }] };
    const pod = podOf(["cat", "/data/prey"], MOUNTED, hostPath);
    expect((await tryPod(inside, pod)).refusal).toMatch(/^volume "data": hostPath is refused: .*--allow-host-path/);
    expect(inside.refused(pod)).toMatchObject([{ path: "spec.volumes[0].hostPath" }]);
    const allowed = sandboxed({ allowHostPath: true });
    expect((await tryPod(allowed, podOf(["cat", "/data/prey"], MOUNTED, hostPath))).output).toContain(PREY);
    expect(allowed.refused(pod)).toEqual([]);
  });

  it("asks for a place of this machine by a claim", async () => {
    let path = folder;
    const findClaimed: ProcessRuntimeOptions["findClaimed"] = () =>
      ({ metadata: { name: "v" }, spec: { hostPath: { path, type: "" } } }) as unknown as PersistentVolume;
    const claim = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] };
    const read = (runtime: ProcessRuntime): Promise<Tried> =>
      tryPod(runtime, podOf(["cat", "/data/prey"], MOUNTED, claim));
    const claiming = sandboxed({ findClaimed });
    expect((await read(claiming)).refusal).toMatch(/^volume "data": hostPath is refused: .*--allow-host-path/);
    const own = claiming.volumeFolders!.make("own");
    symlinkSync(folder, join(own, "link"));
    path = join(own, "link");
    expect((await read(claiming)).refusal).toMatch(/^volume "data": hostPath is refused: /);
    path = folder;
    expect((await read(sandboxed({ findClaimed, allowHostPath: true }))).output).toContain(PREY);
  });

  it("asks for a device or a missing place by hostPath", async () => {
    const allowed = sandboxed({ allowHostPath: true });
    const refusal = async (hostPath: object): Promise<string | undefined> =>
      (await tryPod(allowed, podOf(["true"], MOUNTED, { volumes: [{ name: "data", hostPath }] }))).refusal;
    expect(await refusal({ path: "/dev/null", type: "CharDevice" })).toMatch(
      /^volume "data": hostPath.type "CharDevice": allowed are Directory, /,
    );
    expect(await refusal({ path: "/dev/null" })).toBe(`volume "data": hostPath /dev/null: it is no file or directory`);
    expect(await refusal({ path: join(folder, "none"), type: "Directory" })).toMatch(
      /there is no such file or directory$/,
    );
    expect(await refusal({ path: prey, type: "Directory" })).toMatch(/it is no directory$/);
  });

  it.skipIf(!isRoot)("shows what root keeps for itself", () => {
    const closed = join(folder, "closed");
    mkdirSync(closed, { mode: 0o700 });
    symlinkSync(closed, join(folder, "link-to-closed"));
    for (const visible of [closed, join(folder, "link-to-closed")])
      expect(() => sandboxed({ visible: [visible] })).toThrow(
        `${visible} cannot be shown to containers: containers of root run as another user`,
      );
  });

  it.each(["/", "/proc", "/sys/kernel", "/dev", "/tmp", "/run", "relative", "/no/such/folder"])(
    "has %s shown",
    (visible) => {
      expect(() => sandboxed({ visible: [visible] })).toThrow(`${visible} cannot be shown to containers: `);
    },
  );
});

/** Where a runtime keeps a pod: in a separate folder in the one for temporary files. */
function directoryOf(_runtime: unknown, uid: string): string {
  const parent = process.env["TMPDIR"] ?? "/tmp";
  const found = readdirSync(parent)
    .map((name) => join(parent, name, uid))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no directory of pod ${uid} in ${parent}`);
  return found;
}
