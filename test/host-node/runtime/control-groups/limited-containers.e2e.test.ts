/** Containers whose limits the kernel keeps, in control groups of this machine. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessRuntime } from "../../../../host-node/runtime/process-runtime.ts";
import { bubblewrap } from "../bubblewrap-here.ts";
import { canJoin, createPod, podOf, type Run, start } from "../running.ts";
import { foldersOf, hasControlGroups, noFoldersOf } from "./control-groups-here.ts";

const OUT_OF_MEMORY = { exit: { exitCode: 137, reason: "OOMKilled" } };
const LIMITS = { resources: { limits: { cpu: "200m", memory: "64Mi" } } };
/** Only when it comes to it: Perl would work a constant out before it begins. */
const take = (mebibytes: number): string => `my $n = ${mebibytes}; my $x = 'x' x ($n << 20); `;
const saying = (text: string): string => `$| = 1; print "${text}\\n"; `;
/** Uses that much processor time. */
const spin = (seconds: number): string => `1 while (times)[0] < ${seconds}; `;

describe.skipIf(!hasControlGroups)("a container in a control group", () => {
  let runtime: ProcessRuntime;
  beforeAll(() => {
    runtime = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" });
  });
  afterAll(() => runtime.close());

  async function begin(script: string, container: object = LIMITS): Promise<Run & { podUid: string }> {
    const pod = podOf(["perl", "-e", script], container);
    await createPod(runtime, pod);
    return { ...start(runtime, pod), podUid: pod.metadata.uid };
  }

  it("never gets the memory that is beyond its limit", async () => {
    const running = await begin(`${saying("begun")} ${take(200)} ${saying("taken")} sleep 1000`);
    expect(await running.end).toEqual(OUT_OF_MEMORY);
    expect(running.stdout()).toBe("begun\n");
  });

  it("ends as a whole when the kernel has ended one of its processes", async () => {
    const running = await begin(`if (!fork) { ${take(200)} } sleep 1000`);
    expect(await running.end).toEqual(OUT_OF_MEMORY);
  });

  it("counts files in memory", async () => {
    const pod = podOf(["sh", "-c", "head -c 200000000 /dev/zero >/dev/shm/fill; sleep 1000"], LIMITS);
    await createPod(runtime, pod);
    expect(await start(runtime, pod).end).toEqual(OUT_OF_MEMORY);
  });

  it("waits when it has used its share of processor time", async () => {
    await noFoldersOf();
    const running = await begin(`${spin(0.1)} ${saying("spun")} sleep 1000`);
    await running.outputHas("spun");
    const stats = foldersOf().flatMap((folder) => statsOf(folder));
    expect(stats).toHaveLength(1);
    expect(Number(/^nr_throttled (\d+)$/m.exec(stats[0]!)![1])).toBeGreaterThan(0);
    running.handle.stop(0);
    expect((await running.end).exit?.exitCode).toBe(137);
  });

  it("has a command of kubectl exec in its group", async () => {
    const running = await begin(`${saying("begun")} sleep 1000`);
    await running.outputHas("begun");
    await canJoin(runtime, running.podUid);
    const words = ["perl", "-e", `${take(200)} sleep 1000`];
    const command = runtime.streams.start(running.podUid, "main", { words, hasInput: false, hasTerminal: false });
    command.stdout.resume();
    command.stderr.resume();
    expect(await running.end).toEqual(OUT_OF_MEMORY);
    // By the kernel, or a moment earlier by the end of its container.
    expect([137, 143]).toContain(await command.end);
  });

  it("has the environment, the arguments and the descriptors that it has without one", async () => {
    const script = `print join("|", map { "$_=$ENV{$_}" } sort keys %ENV), "\\n@ARGV\\n"; system("ls", "/proc/self/fd")`;
    const seen = async (container: object): Promise<string> => {
      const pod = podOf(["perl", "-e", script, "a b", "$HOME"], container, { hostname: "same" });
      await createPod(runtime, pod);
      const running = start(runtime, pod);
      expect(await running.end).toEqual({ exit: { exitCode: 0 } });
      return running.stdout();
    };
    expect(await seen(LIMITS)).toBe(await seen({}));
  });

  it("leaves no group behind", async () => {
    await (
      await begin("exit 3")
    ).end;
    await noFoldersOf();
    // Its end is not seen by anybody.
    const other = new ProcessRuntime({ isolation: { bubblewrap }, network: false, workingDirectory: "/" });
    const pod = podOf(["perl", "-e", `${saying("begun")} sleep 1000`], LIMITS);
    await createPod(other, pod);
    await start(other, pod).outputHas("begun");
    expect(foldersOf()).not.toEqual([]);
    other.close();
    await noFoldersOf();
  });

  it("leaves none behind when this program is killed", async () => {
    const host = join(import.meta.dirname, "..", "abandoned-host.ts");
    const marker = `3${process.pid}${Date.now() % 1e6}`;
    const words = [host, JSON.stringify({ isolation: { bubblewrap } }), marker, JSON.stringify(LIMITS)];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(foldersOf(child.pid)).not.toEqual([]);
    child.kill("SIGKILL");
    await noFoldersOf(child.pid);
  });
});

/** Of a group with a limit of processor time: what the kernel has counted. */
function statsOf(folder: string): string[] {
  try {
    return [readFileSync(join(folder, "cpu.stat"), "utf8")];
  } catch {
    return []; // It is for memory alone.
  }
}
