/** Scenarios of volumes, users, limits and networks, which only real engines have. */
import { expect, test } from "vitest";
import type { VolumeFiles } from "../../../../cluster/kubelet/container-runtime.ts";
import { createPod, podOf, run, start } from "../running.ts";
import { type ScenarioEngine } from "./scenario-engine.ts";

/** What a fake engine cannot do: it runs commands as processes of this machine. */
export function realScenarios(on: ScenarioEngine): void {
  test("containers of a pod share its volumes and its network", async () => {
    const files: VolumeFiles = new Map([
      ["settings", [{ path: "deep/er/a.txt", bytes: Buffer.from("from a ConfigMap"), mode: 0o440 }]],
    ]);
    const mounts = [
      { name: "work", mountPath: "/shared" },
      { name: "settings", mountPath: "/settings" },
      { name: "memory", mountPath: "/memory" },
    ];
    const { shell: image } = on.subject.images;
    const server =
      "cat /settings/deep/er/a.txt > /shared/copy; echo kept > /memory/x; echo served | nc -l -p 8000; true";
    const client = [
      "while ! [ -s /shared/copy ]; do sleep 0.05; done; cat /shared/copy; echo; cat /memory/x; df /memory | grep -c tmpfs",
      "while ! nc 127.0.0.1 8000; do sleep 0.05; done; hostname; id -u; echo more > /settings/x",
    ].join("\n");
    const pod = podOf(
      [],
      {},
      {
        securityContext: { runAsUser: 1234, fsGroup: 777 },
        volumes: [
          { name: "work", emptyDir: {} },
          { name: "settings", configMap: { name: "settings" } },
          { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
        ],
        containers: [
          { name: "server", image, command: ["/bin/sh", "-c", server], volumeMounts: mounts },
          { name: "client", image, command: ["/bin/sh", "-c", client], volumeMounts: mounts },
        ],
      },
    );
    await createPod(on.runtime, pod, files);
    const [serving, asking] = [start(on.runtime, pod, [], 0), start(on.runtime, pod, [], 1)];
    expect((await serving.end).exit).toEqual({ exitCode: 0 });
    await asking.end;
    expect(asking.stdout()).toBe(["from a ConfigMap", "kept", "1", "served", pod.metadata.name, "1234", ""].join("\n"));
    expect(asking.stderr()).toMatch(/Read-only file system/);
    on.runtime.removePod(pod.metadata.uid);
  });

  test("a file of a ConfigMap is mounted alone, and a folder of it", async () => {
    const files: VolumeFiles = new Map([
      ["settings", [{ path: "deep/a.txt", bytes: Buffer.from("from a ConfigMap\n"), mode: 0o444 }]],
    ]);
    const volumeMounts = [
      { name: "settings", mountPath: "/etc/a.txt", subPath: "deep/a.txt" },
      { name: "settings", mountPath: "/folder", subPath: "deep" },
    ];
    const script = "cat /etc/a.txt /folder/a.txt; ls /etc; echo more >> /etc/a.txt";
    const pod = on.shell(
      script,
      { volumeMounts },
      { volumes: [{ name: "settings", configMap: { name: "settings" } }] },
    );
    await createPod(on.runtime, pod, files);
    const container = start(on.runtime, pod);
    await container.end;
    expect(container.stdout().split("\n").slice(0, 3)).toEqual(["from a ConfigMap", "from a ConfigMap", "a.txt"]);
    expect(container.stdout()).toContain("passwd"); // The rest of the folder is still that of the image.
    expect(container.stderr()).toMatch(/Read-only file system/);
    on.runtime.removePod(pod.metadata.uid);
  });

  test("a termination message is read from its file", async () => {
    const message = await run(
      on.runtime,
      on.shell("echo why > /dev/termination-log; exit 1", { securityContext: { runAsUser: 99 } }),
    );
    expect(message.exit).toEqual({ exitCode: 1, message: "why\n" });
    const elsewhere = await run(on.runtime, on.shell("echo why > /tmp/why", { terminationMessagePath: "/tmp/why" }));
    expect(elsewhere.exit).toEqual({ exitCode: 0, message: "why\n" });
  });

  test("a container that takes more memory than its limit is ended for it", async () => {
    const script = "x=0123456789abcdef; while :; do x=$x$x; done";
    const ended = async () =>
      (await run(on.runtime, on.shell(script, { resources: { limits: { memory: "16Mi", cpu: "500m" } } }))).exit;
    let exit = await ended();
    // With control groups of version 1 an engine does not always notice why: the news of it may come after the end.
    // Podman hardly ever does.
    for (let again = 0; again < 4 && exit?.reason === undefined; again++) {
      expect(exit).toEqual({ exitCode: 137 });
      if (on.subject.name === "podman") return;
      exit = await ended();
    }
    expect(exit).toEqual({ exitCode: 137, reason: "OOMKilled" });
  });

  test("security settings hold", async () => {
    const context = {
      runAsUser: 42,
      runAsGroup: 43,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    };
    const script = "id -u; id -g; touch /x 2>&1; grep -E 'CapBnd|NoNewPrivs' /proc/self/status";
    const { stdout } = await run(on.runtime, on.shell(script, { securityContext: context }));
    expect(stdout.replace(/\t/g, " ").split("\n")).toEqual([
      ...["42", "43", "touch: /x: Read-only file system", "CapBnd: 0000000000000000", "NoNewPrivs: 1", ""],
    ]);
  });

  test("without --network there is nothing but the loopback", async () => {
    const { stdout } = await run(on.runtime, on.shell("ls /sys/class/net; wc -l < /proc/net/route"));
    expect(stdout.split(/\s+/).filter(Boolean)).toEqual(["lo", "1"]);
  });
}
