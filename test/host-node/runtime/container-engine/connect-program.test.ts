/** The program that connects to a port of a pod, run on this machine. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectProgram } from "../../../../host-node/runtime/container-engine/pause-image.ts";

const architecture = process.arch === "x64" ? "amd64" : process.arch;

describe.skipIf(process.platform !== "linux" || !["amd64", "arm64"].includes(architecture))("the program", () => {
  const folder = mkdtempSync(join(tmpdir(), "connect-program-"));
  const program = join(folder, "connect");
  beforeAll(() => writeFileSync(program, connectProgram(architecture)!, { mode: 0o755 }));
  afterAll(() => rmSync(folder, { recursive: true }));

  const portOf = (server: Server): string => String((server.address() as AddressInfo).port);
  const serve = async (answer: (socket: Socket) => void): Promise<Server> => {
    const server = createServer({ allowHalfOpen: true }, answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
  };
  const connect = (port: string) => {
    const child = spawn(program, [port], { stdio: ["pipe", "pipe", "inherit"] });
    const end = new Promise((resolve) => child.once("close", resolve));
    return { stdin: child.stdin, stdout: child.stdout, end };
  };

  test("says that the connection is open, and carries both directions at once, to the end of each", async () => {
    const server = await serve((socket) => socket.pipe(socket));
    const { stdin, stdout, end } = connect(portOf(server));
    const sent = Buffer.from(Array.from({ length: 4_000_000 }, (_, i) => (i * i) >> 7));
    stdin.end(sent);
    const received = await buffer(stdout);
    expect(received.length).toBe(sent.length + 1);
    expect(received.subarray(1).equals(sent)).toBe(true);
    expect(await end).toBe(0);
    server.close();
  });

  test("ends with the server, though its client has more to say", async () => {
    const server = await serve((socket) => socket.end("bye"));
    const { stdout, end } = connect(portOf(server));
    expect((await text(stdout)).slice(1)).toBe("bye");
    expect(await end).toBe(0);
    server.close();
  });

  test("ends with the number of the error when the port has no listener", async () => {
    const server = await serve(() => {});
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    const { stdout, end } = connect(port);
    expect(await text(stdout)).toBe("");
    expect(await end).toBe(111);
  });
});
