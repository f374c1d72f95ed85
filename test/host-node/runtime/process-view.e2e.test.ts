/**
 * Containers without isolation that signal whatever they find, as sidecars of workflows do: `kill -2 $(pgrep -f sh)`.
 * With a process view such a container reaches no other; without one it does. The prey is named by a number that only
 * this test uses, so no attempt does harm.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { isolationOf, refuseIsolationOptions } from "../../../host-node/cli/isolation.ts";
import { ProcessRuntime } from "../../../host-node/runtime/process-runtime.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";
import { canJoin, createPod, podOf, type Run, start } from "./running.ts";
import { bareVariants, processView } from "./views-here.ts";

/** In the arguments of the prey alone. */
const marker = `4${process.pid}${Date.now() % 1e6}`;
/** Written so that the shell that runs it does not find itself. */
const SIGNAL_ALL = `kill -2 $(pgrep -f '^sleep [${marker[0]}]${marker.slice(1)}')`;

let prey: ChildProcess | undefined;
afterEach(() => prey?.kill("SIGKILL"));

/** A process of this user outside all containers, and the signal that ends it. */
function preyProcess(): Promise<NodeJS.Signals | null> {
  prey = spawn("sleep", [marker], { stdio: "ignore", detached: true });
  return new Promise((resolve) => prey!.once("exit", (_, signal) => resolve(signal)));
}

for (const { name, isolation, view, usable } of bareVariants) {
  describe.skipIf(!usable)(`red team: processes of a container ${name}`, () => {
    const runtime = new ProcessRuntime({ isolation, processView: view, network: true, workingDirectory: "/" });
    afterAll(() => runtime.close());

    async function running(script: string): Promise<{ pod: Pod; container: Run }> {
      const pod = podOf(["sh", "-c", script]);
      await createPod(runtime, pod);
      const container = start(runtime, pod);
      await container.outputHas("ready");
      await canJoin(runtime, pod.metadata.uid);
      return { pod, container };
    }

    async function execute(pod: Pod, script: string): Promise<string> {
      const request = { words: ["sh", "-c", script], hasInput: false, hasTerminal: false };
      const command = runtime.streams.start(pod.metadata.uid, "main", request);
      let out = "";
      command.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      command.stderr.resume();
      await command.end;
      return out;
    }

    it(`signals processes outside: ${view === undefined ? "it does" : "none"}`, async () => {
      const ended = preyProcess();
      const { container } = await running(`${SIGNAL_ALL} 2>/dev/null; echo ready`);
      expect((await container.end).exit).toMatchObject({ exitCode: 0 });
      if (view === undefined) expect(await ended).toBe("SIGINT");
      else expect(prey!.kill(0)).toBe(true);
    });

    it(`signals them by a command of a client: ${view === undefined ? "it does" : "only those of its container"}`, async () => {
      const ended = preyProcess();
      const { pod, container } = await running(`echo ready; exec sleep ${marker}`);
      const other = await running(`echo ready; exec sleep ${marker}`);
      await execute(pod, `while ! pgrep -f '^sleep [${marker[0]}]${marker.slice(1)}' > /dev/null; do sleep 0.01; done`);
      await execute(pod, SIGNAL_ALL);
      expect((await container.end).exit).toMatchObject({ exitCode: 130 });
      if (view === undefined) {
        expect(await ended).toBe("SIGINT");
        expect((await other.container.end).exit).toMatchObject({ exitCode: 130 });
        return;
      }
      expect(prey!.kill(0)).toBe(true);
      expect(await execute(other.pod, "echo is there")).toBe("is there\n");
      other.container.handle.stop(0);
      await other.container.end;
    });

    it.skipIf(view === undefined)("is signalled as a group without the program that keeps the view", async () => {
      const { container } = await running("trap 'echo trapped; exit 5' INT; echo ready; kill -INT 0; sleep 600 & wait");
      expect((await container.end).exit).toMatchObject({ exitCode: 5 });
      expect(container.stdout()).toBe("ready\ntrapped\n");
    });

    it.skipIf(view === undefined)("has its orphans reaped", async () => {
      const { container } = await running(
        "(sh -c 'sleep 0.01 & :' &); while pgrep -x sleep >/dev/null; do :; done; sleep 0.1; " +
          "grep -l 'State:.Z' /proc/[0-9]*/status; echo ready",
      );
      expect((await container.end).exit).toMatchObject({ exitCode: 0 });
      expect(container.stdout()).toBe("ready\n");
    });
  });
}

describe("--share-processes", () => {
  const options = { isolation: false, shareProcesses: false, network: false, visible: [], allowHostPath: false };

  it("takes no view, which --no-isolation takes otherwise", () => {
    expect(isolationOf(options, "/")).toMatchObject({ isolation: "none", processView });
    expect(isolationOf({ ...options, shareProcesses: true }, "/").processView).toBeUndefined();
  });

  it("is refused where there is nothing to share", () => {
    const sharing = { ...options, shareProcesses: true, isolation: true };
    expect(() => isolationOf(sharing, "/")).toThrow("--share-processes is given without --no-isolation");
    expect(() => refuseIsolationOptions(sharing, "simulated")).toThrow(
      "--share-processes is given with --runtime simulated",
    );
  });
});
