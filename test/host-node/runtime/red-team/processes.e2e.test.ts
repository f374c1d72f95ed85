/**
 * Processes of this machine and of other containers, bwrap's own first process, and processes that try to outlive their
 * container.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { createPod, gone, isRunning, podOf, start } from "../running.ts";
import {
  attempt,
  bare,
  commandLineOf,
  perlCall,
  PREY,
  preyFile,
  preyFolder,
  redTeam,
  sandboxed,
  systemCall,
} from "./attempts.ts";

const PTRACE_ATTACH = 16;
const PTRACE_SEIZE = 0x4206;
const SHM_KEY = 0x57494e54;
const IPC_CREAT = 0o1000;

redTeam("processes", () => {
  const inside = sandboxed();
  const outside = bare();

  it("sees or signals a process of this machine", async () => {
    const victim = spawn("sleep", ["600"], { stdio: "ignore" });
    const script = `ls -d /proc/${victim.pid} 2>/dev/null; kill -0 ${victim.pid} 2>/dev/null && echo could signal`;
    expect((await attempt(outside, script)).output).toBe(`/proc/${victim.pid}\ncould signal\n`);
    expect((await attempt(inside, script)).output).toBe("");
    victim.kill();
  });

  it("kills everything that it can", async () => {
    const victim = spawn("sleep", ["600"], { stdio: "ignore" });
    await attempt(inside, "trap '' TERM; kill -TERM -1; sleep 0.2");
    expect(isRunning(victim.pid!)).toBe(true);
    victim.kill();
  });

  it("finds the files of this machine behind a process", async () => {
    const prey = preyFile(preyFolder());
    const script = `cat /proc/[0-9]*/root${prey} /proc/[0-9]*/cwd${prey} /proc/[0-9]*/fd/*${prey} 2>/dev/null | sort -u`;
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(inside, script)).output).toBe("");
  });

  it("traces bwrap's own process, which has no filter", async () => {
    const calls = [PTRACE_ATTACH, PTRACE_SEIZE].map((request) => perlCall("ptrace", request, 1, 0, 0));
    const write = `perl -e '$r = syscall(${systemCall("process_vm_writev")}, 1, 0, 0, 0, 0, 0); print $r == -1 ? "refused: $!" : "wrote", "\\n"'`;
    const { output } = await attempt(inside, [...calls, write].join("; "));
    expect(output).toBe(
      "ptrace: refused: Operation not permitted\nptrace: refused: Operation not permitted\nrefused: Operation not permitted\n",
    );
  });

  it("writes into the memory of bwrap's own process", async () => {
    const { output } = await attempt(
      inside,
      "ls -A /proc/1; cat /proc/1/maps /proc/1/task/1/maps 2>&1; echo x 2>&1 > /proc/1/mem",
    );
    expect(
      output.replaceAll(/.*(No such file or directory|Read-only file system|nonexistent|cannot create).*\n/g, ""),
    ).toBe("");
  });

  it("traces a process of another container", async () => {
    const script = `echo ready; sleep 9${process.pid}`;
    const pod = podOf(["sh", "-c", script]);
    await createPod(inside, pod);
    const other = start(inside, pod);
    await other.outputHas("ready");
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(script));
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids)
      expect((await attempt(inside, perlCall("ptrace", PTRACE_ATTACH, pid, 0, 0))).output).toBe(
        "ptrace: refused: No such process\n",
      );
    other.handle.stop(0);
    await other.end;
  });

  it("finds shared memory of this machine", async () => {
    expect((await attempt(outside, perlCall("shmget", SHM_KEY, 4096, IPC_CREAT | 0o666))).output).toMatch(/returned/);
    try {
      expect((await attempt(outside, perlCall("shmget", SHM_KEY, 0, 0))).output).toMatch(/returned/);
      expect((await attempt(inside, perlCall("shmget", SHM_KEY, 0, 0))).output).toBe(
        "shmget: refused: No such file or directory\n",
      );
    } finally {
      await attempt(outside, `ipcrm -M ${SHM_KEY}`);
    }
  });

  it("outlives its container, in a new session and without its output", async () => {
    const marker = `9${process.pid}.77`;
    const { exitCode } = await attempt(
      inside,
      `setsid env -i sleep ${marker} </dev/null >/dev/null 2>&1 & (setsid sleep ${marker} &) ; sleep 0.1`,
    );
    expect(exitCode).toBe(0);
    const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLineOf(pid).includes(marker));
    await Promise.all(left.map((pid) => gone(Number(pid))));
  });

  it("keeps its namespace alive by ignoring every signal", async () => {
    const pod = podOf(["sh", "-c", "trap '' TERM INT HUP QUIT USR1; echo ready; while :; do sleep 0.05; done"]);
    await createPod(inside, pod);
    const running = start(inside, pod);
    await running.outputHas("ready");
    running.handle.stop(0.05);
    expect((await running.end).exit?.exitCode).toBe(137);
  });
});
