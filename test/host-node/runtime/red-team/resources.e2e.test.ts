/** What fills a machine up: processes, memory that looks like files, output. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { hasControlGroups } from "../control-groups/control-groups-here.ts";
import { createPod, podOf, run, start } from "../running.ts";
import { attempt, bare, redTeam, sandboxed } from "./attempts.ts";

redTeam("resources", () => {
  const inside = sandboxed();

  it("is a fork bomb", async () => {
    // Other tests have processes of the same user, which come and go meanwhile.
    const bomb = sandboxed({ maxProcesses: 128 });
    // In one process, so that it is known when it cannot continue.
    const script = `perl -e '$| = 1; for (1..1000) { $p = fork; last unless defined $p; if (!$p) { sleep 600; exit } $n++ } print "$n children, then: $!\\n"; kill 9, -1'`;
    const { output } = await run(bomb, podOf(["sh", "-c", script])).then(({ stdout, stderr }) => ({
      output: stdout + stderr,
    }));
    expect(output).toContain(" children, then: ");
    const [, children = ""] = /^(\d+) children, then: Resource temporarily unavailable$/m.exec(output) ?? [];
    expect(Number(children)).toBeGreaterThan(0);
    expect(Number(children)).toBeLessThan(1000);
    // The bomb is over with its container, and others start again.
    expect((await attempt(bomb, "true")).exitCode).toBe(0);
  });

  it("fills a folder that lies in memory", async () => {
    const { output } = await attempt(
      inside,
      "dd if=/dev/zero of=/run/fill bs=1M count=64 2>&1 | head -1; df -k --output=size /tmp /var/tmp /run /dev/shm | tail -n +2",
    );
    const [refusal, ...sizes] = output.trim().split("\n");
    expect(refusal).toMatch(/No space left on device/);
    expect(sizes.map(Number)).toEqual([1048576, 1048576, 16384, 1048576]);
  });

  it("takes memory until others are ended for it", async () => {
    // On some machines all processes have the highest score, the tests too.
    const own = readFileSync("/proc/self/oom_score_adj", "utf8");
    expect((await attempt(inside, "cat /proc/self/oom_score_adj")).output).toBe("1000\n");
    expect(readFileSync("/proc/self/oom_score_adj", "utf8")).toBe(own);
  });

  it("lifts its limit of processes", async () => {
    const limited = sandboxed({ maxProcesses: 64 });
    const { output } = await attempt(
      limited,
      "prlimit --nproc=100000:100000 true 2>&1; ulimit -Hp 2>/dev/null || bash -c 'ulimit -Hu'",
    );
    expect(output).toMatch(/Operation not permitted/);
    expect((await attempt(bare(), "bash -c 'ulimit -Hu'")).output).not.toBe(output.trim().split("\n").at(-1));
  });

  it.skipIf(!hasControlGroups)("lifts its limits of processor time and memory", async () => {
    const container = { resources: { limits: { cpu: "500m", memory: "64Mi" } } };
    const find = "awk '$3 ~ /^cgroup/' /proc/self/mounts; ls /sys/fs/cgroup";
    const ways = [
      find,
      "mkdir /tmp/g; mount -t cgroup2 none /tmp/g || mount -t cgroup -o memory none /tmp/g && echo mounted",
      // What the program that joined the group may have left open.
      'for fd in 3 4 5 6 7 8 9; do (eval "echo 0 >&$fd") && readlink /proc/self/fd/$fd; done',
      "cut -d: -f3 /proc/self/cgroup | sort -u",
    ];
    const { output } = await attempt(inside, `{ ${ways.join("; ")}; } 2>/dev/null`, { container });
    // Its own groups are the root of all that it sees.
    expect(output).toBe("/\n");
    expect((await attempt(bare(), `{ ${find}; } 2>/dev/null`)).output).toContain("cgroup");
  });

  it("writes more output than anybody reads", async () => {
    const own = sandboxed();
    const pod = podOf(["sh", "-c", "yes | head -c 300000000; echo end >&2"]);
    await createPod(own, pod);
    own.setOutputPaused(true);
    const running = start(own, pod);
    const before = process.memoryUsage().rss;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(running.stderr()).toBe("");
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    running.handle.stop(0);
    own.setOutputPaused(false);
    expect((await running.end).exit?.exitCode).toBe(137);
  });
});
