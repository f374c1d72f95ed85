/** Sockets of this machine: a program that reaches the one of a Docker daemon or of an agent has the rights of that. */
import { chmodSync } from "node:fs";
import { createServer, type ListenOptions, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { attempt, bare, isRoot, PREY, preyFolder, redTeam, sandboxed, temporaryFolder } from "./attempts.ts";

/** Greets with the prey. */
async function listen(options: ListenOptions): Promise<Server> {
  const server = createServer((socket) => socket.end(`${PREY}\n`));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(options, resolve));
  if (options.path?.startsWith("/")) chmodSync(options.path, 0o777);
  afterAll(() => void server.close());
  return server;
}

/** Connects to a socket of the family `unix` or `inet` and prints what it says. */
const connectTo = (address: string): string =>
  `perl -MSocket -e 'socket(S, ${address.startsWith("inet") ? "PF_INET" : "PF_UNIX"}, SOCK_STREAM, 0); connect(S, ${addressOf(address)}) ? print <S> : print "refused: $!\\n"'`;
const addressOf = (address: string): string => {
  const [family, place = ""] = address.split(/:(.*)/);
  return family === "inet" ? `sockaddr_in(${place}, inet_aton("127.0.0.1"))` : `sockaddr_un("${place}")`;
};

redTeam("sockets", () => {
  const inside = sandboxed();
  const networked = sandboxed({ network: true });
  const outside = bare();
  const folder = preyFolder();
  const temporary = temporaryFolder(tmpdir());
  const runFolder = isRoot ? "/run" : process.env["XDG_RUNTIME_DIR"];
  const abstractName = `stint-red-team-${process.pid}`;
  let port = 0;
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    chmodSync(temporary, 0o755);
    await listen({ path: join(folder, "socket") });
    await listen({ path: join(temporary, "socket") });
    await listen({ path: `\0${abstractName}` });
    const server = await listen({ host: "127.0.0.1", port: 0 });
    port = (server.address() as { port: number }).port;
  });

  it.each([
    ["no network", () => inside],
    ["--network", () => networked],
  ] as const)("connects to a socket in a home folder, with %s", async (_, runtime) => {
    const script = connectTo(`unix:${join(folder, "socket")}`);
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(runtime(), script)).output).toBe("refused: No such file or directory\n");
  });

  it.each([
    ["no network", () => inside],
    ["--network", () => networked],
  ] as const)("connects to a socket in /tmp, with %s", async (_, runtime) => {
    const script = connectTo(`unix:${join(temporary, "socket")}`);
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(runtime(), script)).output).toBe("refused: No such file or directory\n");
  });

  it.skipIf(runFolder === undefined)("connects to a socket in /run", async () => {
    const own = temporaryFolder(runFolder!);
    chmodSync(own, 0o755);
    await listen({ path: join(own, "socket") });
    const script = connectTo(`unix:${join(own, "socket")}`);
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(networked, script)).output).toBe("refused: No such file or directory\n");
  });

  it("connects to an abstract socket", async () => {
    const script = connectTo(`unix:\\0${abstractName}`);
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(inside, script)).output).toBe("refused: Connection refused\n");
  });

  it("connects to a port on loopback", async () => {
    const script = connectTo(`inet:${port}`);
    expect((await attempt(outside, script)).output).toContain(PREY);
    expect((await attempt(networked, script)).output).toContain(PREY);
    expect((await attempt(inside, script)).output).toBe("refused: Connection refused\n");
  });

  it("finds an interface that leads out", async () => {
    const { output } = await attempt(
      inside,
      "sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev; tail -n +2 /proc/net/route",
    );
    expect(output).toBe("lo\n");
  });

  it("opens a socket to the machine that this one is a guest of", async () => {
    const vsock = 40;
    const script = `perl -MSocket -e 'print socket(S, ${vsock}, SOCK_STREAM, 0) ? "opened" : "refused: $!", "\\n"'`;
    expect((await attempt(inside, script)).output).toBe("refused: Address family not supported by protocol\n");
    expect((await attempt(networked, script)).output).toBe("refused: Address family not supported by protocol\n");
  });
});
