/**
 * Variables of a manifest that make the dynamic linker, shells or Node run foreign code: they may act inside
 * the container, never on this machine.
 */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { podOf, createPod, start } from "../running.ts";
import { attempt, bare, commandLineOf, preyFolder, redTeam, sandboxed } from "./attempts.ts";

/** glibc's own libraries that write a file as soon as they are loaded. */
const PRELOADABLE = [
  "/lib/x86_64-linux-gnu/libpcprofile.so",
  "/lib/aarch64-linux-gnu/libpcprofile.so",
  "/usr/lib64/libpcprofile.so",
].find((path) => existsSync(path));
const MEMUSAGE = PRELOADABLE?.replace("pcprofile", "memusage");

redTeam("hostile variables", () => {
  const inside = sandboxed();
  const outside = bare();
  const prey = preyFolder();
  chmodSync(prey, 0o777);
  // A command that writes to /tmp shows that the variable has its effect where it may have one.
  const filesOf = (prefix: string): string[] => readdirSync(prey).filter((name) => name.startsWith(prefix));

  it.skipIf(MEMUSAGE === undefined)("LD_PRELOAD loads a library into bwrap", async () => {
    const env = (name: string): Record<string, string> => ({
      LD_PRELOAD: MEMUSAGE!,
      MEMUSAGE_OUTPUT: join(prey, name),
    });
    await attempt(outside, "true", { env: env("preload-outside") });
    expect(filesOf("preload-outside")).not.toEqual([]);
    await attempt(inside, "true", { env: env("preload-inside") });
    expect(filesOf("preload-inside")).toEqual([]);
  });

  it.skipIf(PRELOADABLE === undefined)("LD_PRELOAD by way of the root of a guessed process", async () => {
    const script = `cp ${PRELOADABLE} /tmp/evil.so; echo ready; sleep 600`;
    const running = start(inside, await created(podOf(["sh", "-c", script])));
    await running.outputHas("ready");
    // An attacker would try all numbers.
    const guesses = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(script));
    expect(guesses.length).toBeGreaterThan(0);
    for (const pid of guesses)
      await attempt(inside, "true", {
        env: { LD_PRELOAD: join("/proc", pid, "root", "tmp/evil.so"), PCPROFILE_OUTPUT: join(prey, "guessed") },
      });
    running.handle.stop(0);
    await running.end;
    expect(filesOf("guessed")).toEqual([]);
  });

  it("LD_DEBUG has the linker of bwrap write a file", async () => {
    const env = (name: string): Record<string, string> => ({ LD_DEBUG: "files", LD_DEBUG_OUTPUT: join(prey, name) });
    await attempt(outside, "true", { env: env("debug-outside") });
    expect(filesOf("debug-outside")).not.toEqual([]);
    await attempt(inside, "true", { env: env("debug-inside") });
    expect(filesOf("debug-inside")).toEqual([]);
  });

  it("LD_LIBRARY_PATH gives bwrap other libraries", async () => {
    for (const name of ["libcap.so.2", "libselinux.so.1"]) writeFileSync(join(prey, name), "no library\n");
    const { output, exitCode } = await attempt(inside, "echo started", { env: { LD_LIBRARY_PATH: prey } });
    expect({ output, exitCode }).toEqual({ output: "started\n", exitCode: 0 });
  });

  it("PATH leads bwrap, mkfifo and prlimit to other programs", async () => {
    for (const name of ["bwrap", "mkfifo", "prlimit", "sh", "true"])
      writeFileSync(join(prey, name), `#!/bin/sh\necho ${name} >> ${prey}/path-ran\n`, { mode: 0o755 });
    const own = sandboxed();
    const { exitCode } = await attempt(own, "true", { env: { PATH: `${prey}:/usr/bin:/bin` } });
    expect(exitCode).toBe(0);
    expect(filesOf("path-ran")).toEqual([]);
  });

  it("BASH_ENV, ENV and exported functions run in a shell of ours", async () => {
    const script = join(prey, "start-up");
    writeFileSync(script, `echo $$ >> ${prey}/shell-ran\n`);
    const env = {
      BASH_ENV: script,
      ENV: script,
      PS4: `$(echo >> ${prey}/shell-ran)`,
      SHELLOPTS: "xtrace",
      "BASH_FUNC_kill%%": `() { echo >> ${prey}/shell-ran; }`,
    };
    await attempt(outside, "bash -c true", { env });
    expect(filesOf("shell-ran")).not.toEqual([]);
    writeFileSync(join(prey, "shell-ran"), "");
    const own = sandboxed();
    await attempt(own, "bash -c true", { env });
    own.close();
    expect(readFileSync(join(prey, "shell-ran"), "utf8")).toBe("");
  });

  it("NODE_OPTIONS loads code into Stint", async () => {
    const script = join(prey, "evil.cjs");
    writeFileSync(script, `require("node:fs").writeFileSync("${prey}/node-ran", "")`);
    await attempt(outside, `"${process.execPath}" -e 0`, { env: { NODE_OPTIONS: `--require ${script}` } });
    expect(filesOf("node-ran")).not.toEqual([]);
    writeFileSync(script, `require("node:fs").writeFileSync("${prey}/node-inside", "")`);
    await attempt(inside, "true", { env: { NODE_OPTIONS: `--require ${script}` } });
    expect(filesOf("node-inside")).toEqual([]);
  });

  it("values of variables show in a list of processes", async () => {
    const secret = "red-team-secret-value";
    const pod = podOf(["sh", "-c", "echo ready; sleep 600"]);
    const running = start(inside, await created(pod), [{ name: "SECRET", value: secret }]);
    await running.outputHas("ready");
    const lines = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => commandLineOf(pid).join(" "));
    expect(lines.some((line) => line.includes("echo ready; sleep 600"))).toBe(true);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    running.handle.stop(0);
    await running.end;
  });

  it("the environment of Stint reaches a container", async () => {
    const value = "of-the-caller";
    process.env["STINT_RED_TEAM"] = value;
    const other = spawn("sleep", ["600"], { env: { STINT_RED_TEAM: value } });
    // Only what is looked for: an environment has secrets in it.
    const script =
      "grep -aohE 'STINT_RED_TEAM=[a-z-]*' /proc/[0-9]*/environ 2>/dev/null | sort -u; echo \"own: $STINT_RED_TEAM\"";
    try {
      expect((await attempt(outside, script)).output).toBe(`STINT_RED_TEAM=${value}\nown: \n`);
      expect((await attempt(inside, script)).output).toBe("own: \n");
    } finally {
      other.kill();
    }
  });

  async function created(pod: ReturnType<typeof podOf>): Promise<typeof pod> {
    await createPod(inside, pod);
    return pod;
  }
});
