/**
 * What the runtime of containers does with an engine, as scenarios: they run on a fake engine (`npm test`) and on real
 * ones (`npm run test:engines`), so that the fake is known to be like them.
 */
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { hostname } from "node:os";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProbeResult, VolumeFiles } from "../../../../cluster/kubelet/container-runtime.ts";
import type { Pod, Secret } from "../../../../cluster/values/kinds.ts";
import { EngineClient } from "../../../../host-node/runtime/container-engine/engine-client.ts";
import {
  EngineRuntime,
  type EngineRuntimeOptions,
} from "../../../../host-node/runtime/container-engine/engine-runtime.ts";
import type { EngineName } from "../../../../host-node/runtime/container-engine/engine-socket.ts";
import type { Usage } from "../../../../host-node/runtime/usage.ts";
import { createPod, podOf, type Run, run, start } from "../running.ts";

/** The credentials of an image that not everybody may pull. */
export const PULLER = { user: "puller", password: "s3cret" };

/** An engine, and what can be pulled from it: images whose only program is /bin/sh, which has the usual commands. */
export interface Subject {
  readonly name: EngineName;
  readonly socketPath: string;
  readonly images: {
    /** No entrypoint, and no command but `/bin/sh`. */
    readonly shell: string;
    /** Entrypoint `/bin/sh -c`, command `echo from the image`, variable `FROM=image`, folder /tmp, user 1000. */
    readonly configured: string;
    /** Only with the credentials of PULLER. */
    readonly closed: string;
    /** Its registry does not have it. */
    readonly missing: string;
  };
  close(): Promise<void>;
}

