/**
 * Reads a CronJob, its newest Jobs, the Events about it, and what became of two of the Jobs: the oldest one that has
 * not ended and the newest one that has failed.
 *
 * Invariant: if something may not be read, a sentence says so, and the rest is used. It holds one page of Jobs at a
 * time.
 */
import type { Account, Remedy } from "../../../bindings/js/engine.ts";
import { answeredObject, CRON_JOBS, JOBS, resourcePath } from "../../../cluster/client/client.ts";
import type { CronJob, Job } from "../../../cluster/values/kinds.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import { UsageError } from "../../usage-error.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";
import type { LastFailure } from "../../words/job-view.ts";
import { type Asked, ClusterReader } from "../doctor/cluster-reader.ts";
import { type Document, head } from "../json/document.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import { findAccount, NOTHING_READ, type ReadAccount } from "./account.ts";
import { refusalOf } from "./api-reader.ts";
import { type CronJobState, judgeCronJob, type OpenJob } from "./cron-job-state.ts";
import { type MissedStarts, type StartTime, startsOf } from "./cron-job-starts.ts";
import { isHeld, runOf, type Run } from "./run.ts";
import { readEvents, warningsOf } from "./warnings.ts";

const SHOWN_RUNS = 5;
const SHOWN_WARNINGS = 5;
const LOG_COMMAND = "kubectl logs ";
/** Of a CronJob that goes on; in other states its controller makes no Job at that time. */
const GOES_ON: ReadonlySet<CronJobState> = new Set(["Waiting", "Running", "PilesUp"]);

/** What to do about the CronJob or, with a code, about one of its Jobs. */
export interface CronJobRemedy extends Partial<Remedy> {
  readonly sentence: string;
  readonly command: string;
}

