/**
 * Explains a Job from its objects, without its controller. It reads the Job, its pods and the Warnings about them once,
 * feeds them to a separate engine, and asks that engine what it would do.
 *
 * Invariant: the requests of that engine are never sent, so nothing is written, whichever controller runs the Job. If
 * something may not be read, the answer says so, and the rest is used. Leaves out what only the Job's controller knows:
 * what it has tried, and when it retries.
 */
import type { Account, Explanation } from "../../../bindings/js/engine.ts";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import { answeredObject, JOBS, PODS, resourcePath, withQuery } from "../../../cluster/client/client.ts";
import type { Job, LabelSelector, Pod } from "../../../cluster/values/kinds.ts";
import { textOf } from "../../../cluster/values/text.ts";
import { SETTINGS } from "../../controller/settings.ts";
import type { EngineModule } from "../../engine-module.ts";
import { accountBy, OfflineEngine, problemOf } from "../../../cluster/observed/offline-engine.ts";
import { UsageError } from "../../usage-error.ts";
import { AccountPods, type ReadJob } from "../../../cluster/observed/account-pods.ts";
import { counted } from "../../words/counted.ts";
import type { LastFailure } from "../../words/job-view.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { type ApiReader, refusalOf } from "./api-reader.ts";
import type { JobTarget } from "./controllers.ts";
import { NOTHING_READ, podsIn, readAccount } from "./account.ts";
import { aboutPod, readEvents, readWarnings, warningsOf } from "./warnings.ts";

const PODS_PER_PAGE = 500;
/** Enough for 100,000 pods, the most that an Indexed Job may have at once. */
const MAX_PAGES = 200;
/** How many of the newest Events about the Job are kept. */
const MAX_JOB_EVENTS = 5;
const MAX_POD_EVENTS = 3;
const POD_LABEL = "batch.kubernetes.io/controller-uid";
const BUILT_IN_MANAGER = "kubernetes.io/job-controller";
const BUILT_IN_FINALIZER = "batch.kubernetes.io/job-tracking";
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
  readonly job: Job;
  /** The controller of the Job has something to do that it has not done yet. */
  readonly isDue: boolean;
  /** Undefined: no pod that is still there has failed. */
  readonly lastFailure: LastFailure | undefined;
  /** Events of the Job, then those of the pod; the newest is last. */
  readonly events: readonly WarningEvent[];
  /** What holds the Job, what comes next, and what to do. Undefined: the engine cannot say. */
  readonly account: Account | undefined;
  /** What could not be read, as sentences. */
  readonly unread: readonly string[];
}

/** A Job, or the Status that says why there is none. */
type AnsweredJob = Job & { readonly details?: { readonly name?: string } };

/** Undefined: there is no such Job. @throws UsageError when the Job cannot be read */
export async function explainFromObjects(
  reader: ApiReader,
  { namespace, job }: JobTarget,
  engineModule: EngineModule,
): Promise<ObjectsAnswer | undefined> {
  const answer = await reader.get(resourcePath(JOBS, namespace, job));
  const object = answeredObject(answer) as AnsweredJob;
  if (answer.status === 404 && object.details?.name === job) return undefined;
  if (answer.status === 403)
    throw new UsageError(
      `the Job ${job} in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for get on jobs, and list on pods and events, in that namespace: the role \`view\` has them.`,
    );
  if (answer.status !== 200 || object.metadata?.name !== job)
    throw new UsageError(
      `${reader.origin} does not serve Jobs; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and healthy?`,
    );
  const jobEvents = await readEvents(reader, namespace, `involvedObject.uid=${object.metadata.uid}`);
  const read = { job: object, events: jobEvents.events };
  const pods = await readPods(reader, textOf(answer.body), read, engineModule);
  const { code = "", ...rest } = explain(pods.engine, object, reader.now());
  const isDue = IS_DUE.has(code);
  const told = { ...rest, code, nextMs: rest.nextMs ?? rest.deadlineMs ?? null, decisions: [] };
  const explained = code === "NotListed" ? fromStatus(told, object) : told;
  const found = explained.state === "Complete" ? NOTHING_READ : await readAccount(reader, read, pods.pods, pods.ask);
  const { lastFailure, account } = found;
  const group = explained.pods?.[0];
  const pod = group !== undefined && !WELL.has(group.reason) ? group.pod : (lastFailure?.pod ?? group?.pod);
  const podEvents =
    pod === undefined || pod === lastFailure?.pod
      ? {
          events: warningsOf(
            found.events.filter(({ involvedObject }) => involvedObject?.name === pod),
            MAX_POD_EVENTS,
          ),
        }
      : await readWarnings(reader, namespace, aboutPod(pod), MAX_POD_EVENTS);
  const jobWarnings = warningsOf(jobEvents.events, MAX_JOB_EVENTS);
  const explanation = isDue ? { ...explained, sentence: `its controller is to act: ${explained.sentence}` } : explained;
  const refusals = [pods.unexplained, pods.refusal, ...found.unread, jobEvents.refusal, podEvents.refusal];
  const unread = [...new Set(refusals.filter((sentence) => sentence !== undefined))];
  const events = [...jobWarnings, ...podEvents.events];
  return { explanation, job: object, isDue, lastFailure, account, events, unread };
}

