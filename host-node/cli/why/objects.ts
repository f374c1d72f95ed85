/**
 * A Job explained by nobody who runs it, but by its objects: the Job, its pods and the Warnings about them, read once,
 * and an engine of its own that is told of them and asked what it would do.
 *
 * Invariant: what that engine wants to be sent is never handed out, so that nothing is written whoever runs the Job.
 * What may not be read is said, and the rest is used. Leaves out what only the Job's controller knows: what it has
 * tried, and when it tries again.
 */
import { type Engine, type Explanation, IngestKind } from "../../../bindings/js/engine.ts";
import { JOBS, PODS, resourcePath, withQuery } from "../../../cluster/client.ts";
import type { KubeObject } from "../../../cluster/types.ts";
import { createEngine } from "../../controller/job-controller.ts";
import { SETTINGS } from "../../controller/settings.ts";
import type { EngineModule } from "../../engine-module.ts";
import { UsageError } from "../../usage-error.ts";
import { formatSpan } from "../duration.ts";
import type { LastFailure } from "../output/job-view.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { type ApiReader, objectIn, refusalOf } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { laterFailure, readLastFailure } from "./last-failure.ts";
import { aboutPod, NO_WARNINGS, readWarnings } from "./warnings.ts";

const JOB_SOURCE = 1;
const POD_SOURCE = 2;
const PODS_PER_PAGE = 500;
/** 100,000 pods, as many as an Indexed Job may have at once. */
const MAX_PAGES = 200;
/** Newest ones that are kept of the Job, and of its pod. */
const MAX_JOB_EVENTS = 5;
const MAX_POD_EVENTS = 3;
const POD_LABEL = "batch.kubernetes.io/controller-uid";
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";
const CREATION_REFUSED = "FailedCreate";
/** Pods that run, or have run: what went wrong with an earlier one says more. */
const WELL = new Set(["Ready", "Running", "Ended"]);
/** What a controller does at once. One that is told from objects has not done it yet. */
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
  /** Whoever runs the Job has something to do that has not been done. */
  readonly isDue: boolean;
  /** Undefined: no pod that is still there has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Newest last, those of the Job before those of the pod. */
  readonly events: readonly WarningEvent[];
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
  const object = objectIn(answer) as KubeObject;
  if (answer.status === 404 && object["details"]?.name === job) return undefined;
  if (answer.status === 403)
    throw new UsageError(
      `the Job ${job} in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for get on jobs, and list on pods and events, in that namespace: the role \`view\` has them.`,
    );
  if (answer.status !== 200 || object.metadata?.name !== job)
    throw new UsageError(
      `${reader.origin} does not tell about Jobs; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and well?`,
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
  const unread = [pods.refusal, ...failure.unread, jobEvents.refusal ?? podEvents.refusal].filter(
    (sentence) => sentence !== undefined,
  );
  return { explanation, job: object, isDue, lastFailure, events: [...jobEvents.events, ...podEvents.events], unread };
}

/** Why there are no pods, where the API server did not want them. */
function refusedText(events: readonly WarningEvent[], nowMs: number): string {
  const refusal = events.findLast(({ reason }) => reason === CREATION_REFUSED);
  return refusal === undefined
    ? ""
    : `; it was refused ${formatSpan(nowMs - refusal.lastMs)} ago: ${refusal.message.replace(/^Error creating: /, "")}`;
}

interface ReadPods {
  /** Why they could not be read, as a sentence; undefined: they were. */
  readonly refusal: string | undefined;
  readonly lastFailed: KubeObject | undefined;
}

/**
 * Tells the engine of the Job and, page by page, of its pods: what it is told first says which finalizer keeps them.
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
  for (let page = 0, token: string | undefined = undefined; ; page++) {
    const answer = await reader.get(
      withQuery(resourcePath(PODS, namespace), { labelSelector, limit: PODS_PER_PAGE, continue: token }),
    );
    const { kind, items, metadata } = objectIn(answer) as {
      kind?: string;
      items?: KubeObject[] | null;
      metadata?: { continue?: string };
    };
    if (page === 0) {
      configure(engine, job, items ?? []);
      ingestJob(engine, jobBytes, job, reader.now());
      engine.ingest(POD_SOURCE, IngestKind.listBegin, "", reader.now());
    }
    if (answer.status !== 200 || kind !== "PodList")
      return { refusal: `its pods could not be read (${refusalOf(answer)})`, lastFailed };
    engine.ingest(POD_SOURCE, IngestKind.page, answer.body, reader.now());
    lastFailed = (items ?? []).reduce(laterFailure, lastFailed);
    token = metadata?.continue || undefined;
    if (token === undefined) break;
    if (page + 1 === MAX_PAGES)
      return { refusal: `its pods are more than the ${MAX_PAGES * PODS_PER_PAGE} that are read`, lastFailed };
  }
  engine.ingest(POD_SOURCE, IngestKind.listEnd, "", reader.now());
  return { refusal: undefined, lastFailed };
}

function configure(engine: Engine, job: KubeObject, pods: readonly KubeObject[]): void {
  const namespace = job.metadata.namespace!;
  const manager = managerOf(job);
  const finalizer = pods
    .flatMap(({ metadata }) => metadata.finalizers ?? [])
    .find((name) => name.includes("/") && name !== BUILT_IN_FINALIZER);
  engine.configure({
    instance: "why",
    sources: [
      { id: JOB_SOURCE, resource: "jobs", namespace },
      { id: POD_SOURCE, resource: "pods", namespace },
    ],
    ...(manager === undefined ? {} : { managedBy: manager, finalizer: finalizer ?? SETTINGS.finalizer.initial }),
    // The cluster's own removal asks for no manager.
    removesFinished: true,
  });
}

/** As a list of its own. */
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

/** What the engine would do is decided, and none of it is handed out. */
function explain(engine: Engine, { metadata: { namespace, name } }: KubeObject, nowMs: number): Explanation {
  const explanation = engine.explain(namespace!, name, nowMs);
  // One that has ended waits for its removal at most, whose moment is known before it is begun.
  if (explanation.state === "Complete" || explanation.state === "Failed") return explanation;
  engine.poll(nowMs, 0);
  return engine.explain(namespace!, name, nowMs);
}

/** Undefined: the built-in controller. */
export function managerOf(job: KubeObject): string | undefined {
  const manager: string | undefined = job["spec"]?.managedBy;
  return manager === undefined || manager === BUILT_IN_MANAGER ? undefined : manager;
}

/** Without its pods, what the Job says of them. */
function fromStatus(explanation: Explanation, job: KubeObject): Explanation {
  const { active = 0, ready = 0, terminating = 0 } = (job["status"] ?? {}) as Record<string, number | undefined>;
  const isSuspended = job["spec"]?.suspend === true;
  const sentence =
    job.metadata.deletionTimestamp !== undefined
      ? "the Job is being deleted"
      : isSuspended
        ? "the Job is suspended: no pod is created until spec.suspend is false"
        : `its status counts ${active} active pod${active === 1 ? "" : "s"}, ${ready} of them ready; what they wait for only they say`;
  const state = explanation.state === "Waiting" && active > 0 ? "Running" : explanation.state;
  return { ...explanation, state, sentence, active, ready, terminating };
}

/**
 * A label selector as the API takes it in a query. The API server gives every Job one; a Job with spec.manualSelector
 * brings its own.
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
