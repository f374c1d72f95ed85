/** A Job controller on an in-memory cluster of one node, whose containers are simulated, with virtual time. */
import type { Transport } from "../../bindings/js/host.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { Cluster } from "../../cluster/cluster.ts";
import { ClusterComponents } from "../../cluster/components.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import { createEngine, JobController, type JobControllerOptions } from "../../host-node/controller/job-controller.ts";
import { sourcesOf } from "../../host-node/controller/sources.ts";
import { loadEngineModule } from "../../host-node/engine-module.ts";

export const START_MS = Date.UTC(2026, 0, 1);
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";

export interface ControlledCluster {
  /** Creates an object. @returns the status of the answer */
  create(collection: string, object: object): number;
  stop(): void;
}

export interface ControlledClusterOptions {
  readonly clock: VirtualClock;
  readonly recorder: JobControllerOptions["recorder"];
  readonly wallTime: () => number;
  /** The layer between the controller and the cluster. */
  readonly through?: (transport: Transport) => Transport;
}

export async function startControlled(options: ControlledClusterOptions): Promise<ControlledCluster> {
  const { clock, recorder, wallTime, through = (transport) => transport } = options;
  const engineModule = await loadEngineModule();
  const admission = await createEngine(engineModule);
  const random = seededRandom(1);
  const cluster = new Cluster({
    clock,
    random,
    admission: (review) => admission.review(review),
    gangScheduling: false,
  });
  const runtime = new SimulatedRuntime({ clock, random, chanceOf: () => random });
  const nodes = [{ nodeName: "node-1", runtime, capacity: { cpu: "8", memory: "8Gi", pods: "110" } }];
  const components = new ClusterComponents({ cluster, clock, random, nodes });
  const controller = await JobController.create({
    engineModule,
    clock,
    random,
    transport: through(cluster.transport),
    recorder,
    wallTime,
    sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling: false }),
    configuration: { instance: "test" },
    onFatal: (error) => {
      throw error;
    },
  });
  components.start();
  controller.start();
  return {
    create: (collection, object) =>
      cluster.handle({
        method: "POST",
        path: collection,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(object),
      }).status,
    stop: () => {
      controller.stop();
      components.stop();
    },
  };
}

/** @param outcome how the containers end */
export function job(name: string, spec: object, outcome: object, env: readonly object[] = []): object {
  const annotations = { "stint.dev/simulate": JSON.stringify(outcome) };
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", env }] },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}