interface ReadPods {
  /** It knows the Job, and the pods if they could be read. */
  readonly engine: OfflineEngine;
  /** Why the pods could not be read, as a sentence; undefined: they were read. */
  readonly refusal: string | undefined;
  /** Why the engine cannot replace the Job's controller, as a sentence; undefined: it can. */
  readonly unexplained: string | undefined;
  readonly pods: AccountPods;
  readonly ask: AskAccount;
}

/**
 * Feeds the Job to an engine, then its pods, page by page. The Job comes first because it decides which finalizer its
 * pods have.
 */
async function readPods(
  reader: ApiReader,
  jobText: string,
  read: ReadJob & { readonly job: Job },
  engineModule: EngineModule,
): Promise<ReadPods> {
  const { job } = read;
  const { namespace, uid, resourceVersion } = job.metadata;
  const labelSelector = selectorText(job.spec?.selector ?? {}) || `${POD_LABEL}=${uid}`;
  const pageFrom = async (token?: string): Promise<{ readonly answer: ApiResponse; readonly list: PodList }> => {
    const query = { labelSelector, limit: PODS_PER_PAGE, continue: token };
    const answer = await reader.get(withQuery(resourcePath(PODS, namespace), query));
    return { answer, list: answeredObject(answer) };
  };
  let { answer, list } = await pageFrom();
  const { engine, unexplained } = engineLike(job, list.items ?? [], engineModule);
  const jobProblem = problemOf(() => engine.list("jobs", [jobText], reader.now(), resourceVersion));
  if (jobProblem !== undefined)
    throw new UsageError(
      `the Job ${job.metadata.name} that ${reader.origin} serves cannot be read: ${jobProblem}.\nIs it a Kubernetes API server?`,
    );
  const ask = accountBy(engine, () => reader.now());
  const gathered = new AccountPods(ask, read);
  const pods = (refusal?: string): ReadPods => ({ engine, refusal, unexplained, pods: gathered, ask });
  engine.beginList("pods", reader.now());
  for (let pages = 1; ; pages++) {
    const { kind, items, metadata } = list;
    if (answer.status !== 200 || kind !== "PodList") return pods(`its pods could not be read (${refusalOf(answer)})`);
    const { body } = answer;
    const problem = problemOf(() => engine.page("pods", body, reader.now()));
    if (problem !== undefined) return pods(`its pods could not be read (${problem})`);
    gathered.add(podsIn(items));
    const token = metadata?.continue || undefined;
    if (token === undefined) break;
    if (pages === MAX_PAGES)
      return pods(`it has more than ${MAX_PAGES * PODS_PER_PAGE} pods, and not all of them were read`);
    ({ answer, list } = await pageFrom(token));
  }
  engine.endList("pods", reader.now());
  return pods();
}

interface PodList {
  readonly kind?: string;
  readonly items?: readonly Pod[] | null;
  readonly metadata?: { readonly continue?: string };
}

/**
 * An engine that is configured like the controller of the Job. A manager or a finalizer that no controller can have is
 * odd data of the server: then the engine leaves the Job to that manager, and `unexplained` is the reason, as a
 * sentence.
 */
function engineLike(
  job: Job,
  pods: readonly Pod[],
  engineModule: EngineModule,
): Pick<ReadPods, "engine" | "unexplained"> {
  const manager = managerOf(job);
  const finalizer = pods
    .flatMap(({ metadata }) => metadata.finalizers ?? [])
    .find((name) => name.includes("/") && name !== BUILT_IN_FINALIZER);
  // The cluster's TTL controller removes Jobs of any manager.
  const configuration = { instance: "why", namespace: job.metadata.namespace!, removesFinished: true };
  const managed =
    manager === undefined ? {} : { managedBy: manager, finalizer: finalizer ?? SETTINGS.finalizer.initial };
  let engine: OfflineEngine | undefined;
  const problem = problemOf(() => (engine = new OfflineEngine(engineModule, { ...configuration, ...managed })));
  return {
    engine: engine ?? new OfflineEngine(engineModule, configuration),
    unexplained:
      problem === undefined ? undefined : `what its controller does next could not be worked out (${problem})`,
  };
}

/** Lets the engine decide, and sends none of its requests. */
function explain(engine: OfflineEngine, { metadata: { namespace, name } }: Job, nowMs: number): Explanation {
  const explanation = engine.explain(namespace!, name, nowMs);
  // An ended Job waits at most for its removal. The engine knows that moment without being polled.
  if (explanation.state === "Complete" || explanation.state === "Failed") return explanation;
  engine.decide(nowMs);
  return engine.explain(namespace!, name, nowMs);
}

/** The manager of a Job. Undefined: the built-in controller. */
export function managerOf(job: Job): string | undefined {
  const manager = job.spec?.managedBy;
  return manager === undefined || manager === BUILT_IN_MANAGER ? undefined : manager;
}

/** What the status of the Job says about its pods, if they could not be read. */
function fromStatus(explanation: Explanation, job: Job): Explanation {
  const { active = 0, ready = 0, terminating = 0 } = job.status ?? {};
  const isSuspended = job.spec?.suspend === true;
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
function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
  });
  return [...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`), ...expressions].join(",");
}
