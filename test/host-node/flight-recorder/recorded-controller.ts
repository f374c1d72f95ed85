/** A Job controller on an in-memory cluster with virtual time, whose flight recorder writes to a folder. */
import { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/clock.ts";
import { ClusterComponents } from "../../../cluster/components.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { seededRandom } from "../../../host-browser/simulation/random.ts";
import { createEngine, JobController } from "../../../host-node/controller/job-controller.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { FlightRecorder } from "../../../host-node/flight-recorder/flight-recorder.ts";
import { SegmentRing } from "../../../host-node/flight-recorder/segment-ring.ts";

export const START_MS = Date.UTC(2026, 0, 1);

export interface RecordedController {
  readonly clock: VirtualClock;
  readonly recorder: FlightRecorder;
  /** What the recorder has complained about. */
  readonly problems: string[];
  /** Creates an object of namespace default. @returns the status of the answer */
  create(collection: string, object: object): number;
  /** Lets the time pass, and waits until everything is written. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface RecordedControllerOptions {
  readonly folder: string;
  readonly maxBytes?: number;
  readonly isRedacted?: boolean;
  readonly freeBytes?: () => number;
}

export async function startRecorded(options: RecordedControllerOptions): Promise<RecordedController> {
  const { folder, maxBytes = 2 ** 24, isRedacted = true, freeBytes = () => 1e12 } = options;
  const engineModule = await loadEngineModule();
  const admission = await createEngine(engineModule);
  const clock = new VirtualClock(START_MS);
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
  const problems: string[] = [];
  const wallTime = (): number => clock.now();
  const recorder = new FlightRecorder({
    ...{ isRedacted, wallTime },
    ring: new SegmentRing({ folder, maxBytes, isRedacted, version: "1.2.3", wallTime, freeBytes }),
    onProblem: (problem) => problems.push(problem),
  });
  const controller = await JobController.create({
    ...{ engineModule, clock, random, transport: cluster.transport, recorder, wallTime },
    sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling: false }),
    configuration: { instance: "test" },
    onFatal: (error) => {
      throw error;
    },
  });
  components.start();
  controller.start();
  return {
    ...{ clock, recorder, problems },
    create: (collection, object) =>
      cluster.handle({
        method: "POST",
        path: collection,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(object),
      }).status,
    advance: async (ms) => {
      clock.advance(ms);
      await recorder.written();
    },
    close: async () => {
      controller.stop();
      components.stop();
      await recorder.close();
    },
  };
}

export const JOBS = "/apis/batch/v1/namespaces/default/jobs";

export function job(name: string, spec: object, outcome: object, env: readonly object[] = []): object {
  const annotations = { "stint.dev/simulate": JSON.stringify(outcome) };
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", env }] },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}
