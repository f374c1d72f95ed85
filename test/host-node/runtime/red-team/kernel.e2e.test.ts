/** The kernel: its settings, keyrings, namespaces, mounts and the interfaces that have had holes. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { attempt, bare, isRoot, perlCall, PREY, redTeam, sandboxed, systemCall } from "./attempts.ts";

const CLONE_NEWUSER = 0x10000000;
const KEYCTL_JOIN = 1;
const KEYCTL_READ = 11;
const SESSION_KEYRING = -3;

/** Opened for writing and nothing written: that must do no harm where it works. */
const opensForWriting = (paths: readonly string[]): string =>
  paths.map((path) => `(exec 3>>${path}) 2>/dev/null && echo opened ${path}`).join("; ");

redTeam("settings of the kernel", () => {
  const inside = sandboxed();
  const outside = bare();

  it.skipIf(!isRoot)("changes a setting in /proc/sys", async () => {
    const paths = [
      "/proc/sys/kernel/core_pattern",
      "/proc/sys/kernel/modprobe",
      "/proc/sys/vm/overcommit_memory",
      "/proc/sys/fs/file-max",
    ];
    expect((await attempt(outside, opensForWriting(paths))).output.split("\n")).toContain(
      "opened /proc/sys/kernel/core_pattern",
    );
    expect((await attempt(inside, opensForWriting(paths))).output).toBe("");
  });

  it("finds a setting that it may change", async () => {
    expect(
      (
        await attempt(
          inside,
          "find /proc/sys -type f -writable 2>/dev/null | while read -r f; do (exec 3>>$f) 2>/dev/null && echo $f; done",
        )
      ).output,
    ).toBe("");
  });

  it.skipIf(!isRoot)("opens what else root may write in /proc", async () => {
    const paths = [
      "/proc/sysrq-trigger",
      "/proc/mtrr",
      "/proc/irq/default_smp_affinity",
      ...readdirSync("/proc/irq").map((irq) => `/proc/irq/${irq}/smp_affinity`),
    ].filter((path) => existsSync(path));
    expect((await attempt(outside, opensForWriting(paths))).output).toMatch(/^opened /m);
    expect((await attempt(inside, opensForWriting(paths))).output).toBe("");
  });

  it("finds /sys and the control groups", async () => {
    expect((await attempt(outside, "ls /sys")).output).toContain("kernel");
    expect(
      (await attempt(inside, "ls /sys /sys/fs/cgroup 2>&1; ls /proc/kcore /dev/mem /dev/kmsg 2>&1 | grep -v 'No such'"))
        .output,
    ).not.toContain("kernel");
  });

  it("sets the clock or the name of the machine", async () => {
    const before = readFileSync("/proc/sys/kernel/hostname", "utf8");
    const { output } = await attempt(
      inside,
      "date -s @0 2>&1 >/dev/null; hostname red-team 2>&1; sysctl -w kernel.hostname=red-team 2>&1",
    );
    expect(output).not.toBe("");
    expect(readFileSync("/proc/sys/kernel/hostname", "utf8")).toBe(before);
    expect(Date.now()).toBeGreaterThan(1_000_000_000_000);
  });
});

