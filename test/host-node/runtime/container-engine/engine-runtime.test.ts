/** The runtime of containers on a fake engine: the scenarios, and that nothing was asked that no engine understands. */
import { afterAll, expect } from "vitest";
import { FakeEngine } from "./fake-engine.ts";
import { PULLER, type Subject } from "./scenario-engine.ts";
import { engineScenarios } from "./scenarios.ts";

const REGISTRY = "registry.test:5000";
const images = {
  shell: `${REGISTRY}/shell:1`,
  configured: `${REGISTRY}/configured:1`,
  closed: `${REGISTRY}/closed:1`,
  missing: `${REGISTRY}/missing:1`,
};
const engine = new FakeEngine({
  images: {
    [images.shell]: { config: { Cmd: ["/bin/sh"] } },
    [images.closed]: { config: { Cmd: ["/bin/sh"] }, password: PULLER.password },
    [images.configured]: {
      config: {
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: ["echo from the image"],
        Env: ["FROM=image"],
        WorkingDir: "/tmp",
        User: "1000",
      },
    },
  },
});

engineScenarios(async (): Promise<Subject> => {
  await engine.listen();
  return { name: "docker", socketPath: engine.socketPath, images, close: () => engine.close() };
}, false);

afterAll(() => expect(engine.faults).toEqual([]));
