/**
 * One run of a scenario: creates what it names, does what its actions say when their moment has come, and waits until
 * nothing changes any more.
 *
 * A takeover is an action like any other, given by the caller. What servers before a change refuse or drop has to be
 * refused and dropped by them, and by no others. Nothing else here depends on which controller is at work.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { type ChangeId, isAhead } from "../../cluster/values/kubernetes-changes.ts";
import { fieldsAt } from "../../host-node/cli/upgrade-check/fields.ts";
import type { KubernetesVersion } from "../../cluster/values/kubernetes-versions.ts";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { lastOf, type Sighting } from "./observer.ts";
import type { Side } from "./theatre.ts";
import {
  type Act,
  type Action,
  DEFAULT_TIMEOUT_MS,
  INDEX_ANNOTATION,
  type Manifest,
  type Moment,
  type PodChoice,
  type Scenario,
  SCENARIO_LABEL,
} from "./scenario.ts";

/** The run is over when nothing has changed for this long: longer than either controller gathers changes. */
const SETTLE_MS = 2_500;
/**
 * What an action waits for does not come any more when the Job has ended, and nothing has changed for this long: longer
 * than events are late.
 */
const OVERTAKEN_MS = 60_000;
const POLL_MS = 20;
const SIMULATE_ANNOTATION = "stint.dev/simulate";
/** Longer than it takes to create the pods of a scenario, so that they are all there at once. */
const DEFAULT_OUTCOME = { runMs: 4_000 };
/**
 * What is there before the Job is known to both controllers by then: their watches of different kinds may come out of
 * step.
 */
const BEFORE_THE_JOB_MS = 4_000;
const COLLECTIONS: Readonly<Record<Manifest["kind"], string>> = {
  Job: "/apis/batch/v1/namespaces/NAMESPACE/jobs",
  Pod: "/api/v1/namespaces/NAMESPACE/pods",
  ResourceQuota: "/api/v1/namespaces/NAMESPACE/resourcequotas",
  Workload: "/apis/scheduling.k8s.io/v1beta1/namespaces/NAMESPACE/workloads",
};

export interface PlayOptions {
  readonly scenario: Scenario;
  readonly sighting: Sighting;
  readonly client: ApiClient;
  readonly kubernetes: KubernetesVersion;
  /** By whose controller the Job is run. */
  readonly side: Side;
  /** Continues beside the actions, once the Job is created; the run is not over before it is. */
  readonly meanwhile?: (until: (moment: Moment) => Promise<void>) => Promise<void>;
}

/** What was waited for has not come, and nothing more comes: the Job ended before. */
export class Overtaken extends Error {}

/**
 * @throws Overtaken when the Job has ended, and what an action waits for did not come
 * @throws Error when a request is refused, or a moment does not come in time; with what was seen last
 */
export async function play({ scenario, sighting, client, kubernetes, side, meanwhile }: PlayOptions): Promise<void> {
  const { namespace } = sighting;
  const deadline = performance.now() + (scenario.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const waitFor = async (holds: () => boolean, what: string): Promise<void> => {
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`${what} did not come; seen last: ${sighting.describe()}`);
      await sleep(POLL_MS);
    }
  };
  const until = (moment: Moment): Promise<void> => {
    const holds = (): boolean => {
      if (sighting.holds(moment)) return true;
      const isLate = Date.now() - sighting.changedMs >= OVERTAKEN_MS || performance.now() > deadline;
      if (!sighting.hasEnded || !isLate) return false;
      throw new Overtaken(`the Job ended before ${JSON.stringify(moment)}; seen last: ${sighting.describe()}`);
    };
    return waitFor(holds, JSON.stringify(moment));
  };

  for (const manifest of scenario.before ?? []) await create(client, namespace, scenario, manifest);
  if (scenario.before !== undefined) await sleep(BEFORE_THE_JOB_MS);
  checkFields(scenario, kubernetes, await create(client, namespace, scenario, { kind: "Job", spec: scenario.job }));
  const acted = (async () => {
    for (const action of scenario.actions ?? []) {
      const { when, afterMs } = action;
      if (when !== undefined)
        await (scenario.isRandom
          ? waitFor(() => sighting.holds(when) || sighting.hasEnded, JSON.stringify(when))
          : until(when));
      if (afterMs !== undefined) await sleep(afterMs);
      if (scenario.isRandom && sighting.hasEnded) return;
      await act({ client, kubernetes, side }, scenario, sighting, action).catch((error: unknown) => {
        if (!scenario.isRandom) throw error;
      });
    }
  })();
  await Promise.all([acted, meanwhile?.(until)]);
  const { until: end = "ended" } = scenario;
  if (end === "ended")
    await waitFor(
      () => sighting.holds({ condition: "Complete" }) || sighting.holds({ condition: "Failed" }),
      "the end of the Job",
    );
  else if (end === "over") await waitFor(() => sighting.isOver, "the end of the Job, or its removal");
  else if (end === "gone") await waitFor(() => sighting.job?.goneMs !== undefined, "the removal of the Job");
  else await waitFor(() => sighting.holds(end), JSON.stringify(end));
  const settled = await isSettled(sighting, deadline);
  if (!settled) throw new Error(`something continues changing; seen last: ${sighting.describe()}`);
  checkPodFields(scenario, kubernetes, sighting);
}

