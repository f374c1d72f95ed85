/**
 * Files of this machine: those that a container may not see, those that it may not write, and ways round by set-uid
 * programs and inherited descriptors.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { containerUser } from "../../../../host-node/runtime/container-user.ts";
import { createPod, podOf, start } from "../running.ts";
import {
  attempt,
  bare,
  commandLineOf,
  isRoot,
  PREY,
  preyFile,
  preyFolder,
  redTeam,
  sandboxed,
  systemCall,
  temporaryFolder,
} from "./attempts.ts";

/** Above those that Node closes automatically. */
const LEAKED_FD = 40;

redTeam("files", () => {
  const inside = sandboxed();
  const outside = bare();
  const folder = preyFolder();
  chmodSync(folder, 0o755);
  const prey = preyFile(folder);

  it("reads a file outside the system's folders", async () => {
    const script = `cat ${prey} 2>&1`;
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(inside, script)).output).toMatch(/No such file/);
  });

  it("looks into home folders, /srv, /var, /opt and /mnt", async () => {
    const script = `ls -A /root /home /srv /opt /mnt /media /boot /sys ${homedir()} 2>/dev/null | grep -v ':$' | grep .; ls -A /var`;
    expect((await attempt(outside, script)).output.split("\n").length).toBeGreaterThan(5);
    expect(
      (await attempt(inside, script)).output
        .split("\n")
        .filter((line) => line !== "" && line !== "tmp" && line !== "lib"),
    ).toEqual([]);
  });

  it("reads a file in /tmp", async () => {
    const script = `cat ${preyFile(openFolder(tmpdir()))} 2>&1`;
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(inside, script)).output).not.toContain(PREY);
  });

  it("writes to the system's folders", async () => {
    const places = ["/usr", "/usr/bin", "/etc", "/", "/proc/sys/kernel", "/dev"];
    const { output } = await attempt(inside, places.map((place) => `touch ${place}/red-team && echo wrote`).join("; "));
    expect(output).not.toContain("wrote");
    expect(places.filter((place) => existsSync(join(place, "red-team")))).toEqual([]);
  });

  it("writes to a folder that is shown", async () => {
    chmodSync(folder, 0o777);
    const own = sandboxed({ visible: [folder] });
    const script = (name: string): string =>
      `cat ${prey}; touch ${folder}/${name}; echo > ${prey}; chmod 777 ${prey}; rm -f ${prey}; ln -s / ${folder}/${name}`;
    const { output } = await attempt(own, script("inside"));
    expect(output).toContain(PREY);
    expect(readdirSync(folder)).toEqual(["prey"]);
    expect(readFileSync(prey, "utf8")).toContain(PREY);
  });

  it("climbs out of a folder that is shown", async () => {
    const shown = join(folder, "shown");
    mkdirSync(shown, { recursive: true });
    const own = sandboxed({ visible: [shown] });
    const { output } = await attempt(
      own,
      `cd ${shown} && cat ../prey ${shown}/../prey /proc/self/cwd/../prey 2>&1; ls ..`,
    );
    expect(output).not.toContain(PREY);
    expect(output).toMatch(/\nshown\n$/);
  });

  it("inherits a folder that Stint, or who called it, has open", async () => {
    const opened = openSync(folder, "r");
    const host = spawn(
      process.execPath,
      [join(import.meta.dirname, "leaky-host.ts"), `cat /proc/self/fd/${LEAKED_FD}/prey 2>&1; ls -l /proc/self/fd`],
      {
        stdio: ["ignore", "pipe", "inherit", ...Array.from({ length: LEAKED_FD - 3 }, () => "ignore" as const), opened],
      },
    );
    closeSync(opened);
    const output = await text(host.stdout!);
    const [, bareOutput = "", sandboxOutput = ""] = output.split(/^== .*\n/m);
    expect(output).toMatch(/^== a shell of the caller's\n/);
    expect(bareOutput).toContain(PREY);
    expect(sandboxOutput).not.toContain(PREY);
    const descriptors = [...sandboxOutput.matchAll(/ (\d+) -> (.*)$/gm)].filter(
      ([, , target]) => !target!.startsWith("/proc/"),
    );
    expect(
      descriptors.filter(([, fd, target]) => Number(fd) > 2 && target !== "/dev/null").map(([line]) => line),
    ).toEqual([]);
    expect(descriptors.map(([, fd]) => fd)).toContain(String(LEAKED_FD));
  });
});

