/**
 * Local processes as containers: exit codes, signals, the environment, output, and that nothing is left behind. Every
 * behaviour is tried with and without bubblewrap.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessRuntime, type ProcessRuntimeOptions } from "../../../host-node/runtime/process-runtime.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { createPod, gone, isRunning, podOf, run, start } from "./running.ts";
import { bareVariants } from "./views-here.ts";

const sh = (script: string): string[] => ["sh", "-c", script];

/** A folder that every user may read: containers of root run as another one. */
const shown = mkdtempSync(join(tmpdir(), "stint-shown-"));
chmodSync(shown, 0o755);
writeFileSync(join(shown, "no-program"), "");
afterAll(() => rmSync(shown, { recursive: true }));

function newRuntime(
  isolation: ProcessRuntimeOptions["isolation"],
  network = false,
  processView?: ProcessRuntimeOptions["processView"],
): ProcessRuntime {
  return new ProcessRuntime({
    isolation,
    network,
    processView,
    workingDirectory: shown,
    ...(isolation === "none" ? {} : { visible: [shown] }),
  });
}

const variants = [
  ...bareVariants,
  { name: "inside bubblewrap", isolation: { bubblewrap }, view: undefined, usable: hasBubblewrap },
];

for (const { name, isolation, view, usable } of variants) {
  describe.skipIf(!usable)(`a container ${name}`, () => {
    let runtime: ProcessRuntime;
    beforeAll(() => (runtime = newRuntime(isolation, false, view)));
    afterAll(() => runtime.close());

    it.each([0, 1, 42, 255])("ends with the exit code %i of its command", async (code) => {
      expect((await run(runtime, podOf(sh(`exit ${code}`)))).exit).toMatchObject({ exitCode: code });
    });

    it("ends with 128 + n after signal n", async () => {
      expect((await run(runtime, podOf(sh("kill -s SEGV $$")))).exit).toMatchObject({ exitCode: 139 });
    });

    it("joins command and args and hands them over untouched", async () => {
      const awkward = ["a b", "$HOME", "", "'\"", "--", "ü\n"];
      const { stdout } = await run(runtime, podOf(["printf", "[%s]"], { args: awkward }));
      expect(stdout).toBe(awkward.map((text) => `[${text}]`).join(""));
    });

    it("keeps standard output and standard error apart, and lets the command open them again", async () => {
      const { stdout, stderr } = await run(
        runtime,
        podOf(sh("echo out > /dev/stdout; echo err > /dev/stderr; echo more")),
      );
      expect(stdout).toBe("out\nmore\n");
      expect(stderr).toBe("err\n");
    });

    it("delivers all output before its end, however much", async () => {
      const { stdout, exit } = await run(runtime, podOf(sh("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end")));
      expect(exit).toMatchObject({ exitCode: 0 });
      expect(stdout.length).toBe(3000005);
      expect(stdout.endsWith("x\nend\n")).toBe(true);
    });

    it("waits while its output is not read", async () => {
      const pod = podOf(sh("head -c 1000000 /dev/zero | tr '\\0' x; echo done >&2"));
      await createPod(runtime, pod);
      runtime.setOutputPaused(true);
      const running = start(runtime, pod);
      await new Promise((resolve) => setTimeout(resolve, 150));
      // A pipe holds 64 KiB: the command cannot have come to its end.
      expect(running.stdout()).toBe("");
      expect(running.stderr()).toBe("");
      runtime.setOutputPaused(false);
      await running.end;
      expect(running.stdout().length).toBe(1000000);
      expect(running.stderr()).toBe("done\n");
    });

    it("sees the pod's variables, PATH, HOME and HOSTNAME, and nothing of ours", async () => {
      process.env["STINT_TEST_SECRET"] = "do not tell";
      const pod = podOf(sh("env"));
      const { stdout } = await run(runtime, pod, [
        { name: "A", value: "first" },
        { name: "A", value: "last wins" },
        { name: "EMPTY", value: "" },
      ]);
      const lines = stdout.trim().split("\n");
      expect(lines).toContain("A=last wins");
      expect(lines).toContain("EMPTY=");
      expect(lines).toContain(`HOSTNAME=${pod.metadata.name}`);
      const names = lines.map((line) => line.slice(0, line.indexOf("=")));
      expect(
        names.filter(
          (variable) =>
            !["A", "EMPTY", "HOME", "HOSTNAME", "PATH", "PWD", "SHLVL", "_", "OLDPWD", "STINT_CONTAINER"].includes(
              variable,
            ),
        ),
      ).toEqual([]);
    });

    it("runs in workingDir, else where the program was started", async () => {
      expect((await run(runtime, podOf(["pwd"], { workingDir: "/usr" }))).stdout).toBe("/usr\n");
      expect((await run(runtime, podOf(["pwd"]))).stdout).toBe(`${shown}\n`);
    });

    it("cannot start what does not exist, with containerd's words", async () => {
      expect((await run(runtime, podOf(["no-such-command-anywhere"]))).failed).toEqual({
        reason: "StartError",
        message: 'exec: "no-such-command-anywhere": executable file not found in $PATH',
      });
      expect((await run(runtime, podOf(["/no/such/file"]))).failed).toEqual({
        reason: "StartError",
        message: 'exec: "/no/such/file": stat /no/such/file: no such file or directory',
      });
      expect((await run(runtime, podOf([join(shown, "no-program")]))).failed?.message).toMatch(
        /^exec: ".*no-program": permission denied$/,
      );
      expect((await run(runtime, podOf(["true"], { workingDir: "/no/such" }))).failed?.message).toBe(
        'chdir to cwd ("/no/such") failed: no such file or directory',
      );
    });

    it("cannot start without a command", async () => {
      const { failed } = await run(runtime, podOf([], { command: undefined, args: ["x"] }));
      expect(failed?.message).toMatch(/^container "main" has no command/);
    });
  });

  describe.skipIf(!usable)(`a container ${name} that ends`, () => {
    let runtime: ProcessRuntime;
    beforeAll(() => (runtime = newRuntime(isolation, false, view)));
    afterAll(() => runtime.close());

    it("is asked to stop and may clean up", async () => {
      const pod = podOf(sh(`trap 'echo cleaning; exit 7' TERM; echo ready; while :; do sleep 0.05; done`));
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      await running.outputHas("ready");
      running.handle.stop(30);
      expect((await running.end).exit).toMatchObject({ exitCode: 7 });
      expect(running.stdout()).toBe("ready\ncleaning\n");
    });

    it("has a grace period that is longer than a timer can be", async () => {
      const pod = podOf(sh(`trap 'sleep 0.2; exit 7' TERM; echo ready; while :; do sleep 0.05; done`));
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      await running.outputHas("ready");
      running.handle.stop(3_000_000);
      expect((await running.end).exit).toMatchObject({ exitCode: 7 });
    });

    it("is killed when the grace period is over", async () => {
      const pod = podOf(sh(`trap '' TERM; echo ready; while :; do sleep 0.05; done`));
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      await running.outputHas("ready");
      running.handle.stop(0.05);
      expect((await running.end).exit).toMatchObject({ exitCode: 137 });
    });

    it("is killed at once by a second stop without grace", async () => {
      const pod = podOf(sh(`trap '' TERM; echo ready; while :; do sleep 0.05; done`));
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      await running.outputHas("ready");
      running.handle.stop(3600);
      running.handle.stop(0);
      expect((await running.end).exit).toMatchObject({ exitCode: 137 });
    });

    it("may be stopped before it has started", async () => {
      const pod = podOf(["sleep", "3600"]);
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      running.handle.stop(0);
      expect((await running.end).exit?.exitCode).toBe(137);
    });

    it("takes everything with it that it started, also a process in another process group", async () => {
      const marker = newMarker();
      const pod = podOf(sh(`sleep ${marker} & timeout 3600 sleep ${marker} & echo started; exit 3`));
      expect((await run(runtime, pod)).exit).toMatchObject({ exitCode: 3 });
      await Promise.all(processesWith(marker).map(gone));
    });

    it("takes with it what has left its session, even with another environment or without its output", async () => {
      const marker = newMarker();
      const daemons = [
        `setsid sleep ${marker} >/dev/null 2>&1`,
        `setsid env -i sleep ${marker}`,
        `(setsid sh -c 'env -i sleep ${marker}; true' >/dev/null 2>&1 &)`,
      ];
      const pod = podOf(
        sh(
          `${daemons.map((daemon) => `${daemon} &`).join(" ")} while [ $(pgrep -cf '^sleep ${marker}') -lt 3 ]; do sleep 0.01; done; echo started; exit 3`,
        ),
      );
      expect(await run(runtime, pod)).toMatchObject({ exit: { exitCode: 3 }, stdout: "started\n" });
      // Killed is not gone yet on a busy machine.
      await Promise.all(processesWith(marker).map(gone));
    });

    it("does not survive the runtime", async () => {
      const own = newRuntime(isolation, false, view);
      const marker = newMarker();
      const pod = podOf(sh(`trap '' TERM; sleep ${marker} & sleep ${marker} & echo ready; wait; wait`));
      await createPod(own, pod);
      const running = start(own, pod);
      await running.outputHas("ready");
      const pids = await started(marker, 2);
      own.close();
      expect((await running.end).exit?.exitCode).toBe(137);
      await Promise.all(pids.map(gone));
    });

    it("does not survive this program, even if that is killed", async () => {
      const marker = newMarker();
      const host = spawn(
        process.execPath,
        [join(import.meta.dirname, "abandoned-host.ts"), JSON.stringify({ isolation, processView: view }), marker],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const directory = await new Promise<string>((resolve) =>
        host.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
      );
      // Two sleeps and a timeout, and two that have left the session.
      const pids = await started(marker, 5).finally(() => host.kill("SIGKILL"));
      await Promise.all(pids.map(gone));
      await untilGone(directory);
    });
  });
}

describe.skipIf(!hasBubblewrap)("bubblewrap", () => {
  const runtime = newRuntime({ bubblewrap });
  afterAll(() => runtime.close());

  it("gives a read-only root, a private /tmp and the pod's host name", async () => {
    // A working directory below /tmp stays visible there, by a mount point.
    const own = /^\/tmp\/([^/]+)/.exec(shown)?.[1] ?? "";
    const pod = podOf(
      sh(
        `hostname; touch /etc/stint-test || echo read-only; touch /stint-test || echo read-only; touch /tmp/a && ls --ignore='${own}' /tmp`,
      ),
      {},
      { hostname: "pi-3" },
    );
    expect((await run(runtime, pod)).stdout).toBe("pi-3\nread-only\nread-only\na\n");
  });

  it("hides the processes and sockets of this machine and its network", async () => {
    const { stdout } = await run(
      runtime,
      podOf(
        sh(
          `ls /proc | grep -c '^[0-9]*$'; ls /run | wc -l; sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' /proc/net/dev; kill -0 ${process.pid} 2>/dev/null || echo unseen`,
        ),
      ),
    );
    const [processes, sockets, ...rest] = stdout.trim().split("\n");
    expect(Number(processes)).toBeLessThan(8);
    expect(sockets).toBe("0");
    expect(rest).toEqual(["lo", "unseen"]);
  });

  it("drops every capability", async () => {
    expect((await run(runtime, podOf(sh("grep CapEff /proc/self/status")))).stdout).toBe("CapEff:\t0000000000000000\n");
  });

  it("mounts emptyDir volumes, shared by the containers of the pod and kept over restarts", async () => {
    const pod = podOf(
      sh("cat /data/a 2>/dev/null; echo once >> /data/a"),
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
    );
    pod["spec"].containers.push({
      name: "reader",
      command: sh("cat /shared/a; touch /shared/b || echo read-only"),
      volumeMounts: [{ name: "data", mountPath: "/shared", readOnly: true }],
      resources: {},
    });
    await createPod(runtime, pod);
    await start(runtime, pod).end;
    const again = start(runtime, pod);
    await again.end;
    expect(again.stdout()).toBe("once\n");
    const reader = start(runtime, pod, [], 1);
    await reader.end;
    expect(reader.stdout()).toBe("once\nonce\nread-only\n");
    runtime.removePod(pod.metadata.uid);
    const other = podOf(
      sh("ls /data"),
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
    );
    expect((await run(runtime, other)).stdout).toBe("");
  });

  it("runs a command that lies in a volume", async () => {
    const pod = podOf(
      sh("printf '#!/bin/sh\\necho made' > /data/tool; chmod +x /data/tool; /data/tool"),
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
    );
    pod["spec"].containers.push({
      name: "tool",
      command: ["/data/tool"],
      volumeMounts: [{ name: "data", mountPath: "/data" }],
      resources: {},
    });
    await createPod(runtime, pod);
    await start(runtime, pod).end;
    const tool = start(runtime, pod, [], 1);
    await tool.end;
    expect(tool.stdout()).toBe("made\n");
  });

  it.each(["/usr/share/new-directory", "/etc/passwd", "relative", "/", "/data/../etc", "/proc", "/proc/1", "/dev"])(
    "refuses to mount at %s",
    async (mountPath) => {
      const pod = podOf(
        ["true"],
        { volumeMounts: [{ name: "data", mountPath }] },
        { volumes: [{ name: "data", emptyDir: {} }] },
      );
      expect((await run(runtime, pod)).failed?.message).toMatch(/^mountPath /);
    },
  );

  it("mounts at a new place in a folder of the system, which keeps its entries", async () => {
    const pod = podOf(
      sh("cat /etc/config/a; ls /etc > /tmp/list; grep -x passwd /tmp/list; touch /etc/b || echo read-only"),
      { volumeMounts: [{ name: "data", mountPath: "/etc/config" }] },
      { volumes: [{ name: "data", configMap: { name: "c" } }] },
    );
    await createPod(runtime, pod, new Map([["data", [{ path: "a", bytes: Buffer.from("made\n"), mode: 0o644 }]]]));
    const running = start(runtime, pod);
    await running.end;
    expect(running.stdout()).toBe("made\npasswd\nread-only\n");
  });

  it("runs in the root where it cannot see the folder that the program was started in, and says so of a workingDir", async () => {
    const own = new ProcessRuntime({
      isolation: { bubblewrap },
      network: false,
      workingDirectory: import.meta.dirname,
    });
    expect((await run(own, podOf(["pwd"]))).stdout).toBe("/\n");
    expect((await run(own, podOf(["pwd"], { workingDir: import.meta.dirname }))).failed?.message).toMatch(
      /^chdir to cwd .* failed: no such file or directory$/,
    );
    own.close();
  });

  it("starts nothing that containers do not see", async () => {
    const own = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" });
    const script = join(import.meta.dirname, "../../../.ci/run");
    expect(own.findCommand(script)).toEqual({
      error: `exec: "${script}": stat ${script}: no such file or directory`,
      hidden: script,
    });
    expect((await run(own, podOf([script]))).failed?.message).toBe(
      `exec: "${script}": stat ${script}: no such file or directory`,
    );
    own.close();
  });

  it("refuses more variables than bubblewrap takes", async () => {
    const env = Array.from({ length: 3000 }, (_, i) => ({ name: `V${i}`, value: "x" }));
    expect((await run(runtime, podOf(["true"]), env)).failed?.message).toMatch(
      /^3003 variables and 1 words of the command are \d+ arguments of bubblewrap; it takes at most 9000$/,
    );
  });

  it("reads the termination message", async () => {
    const pod = podOf(sh("echo 'disk full' > /dev/termination-log; exit 1"));
    expect((await run(runtime, pod)).exit).toEqual({ exitCode: 1, message: "disk full\n" });
    const long = podOf(sh("head -c 100000 /dev/zero | tr '\\0' m > /tmp/log"), { terminationMessagePath: "/tmp/log" });
    expect((await run(runtime, long)).exit).toEqual({ exitCode: 0, message: "m".repeat(4096) });
  });
});

let markers = 0;
/** An argument of sleep that no other process has. */
function newMarker(): string {
  return `9${process.pid}.${++markers}`;
}

/**
 * Waits until this many processes have the marker as an argument: a shell says that it is ready before its children
 * are.
 */
async function started(marker: string, count: number): Promise<number[]> {
  for (;;) {
    const pids = processesWith(marker);
    if (pids.length >= count) return pids;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function processesWith(marker: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isRunning(pid) && commandLineOf(pid).includes(marker));
}

function commandLineOf(pid: number): readonly string[] {
  try {
    // The very argument, not a script that mentions it: a sleep, never its shell.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function untilGone(path: string): Promise<void> {
  while (existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5));
}
