/**
 * Reads a JobSet (jobset.sigs.k8s.io) and its Jobs, by their label, and what became of one of them: the first that does
 * not go on or has failed.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used.
 */
import type { Account, Hold, Remedy } from "../../../bindings/js/engine.ts";
import { answeredObject, JOBS } from "../../../cluster/client/client.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { endOf, trueCondition } from "../../../cluster/values/job-conditions.ts";
import type { TypedObject } from "../../../cluster/values/types.ts";
import { UsageError } from "../../usage-error.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { LastFailure } from "../../words/job-view.ts";
import type { JobName } from "../../words/similar-names.ts";
import { type Asked, ClusterReader } from "../doctor/cluster-reader.ts";
import { type Document, head } from "../json/document.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { findAccount, NOTHING_READ, type ReadAccount } from "./account.ts";
import { refusalOf } from "./api-reader.ts";
import { setterOf } from "./cron-job-starts.ts";
import { isHeld, type Run, runOf } from "./run.ts";
import { readEvents, warningsOf } from "./warnings.ts";

const GROUP = "/apis/jobset.x-k8s.io/v1alpha2";
const NAME_LABEL = "jobset.sigs.k8s.io/jobset-name";
const LOG_COMMAND = "kubectl logs ";
/** The most Jobs whose pods are read to find one that does not go on. */
const MAX_ASKED = 10;
const SHOWN_WARNINGS = 5;
/** The most Jobs that are kept, and that are listed. */
const MAX_JOBS = 1_000;
const MAX_RUNS = 50;

export type JobSetState = "Deleting" | "Completed" | "Failed" | "Suspended" | "Held" | "Waiting" | "Running";

/** What `--output json` prints of a JobSet; docs/why.md has the meaning of each member. */
export interface JobSetAccount extends Document<"JobSetAccount"> {
  readonly namespace: string;
  readonly name: string;
  readonly found: true;
  readonly state: JobSetState;
  readonly sentence: string;
  readonly nextMs: null;
  /** Null: the JobSet itself could not be read. The same holds for the next. */
  readonly suspend: boolean | null;
  readonly restarts: number | null;
  /** By name, the first ones. */
  readonly runs: readonly Run[];
  /** The first Job that does not go on or has failed. */
  readonly toldJob?: string | undefined;
  readonly lastFailure?: LastFailure | undefined;
  readonly holds: readonly Hold[];
  readonly remedies: readonly Remedy[];
  readonly remarks: readonly string[];
  readonly events: readonly WarningEvent[];
}

interface JobSet extends TypedObject<"JobSet"> {
  readonly spec?: { readonly suspend?: boolean };
  readonly status?: { readonly restarts?: number };
  readonly details?: { readonly name?: string };
}

interface Chosen {
  readonly job: Job | undefined;
  readonly read: ReadAccount;
  /** Whether one is not chosen although its pods could not be read. */
  readonly isOpen: boolean;
  readonly unread: readonly string[];
}

/** A JobSet and its Jobs, as far as they could be read. */
interface Found {
  readonly jobSet: JobSet | undefined;
  readonly jobs: readonly Job[] | undefined;
  readonly chosen: Chosen;
}

/** Undefined: there is no such JobSet. @throws UsageError when it may not be read, or the server has no JobSets */
export async function findJobSet(reader: Asked, place: JobName, ask: AskAccount): Promise<JobSetAccount | undefined> {
  const { namespace, name } = place;
  const answer = await reader.get(`${GROUP}/namespaces/${namespace}/jobsets/${name}`);
  const object = answeredObject(answer) as JobSet;
  if (answer.status === 404 && object.details?.name === name) return undefined;
  const isRefused = answer.status === 403;
  if (!isRefused && (answer.status !== 200 || object.metadata?.name !== name))
    throw new UsageError(
      `${reader.origin} serves no JobSets of jobset.x-k8s.io/v1alpha2; it answered ${refusalOf(answer)}.\nIs JobSet installed there? Its CustomResourceDefinition serves them.`,
    );
  const { jobs, unread } = await jobsOf(reader, place);
  if (isRefused && (jobs ?? []).length === 0)
    throw new UsageError(
      `the JobSet ${name} in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for get on jobsets of jobset.x-k8s.io, and list on jobs, pods and events, in that namespace.`,
    );
  const chosen = await choose(reader, jobs ?? [], ask);
  const about = isRefused
    ? `involvedObject.kind=JobSet,involvedObject.name=${name}`
    : `involvedObject.uid=${object.metadata.uid}`;
  const { events, refusal } = await readEvents(reader, namespace, about);
  const itself = `the JobSet itself could not be read (${refusalOf(answer)}): whether it has ended, is suspended or was restarted is not known`;
  const remarks = [
    ...(isRefused ? [itself] : []),
    ...unread,
    ...chosen.unread,
    ...(refusal === undefined ? [] : [refusal]),
  ];
  return {
    ...answerOf(place, { jobSet: isRefused ? undefined : object, jobs, chosen }),
    remarks: [...new Set(remarks)],
    events: warningsOf(events, SHOWN_WARNINGS),
  };
}

