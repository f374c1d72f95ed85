/**
 * Explains a Job from its objects, without its controller. It reads the Job, its pods and the Warnings about them once,
 * feeds them to a separate engine, and asks that engine what it would do.
 *
 * Invariant: the requests of that engine are never sent, so nothing is written, whichever controller runs the Job. If
 * something may not be read, the answer says so, and the rest is used. Leaves out what only the Job's controller knows:
 * what it has tried, and when it retries.
 */
import {
  type Engine,
  type EngineConfiguration,
  EngineError,
  type Explanation,
  IngestKind,
} from "../../../bindings/js/engine.ts";
import { answeredObject, JOBS, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { SETTINGS } from "../../controller/settings.ts";
import type { EngineModule } from "../../engine-module.ts";
import { UsageError } from "../../usage-error.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import { counted } from "../../words/counted.ts";
import type { LastFailure } from "../../words/job-view.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { firstKept, laterFailure, readLastFailure } from "./last-failure.ts";
import { aboutPod, NO_WARNINGS, readWarnings } from "./warnings.ts";

const JOB_SOURCE = 1;
const POD_SOURCE = 2;
const PODS_PER_PAGE = 500;
/** Enough for 100,000 pods, the most that an Indexed Job may have at once. */
const MAX_PAGES = 200;
/** How many of the newest Events about the Job are kept. */
const MAX_JOB_EVENTS = 5;
const MAX_POD_EVENTS = 3;
const POD_LABEL = "batch.kubernetes.io/controller-uid";
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";
const CREATION_REFUSED = "FailedCreate";
/** States of pods that run or have run. For these, the failure of an earlier pod says more. */
const WELL = new Set(["Ready", "Running", "Ended"]);
/** Decisions on which a controller acts at once. If the objects lead to one, the controller has not acted yet. */
const IS_DUE = new Set([
  "Creating",
  "DeletingSurplus",
  "Claiming",
  "Suspending",
  "TooManyFailures",
  "TooManyRestarts",
  "DeadlinePassed",
  "CompletionsReached",
  "PolicyFailsJob",
  "TooManyFailedIndexes",
  "IndexesFailed",
  "SuccessPolicyMet",
]);

export interface ObjectsAnswer {
  readonly explanation: Explanation;
  readonly job: KubeObject;
  /** The controller of the Job has something to do that it has not done yet. */
  readonly isDue: boolean;
  /** Undefined: no pod that is still there has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Events of the Job, then those of the pod; the newest is last. */
  readonly events: readonly WarningEvent[];
  /** Why a pod does not end although its work is over; undefined: as far as is known, there is no such pod. */
  readonly kept: string | undefined;
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** Undefined: there is no such Job. @throws UsageError when the Job cannot be read */
export async function explainFromObjects(
  reader: ApiReader,
  { namespace, job }: JobTarget,
  engineModule: EngineModule,
): Promise<ObjectsAnswer | undefined> {
  const answer = await reader.get(resourcePath(JOBS, namespace, job));
  const object = answeredObject(answer) as KubeObject;
  if (answer.status === 404 && object["details"]?.name === job) return undefined;
  if (answer.status === 403)
    throw new UsageError(
      `the Job ${job} in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for get on jobs, and list on pods and events, in that namespace: the role \`view\` has them.`,
    );
  if (answer.status !== 200 || object.metadata?.name !== job)
    throw new UsageError(
      `${reader.origin} does not serve Jobs; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and healthy?`,
    );
  const engine = await createEngine(engineModule);
  const pods = await tellEngine(engine, reader, answer.body, object);
  const { code = "", ...rest } = explain(engine, object, reader.now());
  const isDue = IS_DUE.has(code);
  const told = { ...rest, code, nextMs: rest.nextMs ?? rest.deadlineMs ?? null, decisions: [] };
  const explained = code === "NotListed" ? fromStatus(told, object) : told;
  const failure = await readLastFailure(
    reader,
    namespace,
    explained.state === "Complete" ? undefined : pods.lastFailed,
  );
  const { lastFailure } = failure;
  const group = explained.pods?.[0];
  const pod = group !== undefined && !WELL.has(group.reason) ? group.pod : (lastFailure?.pod ?? group?.pod);
  const [jobEvents, podEvents] = await Promise.all([
    readWarnings(reader, namespace, `involvedObject.uid=${object.metadata.uid}`, MAX_JOB_EVENTS),
    pod === undefined ? NO_WARNINGS : readWarnings(reader, namespace, aboutPod(pod), MAX_POD_EVENTS),
  ]);
  const refused = code === "Creating" ? refusedText(jobEvents.events, reader.now()) : "";
  const explanation = isDue
    ? { ...explained, sentence: `its controller is to act: ${explained.sentence}${refused}` }
    : explained;
  const unread = [pods.unexplained, pods.refusal, ...failure.unread, jobEvents.refusal ?? podEvents.refusal].filter(
    (sentence) => sentence !== undefined,
  );
  const events = [...jobEvents.events, ...podEvents.events];
  return { explanation, job: object, isDue, lastFailure, events, kept: pods.kept, unread };
}

/** Why there are no pods, if the API server refused to create them. */
function refusedText(events: readonly WarningEvent[], nowMs: number): string {
  const refusal = events.findLast(({ reason }) => reason === CREATION_REFUSED);
  return refusal === undefined
    ? ""
    : `; it was refused ${ageText(nowMs - refusal.lastMs)} ago: ${refusal.message.replace(/^Error creating: /, "")}`;
}

interface ReadPods {
  /** Why the pods could not be read, as a sentence; undefined: they were read. */
  readonly refusal: string | undefined;
  /** Why the engine cannot replace the Job's controller, as a sentence; undefined: it can. */
  readonly unexplained: string | undefined;
  readonly lastFailed: KubeObject | undefined;
  readonly kept: string | undefined;
}

/**
 * Feeds the Job to the engine, then its pods, page by page. The Job comes first because it decides which finalizer its
 * pods have.
 */
async function tellEngine(
  engine: Engine,
  reader: ApiReader,
  jobBytes: Uint8Array | string,
  job: KubeObject,
): Promise<ReadPods> {
  const { namespace, uid } = job.metadata;
  const labelSelector = selectorText(job["spec"]?.selector ?? {}) || `${POD_LABEL}=${uid}`;
  let lastFailed: KubeObject | undefined;
  let kept: string | undefined;
  let unexplained: string | undefined;
  for (let page = 0, token: string | undefined = undefined; ; page++) {
    const answer = await reader.get(
      withQuery(resourcePath(PODS, namespace), { labelSelector, limit: PODS_PER_PAGE, continue: token }),
    );
    const { kind, items, metadata } = answeredObject(answer) as {
      kind?: string;
      items?: KubeObject[] | null;
      metadata?: { continue?: string };
    };
    if (page === 0) {
      unexplained = configure(engine, job, items ?? []);
      const problem = oddness(() => ingestJob(engine, jobBytes, job, reader.now()));
      if (problem !== undefined)
        throw new UsageError(
          `the Job ${job.metadata.name} that ${reader.origin} serves cannot be read: ${problem}.\nIs it a Kubernetes API server?`,
        );
      engine.ingest(POD_SOURCE, IngestKind.listBegin, "", reader.now());
    }
    if (answer.status !== 200 || kind !== "PodList")
      return { refusal: `its pods could not be read (${refusalOf(answer)})`, unexplained, lastFailed, kept };
    const problem = oddness(() => engine.ingest(POD_SOURCE, IngestKind.page, answer.body, reader.now()));
    if (problem !== undefined)
      return { refusal: `its pods could not be read (${problem})`, unexplained, lastFailed, kept };
    lastFailed = (items ?? []).reduce(laterFailure, lastFailed);
    kept ??= firstKept(items ?? []);
    token = metadata?.continue || undefined;
    if (token === undefined) break;
    if (page + 1 === MAX_PAGES)
      return {
        refusal: `it has more than ${MAX_PAGES * PODS_PER_PAGE} pods, and not all of them were read`,
        unexplained,
        lastFailed,
        kept,
      };
  }
  engine.ingest(POD_SOURCE, IngestKind.listEnd, "", reader.now());
  return { refusal: undefined, unexplained, lastFailed, kept };
}

/**
 * Configures the engine like the controller of the Job. A manager or a finalizer that no controller can have is odd
 * data of the server: then the engine leaves the Job to that manager.
 *
 * @returns why it cannot replace the controller, as a sentence; undefined: it can
 */
function configure(engine: Engine, job: KubeObject, pods: readonly KubeObject[]): string | undefined {
  const namespace = job.metadata.namespace!;
  const manager = managerOf(job);
  const finalizer = pods
    .flatMap(({ metadata }) => metadata.finalizers ?? [])
    .find((name) => name.includes("/") && name !== BUILT_IN_FINALIZER);
  const configuration: EngineConfiguration = {
    instance: "why",
    sources: [
      { id: JOB_SOURCE, resource: "jobs", namespace },
      { id: POD_SOURCE, resource: "pods", namespace },
    ],
    // The cluster's TTL controller removes Jobs of any manager.
    removesFinished: true,
  };
  const managed =
    manager === undefined ? {} : { managedBy: manager, finalizer: finalizer ?? SETTINGS.finalizer.initial };
  const problem = oddness(() => engine.configure({ ...configuration, ...managed }));
  if (problem === undefined) return undefined;
  engine.configure(configuration);
  return `what its controller does next could not be worked out (${problem})`;
}

/** The engine's error about invalid data of the server, which is no bug. Undefined: there is none. */
function oddness(tell: () => void): string | undefined {
  try {
    tell();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

/** Feeds the Job as a list with one item. */
function ingestJob(
  engine: Engine,
  bytes: Uint8Array | string,
  { metadata: { resourceVersion } }: KubeObject,
  nowMs: number,
): void {
  const begin = `{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":${JSON.stringify(resourceVersion)}},"items":[`;
  engine.ingest(JOB_SOURCE, IngestKind.listBegin, "", nowMs);
  engine.ingest(
    JOB_SOURCE,
    IngestKind.page,
    Buffer.concat([Buffer.from(begin), Buffer.from(bytes), Buffer.from("]}")]),
    nowMs,
  );
  engine.ingest(JOB_SOURCE, IngestKind.listEnd, "", nowMs);
}

/** Lets the engine decide, and sends none of its requests. */
function explain(engine: Engine, { metadata: { namespace, name } }: KubeObject, nowMs: number): Explanation {
  const explanation = engine.explain(namespace!, name, nowMs);
  // An ended Job waits at most for its removal. The engine knows that moment without being polled.
  if (explanation.state === "Complete" || explanation.state === "Failed") return explanation;
  engine.poll(nowMs, 0);
  return engine.explain(namespace!, name, nowMs);
}

/** The manager of a Job. Undefined: the built-in controller. */
export function managerOf(job: KubeObject): string | undefined {
  const manager: string | undefined = job["spec"]?.managedBy;
  return manager === undefined || manager === BUILT_IN_MANAGER ? undefined : manager;
}

/** What the status of the Job says about its pods, if they could not be read. */
function fromStatus(explanation: Explanation, job: KubeObject): Explanation {
  const { active = 0, ready = 0, terminating = 0 } = (job["status"] ?? {}) as Record<string, number | undefined>;
  const isSuspended = job["spec"]?.suspend === true;
  const sentence =
    job.metadata.deletionTimestamp !== undefined
      ? "the Job is being deleted"
      : isSuspended
        ? "the Job is suspended: no pod is created until spec.suspend is false"
        : `its status counts ${counted(active, "active pod")}, ${ready} of them ready; only the pods themselves say what they wait for`;
  const state = explanation.state === "Waiting" && active > 0 ? "Running" : explanation.state;
  return { ...explanation, state, sentence, active, ready, terminating };
}

/**
 * A label selector in the form of a query. The API server gives every Job one; a Job with spec.manualSelector has its
 * own.
 */
function selectorText({
  matchLabels = {},
  matchExpressions = [],
}: {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}): string {
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
  });
  return [...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`), ...expressions].join(",");
}
