/** The workers of examples/kubectl/leader.yaml find their leader by name, as processes inside bubblewrap. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../cluster/values/types.ts";
import { nodeFor } from "../../host-node/runtime/node.ts";
import { RealClock } from "../../host-node/clock.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { ProcessRuntime } from "../../host-node/runtime/process-runtime.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { bubblewrap, hasBubblewrap } from "./runtime/bubblewrap-here.ts";

beforeAll(async () => {
  await buildModule("engine");
});

const example = resolve(import.meta.dirname, "../../examples/kubectl/leader.yaml");
const [service, job] = parseAllDocuments(readFileSync(example, "utf8")).map((document) => document.toJS());

describe.skipIf(!hasBubblewrap || !existsSync("/etc/hosts"))("an Indexed Job below a headless Service", () => {
  it("has workers that reach their leader by its name", async () => {
    const clock = new RealClock();
    const runtime = new ProcessRuntime({
      isolation: { bubblewrap },
      network: true,
      workingDirectory: "/",
      hasServiceNames: true,
    });
    const fail = (error: Error): never => {
      throw error;
    };
    const { cluster, start, stop } = await startCluster(runtime, clock, fail);
    const send = (path: string, body: object): void => {
      const headers = { "content-type": "application/json" };
      const answer = cluster.handle({ method: "POST", path, headers, body: JSON.stringify(body) });
      expect(answer.status, JSON.stringify(answer)).toBe(201);
    };
    const ended = new Promise<KubeObject>((end) =>
      cluster.observe(({ resource, object }) => {
        const isEnd = ({ type, status }: any): boolean => ["Complete", "Failed"].includes(type) && status === "True";
        if (resource === "jobs" && object["status"]?.conditions?.some(isEnd)) end(object);
      }),
    );
    try {
      start();
      send("/api/v1/namespaces/default/services", service);
      send("/apis/batch/v1/namespaces/default/jobs", job);
      const { status } = await ended;
      expect(status).toMatchObject({ succeeded: 3, completedIndexes: "0-2" });
    } finally {
      stop();
      runtime.close();
      clock.stop();
    }
  });
});

async function startCluster(
  runtime: ProcessRuntime,
  clock: RealClock,
  onFatal: (error: Error) => never,
): Promise<{ cluster: EmbeddedCluster["cluster"]; start: () => void; stop: () => void }> {
  const embedded = await EmbeddedCluster.create({
    clock,
    servesClients: true,
    onFatal,
    nodes: [nodeFor(runtime, false)],
    onServiceNames: (names) => runtime.setServiceNames(names),
  });
  return { cluster: embedded.cluster, start: () => embedded.start(), stop: () => embedded.stop() };
}
