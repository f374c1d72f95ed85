/** The `stint` command as a separate process: streams, signals and exit status as a shell sees them. */
import { spawn } from "node:child_process";
import { chmodSync, closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { gone, isRunning } from "../runtime/running.ts";
import { MAIN, runStint, spawnStint } from "../serving.ts";

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-process-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const job = (command: readonly string[]): string =>
  JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command }] } } },
  });

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** A shell that tells its process id, and that of a child in a separate session; neither ends. */
const ENDLESS =
  "trap '' TERM; setsid sh -c \"trap '' TERM; echo daemon \\$\\$; while :; do sleep 0.05; done\" & echo pid $$$$; while :; do sleep 0.05; done";

/** Runs a Job of that; resolves with both. */
async function startEndless(): Promise<{
  child: ReturnType<typeof spawnStint>;
  pid: number;
  daemon: number;
  exit: Promise<number | null>;
}> {
  // With its own process view, it would print other process IDs than those of this machine.
  const words = ["run", "--no-isolation", "--share-processes", file("endless.json", job(["sh", "-c", ENDLESS]))];
  const child = spawnStint(words, directory);
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  let out = "";
  const { pid, daemon } = await new Promise<{ pid: number; daemon: number }>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      const [, shell] = /\] pid (\d+)\n/.exec(out) ?? [];
      const [, other] = /\] daemon (\d+)\n/.exec(out) ?? [];
      if (shell !== undefined && other !== undefined) resolve({ pid: Number(shell), daemon: Number(other) });
    });
  });
  return { child, pid, daemon, exit };
}