/** Its Jobs, by name. Undefined: they could not be listed. */
async function jobsOf(
  reader: Asked,
  { namespace, name }: JobName,
): Promise<{ readonly jobs: readonly Job[] | undefined; readonly unread: readonly string[] }> {
  const pages = new ClusterReader(reader, namespace);
  const jobs: Job[] = [];
  for await (const page of pages.pages(JOBS, "Jobs", { labelSelector: `${NAME_LABEL}=${name}` }))
    jobs.push(...page.slice(0, MAX_JOBS - jobs.length));
  const unread = pages.skipped.map(({ reason }) => `its Jobs could not be listed (${reason})`);
  if (unread.length > 0) return { jobs: undefined, unread };
  const more = jobs.length > MAX_RUNS ? [`${jobs.length - MAX_RUNS} more of its Jobs are not listed`] : [];
  return { jobs: jobs.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)), unread: more };
}

/** The first Job that has failed, else the first that does not go on. */
async function choose(reader: Asked, jobs: readonly Job[], ask: AskAccount): Promise<Chosen> {
  const failed = jobs.find((job) => endOf(job)?.type === "Failed");
  if (failed !== undefined) {
    const read = await findAccount(reader, failed, ask);
    return { job: failed, read, isOpen: false, unread: read.unread };
  }
  const unread: string[] = [];
  let isOpen = false;
  const open = jobs.filter((job) => endOf(job) === undefined && job.spec?.suspend !== true);
  for (const job of open.slice(0, MAX_ASKED)) {
    const read = await findAccount(reader, job, ask);
    unread.push(...read.unread);
    if (isHeld(job, read.account)) return { job, read, isOpen, unread };
    isOpen ||= read.account === undefined;
  }
  if (open.length > MAX_ASKED) unread.push(`the pods of ${MAX_ASKED} of its ${open.length} open Jobs were looked at`);
  return { job: undefined, read: NOTHING_READ, isOpen, unread };
}

function answerOf({ namespace, name }: JobName, found: Found): Omit<JobSetAccount, "remarks" | "events"> {
  const { jobSet, jobs, chosen } = found;
  const { account, lastFailure } = chosen.read;
  const hasLog = (lastFailure?.log.length ?? 0) > 0;
  return {
    ...head("JobSetAccount"),
    namespace,
    name,
    found: true,
    ...judge(found),
    nextMs: null,
    suspend: jobSet === undefined ? null : jobSet.spec?.suspend === true,
    restarts: jobSet === undefined ? null : (jobSet.status?.restarts ?? 0),
    runs: (jobs ?? []).slice(0, MAX_RUNS).map(runOf),
    toldJob: chosen.job?.metadata.name,
    lastFailure,
    holds: account?.holds ?? [],
    remedies: (account?.remedies ?? []).filter(({ command }) => !(hasLog && command.startsWith(LOG_COMMAND))),
  };
}

interface Judged {
  readonly state: JobSetState;
  readonly sentence: string;
}

function judge({ jobSet, jobs, chosen }: Found): Judged {
  const byJobs = judgeByJobs(jobs, chosen);
  // Also a JobSet that has ended has Jobs that have failed.
  if (jobSet === undefined)
    return { state: "Waiting", sentence: `${byJobs.sentence}, and how the JobSet stands is not known` };
  const end = trueCondition(jobSet, "Failed") ?? trueCondition(jobSet, "Completed");
  const message = (end as { message?: string } | undefined)?.message ?? end?.reason ?? "no reason is given";
  if (end?.type === "Failed") return { state: "Failed", sentence: `the JobSet has failed: ${message}` };
  if (end !== undefined) return { state: "Completed", sentence: `the JobSet is complete: ${message}` };
  if (jobSet.metadata.deletionTimestamp !== undefined)
    return { state: "Deleting", sentence: "the JobSet is being deleted" };
  if (jobSet.spec?.suspend === true) {
    const setter = setterOf(jobSet, "f:suspend");
    const by = setter === undefined ? "" : `, which ${setter.manager} has set`;
    return { state: "Suspended", sentence: `spec.suspend is true${by}: its Jobs make no pods` };
  }
  if (byJobs.state !== "Running") return byJobs;
  return { state: "Running", sentence: `it goes on: ${byJobs.sentence}` };
}

function judgeByJobs(jobs: readonly Job[] | undefined, { job, read, isOpen }: Chosen): Judged {
  if (job !== undefined)
    return { state: "Held", sentence: `its Job ${job.metadata.name} ${standing(job, read.account)}` };
  if (jobs === undefined)
    return { state: "Waiting", sentence: "it has not ended, and how its Jobs stand is not known" };
  if (jobs.length === 0)
    return { state: "Waiting", sentence: "no Job of it is there: does the controller of JobSet run?" };
  const ended = jobs.filter((each) => endOf(each) !== undefined).length;
  const sentence = `${ended} of the ${jobs.length} Jobs that are there have ended`;
  if (isOpen) return { state: "Waiting", sentence: `${sentence}, and whether the others go on is not known` };
  return { state: "Running", sentence };
}

/** How a Job stands that has failed or does not go on. Without an account it has failed: else nothing shows that. */
function standing(job: Job, account: Account | undefined): string {
  if (account !== undefined) return account.verdict.sentence.replace(/^the Job /, "");
  const { message, reason } = runOf(job);
  return `has failed: ${message === "" ? reason : message}`;
}
