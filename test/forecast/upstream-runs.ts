/**
 * Runs Jobs whole on a real Kubernetes API server, by upstream's own controller, each with its own outcome, and says
 * what each of them did, as whole-runs.ts does on virtual time. Pods are bound by the scheduler of cluster/, and run by
 * one kubelet of cluster/ over HTTP.
 *
 * Here real time passes, and nothing speeds it up: the waits of the controller are constants of its program. Leaves out
 * which runs are short enough.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient, type ApiResource, JOBS, PODS, resourcePath } from "../../cluster/client/client.ts";
import { Kubelet } from "../../cluster/kubelet/kubelet.ts";
import { Reflector } from "../../cluster/client/reflector.ts";
import { Scheduler } from "../../cluster/scheduler/scheduler.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { RealClock } from "../../host-node/clock.ts";
import { Credentials } from "../../host-node/transport/credentials.ts";
import { HttpTransport } from "../../host-node/transport/http-transport.ts";
import { ADMIN, type ControlPlane, startControlPlane } from "../kubernetes/control-plane.ts";
import { JOB_CONTROLLERS, startUpstreamController } from "../kubernetes/upstream-controller.ts";
import {
  CAPACITY,
  type Course,
  evictionOf,
  isOver,
  JOBS_PATH,
  manifestOf,
  newCourse,
  noteJob,
  notePod,
  type Run,
  ScriptedRuntime,
  type Seen,
} from "./courses.ts";

const NODE = "forecast-node";
const STARTS_A_SECOND = 10;
const POLL_MS = 50;
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 600_000;
/**
 * A run that lasts longer is left alone: pods that ended in another order than on virtual time may make the controller
 * wait for minutes. What the Job had done by then counts.
 */
export const MAX_RUN_MS = 90_000;

export interface UpstreamRuns {
  readonly version: string;
  /** In the order of the runs. */
  readonly seen: readonly Seen[];
  /** How many were left alone before they had ended. */
  readonly left: number;
}

/**
 * @param atOnce how many Jobs there are at a time
 * @param onProgress gets how many have ended
 * @throws Error when a Job is refused
 */
export async function runOnUpstream(
  runs: readonly Run[],
  atOnce: number,
  onProgress: (done: number) => void,
): Promise<UpstreamRuns> {
  const controlPlane = await startControlPlane();
  const clock = new RealClock();
  const transport = new HttpTransport({
    clock,
    maxConnections: MAX_CONNECTIONS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    credentials: Credentials.load({
      kubeconfig: controlPlane.kubeconfig(ADMIN),
      environment: {},
      context: undefined,
    }),
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    onProblem: (problem) => console.error(`note: ${problem}`),
  });
  const courses = new Map<string, Course>();
  const parts = partsOf(controlPlane, clock, transport, courses);
  try {
    for (const part of parts) part.start();
    await readyNode(controlPlane);
    await startUpstreamController(controlPlane, { controllers: JOB_CONTROLLERS, clientQps: -1 });
    const { seen, left } = await runAll(runs, atOnce, { controlPlane, clock, courses }, onProgress);
    return { version: controlPlane.version, seen, left };
  } finally {
    for (const part of parts.toReversed()) part.stop();
    await controlPlane.stop();
    await transport.close();
    clock.stop();
  }
}

function partsOf(
  controlPlane: ControlPlane,
  clock: RealClock,
  transport: HttpTransport,
  courses: Map<string, Course>,
): { start(): void; stop(): void }[] {
  const shared = { transport, clock, random: Math.random, recordsEvents: false };
  const onProblem = ({ status, message }: { status: number; message: string }): void => {
    // 409 is normal when several clients write; a deleted pod needs no status.
    if (status !== 409 && status !== 404) console.error(`note: ${message}`);
  };
  const client = controlPlane.client();
  const evict = (pod: string): void => {
    const { path, body } = evictionOf(pod);
    // The pod may be gone by now.
    void client.request("POST", path, body).catch((error: Error) => console.error(`note: ${error.message}`));
  };
  const runtime = new ScriptedRuntime(clock, courses, evict);
  const kubelet = new Kubelet({ ...shared, onProblem, runtime, nodeName: NODE, capacity: CAPACITY });
  const watcher = new ApiClient(transport, { userAgent: "forecast" });
  const watch = (resource: ApiResource, note: typeof noteJob): Reflector =>
    new Reflector(
      { client: watcher, clock, random: Math.random, path: resourcePath(resource) },
      {
        onSync: (objects: readonly KubeObject[]) => {
          if (objects.length > 0) throw new Error(`the watch of ${resource.plural} was lost`);
        },
        onEvent: (type, object) => note(courses, type, object, clock.now()),
        onProblem,
      },
    );
  return [watch(JOBS, noteJob), watch(PODS, notePod), kubelet, new Scheduler({ ...shared, onProblem })];
}

/** Admission taints a new node, and no one here would ever take that away. */
async function readyNode(controlPlane: ControlPlane): Promise<void> {
  const client = controlPlane.client();
  const path = "/api/v1/nodes";
  await client.waitFor<{ metadata: { name: string } }>(path, ({ metadata }) => metadata.name === NODE);
  await client.succeed("PATCH", `${path}/${NODE}`, { spec: { taints: null } });
}

interface Stage {
  readonly controlPlane: ControlPlane;
  readonly clock: RealClock;
  readonly courses: Map<string, Course>;
}

async function runAll(
  runs: readonly Run[],
  atOnce: number,
  { controlPlane, clock, courses }: Stage,
  onProgress: (done: number) => void,
): Promise<Pick<UpstreamRuns, "seen" | "left">> {
  const client = controlPlane.client();
  const seen: Seen[] = [];
  let left = 0;
  let next = 0;
  let done = 0;
  const lane = async (number: number): Promise<void> => {
    await sleep((number * 1000) / STARTS_A_SECOND);
    while (next < runs.length) {
      const at = next++;
      const name = `job-${at}`;
      const course = newCourse(runs[at]!, clock.now());
      courses.set(name, course);
      await client.succeed("POST", JOBS_PATH, manifestOf(runs[at]!, name));
      const untilMs = course.createdMs + MAX_RUN_MS;
      while (!isOver(course, clock.now()) && clock.now() < untilMs) await sleep(POLL_MS);
      if (!isOver(course, clock.now())) left++;
      seen[at] = { ...course.seen };
      // Thousands of objects would slow the server down.
      await client.request("DELETE", `${JOBS_PATH}/${name}`, { propagationPolicy: "Background" });
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, runs.length) }, (_none, number) => lane(number)));
  return { seen, left };
}
