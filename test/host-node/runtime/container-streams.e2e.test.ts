/**
 * Commands in running containers, attached clients, and ports: with and without bubblewrap. That a command has no more
 * rights than its container is in red-team/commands.e2e.test.ts.
 */
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandRequest } from "../../../host-node/runtime/container-streams.ts";
import { ProcessRuntime, type ProcessRuntimeOptions } from "../../../host-node/runtime/process-runtime.ts";
import type { ProcessView } from "../../../host-node/runtime/process-view.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";
import { bubblewrap, hasBubblewrap } from "./bubblewrap-here.ts";
import { canJoin, createPod, gone, podOf, type Run, start } from "./running.ts";
import { bareVariants, processView } from "./views-here.ts";

const sh = (script: string): string[] => ["sh", "-c", script];

const variants = [
  ...bareVariants,
  { name: "inside bubblewrap", isolation: { bubblewrap }, view: undefined, usable: hasBubblewrap },
];

const WAITS = "exec sleep 1000";

function newRuntime(isolation: ProcessRuntimeOptions["isolation"], processView?: ProcessView): ProcessRuntime {
  return new ProcessRuntime({ isolation, network: false, workingDirectory: "/", isInteractive: true, processView });
}

/** A container that prints `ready` and then does as the script says. */
async function running(
  runtime: ProcessRuntime,
  script: string,
  container: object = {},
  env: readonly { name: string; value: string }[] = [],
): Promise<{ pod: Pod; uid: string; container: Run }> {
  const pod = podOf(sh(`echo ready; ${script}`), container);
  await createPod(runtime, pod);
  const started = start(runtime, pod, env);
  await started.outputHas("ready");
  await canJoin(runtime, pod.metadata.uid);
  return { pod, uid: pod.metadata.uid, container: started };
}

async function execute(
  runtime: ProcessRuntime,
  uid: string,
  words: readonly string[],
  { input, ...request }: Partial<CommandRequest> & { input?: string } = {},
): Promise<{ out: string; err: string; exitCode: number }> {
  const command = runtime.streams.start(uid, "main", {
    words,
    hasInput: input !== undefined,
    hasTerminal: false,
    ...request,
  });
  command.stdin?.end(input);
  const [out, err, exitCode] = await Promise.all([text(command.stdout), text(command.stderr), command.end]);
  return { out, err, exitCode };
}