describe("stint as a process", () => {
  it("ends well when its help is not read to the end", async () => {
    const child = spawnStint(["controller", "--help"], directory);
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdout.destroy();
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(0);
    expect(err).toBe("");
  });

  it("runs a Job from standard input, plain text where there is no terminal", async () => {
    const { exit, out, err } = await runStint(["run", "--no-isolation", "-"], directory, {
      input: job(["echo", "hello"]),
    });
    expect(exit).toBe(0);
    expect(err).toBe("");
    expect(out).toMatch(/\nnote: commands run on this machine, .*\n/);
    expect(out).toMatch(/\] hello\n/);
    expect(out).not.toContain("\u001b");
  });

  it("bounds standard input too", async () => {
    const { exit, err } = await runStint(["run", "-"], directory, { input: "#".repeat(5_000_000) });
    expect(exit).toBe(2);
    expect(err).toBe("stint: <stdin> is longer than that; allowed are at most 4194304 bytes (4 MiB) a file\n");
  });

  it("refuses without a stack trace", async () => {
    const missing = join(directory, "none.yaml");
    expect(await runStint(["run", missing], directory)).toEqual({
      exit: 2,
      out: "",
      err: `stint: cannot read ${missing}: there is no such file\n`,
    });
  });

  it("says what to do where AppArmor keeps bubblewrap from working", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stint-apparmor-"));
    const said = "bwrap: setting up uid map: Permission denied";
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\necho '${said}' >&2\nexit 1\n`, { mode: 0o755 });
    chmodSync(folder, 0o755);
    const { exit, err } = await runStint(["run", file("true.json", job(["true"]))], directory, {
      env: { PATH: folder },
    });
    rmSync(folder, { recursive: true });
    expect(exit).toBe(2);
    expect(err).toMatch(new RegExp(`^stint: bubblewrap is installed but does not work here: ${said}\\.\\n`));
    expect(err).toMatch(
      /AppArmor keeps it .*\n.*\/etc\/apparmor\.d\/bwrap\n.*\n.*sysctl kernel\.apparmor_restrict_unprivileged_userns=0.*\n.*--runtime docker.*\n.*--no-isolation.*\n.*--runtime simulated.*\n$/,
    );
    expect(err).not.toContain("install it");
  });

  it("says what to do where bubblewrap is not installed", async () => {
    const { exit, out, err } = await runStint(["run", file("true.json", job(["true"]))], directory, {
      env: { PATH: directory },
    });
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toMatch(
      /^stint: bubblewrap \(the command bwrap\) is not installed\.\n(.*\n)+.*apt install bubblewrap.*\n.*--runtime docker.*\n.*--no-isolation.*\n.*--runtime simulated.*\n$/,
    );
  });

  it("ends with 130 after Ctrl-C, and kills on the second", async () => {
    const { child, pid, daemon, exit } = await startEndless();
    child.kill("SIGINT");
    await new Promise<void>((resolve) =>
      child.stdout.on("data", (chunk: Buffer) => (chunk.includes("interrupted") ? resolve() : undefined)),
    );
    expect(isRunning(pid)).toBe(true);
    child.kill("SIGINT");
    expect(await exit).toBe(130);
    expect([pid, daemon].map(isRunning)).toEqual([false, false]);
  });

  it("leaves no process when it is killed outright", async () => {
    const { child, pid, daemon, exit } = await startEndless();
    child.kill("SIGKILL");
    await exit;
    await Promise.all([pid, daemon].map(gone));
  });
});

describe("a machine that refuses", () => {
  /** Standard output goes to a device that is always full. */
  async function intoFullDisk(args: readonly string[]): Promise<{ exit: number | null; err: string }> {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: directory, stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    let err = "";
    child.stderr!.on("data", (chunk: Buffer) => (err += chunk.toString()));
    return { exit: await new Promise((resolve) => child.once("close", resolve)), err };
  }

  const unwritable = "stint: standard output cannot be written: no space is left on the device\n";

  it("the output of a run: its pods are ended, and one sentence says why", async () => {
    const endless = file("loud.json", job(["sh", "-c", "while :; do echo loud; sleep 0.05; done"]));
    expect(await intoFullDisk(["run", "--no-isolation", "--output", "json", endless])).toEqual({
      exit: 74,
      err: unwritable,
    });
    expect(await intoFullDisk(["run", "--runtime", "simulated", endless])).toEqual({ exit: 74, err: unwritable });
  });

  it("the output of a help text", async () => {
    expect(await intoFullDisk(["run", "--help"])).toEqual({ exit: 74, err: unwritable });
  });

  it("its errors have nowhere to go, and say so with the exit status alone", async () => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [MAIN, "run", "no-such.yaml"], {
      cwd: directory,
      stdio: ["ignore", "ignore", full],
    });
    closeSync(full);
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(2);
  });

  it.each([
    ["run", "--no-isolation", "true.json"],
    ["serve", "--runtime", "process", "--no-isolation"],
  ])("no temporary folder: stint %s", async (...args) => {
    file("true.json", job(["true"]));
    const missing = join(directory, "no-such");
    expect(await runStint(args, directory, { env: { ...process.env, TMPDIR: missing } })).toEqual({
      exit: 74,
      out: "",
      err: `stint: cannot make a temporary folder in ${missing}: there is no such folder to write it to.\nName one that can be written to in $TMPDIR.\n`,
    });
  });

  /** No file may grow: as on a full disk, for which one would need a file system of one's own. */
  async function withoutRoom(args: readonly string[]): Promise<{ exit: number | null; err: string; folder: string }> {
    const folder = mkdtempSync(join(directory, "full-"));
    const child = spawn(
      "/bin/sh",
      ["-c", `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`, process.execPath, MAIN, ...args],
      { cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
    );
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
    return { exit: await new Promise((resolve) => child.once("close", resolve)), err, folder };
  }

  it("room for a kubeconfig: no empty one is left behind", async () => {
    const { exit, err, folder } = await withoutRoom(["serve"]);
    expect({ exit, err }).toEqual({
      exit: 74,
      err: `stint: cannot write the kubeconfig ${join(folder, "stint.kubeconfig")}: a file may not grow so large here\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("room for a recording: the run continues, and no empty file is left behind", async () => {
    const { exit, err, folder } = await withoutRoom([
      "run",
      "--runtime",
      "simulated",
      "--record",
      "r.jsonl",
      file("true.json", job(["true"])),
    ]);
    expect({ exit, err }).toEqual({
      exit: 0,
      err: `stint: the recording ${join(folder, "r.jsonl")} ends here: a file may not grow so large here\n`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});
