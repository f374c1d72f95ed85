/**
 * A run that ends as a finished Job did: its containers end so that the engine comes to the same conditions and
 * counters. Some ways to end are tried on the simulated cluster, and the first that agrees is it.
 *
 * Invariant: what is called reconstructed has been run, and agreed. When each pod ran is not known, and is not claimed.
 */
import type { World } from "../../cluster/simulation/world.ts";
import type { RunRecorder } from "../../cluster/simulation/recorder.ts";
import { DISCARDING } from "../../cluster/simulation/discarding-recorder.ts";
import { DEFAULT_NODES, type OutcomeRule, type Scenario } from "../../cluster/simulation/scenario.ts";
import { endOf } from "../../cluster/values/job-conditions.ts";
import type { Job } from "../../cluster/values/kinds.ts";
import type { FoundJob } from "./found-objects.ts";

/** Makes a world of the page, on which the run is tried. */
export type NewWorld = (scenario: Scenario, recorder: RunRecorder) => World;

/** More pods would take too long, as there are several tries. */
const MAX_PODS = 200;
const MAX_STEPS = 50_000;
const DEFAULT_RUN_MS = 5_000;
const SEED = 1;

/** The world of the run. Undefined: no try agreed. @param yaml the manifest of the run */
export function reconstruct(
  found: FoundJob,
  yaml: string,
  newWorld: NewWorld,
): Omit<Scenario, "yaml" | "inputs"> | undefined {
  const { status = {} } = found.job;
  if ((status.succeeded ?? 0) + (status.failed ?? 0) > MAX_PODS) return undefined;
  const wanted = endText(found.job);
  const worlds = triesOf(found).map((outcomes) => ({ seed: SEED, nodes: DEFAULT_NODES, outcomes }));
  return worlds.find((world) => {
    const ended = runOf({ ...world, yaml, inputs: [] }, found.job, newWorld);
    return ended !== undefined && endText(ended) === wanted;
  });
}

/** What has to agree. */
function endText({ status = {} }: Job): string {
  const { conditions = [], succeeded = 0, failed = 0, completedIndexes = "", failedIndexes = "" } = status;
  const held = conditions.filter((each) => each.status === "True" && /^(?:Complete|Failed)$/.test(each.type));
  const ends = held.map(({ type, reason }) => `${type} ${reason}`);
  return JSON.stringify([ends, succeeded, failed, completedIndexes, failedIndexes]);
}

function runOf(scenario: Scenario, { metadata }: Job, newWorld: NewWorld): Job | undefined {
  let job: Job | undefined;
  const world = newWorld(scenario, {
    ...DISCARDING,
    onWrite: ({ resource, type, object }) => {
      if (resource === "jobs" && type !== "DELETED" && object.metadata.name === metadata.name)
        job = object as unknown as Job;
    },
  });
  if (world.isRefused) return undefined;
  for (let step = 0; step < MAX_STEPS && !world.isFinished() && (job === undefined || endOf(job) === undefined); step++)
    world.runNext();
  return job;
}

/** By the annotation of its pods, or by chance; then by what the status says. */
function triesOf(found: FoundJob): (readonly OutcomeRule[])[] {
  const { metadata, spec, status = {} } = found.job;
  const { runMs, exitCode } = failureOf(found);
  const [succeeded, failed] = [status.succeeded ?? 0, status.failed ?? 0];
  const fails = { runMs, exitCode };
  const hangs = { runMs: "forever" };
  const ends = { runMs, exitCode: 0 };
  const completed = indexesIn(status.completedIndexes);
  const byIndex = (outcome: object): object => Object.fromEntries(completed.map((index) => [index, outcome]));
  const tried: object[] =
    spec.completionMode === "Indexed"
      ? [
          { ...ends, byIndex: Object.fromEntries(indexesIn(status.failedIndexes).map((index) => [index, fails])) },
          { ...fails, byIndex: byIndex(ends) },
          { ...hangs, byIndex: byIndex(ends) },
        ]
      : [
          // Containers are counted over all pods of the Job.
          { runMs, exitCodes: [...times(succeeded, 0), exitCode] },
          { runMs, exitCodes: [...times(failed, exitCode), 0] },
          hangs,
        ];
  return [
    [],
    ...tried.map((outcome) => [{ match: { jobName: metadata.name }, outcome: outcome as OutcomeRule["outcome"] }]),
  ];
}

/** How long a pod ran that failed, and its exit code: as one in the text has it, or a rule of the Job asks for it. */
function failureOf({ job, pods = [] }: FoundJob): { readonly runMs: number; readonly exitCode: number } {
  const ended = pods
    .flatMap(({ pod }) => pod.status?.containerStatuses ?? [])
    .map(({ state }) => state?.terminated)
    .find((terminated) => (terminated?.exitCode ?? 0) !== 0);
  const ran = Date.parse(String(ended?.finishedAt)) - Date.parse(String(ended?.startedAt));
  const rule = job.spec.podFailurePolicy?.rules.find(({ action, onExitCodes }) => action === "FailJob" && onExitCodes);
  const [asked = 1] = rule?.onExitCodes?.operator === "In" ? (rule.onExitCodes.values ?? []) : [];
  return { runMs: ran > 0 ? ran : DEFAULT_RUN_MS, exitCode: ended?.exitCode ?? asked };
}

function times(count: number, value: number): number[] {
  return Array.from({ length: count }, () => value);
}

/** `1,3-5` */
function indexesIn(text = ""): number[] {
  const intervals = text.split(",").filter((part) => /^\d+(?:-\d+)?$/.test(part));
  return intervals.flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number) as [number, number?];
    return Array.from({ length: Math.min(to - from, MAX_PODS) + 1 }, (_, i) => from + i);
  });
}
