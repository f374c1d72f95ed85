/**
 * Commands in a folder that has a kubeconfig which was not named: a planted one starts nothing,
 * reaches no server, and one of `stint serve` is taken and said.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { main } from "./checked-main.ts";
import { kubeconfigText } from "../../../host-node/server/kubeconfig.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { startServe } from "../serving.ts";
import { RecordingConsole } from "./recording-console.ts";

/** Every command that asks the cluster of a kubeconfig, except those for which one is always named. */
const COMMANDS: readonly (readonly string[])[] = [
  ["why", "pi"],
  ["wait", "pi", "--timeout", "1s"],
  ["doctor"],
  ["upgrade-check"],
];

let directory: string;
let home: string;
let server: Server;
let connections = 0;
beforeAll(async () => {
  await buildModule("engine");
  server = createServer((socket) => {
    connections++;
    socket.on("error", () => {}).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  connections = 0;
  directory = mkdtempSync(join(tmpdir(), "stint-found-"));
  home = join(directory, "home");
  mkdirSync(join(home, ".kube"), { recursive: true });
  return () => rmSync(directory, { recursive: true });
});

async function stint(args: readonly string[], env: object = {}): Promise<{ exit: number; out: string; err: string }> {
  const console = new RecordingConsole(directory);
  Object.assign(console.environment, { PATH: process.env["PATH"], HOME: home, ...env });
  const exit = await main(args, "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

/** A kubeconfig of the server here whose user runs a program that leaves a mark. */
function planted(): string {
  const { port } = server.address() as { port: number };
  const config = parse(kubeconfigText({ server: `https://127.0.0.1:${port}`, authority: "a", token: "t" }));
  config.users[0].user = { exec: { command: "touch", args: [join(directory, "started")] } };
  return stringify(config);
}

function hasStarted(): boolean {
  return existsSync(join(directory, "started"));
}

describe.each(COMMANDS.map((args) => ({ command: args[0], args })))("$command", ({ args }) => {
  it.each([0o644, 0o600])("starts no program of a file that it finds, with mode %i", async (mode) => {
    writeFileSync(join(directory, "stint.kubeconfig"), planted(), { mode });
    const { exit, out, err } = await stint(args);
    expect({ exit, out, connections, started: hasStarted() }).toEqual({
      exit: 2,
      out: "",
      connections: 0,
      started: false,
    });
    expect(err).toMatch(/^stint: \.\/stint\.kubeconfig is not taken: its (mode is 0644|user has exec)/);
  });

  it("starts that program where the file is named, as kubectl does", async () => {
    const file = join(directory, "stint.kubeconfig");
    writeFileSync(file, planted());
    await stint([...args, "--kubeconfig", "stint.kubeconfig"]);
    expect(hasStarted()).toBe(true);
    rmSync(join(directory, "started"));
    await stint(args, { KUBECONFIG: file });
    expect(hasStarted()).toBe(true);
  });

  it("asks no other cluster instead of the one whose file it refuses", async () => {
    writeFileSync(join(home, ".kube", "config"), planted());
    symlinkSync("nowhere", join(directory, "stint.kubeconfig"));
    const { exit, err } = await stint(args);
    expect({ exit, started: hasStarted(), connections }).toEqual({ exit: 2, started: false, connections: 0 });
    expect(err).toContain("./stint.kubeconfig is not taken: it is a symbolic link.");
  });
});

it("stint says that it has taken the kubeconfig of stint serve, and only then", async () => {
  const served = await startServe([], directory, ["--until-stdin-closes"]);
  const said = `stint: the cluster is https://127.0.0.1:${served.port}, by ./stint.kubeconfig, which was found here; --kubeconfig names another\n`;
  for (const args of COMMANDS) {
    const { err } = await stint(args);
    expect(err.startsWith(said), args[0]).toBe(true);
    expect((await stint([...args, "--kubeconfig", "./stint.kubeconfig"])).err).not.toContain("found here");
    expect((await stint(args, { KUBECONFIG: served.kubeconfig })).err).not.toContain("found here");
    const context = [...args, "--context", "prod"];
    const unknown = `stint: the context is "prod"; ${join(directory, "stint.kubeconfig")} has stint\n`;
    const named = "That file was found here, and not named. Name the one that is meant: --kubeconfig ~/.kube/config\n";
    expect(await stint(context)).toMatchObject({ exit: 2, err: `${unknown}${named}` });
    expect((await stint([...context, "--kubeconfig", "./stint.kubeconfig"])).err).toBe(unknown);
  }
  served.process.stdin!.end();
  await new Promise((resolve) => served.process.once("close", resolve));
});

it("stint reads no file of the folder for stint controller, whose kubeconfig is always named, or kubectl's", async () => {
  writeFileSync(join(directory, "stint.kubeconfig"), planted(), { mode: 0o600 });
  const { exit, err } = await stint(["controller"]);
  expect({ exit, connections, started: hasStarted() }).toEqual({ exit: 2, connections: 0, started: false });
  expect(err).toContain("there is no kubeconfig");
});