/** @param isReal a fake runs commands as processes of this machine, and so has no volumes, users and networks */
export function engineScenarios(open: () => Promise<Subject>, isReal: boolean): void {
  let subject: Subject;
  let runtime: EngineRuntime;
  const told: string[] = [];
  const events: string[] = [];

  const connect = (options: Partial<EngineRuntimeOptions> = {}): Promise<EngineRuntime> =>
    EngineRuntime.connect({
      name: subject.name,
      socketPath: subject.socketPath,
      network: false,
      allowHostPath: false,
      allowPrivileged: false,
      findSecret: () => undefined,
      onPull: {
        pulling: (image) => told.push(`pulling ${image}`),
        progress: () => {},
        pulled: (image, size) => told.push(`pulled ${image} of ${size > 0 ? "some" : "no"} bytes`),
        present: (image) => told.push(`present ${image}`),
      },
      onEvent: ({ container, isInit }, reason, message) =>
        events.push(`${isInit ? "init " : ""}${container["name"]}: ${reason}: ${message}`),
      ...options,
    });
  const shell = (script: string, container: object = {}, spec: object = {}): Pod =>
    podOf(["/bin/sh", "-c", script], { image: subject.images.shell, ...container }, spec);
  /** The containers and volumes of the engine whose names have this in them. */
  const inEngine = async (text: string): Promise<string[]> => {
    const { client } = await EngineClient.connect(subject.socketPath);
    const containers: { Names: string[] }[] = await client.json("GET", "/containers/json", { query: { all: "1" } });
    const { Volumes } = await client.json("GET", "/volumes");
    client.close();
    const volumes = ((Volumes ?? []) as { Name: string }[]).map(({ Name }) => Name);
    return [...containers.flatMap(({ Names }) => Names), ...volumes].filter((name) => name.includes(text));
  };

  beforeAll(async () => {
    subject = await open();
    runtime = await connect();
  });
  afterAll(async () => {
    await runtime?.close();
    await subject?.close();
  });

  test("an image is pulled once, and then it is present", async () => {
    const first = await run(runtime, shell("echo hello; echo problem >&2; exit 3"));
    expect(first).toMatchObject({ exit: { exitCode: 3 }, stdout: "hello\n", stderr: "problem\n" });
    expect((await run(runtime, shell("exit 0"))).exit).toEqual({ exitCode: 0 });
    const { shell: image } = subject.images;
    expect(told).toEqual([`pulling ${image}`, `pulled ${image} of some bytes`, `present ${image}`]);
    expect(events.map((event) => event.replace(/\d[\dms.]*s|\d+(?= bytes)/g, "N"))).toEqual([
      `main: Pulling: Pulling image "${image}"`,
      `main: Pulled: Successfully pulled image "${image}" in N (N including waiting). Image size: N bytes.`,
      `main: Pulled: Container image "${image}" already present on machine and can be accessed by the pod`,
    ]);
  });

  test("policy Always pulls an image that is present", async () => {
    told.length = 0;
    await run(runtime, shell("exit 0", { imagePullPolicy: "Always" }));
    expect(told[0]).toBe(`pulling ${subject.images.shell}`);
  });

  test("policy Never does not pull", async () => {
    const { failed } = await run(runtime, shell("exit 0", { image: subject.images.missing, imagePullPolicy: "Never" }));
    expect(failed).toEqual({
      reason: "ErrImageNeverPull",
      message: `Container image "${subject.images.missing}" is not present with pull policy of Never`,
    });
  });

  test("an image that is not there, and one whose name is none", async () => {
    const missing = await run(runtime, shell("exit 0", { image: subject.images.missing }));
    expect(missing.failed).toMatchObject({ reason: "ErrImagePull" });
    expect(missing.failed!.message).toMatch(/manifest/);
    expect((await run(runtime, shell("exit 0", { image: "Not A Name" }))).failed).toEqual({
      reason: "InvalidImageName",
      message:
        'Failed to apply default image tag "Not A Name": couldn\'t parse image name "Not A Name": invalid reference format',
    });
  });

  test("credentials of imagePullSecrets open a registry, and are in no message", async () => {
    const { user, password } = PULLER;
    const { closed } = subject.images;
    const config = JSON.stringify({ auths: { [closed.split("/")[0]!]: { username: user, password } } });
    const secret = { data: { ".dockerconfigjson": Buffer.from(config).toString("base64") } } as unknown as Secret;
    const knowing = await connect({ findSecret: (_namespace, name) => (name === "pull" ? secret : undefined) });
    const refused = await run(knowing, shell("exit 0", { image: closed }));
    expect(refused.failed).toMatchObject({ reason: "ErrImagePull" });
    expect(refused.failed!.message).not.toContain(password);
    const allowed = await run(knowing, shell("exit 0", { image: closed }, { imagePullSecrets: [{ name: "pull" }] }));
    expect(allowed.exit).toEqual({ exitCode: 0 });
    await knowing.close();
  });

  test("command and args stand before entrypoint and command of the image", async () => {
    const { configured } = subject.images;
    const of = async (container: object): Promise<string> =>
      (
        await run(runtime, {
          ...podOf([], {}),
          spec: { containers: [{ name: "main", image: configured, resources: {}, ...container }] },
        })
      ).stdout;
    expect(await of({})).toBe("from the image\n");
    expect(await of({ args: ["echo from args"] })).toBe("from args\n");
    expect(await of({ command: ["/bin/sh", "-c", "echo from $FROM"] })).toBe("from image\n");
  });

  test("the environment comes in, and the working directory", async () => {
    const pod = shell('echo "$GREETING in $PWD"', { workingDir: "/tmp" });
    expect((await run(runtime, pod, [{ name: "GREETING", value: "hello = world" }])).stdout).toBe(
      "hello = world in /tmp\n",
    );
  });

  test("a command that is not in the image is a StartError", async () => {
    const { failed } = await run(runtime, podOf(["/no/such"], { image: subject.images.shell }));
    expect(failed).toMatchObject({ reason: "StartError" });
    expect(failed!.message).toMatch(/no such file/);
  });

  test("a container is asked to end, and ended when it does not", async () => {
    const polite = await running(runtime, shell("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done"));
    polite.handle.stop(30);
    expect(await polite.end).toEqual({ exit: { exitCode: 7 } });
    expect(polite.stdout()).toBe("up\nbye\n");
    const stubborn = await running(runtime, shell("trap '' TERM; echo up; while :; do sleep 0.05; done"));
    stubborn.handle.stop(30);
    stubborn.handle.stop(0);
    expect(await stubborn.end).toEqual({ exit: { exitCode: 137 } });
  });

  test("all output arrives, also what a container writes at its end", async () => {
    const { stdout } = await run(runtime, shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"));
    expect(stdout.trimEnd().split("\n")).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i}`));
  });

  test("output waits while it is paused", async () => {
    runtime.setOutputPaused(true);
    const pod = shell("echo hello");
    await createPod(runtime, pod);
    const paused = start(runtime, pod);
    await paused.started;
    expect(paused.stdout()).toBe("");
    runtime.setOutputPaused(false);
    await paused.end;
    expect(paused.stdout()).toBe("hello\n");
  });

  test("a command runs in a container, with its input, output and exit code", async () => {
    const pod = shell("echo up; while :; do sleep 0.05; done");
    const container = await running(runtime, pod);
    const words = ["/bin/sh", "-c", "read line; echo got $line; echo problem >&2; exit 9"];
    const command = runtime.streams.start(pod.metadata.uid, "main", { words, hasInput: true, hasTerminal: false });
    command.stdin!.end("input\n");
    const [stdout, stderr] = await Promise.all([text(command.stdout), text(command.stderr)]);
    expect({ stdout, stderr, exitCode: await command.end }).toEqual({
      stdout: "got input\n",
      stderr: "problem\n",
      exitCode: 9,
    });
    container.handle.stop(0);
    await container.end;
    expect(runtime.streams.isRunning(pod.metadata.uid, "main")).toBe(false);
  });

  test("a client attaches, writes to a container that asks for it, and hears what it says", async () => {
    const interactive = await connect({ isInteractive: true });
    const pod = shell("echo up; read line; echo got $line", { stdin: true, stdinOnce: true });
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

  test("a client reaches a port of a pod; one where nobody listens refuses", async () => {
    const server = createServer((socket) => socket.once("data", (line) => socket.end(`served ${String(line)}`)));
    if (!isReal) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = isReal ? 8000 : (server.address() as AddressInfo).port;
    const serves = "nc -ll -p 8000 -e /bin/sh -c 'read line; echo served $line' &";
    const pod = shell(`${isReal ? serves : ""} echo up; while :; do sleep 0.05; done`);
    const container = await running(runtime, pod);
    const { uid } = pod.metadata;
    const connection = await untilListening(() => runtime.streams.connect(uid, port));
    connection.end("a line\n");
    expect(await text(connection)).toBe("served a line\n");
    await expect(runtime.streams.connect(uid, 1)).rejects.toThrow("connection refused");
    container.handle.stop(0);
    await container.end;
    runtime.removePod(uid);
    await expect(runtime.streams.connect(uid, port)).rejects.toThrow("no container of the pod is running");
    server.close();
  });

  test("a container is probed: by a command in it, and by what answers at its port", async () => {
    const server = createHttpServer((_request, answer) => answer.end());
    if (!isReal) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = isReal ? 8000 : (server.address() as AddressInfo).port;
    const pod = shell(`${isReal ? "touch /tmp/x; httpd -p 8000 -h /tmp;" : ""} echo up; while :; do sleep 0.05; done`);
    const container = await running(runtime, pod);
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

  test("what a container uses is measured", async () => {
    const pod = shell("echo up; while :; do :; done");
    const container = await running(runtime, pod);
    const usage = (): Usage | undefined => runtime.streams.usages().get(pod.metadata.uid)?.get("main");
    expect(usage()).toBeUndefined();
    while (usage() === undefined) await runtime.streams.sample();
    expect(usage()!.nanoCores).toBeGreaterThan(0);
    expect(usage()!.bytes).toBeGreaterThan(10_000);
    container.handle.stop(0);
    await container.end;
    expect(usage()).toBeUndefined();
  });

  test("when a pod is removed, nothing of it is left in the engine", async () => {
    const volumes = [{ name: "work", emptyDir: {} }];
    const pod = shell("exit 0", { volumeMounts: [{ name: "work", mountPath: "/work" }] }, { volumes });
    await run(runtime, pod);
    const { uid } = pod.metadata;
    expect((await inEngine(uid)).length).toBe(2);
    runtime.removePod(uid);
    while ((await inEngine(uid)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test("close ends what runs and removes it, and nothing else", async () => {
    const other = await connect();
    const pod = shell("echo up; while :; do sleep 0.05; done");
    await running(other, pod);
    const staying = await running(runtime, shell("echo up; while :; do sleep 0.05; done"));
    await other.close();
    expect(await inEngine(pod.metadata.uid)).toEqual([]);
    staying.handle.stop(0);
    expect(await staying.end).toEqual({ exit: { exitCode: 137 } });
  });

  test("what a killed process left behind is removed by the next", async () => {
    const { client } = await EngineClient.connect(subject.socketPath);
    const [{ Id }] = await client.json("GET", "/images/json");
    // No process has a number beyond the kernel's limit of them.
    const gone = `${hostname()}/4999999`;
    const Labels = await makeVolume(client, "stint-left", gone);
    const HostConfig = { Mounts: [{ Type: "volume", Source: "stint-left", Target: "/left" }] };
    const body = { Image: Id, Entrypoint: ["/bin/sh"], Labels, HostConfig };
    await client.json("POST", "/containers/create", { query: { name: "stint-left" }, body });
    const alone = `${hostname()}/4999998`;
    await makeVolume(client, "stint-left-alone", alone);
    client.close();
    const next = await connect();
    expect(next.removedOf.toSorted()).toEqual([alone, gone]);
    expect(await inEngine("stint-left")).toEqual([]);
    await next.close();
  });

  test("privileges and paths of the machine are refused unless they are allowed", async () => {
    const pod = shell(
      "exit 0",
      { securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } } },
      {
        hostNetwork: true,
        volumes: [{ name: "etc", hostPath: { path: "/etc" } }],
      },
    );
    const paths = runtime.refused(pod).map(({ path }) => path);
    expect(paths).toEqual([
      "spec.hostNetwork",
      "spec.containers[0].securityContext.privileged",
      "spec.containers[0].securityContext.capabilities.add",
      "spec.volumes[0].hostPath",
    ]);
    await expect(createPod(runtime, pod)).rejects.toThrow("spec.hostNetwork is refused");
    const allowing = await connect({ allowHostPath: true, allowPrivileged: true });
    expect(allowing.refused(pod)).toEqual([]);
    await allowing.close();
  });

  test("a container that a pod gets later is refused privileges, too", async () => {
    const pod = shell("exit 0");
    await createPod(runtime, pod);
    const powers = [
      [{ privileged: true }, "privileged"],
      [{ capabilities: { add: ["SYS_ADMIN"] } }, "capabilities.add"],
      [{ seccompProfile: { type: "Unconfined" } }, "seccompProfile.type"],
    ] as const;
    for (const [securityContext, field] of powers) {
      const added = {
        ...pod,
        spec: { containers: [{ ...pod.spec.containers[0], securityContext }] },
      } as unknown as Pod;
      const { failed } = await start(runtime, added).end;
      expect(failed?.reason).toBe("CreateContainerConfigError");
      expect(failed?.message).toContain(`securityContext.${field} of container main is refused: `);
    }
    expect((await start(runtime, pod).end).exit).toEqual({ exitCode: 0 });
  });

  test("runAsNonRoot looks at the image's user", async () => {
    const security = { runAsNonRoot: true };
    const root = await run(runtime, shell("exit 0", { securityContext: security }));
    expect(root.failed).toMatchObject({ reason: "CreateContainerConfigError" });
    expect(root.failed!.message).toMatch(/^container has runAsNonRoot and image will run as root \(pod: /);
    const other = await run(runtime, shell("exit 0", { image: subject.images.configured, securityContext: security }));
    expect(other.exit).toEqual({ exitCode: 0 });
  });

  if (isReal) {
    test("containers of a pod share its volumes and its network", async () => {
      const files: VolumeFiles = new Map([
        ["settings", [{ path: "deep/er/a.txt", bytes: Buffer.from("from a ConfigMap"), mode: 0o440 }]],
      ]);
      const mounts = [
        { name: "work", mountPath: "/shared" },
        { name: "settings", mountPath: "/settings" },
        { name: "memory", mountPath: "/memory" },
      ];
      const { shell: image } = subject.images;
      const server =
        "cat /settings/deep/er/a.txt > /shared/copy; echo kept > /memory/x; echo served | nc -l -p 8000; true";
      const client = [
        "while ! [ -s /shared/copy ]; do sleep 0.05; done; cat /shared/copy; echo; cat /memory/x; df /memory | grep -c tmpfs",
        "while ! nc 127.0.0.1 8000; do sleep 0.05; done; hostname; id -u; echo more > /settings/x",
      ].join("\n");
      const pod = podOf(
        [],
        {},
        {
          securityContext: { runAsUser: 1234, fsGroup: 777 },
          volumes: [
            { name: "work", emptyDir: {} },
            { name: "settings", configMap: { name: "settings" } },
            { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
          ],
          containers: [
            { name: "server", image, command: ["/bin/sh", "-c", server], volumeMounts: mounts },
            { name: "client", image, command: ["/bin/sh", "-c", client], volumeMounts: mounts },
          ],
        },
      );
      await createPod(runtime, pod, files);
      const [serving, asking] = [start(runtime, pod, [], 0), start(runtime, pod, [], 1)];
      expect((await serving.end).exit).toEqual({ exitCode: 0 });
      await asking.end;
      expect(asking.stdout()).toBe(
        ["from a ConfigMap", "kept", "1", "served", pod.metadata.name, "1234", ""].join("\n"),
      );
      expect(asking.stderr()).toMatch(/Read-only file system/);
      runtime.removePod(pod.metadata.uid);
    });

    test("a file of a ConfigMap is mounted alone, and a folder of it", async () => {
      const files: VolumeFiles = new Map([
        ["settings", [{ path: "deep/a.txt", bytes: Buffer.from("from a ConfigMap\n"), mode: 0o444 }]],
      ]);
      const volumeMounts = [
        { name: "settings", mountPath: "/etc/a.txt", subPath: "deep/a.txt" },
        { name: "settings", mountPath: "/folder", subPath: "deep" },
      ];
      const script = "cat /etc/a.txt /folder/a.txt; ls /etc; echo more >> /etc/a.txt";
      const pod = shell(script, { volumeMounts }, { volumes: [{ name: "settings", configMap: { name: "settings" } }] });
      await createPod(runtime, pod, files);
      const container = start(runtime, pod);
      await container.end;
      expect(container.stdout().split("\n").slice(0, 3)).toEqual(["from a ConfigMap", "from a ConfigMap", "a.txt"]);
      expect(container.stdout()).toContain("passwd"); // The rest of the folder is still that of the image.
      expect(container.stderr()).toMatch(/Read-only file system/);
      runtime.removePod(pod.metadata.uid);
    });

    test("a termination message is read from its file", async () => {
      const message = await run(
        runtime,
        shell("echo why > /dev/termination-log; exit 1", { securityContext: { runAsUser: 99 } }),
      );
      expect(message.exit).toEqual({ exitCode: 1, message: "why\n" });
      const elsewhere = await run(runtime, shell("echo why > /tmp/why", { terminationMessagePath: "/tmp/why" }));
      expect(elsewhere.exit).toEqual({ exitCode: 0, message: "why\n" });
    });

    test("a container that takes more memory than its limit is ended for it", async () => {
      const script = "x=0123456789abcdef; while :; do x=$x$x; done";
      const ended = async () =>
        (await run(runtime, shell(script, { resources: { limits: { memory: "16Mi", cpu: "500m" } } }))).exit;
      let exit = await ended();
      // With control groups of version 1 an engine does not always notice why: the news of it may come after the end.
      // Podman hardly ever does.
      for (let again = 0; again < 4 && exit?.reason === undefined; again++) {
        expect(exit).toEqual({ exitCode: 137 });
        if (subject.name === "podman") return;
        exit = await ended();
      }
      expect(exit).toEqual({ exitCode: 137, reason: "OOMKilled" });
    });

    test("security settings hold", async () => {
      const context = {
        runAsUser: 42,
        runAsGroup: 43,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      };
      const script = "id -u; id -g; touch /x 2>&1; grep -E 'CapBnd|NoNewPrivs' /proc/self/status";
      const { stdout } = await run(runtime, shell(script, { securityContext: context }));
      expect(stdout.replace(/\t/g, " ").split("\n")).toEqual([
        ...["42", "43", "touch: /x: Read-only file system", "CapBnd: 0000000000000000", "NoNewPrivs: 1", ""],
      ]);
    });

    test("without --network there is nothing but the loopback", async () => {
      const { stdout } = await run(runtime, shell("ls /sys/class/net; wc -l < /proc/net/route"));
      expect(stdout.split(/\s+/).filter(Boolean)).toEqual(["lo", "1"]);
    });
  }
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

/** @returns its labels */
async function makeVolume(client: EngineClient, Name: string, maker: string): Promise<Record<string, string>> {
  const Labels = { "dev.stint.process": maker };
  await client.json("POST", "/volumes/create", { body: { Name, Labels } });
  return Labels;
}

async function running(runtime: EngineRuntime, pod: Pod): Promise<Run> {
  await createPod(runtime, pod);
  const started = start(runtime, pod);
  await started.outputHas("up\n");
  return started;
}
