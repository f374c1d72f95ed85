/** What is known of an engine once it is connected. */
import { expect, onTestFinished, test } from "vitest";
import { EngineClient } from "../../../../host-node/runtime/container-engine/engine-client.ts";
import { FakeEngine } from "./fake-engine.ts";

test.each([
  [{ CgroupDriver: "systemd", CgroupVersion: "2", SecurityOptions: ["name=seccomp,profile=default"] }, true],
  [{ CgroupDriver: "systemd", CgroupVersion: "2", Rootless: true, SecurityOptions: null }, true],
  [{ CgroupDriver: "cgroupfs", CgroupVersion: "1", Rootless: false }, true],
  [{ CgroupDriver: "cgroupfs", CgroupVersion: "1", Rootless: true }, false],
  [{ CgroupDriver: "cgroupfs", CgroupVersion: "1", SecurityOptions: ["name=rootless"] }, false],
  [{ CgroupDriver: "none", CgroupVersion: "2", SecurityOptions: ["name=rootless"] }, false],
])("an engine that says %j can limit containers: %s", async (info, hasLimits) => {
  const fake = new FakeEngine({ images: {}, info });
  await fake.listen();
  onTestFinished(() => fake.close());
  const { client, engine } = await EngineClient.connect(fake.socketPath);
  client.close();
  expect(engine).toEqual({ version: "0.fake", architecture: "amd64", hasLimits });
});