/** What `--output json` prints of a CronJob; docs/why.md has the meaning of each member. */
export interface CronJobAccount extends Document<"CronJobAccount"> {
  readonly namespace: string;
  readonly name: string;
  readonly found: true;
  readonly state: CronJobState | "Unknown";
  readonly sentence: string;
  readonly nextMs: number | null;
  /** What comes next, where it is not the next time of the schedule. */
  readonly next?: string | undefined;
  readonly schedule?: string;
  readonly timeZone?: string | undefined;
  readonly concurrencyPolicy?: string | undefined;
  readonly suspend?: boolean | undefined;
  readonly times: readonly StartTime[];
  readonly missed?: (MissedStarts & { readonly sentence: string | undefined }) | undefined;
  readonly lastScheduleMs: number | null;
  readonly lastSuccessMs: number | null;
  /** How many of its Jobs have not ended; null: not known. */
  readonly open: number | null;
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly lastFailure?: LastFailure | undefined;
  /** What holds the oldest Job that has not ended. */
  readonly holds?: Account["holds"];
  readonly heldJob?: string | undefined;
  readonly remedies: readonly CronJobRemedy[];
  readonly remarks: readonly string[];
  readonly events: readonly WarningEvent[];
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface ReadJobs {
  /** Of them all, the newest first. */
  readonly newest: readonly Job[];
  /** The oldest first. */
  readonly open: readonly OpenJob[];
  readonly oldestOpen: Job | undefined;
}

/** Undefined: there is no such CronJob. @throws UsageError when neither it nor its Jobs may be read */
export async function findCronJob(reader: Asked, place: Place, ask: AskAccount): Promise<CronJobAccount | undefined> {
  const { namespace, name } = place;
  const answer = await reader.get(resourcePath(CRON_JOBS, namespace, name));
  const object = answeredObject(answer) as CronJob & { readonly details?: { readonly name?: string } };
  if (answer.status === 404 && object.details?.name === name) return undefined;
  if (answer.status !== 403 && (answer.status !== 200 || object.metadata?.name !== name))
    throw new UsageError(
      `${reader.origin} does not serve CronJobs; it answered ${refusalOf(answer)}.\nIs it a Kubernetes API server, and healthy?`,
    );
  const cronJob = answer.status === 200 ? object : undefined;
  const { jobs, refusal } = await readJobs(reader, place, cronJob);
  if (cronJob === undefined && (jobs === undefined || jobs.newest.length === 0))
    throw new UsageError(
      `the CronJob ${name} in namespace ${namespace} may not be read with these credentials (${refusalOf(answer)}).\nAsk for get on cronjobs, and list on jobs, pods and events, in that namespace: the role \`view\` has them.`,
    );
  const failed = jobs?.newest.find((job) => endOf(job)?.type === "Failed");
  const account = (job: Job | undefined): Promise<ReadAccount> =>
    job === undefined ? Promise.resolve(NOTHING_READ) : findAccount(reader, job, ask);
  const [failure, hold, events] = [
    await account(failed),
    await account(jobs?.oldestOpen),
    cronJob === undefined
      ? { events: [] }
      : await readEvents(reader, namespace, `involvedObject.uid=${cronJob.metadata.uid}`),
  ];
  const unread = [
    ...(cronJob === undefined ? [`the CronJob itself could not be read (${refusalOf(answer)})`] : []),
    ...(refusal === undefined ? [] : [refusal]),
    ...failure.unread,
    ...hold.unread,
    ...("refusal" in events && events.refusal !== undefined ? [events.refusal] : []),
  ];
  const read = { jobs, failure, hold, unread: [...new Set(unread)] };
  return cronJob === undefined
    ? ofItsJobs(place, read)
    : answerOf(cronJob, read, warningsOf(events.events, SHOWN_WARNINGS), reader.now());
}

interface Read {
  readonly jobs: ReadJobs | undefined;
  readonly failure: ReadAccount;
  readonly hold: ReadAccount;
  readonly unread: readonly string[];
}

function answerOf(cronJob: CronJob, read: Read, warnings: readonly WarningEvent[], nowMs: number): CronJobAccount {
  const { metadata, spec, status } = cronJob;
  const starts = startsOf(cronJob, nowMs);
  const { jobs, hold } = read;
  const isOpenHeld = jobs?.oldestOpen !== undefined && isHeld(jobs.oldestOpen, hold.account);
  const judged = judgeCronJob({ cronJob, nowMs, starts, open: jobs?.open, isHeld: isOpenHeld, warnings });
  const { state, sentence, next, missed, remedies } = judged;
  const zone =
    spec.timeZone === undefined && !spec.schedule.includes("TZ=")
      ? ["spec.timeZone is not set: the schedule counts in the time zone of its controller, here taken as UTC"]
      : [];
  const common = ofJobs(read);
  return {
    ...head("CronJobAccount"),
    namespace: metadata.namespace!,
    name: metadata.name,
    found: true,
    state,
    sentence,
    nextMs: GOES_ON.has(state) ? (starts.next[0]?.atMs ?? null) : null,
    next,
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    concurrencyPolicy: spec.concurrencyPolicy,
    suspend: spec.suspend,
    times: starts.next,
    missed: starts.missed && { ...starts.missed, sentence: missed },
    lastScheduleMs: timeMs(status?.lastScheduleTime),
    lastSuccessMs: timeMs(status?.lastSuccessfulTime),
    ...common,
    remedies: [...common.remedies, ...remedies],
    remarks: [...zone, ...read.unread],
    events: warnings,
  };
}

/** The CronJob may not be read, and its Jobs may. */
function ofItsJobs({ namespace, name }: Place, read: Read): CronJobAccount {
  return {
    ...head("CronJobAccount"),
    namespace,
    name,
    found: true,
    state: "Unknown",
    sentence: "only its Jobs could be read: its schedule, and whether it is suspended, are not known",
    nextMs: null,
    times: [],
    lastScheduleMs: null,
    lastSuccessMs: null,
    ...ofJobs(read),
    remarks: read.unread,
    events: [],
  };
}

type OfJobs = Pick<CronJobAccount, "open" | "runs" | "lastFailure" | "holds" | "heldJob" | "remedies">;

function ofJobs({ jobs, failure, hold }: Read): OfJobs {
  const { lastFailure } = failure;
  const hasLog = (lastFailure?.log.length ?? 0) > 0;
  const remedies = [...(hold.account?.remedies ?? []), ...(failure.account?.remedies ?? [])];
  return {
    open: jobs?.open.length ?? null,
    runs: (jobs?.newest ?? []).map(runOf),
    lastFailure,
    heldJob: jobs?.oldestOpen?.metadata.name,
    holds: hold.account?.holds ?? [],
    // The log is shown already.
    remedies: remedies.filter(({ command }) => !(hasLog && command.startsWith(LOG_COMMAND))),
  };
}

function timeMs(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

/**
 * Jobs have no label of their CronJob, so all of the namespace are looked at. If they may not be listed, those are read
 * that the status of the CronJob names.
 */
async function readJobs(
  reader: Asked,
  { namespace, name }: Place,
  cronJob: CronJob | undefined,
): Promise<{ readonly jobs: ReadJobs | undefined; readonly refusal: string | undefined }> {
  const isOwn = ({ metadata: { ownerReferences = [] } }: Job): boolean =>
    ownerReferences.some((owner) =>
      cronJob === undefined ? owner.kind === "CronJob" && owner.name === name : owner.uid === cronJob.metadata.uid,
    );
  const gathered = new GatheredJobs();
  const pages = new ClusterReader(reader, namespace);
  for await (const page of pages.pages(JOBS, "Jobs")) page.filter(isOwn).forEach((job) => gathered.add(job));
  const [skipped] = pages.skipped;
  if (skipped === undefined) return { jobs: gathered, refusal: undefined };
  const active = (cronJob?.status?.active ?? []).map((reference) => String(reference.name)).slice(0, SHOWN_RUNS);
  for (const job of active) {
    const answer = await reader.get(resourcePath(JOBS, namespace, job));
    if (answer.status === 200) gathered.add(answeredObject(answer) as Job);
  }
  const those = gathered.newest.length === 0 ? "" : "; only those that its status names as active are known";
  return {
    jobs: gathered.newest.length === 0 ? undefined : gathered,
    refusal: `its Jobs could not be listed (${skipped.reason})${those}`,
  };
}

/** The newest Jobs, and those that have not ended. */
class GatheredJobs implements ReadJobs {
  #newest: Job[] = [];
  #oldestOpen: Job | undefined;
  readonly #open: OpenJob[] = [];

  add(job: Job): void {
    this.#newest = [...this.#newest, job].sort((a, b) => -order(a, b)).slice(0, SHOWN_RUNS);
    if (endOf(job) !== undefined) return;
    const { uid, name, creationTimestamp } = job.metadata;
    this.#open.push({ uid, name, createdMs: Date.parse(creationTimestamp) });
    if (this.#oldestOpen === undefined || order(job, this.#oldestOpen) < 0) this.#oldestOpen = job;
  }

  get newest(): readonly Job[] {
    return this.#newest;
  }

  get open(): readonly OpenJob[] {
    return this.#open.toSorted((a, b) => a.createdMs - b.createdMs || (a.name < b.name ? -1 : 1));
  }

  get oldestOpen(): Job | undefined {
    return this.#oldestOpen;
  }
}

function order({ metadata: a }: Job, { metadata: b }: Job): number {
  return Date.parse(a.creationTimestamp) - Date.parse(b.creationTimestamp) || (a.name < b.name ? -1 : 1);
}