for (const { name, isolation, view, usable } of variants) {
  describe.skipIf(!usable)(`clients of a container ${name}`, () => {
    let runtime: ProcessRuntime;
    beforeAll(() => (runtime = newRuntime(isolation, view)));
    afterAll(() => runtime.close());

    it("run a command with its exit code, its two outputs and its input", async () => {
      const { uid, container } = await running(runtime, WAITS);
      expect(await execute(runtime, uid, sh("echo out; echo err >&2; exit 7"))).toEqual({
        out: "out\n",
        err: "err\n",
        exitCode: 7,
      });
      expect(await execute(runtime, uid, ["cat"], { input: "äöü\n" })).toEqual({ out: "äöü\n", err: "", exitCode: 0 });
      expect(await execute(runtime, uid, sh("cat /dev/stdin > /dev/stderr"), { input: "again\n" })).toMatchObject({
        err: "again\n",
      });
      expect((await execute(runtime, uid, sh("kill -s TERM $$"))).exitCode).toBe(143);
      expect(await execute(runtime, uid, ["printf", "[%s]", "a b", "", "$HOME", "--"])).toMatchObject({
        out: "[a b][][$HOME][--]",
      });
      container.handle.stop(0);
      await container.end;
    });

    it("find the variables, the directory and the files of the container", async () => {
      const odd = { name: "spring.name", value: "x=y\nz" };
      const { uid, container } = await running(
        runtime,
        `echo kept > /tmp/${name.length}-kept; ${WAITS}`,
        { workingDir: "/usr" },
        [odd, { name: "PERL5OPT", value: "-Mno_such_module" }],
      );
      const env = (await execute(runtime, uid, ["env", "-0"])).out.split("\0");
      expect(env).toContain("spring.name=x=y\nz");
      expect(env).toContain("PERL5OPT=-Mno_such_module");
      expect((await execute(runtime, uid, ["pwd"])).out).toBe("/usr\n");
      const kept = await execute(runtime, uid, sh(`cat /tmp/${name.length}-kept; rm /tmp/${name.length}-kept`));
      expect(kept.out).toBe("kept\n");
      container.handle.stop(0);
      await container.end;
    });

    it("learn why a command cannot start", async () => {
      const { uid, container } = await running(runtime, WAITS);
      const refused = (words: readonly string[]): Promise<unknown> =>
        expect(execute(runtime, uid, words)).rejects.toThrow(/^exec: /);
      await refused(["no-such-command"]);
      await expect(execute(runtime, uid, ["no-such-command"])).rejects.toThrow(
        'exec: "no-such-command": executable file not found in $PATH',
      );
      await expect(execute(runtime, uid, ["/etc/passwd"])).rejects.toThrow('exec: "/etc/passwd": permission denied');
      expect(() =>
        runtime.streams.start(uid, "other", { words: ["true"], hasInput: false, hasTerminal: false }),
      ).toThrow('container not found ("other")');
      container.handle.stop(0);
      await container.end;
      await expect(execute(runtime, uid, ["true"])).rejects.toThrow('container not found ("main")');
    });

    it("get all of a long output, however late they read it", async () => {
      const { uid, container } = await running(runtime, WAITS);
      const command = runtime.streams.start(uid, "main", {
        words: sh("head -c 3000000 /dev/zero"),
        hasInput: false,
        hasTerminal: false,
      });
      let bytes = 0;
      for await (const chunk of command.stdout) bytes += (chunk as Buffer).length;
      command.stderr.resume();
      expect([bytes, await command.end]).toEqual([3_000_000, 0]);
      container.handle.stop(0);
      await container.end;
    });

    it("end a command, and the end of the container ends it too", async () => {
      const { uid, container } = await running(runtime, WAITS);
      const begin = async (): Promise<{ pid: number; end: Promise<number>; kill: () => void }> => {
        const command = runtime.streams.start(uid, "main", {
          words: sh("echo $$; exec sleep 1000"),
          hasInput: false,
          hasTerminal: false,
        });
        command.stderr.resume();
        await new Promise((resolve) => command.stdout.once("data", resolve));
        command.stdout.resume();
        return { pid: command.pid!, end: command.end, kill: () => command.kill() };
      };
      const first = await begin();
      first.kill();
      expect(await first.end).toBe(137);
      await gone(first.pid);
      // Many at once: some of the programs that connect them are asked to end while they end.
      const others = await Promise.all(Array.from({ length: 30 }, begin));
      container.handle.stop(0);
      await container.end;
      expect(new Set(await Promise.all(others.map(({ end }) => end)))).toEqual(new Set([137]));
    });

    it("have a terminal of the size that they say", async () => {
      const { uid, container } = await running(runtime, WAITS);
      const command = runtime.streams.start(uid, "main", {
        words: sh("tty >&2; stty -echo; read line; stty size; echo $line; exit 3"),
        hasInput: true,
        hasTerminal: true,
      });
      command.resize(132, 43);
      const out = text(command.stdout);
      command.stderr.resume();
      command.stdin!.write("typed\n");
      expect(await command.end).toBe(3);
      expect((await out).replaceAll("typed\r\n", "")).toMatch(/^\/dev\/pts\/\d+\r\n43 132\r\n$/);
      container.handle.stop(0);
      await container.end;
    });

    it("keep few sizes for a terminal that is not there", async () => {
      const { uid, container } = await running(runtime, WAITS);
      const command = runtime.streams.start(uid, "main", { words: sh("cat >&2"), hasInput: true, hasTerminal: false });
      for (const output of [command.stdout, command.stderr]) output.resume();
      let taken = 0;
      while (taken < 1_000_000 && command.resize(80, 24)) taken++;
      expect(taken).toBeLessThan(100_000);
      command.stdin!.end();
      expect(await command.end).toBe(0);
      container.handle.stop(0);
      await container.end;
    });
  });

  describe.skipIf(!usable)(`clients attached to a container ${name}`, () => {
    let runtime: ProcessRuntime;
    beforeAll(() => (runtime = newRuntime(isolation, view)));
    afterAll(() => runtime.close());

    it("write what it reads and hear what it prints", async () => {
      const { uid, container } = await running(runtime, "cat; exit 5", { stdin: true, stdinOnce: true });
      const attachment = runtime.streams.attach(uid, "main");
      expect(attachment.isInputOnce).toBe(true);
      let heard = "";
      const ended = new Promise<void>((resolve) =>
        attachment.listen((stream, chunk) => (heard += `${stream} ${Buffer.from(chunk).toString()}`), resolve),
      );
      attachment.stdin!.end("hello\n");
      expect((await container.end).exit).toMatchObject({ exitCode: 5 });
      await ended;
      expect(heard).toBe("stdout hello\n");
      expect(() => runtime.streams.attach(uid, "main")).toThrow('container not found ("main")');
    });

    it("send its terminal the size, as often as it changes", async () => {
      const until = (size: string): string =>
        `until [ "$(stty size)" = "${size}" ]; do sleep 0.1; done; echo is ${size}`;
      const script = `${until("43 132")}; ${until("24 80")}; read line; echo [$line]`;
      const { uid, container } = await running(runtime, script, { stdin: true, tty: true });
      const { stdin, resize } = runtime.streams.attach(uid, "main");
      for (const [columns, rows] of [
        [132, 43],
        [80, 24],
      ] as const) {
        resize(columns, rows);
        await container.outputHas(`is ${rows} ${columns}\r\n`);
      }
      stdin!.write("typed\n");
      expect((await container.end).exit).toMatchObject({ exitCode: 0 });
      expect(container.stdout()).toContain("[typed]\r\n");
    });

    it("keep few sizes for its terminal when it does not read them", async () => {
      const { uid } = await running(runtime, "sleep 0.1; kill -STOP $PPID; exec sleep 1000", {
        stdin: true,
        tty: true,
      });
      const { resize } = runtime.streams.attach(uid, "main");
      let taken = 0;
      while (taken < 1_000_000 && resize(80, 24)) taken++;
      expect(taken).toBeLessThan(1_000_000);
    });

    it("read and write its terminal", async () => {
      const { uid, container } = await running(runtime, "tty; read line; echo [$line]", { stdin: true, tty: true });
      runtime.streams.attach(uid, "main").stdin!.write("typed\n");
      expect((await container.end).exit).toMatchObject({ exitCode: 0 });
      expect(container.stdout()).toMatch(/\/dev\/pts\/\d+\r\n/);
      expect(container.stdout()).toContain("[typed]\r\n");
    });
  });
}