redTeam("calls of the kernel", () => {
  const inside = sandboxed();
  const outside = bare();

  it("reads a key of the session that Stint was started in", async () => {
    const name = '$t = "user"; $d = "stint-red-team";';
    const host = JSON.stringify([process.execPath, join(import.meta.dirname, "leaky-host.ts")]).slice(1, -1);
    const session = [
      `${name} $v = "${PREY}";`,
      `syscall(${systemCall("keyctl")}, ${KEYCTL_JOIN}, 0);`,
      `syscall(${systemCall("add_key")}, $t, $d, $v, length $v, ${SESSION_KEYRING});`,
      `exec ${host}, $ENV{READ}`,
    ].join(" ");
    const ask = [
      `${name} $k = syscall(${systemCall("request_key")}, $t, $d, 0, 0); $b = "-" x 99;`,
      `$n = syscall(${systemCall("keyctl")}, ${KEYCTL_READ}, $k, $b, 99, 0);`,
      'print $n == -1 ? "refused: $!" : substr($b, 0, $n), "\\n"',
    ].join(" ");
    const read = `perl -e '${ask}'`;
    const { stdout } = spawnSync("perl", ["-e", session], { encoding: "utf8", env: { ...process.env, READ: read } });
    const [, outsideOutput = "", insideOutput = ""] = stdout.split(/^== .*\n/m);
    expect(outsideOutput).toContain(PREY);
    expect(insideOutput).toBe("refused: Operation not permitted\n\n");
  });

  it("becomes root of a new user namespace", async () => {
    expect((await attempt(outside, perlCall("unshare", CLONE_NEWUSER))).output).toBe("unshare: returned 0\n");
    expect((await attempt(inside, perlCall("unshare", CLONE_NEWUSER))).output).toMatch(/^unshare: refused/);
    // Some versions of bubblewrap cannot forbid it: then the filter has to do.
    const older = sandboxed({
      isolation: { bubblewrap: { ...(await import("../bubblewrap-here.ts")).bubblewrap, options: [] } },
    });
    expect((await attempt(older, `unshare -U true 2>&1; ${perlCall("unshare", CLONE_NEWUSER)}`)).output).toMatch(
      /^unshare: unshare failed: Operation not permitted\nunshare: refused/,
    );
  });

  it("mounts something, or makes a mount writable", async () => {
    const { output } = await attempt(
      inside,
      "mount -t tmpfs none /tmp 2>&1; mount -o remount,rw / 2>&1; mount -o remount,bind,rw /usr 2>&1; umount /proc/1 2>&1; umount -l /proc/sys 2>&1; ls /proc/1",
    );
    expect(
      output
        .trim()
        .split("\n")
        .filter((line) => !line.includes("dmesg(1)")),
    ).toHaveLength(5);
    expect(output.match(/permission denied|must be superuser|not permitted/gi)).toHaveLength(5);
  });

  it("enters a namespace of this machine", async () => {
    const { output } = await attempt(
      inside,
      "for p in /proc/[0-9]*; do for n in mnt net user pid; do nsenter --$n=$p/ns/$n true 2>&1 && echo entered $p $n; done; done",
    );
    const own = await attempt(
      inside,
      "readlink /proc/self/ns/mnt /proc/self/ns/pid /proc/self/ns/ipc /proc/self/ns/uts /proc/self/ns/net /proc/self/ns/user",
    );
    expect(output).not.toMatch(/entered \S+ (mnt|net|pid)/);
    for (const name of ["mnt", "pid", "ipc", "uts", "net", "user"])
      expect(own.output).not.toContain(
        spawnSync("readlink", [`/proc/self/ns/${name}`], { encoding: "utf8" }).stdout.trim(),
      );
  });

  it("leaves its root by chroot", async () => {
    expect(
      (await attempt(inside, `perl -e 'mkdir "/tmp/x"; print chroot("/tmp/x") ? "entered" : "refused: $!", "\\n"'`))
        .output,
    ).toBe("refused: Operation not permitted\n");
  });

  it.each([
    ["BPF", perlCall("bpf", 5, 0, 0)],
    ["performance events", perlCall("perf_event_open", 0, 0, 0, 0, 0)],
    ["userfaultfd", perlCall("userfaultfd", 0)],
    ["io_uring", perlCall("io_uring_setup", 1, `($p = chr(0) x 120)`)],
    ["keys", perlCall("request_key", `($t = "user")`, `($d = "x")`, 0, 0)],
  ])("uses %s", async (_, script) => {
    expect((await attempt(inside, script)).output).toMatch(/^\w+: refused: Operation not permitted\n$/);
  });

  it.skipIf(process.arch !== "x64")("makes a system call of another architecture", async () => {
    // The same call by its number of the x32 ABI, which many filters forget.
    expect(
      (
        await attempt(
          inside,
          `perl -e '$r = syscall(0x40000000 + 250, 0, 0); print $r == -1 ? "refused: $!" : "returned", "\\n"'`,
        )
      ).output,
    ).toBe("refused: Function not implemented\n");
  });
});