redTeam("rights to files", () => {
  const inside = sandboxed();
  const outside = bare();

  it.skipIf(!isRoot)("reads as root what only root may read", async () => {
    const script = "head -1 /etc/shadow 2>&1; id -u";
    expect((await attempt(outside, script)).output).toMatch(/^\w+:.*\n0\n$/);
    expect((await attempt(inside, script)).output).toMatch(/Permission denied\n65534\n$/);
    // What the kernel makes of it: neither root nor anybody else who has processes or files here.
    expect(containerUser()!.uid).toBeGreaterThan(0x6fffffff);
    const seconds = `9${process.pid}.5`;
    const pod = podOf(["sleep", seconds]);
    await createPod(inside, pod);
    const running = start(inside, pod);
    const statusOf = (pid: string): string =>
      commandLineOf(pid).includes(seconds) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
    let uids: string[] = [];
    while (uids.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      uids = readdirSync("/proc")
        .map(statusOf)
        .flatMap((status) => /^Name:\tsleep\n[^]*^Uid:\t(.*)$/m.exec(status)?.[1] ?? []);
    }
    expect(uids).toEqual([Array(4).fill(containerUser()!.uid).join("\t")]);
    running.handle.stop(0);
    await running.end;
  });

  it.skipIf(!isRoot)("gains rights by a set-uid program", async () => {
    const own = openFolder("/srv");
    const suid = join(own, "id");
    copyFileSync("/usr/bin/id", suid);
    chmodSync(suid, 0o4755);
    expect(spawnSync(suid, ["-u"], { uid: 65534, gid: 65534, encoding: "utf8" }).stdout).toBe("0\n");
    expect((await attempt(sandboxed({ visible: [own] }), `${suid} -u`)).output).toBe("65534\n");
  });

  it("gets a capability, or keeps one", async () => {
    const { output } = await attempt(
      inside,
      "grep -E '^(Cap|NoNewPrivs)' /proc/self/status; su -c true </dev/null 2>&1 | head -1",
    );
    expect(output).toMatch(/^(Cap\w+:\t0{16}\n){5}NoNewPrivs:\t1\n/);
    expect((await attempt(inside, "chown 1 /tmp 2>&1")).output).toMatch(/not permitted|Invalid argument/);
  });

  it("makes a device, or finds a disk", async () => {
    const { output } = await attempt(
      inside,
      "mknod /tmp/disk b 254 0 2>&1; mknod /tmp/mem c 1 1 2>&1; ls /dev | tr '\\n' ' '",
    );
    expect(output.match(/not permitted/g)).toHaveLength(2);
    const devices = output.split("\n").at(-1)!.trim().split(" ");
    expect(
      devices.filter(
        (name) =>
          ![
            "core",
            "fd",
            "full",
            "null",
            "ptmx",
            "pts",
            "random",
            "shm",
            "stderr",
            "stdin",
            "stdout",
            "termination-log",
            "tty",
            "urandom",
            "zero",
            "console",
          ].includes(name),
      ),
    ).toEqual([]);
  });

  it("opens a file by its handle, past all folders", async () => {
    const script = `perl -e '$h = pack("IIQ", 8, 1, 2); open(D, "<", "/usr"); $r = syscall($ARGV[0], fileno(D), $h, 0); print $r == -1 ? "refused: $!" : "opened", "\\n"'`;
    expect((await attempt(inside, `${script} ${systemCall("open_by_handle_at")}`)).output).toBe(
      "refused: Operation not permitted\n",
    );
  });
});

function openFolder(parent: string): string {
  const own = temporaryFolder(parent);
  chmodSync(own, 0o755);
  return own;
}
