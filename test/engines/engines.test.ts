/** The scenarios of the runtime of containers, on real engines of this machine: Docker, and Podman. */
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import type { EngineName } from "../../host-node/runtime/container-engine/engine-socket.ts";
import { PULLER, type Subject } from "../host-node/runtime/container-engine/scenario-engine.ts";
import { engineScenarios } from "../host-node/runtime/container-engine/scenarios.ts";
import { missing, SHELL, startEngine } from "./real-engines.ts";
import { startRegistry } from "./registry.ts";

for (const name of ["docker", "podman"] as const)
  describe(name, () => {
    const why = missing(name);
    if (why === undefined) engineScenarios(() => open(name), true);
    else if (process.env["STINT_REQUIRE_ENGINES"] === "1")
      test("runs here", () => {
        throw new Error(`${name}: ${why}`);
      });
    else test.skip(`not here: ${why}`);
  });

async function open(name: EngineName): Promise<Subject> {
  const shell = readFileSync(SHELL);
  const registry = await startRegistry();
  const closedRegistry = await startRegistry(PULLER.password);
  const engine = await startEngine(name, registry.address, closedRegistry.address);
  const configured = {
    Entrypoint: ["/bin/sh", "-c"],
    Cmd: ["echo from the image"],
    Env: ["FROM=image"],
    WorkingDir: "/tmp",
    User: "1000",
  };
  return {
    name,
    socketPath: engine.socketPath,
    images: {
      shell: registry.add("shell", shell, { Cmd: ["/bin/sh"] }),
      configured: registry.add("configured", shell, configured),
      closed: closedRegistry.add("closed", shell, { Cmd: ["/bin/sh"] }),
      missing: `${registry.address}/missing:1`,
    },
    close: async () => {
      await engine.close();
      await registry.close();
      await closedRegistry.close();
    },
  };
}