/** Listens on a free port of its loopback, says which, and answers each line with itself in capital letters. */
const SHOUTING = `
  const server = require("net").createServer((socket) =>
    socket.on("data", (data) => socket.write(String(data).toUpperCase())).on("end", () => socket.end("bye")));
  server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port + "."));
`;

describe.skipIf(!hasBubblewrap)("inside bubblewrap", () => {
  let runtime: ProcessRuntime;
  let uid: string;
  let container: Run;
  beforeAll(async () => {
    runtime = newRuntime({ bubblewrap });
    const pod = podOf(["node", "-e", SHOUTING]);
    await createPod(runtime, pod);
    container = start(runtime, pod);
    uid = pod.metadata.uid;
    await container.outputHas(".\n");
  });
  afterAll(() => runtime.close());

  it("connects to a port of the container, and says why it does not", async () => {
    const port = Number(/port (\d+)\./.exec(container.stdout())![1]);
    const connection = await runtime.streams.connect(uid, port);
    connection.write("hello");
    await new Promise<void>((resolve) =>
      connection.once("data", (data) => resolve(expect(String(data)).toBe("HELLO"))),
    );
    connection.end();
    expect(await text(connection)).toBe("bye");
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    // It is open on this machine, and not in the container.
    const { port: elsewhere } = closed.address() as AddressInfo;
    await expect(runtime.streams.connect(uid, elsewhere)).rejects.toThrow("connection refused");
    await new Promise((resolve) => closed.close(resolve));
    await expect(runtime.streams.connect("no-such-pod", 80)).rejects.toThrow("no container of the pod is running");
  });
});

describe.each([
  ["without isolation", "none", undefined],
  ["with a process view", "none", processView],
  ...(hasBubblewrap ? ([["with the network of this machine", { bubblewrap }, undefined]] as const) : []),
] as const)("ports of a container %s", (_name, isolation, view) => {
  it("are those on which it listens, at whatever address", async () => {
    const network = new ProcessRuntime({ isolation, network: true, workingDirectory: "/", processView: view });
    try {
      // Perl: the user of a container may not be able to reach the Node that runs this.
      const server = (host: string): string => `
        use IO::Socket::IP;
        $| = 1;
        my $server = IO::Socket::IP->new(Listen => 5, LocalHost => "${host}", LocalPort => 0) or die $@;
        print "port ", $server->sockport, ".\\n";
        while (my $client = $server->accept) { print $client "${host}"; close $client }`;
      for (const host of ["127.0.0.1", "127.99.1.2", "0.0.0.0", "::"]) {
        const pod = podOf(["perl", "-e", server(host)]);
        await createPod(network, pod);
        const running = start(network, pod);
        await running.outputHas(".\n");
        const port = Number(/port (\d+)\./.exec(running.stdout())![1]);
        expect(await text(await network.streams.connect(pod.metadata.uid, port))).toBe(host);
        const other = createServer();
        await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
        const { port: foreign } = other.address() as AddressInfo;
        await expect(network.streams.connect(pod.metadata.uid, foreign)).rejects.toThrow(
          `no container of the pod listens on port ${foreign}: connection refused`,
        );
        await new Promise((resolve) => other.close(resolve));
      }
    } finally {
      network.close();
    }
  });
});
