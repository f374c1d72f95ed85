/** Plays an incident, and keeps what was seen of it, also what is gone at the end. */
import type { Engine, Explanation } from "../../bindings/js/engine.ts";
import type { ApiResponse } from "../../bindings/js/host.ts";
import { deletedAt } from "../../cluster/values/deleted-object.ts";
import { trueCondition } from "../../cluster/values/job-conditions.ts";
import type { Job } from "../../cluster/values/kinds.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { Steering } from "../control/steering.ts";
import type { Incident } from "./incident.ts";
import { IncidentWorld, pathOf } from "./world.ts";

const START_MS = Date.UTC(2026, 0, 1);
const SEED = 1;

/** What was seen of an incident until its end. */
export interface Seen {
  readonly isComplete: boolean;
  /** The Job that the incident is about: of a CronJob the newest; undefined: there was none. */
  readonly job: KubeObject | undefined;
  /** All its pods in their last states, and those that are still there. */
  readonly pods: readonly KubeObject[];
  readonly presentPods: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  /** What the API server has refused of what was applied, in its words. */
  readonly refusals: readonly string[];
  /** Undefined: the Job is gone. */
  readonly explanation: Explanation | undefined;
  /** In the words of `stint why`; empty: the Job is gone. */
  readonly why: string;
  readonly nowMs: number;
  readonly engine: Engine;
  /** The API as it is at the end. */
  readonly get: (path: string) => ApiResponse;
}

/** @param isLenient steps for which there is nothing any more are passed over, as in an incident that is repaired */
export async function play(incident: Incident, isLenient: boolean): Promise<Seen> {
  const random = seededRandom(SEED);
  const steering = new Steering({ clock: "virtual", startMs: START_MS, random, record: false });
  const world = await IncidentWorld.create(incident, steering, random);
  const all = new Map<string, KubeObject>();
  world.embedded.cluster.observe(({ type, object }) =>
    all.set(object.metadata.uid!, type === "DELETED" ? deletedAt(object, world.cluster.now()) : object),
  );
  try {
    await world.play(isLenient);
    return seenOf(incident, world, [...all.values()]);
  } finally {
    await world.stop();
  }
}

function seenOf({ subject }: Incident, world: IncidentWorld, all: readonly KubeObject[]): Seen {
  const { api, cluster, embedded, refusals } = world;
  const { kind, name } = subject;
  const jobs = all
    .filter((each) => each.kind === "Job")
    .filter(({ metadata }) => (kind === "Job" ? metadata.name : metadata.ownerReferences?.[0]?.name) === name);
  const job = jobs.at(-1);
  const pods = all.filter(
    (each) => each.kind === "Pod" && each.metadata.ownerReferences?.some(({ uid }) => uid === job?.metadata.uid),
  );
  const isThere = (object: KubeObject): boolean =>
    api.find(pathOf({ kind: object.kind!, name: object.metadata.name! }))?.metadata.uid === object.metadata.uid;
  const isPresent = job !== undefined && isThere(job);
  return {
    isComplete: jobs.some((each) => isThere(each) && trueCondition(each as unknown as Job, "Complete") !== undefined),
    job,
    pods,
    presentPods: pods.filter(isThere),
    events: all.filter((each) => each.kind === "Event"),
    refusals,
    explanation: isPresent ? cluster.explain(job.metadata.name!) : undefined,
    why: isPresent ? cluster.why(job.metadata.name!) : "",
    nowMs: cluster.now(),
    engine: embedded.engine,
    get: (path) =>
      embedded.cluster.handle({ method: "GET", path, headers: { accept: "application/json" } }) as ApiResponse,
  };
}
