/** Scenarios of containers that run, and of what reaches them meanwhile. */
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import type { ProbeResult } from "../../../../cluster/kubelet/container-runtime.ts";
import type { Usage } from "../../../../host-node/runtime/usage.ts";
import { createPod, podOf, run, start } from "../running.ts";
import { running, type ScenarioEngine } from "./scenario-engine.ts";

/** What a container gets, prints and uses, and how it ends. */
export function containerScenarios(on: ScenarioEngine): void {
  test("the environment comes in, and the working directory", async () => {
    const pod = on.shell('echo "$GREETING in $PWD"', { workingDir: "/tmp" });
    expect((await run(on.runtime, pod, [{ name: "GREETING", value: "hello = world" }])).stdout).toBe(
      "hello = world in /tmp\n",
    );
  });

  test("a command that is not in the image is a StartError", async () => {
    const { failed } = await run(on.runtime, podOf(["/no/such"], { image: on.subject.images.shell }));
    expect(failed).toMatchObject({ reason: "StartError" });
    expect(failed!.message).toMatch(/no such file/);
  });

  test("a container is asked to end, and ended when it does not", async () => {
    const polite = await running(
      on.runtime,
      on.shell("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done"),
    );
    polite.handle.stop(30);
    expect(await polite.end).toEqual({ exit: { exitCode: 7 } });
    expect(polite.stdout()).toBe("up\nbye\n");
    const stubborn = await running(on.runtime, on.shell("trap '' TERM; echo up; while :; do sleep 0.05; done"));
    stubborn.handle.stop(30);
    stubborn.handle.stop(0);
    expect(await stubborn.end).toEqual({ exit: { exitCode: 137 } });
  });

  test("all output arrives, also what a container writes at its end", async () => {
    const { stdout } = await run(
      on.runtime,
      on.shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"),
    );
    expect(stdout.trimEnd().split("\n")).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i}`));
  });

  test("output waits while it is paused", async () => {
    on.runtime.setOutputPaused(true);
    const pod = on.shell("echo hello");
    await createPod(on.runtime, pod);
    const paused = start(on.runtime, pod);
    await paused.started;
    expect(paused.stdout()).toBe("");
    on.runtime.setOutputPaused(false);
    await paused.end;
    expect(paused.stdout()).toBe("hello\n");
  });

  test("what a container uses is measured", async () => {
    const pod = on.shell("echo up; while :; do :; done");
    const container = await running(on.runtime, pod);
    const usage = (): Usage | undefined => on.runtime.streams.usages().get(pod.metadata.uid)?.get("main");
    expect(usage()).toBeUndefined();
    while (usage() === undefined) await on.runtime.streams.sample();
    expect(usage()!.nanoCores).toBeGreaterThan(0);
    expect(usage()!.bytes).toBeGreaterThan(10_000);
    container.handle.stop(0);
    await container.end;
    expect(usage()).toBeUndefined();
  });
}

/** What reaches a container that runs: commands, attached clients, connections and probes. */
export function clientScenarios(on: ScenarioEngine): void {
  test("a command runs in a container, with its input, output and exit code", async () => {
    const pod = on.shell("echo up; while :; do sleep 0.05; done");
    const container = await running(on.runtime, pod);
    const words = ["/bin/sh", "-c", "read line; echo got $line; echo problem >&2; exit 9"];
    const command = on.runtime.streams.start(pod.metadata.uid, "main", { words, hasInput: true, hasTerminal: false });
    command.stdin!.end("input\n");
    const [stdout, stderr] = await Promise.all([text(command.stdout), text(command.stderr)]);
    expect({ stdout, stderr, exitCode: await command.end }).toEqual({
      stdout: "got input\n",
      stderr: "problem\n",
      exitCode: 9,
    });
    container.handle.stop(0);
    await container.end;
    expect(on.runtime.streams.isRunning(pod.metadata.uid, "main")).toBe(false);
  });

  test("a client attaches, writes to a container that asks for it, and hears what it says", async () => {
    const interactive = await on.connect({ isInteractive: true });
    const pod = on.shell("echo up; read line; echo got $line", { stdin: true, stdinOnce: true });
    const container = await running(interactive, pod);
    const attached = interactive.streams.attach(pod.metadata.uid, "main");
    const heard: string[] = [];
    attached.listen(
      (stream, chunk) => heard.push(`${stream}: ${Buffer.from(chunk).toString()}`),
      () => heard.push("end"),
    );
    attached.stdin!.end("input\n");
    expect(await container.end).toEqual({ exit: { exitCode: 0 } });
    expect(heard).toEqual(["stdout: got input\n", "end"]);
    await interactive.close();
  });

  test("a client reaches a port of a pod; a port without a listener refuses", async () => {
    const server = createServer((socket) => socket.once("data", (line) => socket.end(`served ${String(line)}`)));
    if (!on.isReal) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = on.isReal ? 8000 : (server.address() as AddressInfo).port;
    const serves = "nc -ll -p 8000 -e /bin/sh -c 'read line; echo served $line' &";
    const pod = on.shell(`${on.isReal ? serves : ""} echo up; while :; do sleep 0.05; done`);
    const container = await running(on.runtime, pod);
    const { uid } = pod.metadata;
    const connection = await untilListening(() => on.runtime.streams.connect(uid, port));
    connection.end("a line\n");
    expect(await text(connection)).toBe("served a line\n");
    await expect(on.runtime.streams.connect(uid, 1)).rejects.toThrow("connection refused");
    container.handle.stop(0);
    await container.end;
    on.runtime.removePod(uid);
    await expect(on.runtime.streams.connect(uid, port)).rejects.toThrow("no container of the pod is running");
    server.close();
  });

  test("a container is probed: by a command in it, and by what answers at its port", async () => {
    const server = createHttpServer((_request, answer) => answer.end());
    if (!on.isReal) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = on.isReal ? 8000 : (server.address() as AddressInfo).port;
    const pod = on.shell(
      `${on.isReal ? "touch /tmp/x; httpd -p 8000 -h /tmp;" : ""} echo up; while :; do sleep 0.05; done`,
    );
    const container = await running(on.runtime, pod);
    const probed = (spec: object): Promise<ProbeResult> =>
      new Promise((resolve) => container.handle.probe!({ timeoutSeconds: 60, ...spec }, "10.0.0.7", resolve));
    const command = (script: string): object => ({ exec: { command: ["/bin/sh", "-c", script] } });
    const healthy = { result: "success", output: "" };
    expect(await probed({ tcpSocket: { port } })).toEqual(healthy);
    expect(await probed({ httpGet: { port, path: "/x" } })).toEqual(healthy);
    expect(await probed(command("true"))).toEqual(healthy);
    expect(await probed(command("echo problem; exit 3"))).toEqual({ result: "failure", output: "problem\n" });
    expect((await probed({ ...command("exec sleep 100"), timeoutSeconds: 1 })).output).toMatch(/ timed out after 1s$/);
    expect(await probed({ tcpSocket: { port: 1 } })).toEqual({
      result: "failure",
      output: "dial tcp 10.0.0.7:1: connect: connection refused",
    });
    container.handle.stop(0);
    await container.end;
    server.close();
  });
}

/** Tries again while the connection is refused. */
async function untilListening(connect: () => Promise<Duplex>): Promise<Duplex> {
  try {
    return await connect();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
    return untilListening(connect);
  }
}
