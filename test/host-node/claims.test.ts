/** Two Jobs that share a claim see each other's files: the whole cluster, with processes. */
import { beforeAll, describe, expect, it } from "vitest";
import type { KubeObject } from "../../cluster/values/types.ts";
import { claimedVolume } from "../../cluster/controllers/volume-controller/claimed-volume.ts";
import { nodeFor } from "../../host-node/runtime/node.ts";
import { RealClock } from "../../host-node/clock.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { ProcessRuntime } from "../../host-node/runtime/process-runtime.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { bubblewrap, hasBubblewrap } from "./runtime/bubblewrap-here.ts";

const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";

beforeAll(async () => {
  await buildModule("engine");
});

function job(name: string, script: string): object {
  const container = { name: "c", image: "none", command: ["sh", "-c", script] };
  const spec = {
    restartPolicy: "Never",
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/data" }] }],
    volumes: [{ name: "v", persistentVolumeClaim: { claimName: "shared" } }],
  };
  return { metadata: { name }, spec: { backoffLimit: 0, template: { spec } } };
}

describe.skipIf(!hasBubblewrap)("Jobs with a claim", () => {
  it("see each other's files, and wait until it is bound", async () => {
    const clock = new RealClock();
    let embedded: EmbeddedCluster | undefined;
    const runtime = new ProcessRuntime({
      isolation: { bubblewrap },
      network: false,
      workingDirectory: "/",
      findClaimed: (namespace, name) => claimedVolume(embedded!.cluster, namespace, name),
    });
    const fail = (error: Error): never => {
      throw error;
    };
    embedded = await EmbeddedCluster.create({
      clock,
      servesClients: true,
      volumeFolders: runtime.volumeFolders,
      onFatal: fail,
      nodes: [nodeFor(runtime, false)],
    });
    const { cluster } = embedded;
    const send = (method: "GET" | "POST" | "DELETE", path: string, body?: object): any => {
      const headers = { "content-type": "application/json" };
      const answer = cluster.handle({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
      if (!("body" in answer) || answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
      return JSON.parse(String(answer.body));
    };
    /** The first state of an object of which this holds. */
    const reached = (resource: string, holds: (object: KubeObject, type: string) => boolean): Promise<KubeObject> =>
      new Promise((resolve) => {
        const end = cluster.observe((write) => {
          if (write.resource !== resource || !holds(write.object, write.type)) return;
          end();
          resolve(write.object);
        });
      });
    const ended = (name: string): Promise<KubeObject> =>
      reached(
        "jobs",
        ({ metadata, status }) =>
          metadata.name === name && status?.conditions?.some(({ type }: any) => ["Complete", "Failed"].includes(type)),
      );
    try {
      embedded.start();
      const pending = reached("pods", ({ status }) => status?.conditions?.[0]?.reason === "Unschedulable");
      const written = ended("writer");
      send("POST", JOBS, job("writer", "echo hello > /data/a"));
      expect((await pending)["status"].conditions[0].message).toBe(
        '0/1 nodes are available: persistentvolumeclaim "shared" not found.',
      );
      send("POST", CLAIMS, {
        metadata: { name: "shared" },
        spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
      });
      expect((await written)["status"].succeeded).toBe(1);
      const read = ended("reader");
      send("POST", JOBS, job("reader", '[ "$(cat /data/a)" = hello ]'));
      expect((await read)["status"].succeeded).toBe(1);
      const gone = reached("persistentvolumes", (_, type) => type === "DELETED");
      send("DELETE", `${CLAIMS}/shared`);
      expect((await gone)["spec"].claimRef.name).toBe("shared");
    } finally {
      embedded.stop();
      runtime.close();
      clock.stop();
    }
  });
});
