/**
 * kubectl exec, attach, cp, run, debug and port-forward against `stint serve --runtime process`, most of them over
 * WebSocket and over SPDY; and kubectl top. Skipped with a message where there is no kubectl; with
 * STINT_REQUIRE_KUBECTL=1 that is an error.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../scripts/build-engine.ts";
import { hasKubectl, kubectl as runKubectl, type Ran, startKubectl, succeed as succeedWith } from "./kubectl.ts";
import { hasBubblewrap } from "./runtime/bubblewrap-here.ts";
import { type Served, startServe } from "./serving.ts";

/** Answers every connection with its first line in capital letters. */
const SHOUTING = `
  require("net").createServer((socket) => socket.once("data", (data) => socket.end(String(data).toUpperCase())))
    .listen(7777, "127.0.0.1", () => console.log("listening"));
`;

function pod(name: string, containers: readonly object[]): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { restartPolicy: "Never", containers } };
}

describe.skipIf(!hasKubectl)("kubectl", () => {
  let served: Served;
  beforeAll(async () => {
    await buildModule("engine");
    served = await startServe(["--runtime", "process", ...(hasBubblewrap ? [] : ["--no-isolation"])]);
    const container = (name: string, command: readonly string[]): object => ({ name, image: "none", command });
    const pods = [
      pod("server", [container("main", ["node", "-e", SHOUTING])]),
      pod("two", [container("a", ["sleep", "1000"]), container("b", ["sleep", "1000"])]),
      pod("over", [container("main", ["true"])]),
    ];
    await succeed(["create", "-f", "-"], pods.map((each) => JSON.stringify(each)).join("\n"));
    await succeed(["wait", "--for=condition=Ready", "pod/server", "pod/two", "--timeout=60s"]);
    await succeed(["wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/over", "--timeout=60s"]);
  });
  afterAll(async () => {
    expect(await served.stop()).toBe(0);
  });

  const kubectl = (args: readonly string[], input?: string): Promise<Ran> => runKubectl(served, args, input);
  const succeed = (args: readonly string[], input?: string): Promise<string> => succeedWith(served, args, input);

  describe.each([
    ["WebSocket", {}],
    ["SPDY", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false", KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" }],
  ])("over %s", (protocol, environment) => {
    beforeAll(() => {
      Object.assign(process.env, environment);
      return () => {
        for (const name of Object.keys(environment)) delete process.env[name];
      };
    });

    it("runs a command, with its outputs and its exit code", async () => {
      expect(await kubectl(["exec", "server", "--", "sh", "-c", "echo out; echo err >&2; exit 3"])).toEqual({
        status: 3,
        out: "out\n",
        err: "err\ncommand terminated with exit code 3\n",
      });
      expect(await succeed(["exec", "-i", "server", "--", "cat"], "typed\n")).toBe("typed\n");
      // The command ends before it has read everything.
      expect(await succeed(["exec", "-i", "server", "--", "head", "-c", "3"], "x".repeat(3_000_000))).toBe("xxx");
    });

    it("copies files in and out", async () => {
      const [there, back] = [join(served.directory, `there-${protocol}`), join(served.directory, `back-${protocol}`)];
      writeFileSync(there, randomBytes(3_000_000));
      await kubectl(["cp", there, "two:/tmp/copy", "-c", "a"]);
      const digest = createHash("sha256").update(readFileSync(there)).digest("hex");
      expect(await succeed(["exec", "two", "-c", "a", "--", "sha256sum", "/tmp/copy"])).toContain(digest);
      expect((await kubectl(["cp", "two:/tmp/copy", back, "-c", "a"])).status).toBe(0);
      expect(readFileSync(back).equals(readFileSync(there))).toBe(true);
      await succeed(["exec", "two", "-c", "a", "--", "rm", "/tmp/copy"]);
    });

    it("forwards a port, and says which one has no listener", async () => {
      const forwarding = startKubectl(served, ["port-forward", "server", ":7777", ":9"]);
      let out = "";
      let err = "";
      forwarding.stderr!.on("data", (chunk: Buffer) => (err += chunk.toString()));
      const [open, closed] = await new Promise<string[]>((resolve) =>
        forwarding.stdout!.on("data", (chunk: Buffer) => {
          out += chunk.toString();
          const ports = [7777, 9].map((port) => new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port}\n`).exec(out)?.[1]);
          if (ports.every((port) => port !== undefined)) resolve(ports as string[]);
        }),
      );
      const ask = (port: string): Promise<string> =>
        kubectl(["exec", "two", "-c", "a", "--", "true"]).then(() => answerOf(Number(port), "hello\n"));
      expect(await Promise.all([ask(open!), ask(open!)])).toEqual(["HELLO\n", "HELLO\n"]);
      const ended = new Promise((resolve) => forwarding.once("close", resolve));
      expect(await answerOf(Number(closed), "hello\n")).toBe("");
      forwarding.kill();
      await ended;
      expect(err).toMatch(
        /error forwarding port 9 to pod server, uid [-0-9a-f]+: (no container .*: )?connection refused/,
      );
    });

    it("attaches to a container that reads", async () => {
      const run = ["run", "reader", "-i", "--rm", "--restart=Never", "--image=none", "--command", "--"];
      const { status, out } = await kubectl([...run, "sh", "-c", "cat; echo end"], "line\n");
      expect([status, out]).toEqual([0, expect.stringMatching(/^line\nend\npod "reader" deleted\n$/)]);
    });

    it("attaches to a pod that has been running", async () => {
      const name = `waiting-${protocol.toLowerCase()}`;
      const command = ["sh", "-c", "read line; echo got $line; sleep 0.1"];
      const waiting = pod(name, [{ name: "main", image: "none", command, stdin: true }]);
      await succeed(["create", "-f", "-"], JSON.stringify(waiting));
      await succeed(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
      const { status, out } = await kubectl(["attach", name, "-i", "-c", "main"], "this\n");
      expect([status, out]).toEqual([0, "got this\n"]);
    });
  });

  it("shows what pods and the node use", async () => {
    expect(await succeed(["top", "pod", "--containers"])).toMatch(
      /^POD +NAME +CPU\(cores\) +MEMORY\(bytes\) *\nserver +main +\d+m +\d+Mi *\ntwo +a +\d+m +\d+Mi *\ntwo +b +\d+m +\d+Mi *\n$/,
    );
    expect(await succeed(["top", "node"])).toMatch(/\nstint +\d+m +\d+% +\d+Mi +\d+% *\n$/);
    const { status, err } = await kubectl(["top", "pod", "over"]);
    expect([status, err]).toEqual([1, 'Error from server (NotFound): pods.metrics.k8s.io "over" not found\n']);
  });

  it("adds a container to a pod and talks to it, and copies the pod with another one", async () => {
    const debugged = pod("debugged", [{ name: "main", image: "none", command: ["sleep", "1000"] }]);
    await succeed(["create", "-f", "-"], JSON.stringify(debugged));
    await succeed(["wait", "--for=condition=Ready", "pod/debugged", "--timeout=60s"]);
    const debug = ["debug", "debugged", "-q", "--image=none", "--profile=general", "-c"];
    // As with a real kubelet, its input stays open when the client has sent everything.
    const asks = await kubectl([...debug, "asks", "-i", "--", "sh", "-c", "read line; echo got $line"], "this\n");
    expect([asks.status, asks.out]).toEqual([0, "got this\n"]);
    expect(await succeed(["logs", "debugged", "-c", "asks"])).toBe("got this\n");
    await kubectl([...debug, "stays", "--", "sleep", "1000"]);
    const running = 'jsonpath={.status.ephemeralContainerStatuses[?(@.name=="stays")].state.running}';
    await succeed(["wait", `--for=${running}`, "pod/debugged", "--timeout=60s"]);
    expect(await succeed(["exec", "debugged", "-c", "stays", "--", "echo", "here"])).toBe("here\n");
    expect(await succeed(["describe", "pod", "debugged"])).toMatch(
      /\nEphemeral Containers:\n {2}asks:\n[^]*\n {2}stays:\n/,
    );
    await kubectl([...debug, "more", "--copy-to=copied", "--", "sleep", "1000"]);
    await succeed(["wait", "--for=condition=Ready", "pod/copied", "--timeout=60s"]);
    const names = "jsonpath={.spec.containers[*].name}{.spec.ephemeralContainers}";
    expect(await succeed(["get", "pod", "copied", "-o", names])).toBe("main more");
    await succeed(["delete", "pod", "debugged", "copied", "--now"]);
  });

  it("is refused what cannot be", async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { status, err } = await kubectl(args);
      expect(status).not.toBe(0);
      return err;
    };
    expect(await refused("exec", "server", "--", "no-such-command")).toContain(
      'error executing command in container: exec: "no-such-command": executable file not found in $PATH',
    );
    expect(await refused("exec", "two", "-c", "c", "--", "true")).toContain("container c is not valid for pod two");
    expect(await refused("exec", "over", "--", "true")).toContain(
      "cannot exec into a container in a completed pod; current phase is Succeeded",
    );
    expect(await refused("attach", "over")).toContain("current phase is Succeeded");
  });
});

describe.skipIf(!hasKubectl)("kubectl, where pods are simulated", () => {
  it("is refused, as nothing runs in simulated pods", async () => {
    const served = await startServe();
    try {
      const waits = JSON.stringify({ runMs: 600_000 });
      const simulated = { ...pod("sim", [{ name: "main", image: "none" }]) } as { metadata: object };
      const annotated = {
        ...simulated,
        metadata: { ...simulated.metadata, annotations: { "stint.dev/simulate": waits } },
      };
      await succeedWith(served, ["create", "-f", "-"], JSON.stringify(annotated));
      await succeedWith(served, ["wait", "--for=condition=Ready", "pod/sim", "--timeout=60s"]);
      const { status, err } = await runKubectl(served, ["exec", "sim", "--", "true"]);
      expect([status, err]).toEqual([
        1,
        expect.stringContaining("nothing runs in the containers of this server, which are simulated"),
      ]);
      expect((await runKubectl(served, ["top", "pod"])).err).toBe("error: Metrics API not available\n");
    } finally {
      expect(await served.stop()).toBe(0);
    }
  });
});

async function answerOf(port: number, line: string): Promise<string> {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    let out = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(line));
    socket.on("data", (chunk) => (out += chunk.toString())).on("error", () => {});
    socket.once("close", () => resolve(out));
  });
}
