/** Where the socket of an engine is looked for, and what is said when none can be used. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EngineClient } from "../../../../host-node/runtime/container-engine/engine-client.ts";
import { findEngineSocket } from "../../../../host-node/runtime/container-engine/engine-socket.ts";
import { FakeEngine } from "./fake-engine.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "engine-socket-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function socketAt(path: string): Promise<string> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return path;
}

test("an explicit socket comes before the variable, and that before the usual places", async () => {
  const runtime = folder();
  mkdirSync(join(runtime, "podman"));
  const usual = await socketAt(join(runtime, "podman/podman.sock"));
  const other = await socketAt(join(runtime, "other.sock"));
  expect(findEngineSocket("podman", undefined, { XDG_RUNTIME_DIR: runtime })).toBe(usual);
  const environment = { XDG_RUNTIME_DIR: runtime, CONTAINER_HOST: `unix://${other}` };
  expect(findEngineSocket("podman", undefined, environment)).toBe(other);
  expect(findEngineSocket("podman", usual, environment)).toBe(usual);
  expect(findEngineSocket("docker", undefined, { DOCKER_HOST: `unix://${other}` })).toBe(other);
});

test("an engine of another machine, a file, and nothing at all", () => {
  const file = join(folder(), "file");
  writeFileSync(file, "");
  expect(() => findEngineSocket("docker", undefined, { DOCKER_HOST: "tcp://10.0.0.1:2375" })).toThrow(
    '$DOCKER_HOST is "tcp://10.0.0.1:2375"; allowed is the socket of an engine of this machine: unix:///PATH',
  );
  expect(() => findEngineSocket("docker", undefined, { DOCKER_HOST: `unix://${file}` })).toThrow("there is no socket");
  expect(() => findEngineSocket("docker", file, {})).toThrow(`--engine-socket ${file}: there is no socket`);
  const empty = folder();
  expect(() => findEngineSocket("podman", undefined, { XDG_RUNTIME_DIR: empty })).toThrow(
    `--runtime podman is given, but no socket of Podman was found: $CONTAINER_HOST is not set, and there is none at\n${empty}/podman/podman.sock, /run/podman/podman.sock.\n`,
  );
});

test("an engine that is too old", async () => {
  const engine = new FakeEngine({ images: {}, apiVersion: "1.40" });
  await engine.listen();
  onTestFinished(() => engine.close());
  await expect(EngineClient.connect(engine.socketPath)).rejects.toThrow(
    /speaks version 1.40 of its API; needed is 1.41: Docker 20.10 or newer, or Podman 4 or newer$/,
  );
});

test("a socket without a listener is refused", async () => {
  const engine = new FakeEngine({ images: {} });
  await engine.listen();
  const { socketPath } = engine;
  await engine.close();
  await expect(EngineClient.connect(socketPath)).rejects.toThrow(/^the engine at .* cannot be used: /);
});
