/** Which kubeconfig is taken for one that a killed server has left behind, and which are let be. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RealClock } from "../../../host-node/clock.ts";
import { removeAbandoned } from "../../../host-node/server/abandoned-kubeconfig.ts";
import { type RunningServer, startServer } from "../../../host-node/server/https-server.ts";
import { kubeconfigText } from "../../../host-node/server/kubeconfig.ts";

let directory: string;
let path: string;
let toClose: (() => unknown)[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-test-"));
  path = join(directory, "stint.kubeconfig");
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  rmSync(directory, { recursive: true });
});

async function started(port = 0): Promise<RunningServer> {
  const clock = new RealClock();
  toClose.push(() => clock.stop());
  const handler = { handle: () => ({ status: 200, headers: {}, body: "" }) };
  const server = await startServer({ handler, port, token: "t", clock, onCrowded: () => {}, onError: () => {} });
  toClose.push(() => server.close());
  return server;
}

/** The kubeconfig of a server that has ended, with the port that it had. */
async function written(): Promise<{ readonly text: string; readonly port: number }> {
  const server = await started();
  await toClose.pop()!();
  const text = kubeconfigText({ server: server.url, authority: server.authority, token: "t" });
  writeFileSync(path, text, { mode: 0o600 });
  return { text, port: Number(new URL(server.url).port) };
}

/** Something that listens and says `greeting`. */
function listening(port: number, greeting: string): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => void socket.on("error", () => {}).write(greeting)).listen(
      port,
      "127.0.0.1",
      () => resolve(server),
    );
    toClose.push(() => server.close());
  });
}

describe("removeAbandoned", () => {
  it("removes it where no server listens any more", async () => {
    await written();
    expect(await removeAbandoned(path)).toBe("abandoned");
    expect(existsSync(path)).toBe(false);
  });

  it("removes it where another server has the port, with TLS or without", async () => {
    const { port, text } = await written();
    await started(port);
    expect(await removeAbandoned(path)).toBe("abandoned");
    await toClose.pop()!();
    writeFileSync(path, text, { mode: 0o600 });
    await listening(port, "220 mail\r\n");
    expect(await removeAbandoned(path)).toBe("abandoned");
  });

  it("keeps that of a server that runs, and says where", async () => {
    const { url, authority } = await started();
    writeFileSync(path, kubeconfigText({ server: url, authority, token: "t" }), { mode: 0o600 });
    expect(await removeAbandoned(path)).toEqual({ livesAt: url });
    expect(existsSync(path)).toBe(true);
  });

  it("keeps that of a server that does not answer: it may be stopped", async () => {
    const { port, text } = await written();
    await listening(port, "");
    expect(await removeAbandoned(path)).toEqual({ livesAt: `https://127.0.0.1:${port}` });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it.each<[string, (text: string) => string]>([
    ["without the mark", (text) => text.replace("stint.dev/serve", "example.com/other")],
    ["of another machine", (text) => text.replace(/host: .*/, "host: elsewhere")],
    ["with another address", (text) => text.replace("127.0.0.1", "10.0.0.1")],
    [
      "to which a cluster was added",
      (text) => text.replace("\nusers:", "\n  - {name: prod, cluster: {server: https://p}}\nusers:"),
    ],
    ["that is none", () => "mine"],
    ["that is empty", () => ""],
  ])("keeps a file %s", async (_name, change) => {
    const { text } = await written();
    const changed = change(text);
    expect(changed).not.toBe(text);
    writeFileSync(path, changed, { mode: 0o600 });
    expect(await removeAbandoned(path)).toBe("foreign");
    expect(readFileSync(path, "utf8")).toBe(changed);
  });

  it("keeps what is behind a link, a directory, and knows that there may be nothing", async () => {
    const { text } = await written();
    const link = join(directory, "link");
    symlinkSync(path, link);
    expect(await removeAbandoned(link)).toBe("foreign");
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(await removeAbandoned(directory)).toBe("foreign");
    expect(await removeAbandoned(join(directory, "none"))).toBe("foreign");
  });
});