async function isSettled(sighting: Sighting, deadline: number): Promise<boolean> {
  let seenMs = sighting.changedMs;
  let since = performance.now();
  while (performance.now() - since < SETTLE_MS) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
    if (sighting.changedMs === seenMs) continue;
    seenMs = sighting.changedMs;
    since = performance.now();
  }
  return true;
}

type Stage = Pick<PlayOptions, "client" | "kubernetes" | "side">;

async function act(stage: Stage, scenario: Scenario, sighting: Sighting, action: Action): Promise<void> {
  const { client } = stage;
  const { namespace } = sighting;
  const jobPath = (job: string | undefined): string => pathOf("Job", namespace, nameOf(scenario, job));
  const podPath = (choice: PodChoice): string =>
    pathOf("Pod", namespace, choose(sighting, choice, action).metadata.name);
  if ("patchJob" in action) {
    const path = jobPath(action.job) + (action.subresource === undefined ? "" : `/${action.subresource}`);
    await request(stage, action.refusedBefore, "PATCH", path, action.patchJob);
  } else if ("tryJob" in action) {
    const path = `${COLLECTIONS.Job.replace("NAMESPACE", namespace)}?dryRun=All`;
    const job = { metadata: { name: nameOf(scenario, "tried") }, spec: jobSpec(scenario, action.tryJob) };
    if ("refusedSince" in action) await tryUntil(stage, action.refusedSince, path, job);
    else await request(stage, action.refusedBefore, "POST", path, job, action.field);
  } else if ("deleteJob" in action) {
    await client.succeed("DELETE", jobPath(action.job), {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy: action.deleteJob,
    });
  } else if ("deletePod" in action) {
    const options = action.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: action.gracePeriodSeconds };
    await client.succeed("DELETE", podPath(action.deletePod), { kind: "DeleteOptions", apiVersion: "v1", ...options });
  } else if ("evictPod" in action) {
    const { name } = choose(sighting, action.evictPod, action).metadata;
    await client.succeed("POST", `${pathOf("Pod", namespace, name)}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name, namespace },
    });
  } else if ("patchPod" in action) {
    const path = podPath(action.patchPod) + (action.subresource === undefined ? "" : `/${action.subresource}`);
    await client.succeed("PATCH", path, action.with, "application/strategic-merge-patch+json");
  } else if ("create" in action) {
    for (const manifest of action.create) await create(client, namespace, scenario, manifest);
  } else {
    await client.succeed("DELETE", `/api/v1/namespaces/${namespace}`);
  }
}

/**
 * Before a change the server refuses it, if the Job is as upstream's controller leaves it. As Stint leaves it, the
 * server may take it.
 *
 * @throws Error when the server refuses it, or takes it although it is before the change
 */
async function request(
  { client, kubernetes, side }: Stage,
  refusedBefore: ChangeId | undefined,
  method: string,
  path: string,
  body: unknown,
  field?: string,
): Promise<void> {
  const drops = (answer: unknown): boolean => field !== undefined && fieldsAt(answer, field).length === 0;
  if (refusedBefore === undefined || !isAhead(refusedBefore, kubernetes)) {
    if (drops(await client.succeed(method, path, body)))
      throw new Error(`${method} ${path}: Kubernetes ${kubernetes} drops ${field}, against ${refusedBefore}`);
    return;
  }
  const { status, body: answer } = await client.request(method, path, body);
  const isTaken = status <= 299;
  if (status !== 422 && !(isTaken && (side === "stint" || drops(answer))))
    throw new Error(
      `${method} ${path}: ${status}, but Kubernetes ${kubernetes} is before ${refusedBefore} and refuses it with 422`,
    );
}

/**
 * Before a change the server takes it.
 *
 * @throws Error when the server takes it although it is not before the change, or refuses it although it is
 */
async function tryUntil(
  { client, kubernetes }: Stage,
  refusedSince: ChangeId,
  path: string,
  job: unknown,
): Promise<void> {
  const { status } = await client.request("POST", path, job);
  const wanted = isAhead(refusedSince, kubernetes) ? 201 : 422;
  if (status !== wanted)
    throw new Error(
      `POST ${path}: Kubernetes ${kubernetes} answers ${status} and not ${wanted}, against ${refusedSince}`,
    );
}

/** @throws Error when the server keeps a field although it is before the change, or drops it although it is not */
function checkFields({ shows = [] }: Scenario, kubernetes: KubernetesVersion, job: unknown): void {
  for (const { change, field } of shows)
    if (field !== undefined) checkField(kubernetes, change, field, [job], ["drops", "keeps"]);
}

/**
 * @throws Error when the server fills in a field of a pod although it is before the change, or does not although it is
 * not, or when there was no pod
 */
function checkPodFields({ shows = [] }: Scenario, kubernetes: KubernetesVersion, sighting: Sighting): void {
  const pods = [...sighting.pods.values()].map(lastOf);
  for (const { change, podField } of shows) {
    if (podField === undefined) continue;
    if (pods.length === 0) throw new Error(`no pod shows ${podField} of ${change}`);
    checkField(kubernetes, change, podField, pods, ["leaves out", "fills in"]);
  }
}

/** @throws Error unless servers before the change, and no others, leave the field out of one of the objects */
function checkField(
  kubernetes: KubernetesVersion,
  change: ChangeId,
  field: string,
  objects: readonly unknown[],
  [absent, present]: readonly [string, string],
): void {
  const isAbsent = objects.some((object) => fieldsAt(object, field).length === 0);
  if (isAbsent !== isAhead(change, kubernetes))
    throw new Error(`Kubernetes ${kubernetes} ${isAbsent ? absent : present} ${field}, against ${change}`);
}

function choose(sighting: Sighting, { index, nth = 0 }: PodChoice, action: Act): KubeObject {
  const pods = sighting.activePods.filter(
    ({ metadata }) => index === undefined || metadata.annotations?.[INDEX_ANNOTATION] === String(index),
  );
  const pod = pods[nth];
  if (pod === undefined) throw new Error(`${JSON.stringify(action)}: there is no such pod; ${sighting.describe()}`);
  return pod;
}

const nameOf = ({ name }: Scenario, suffix: string | undefined): string =>
  suffix === undefined ? name : `${name}-${suffix}`;

const pathOf = (kind: Manifest["kind"], namespace: string, name: string): string =>
  `${COLLECTIONS[kind].replace("NAMESPACE", namespace)}/${name}`;

async function create(
  client: ApiClient,
  namespace: string,
  scenario: Scenario,
  { kind, metadata = {}, spec = {} }: Manifest,
): Promise<unknown> {
  const { name, ...others } = metadata;
  const labels = { ...(others["labels"] as object), [SCENARIO_LABEL]: scenario.name };
  const object = {
    metadata: { ...others, name: nameOf(scenario, name), labels },
    spec: kind === "Job" ? jobSpec(scenario, spec) : spec,
  };
  return client.succeed("POST", COLLECTIONS[kind].replace("NAMESPACE", namespace), object);
}

type Tree = Record<string, any>;

/** The spec of a Job of the scenario: with a template that has what every scenario's has. */
export function jobSpec(scenario: Scenario, spec: Tree): Tree {
  const { metadata = {}, spec: pod = {} } = (spec["template"] ?? {}) as Tree;
  return {
    ...spec,
    template: {
      metadata: {
        ...metadata,
        labels: { ...metadata["labels"], [SCENARIO_LABEL]: scenario.name },
        annotations: {
          ...metadata["annotations"],
          [SIMULATE_ANNOTATION]: JSON.stringify({ ...DEFAULT_OUTCOME, ...scenario.outcome }),
        },
      },
      spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.com/simulated" }], ...pod },
    },
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
