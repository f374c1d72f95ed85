/**
 * What is wrong with Jobs: with the Jobs alone, with their pods, and with their statuses. The verdicts and the rules of
 * a status are the engine's.
 */
import type { Account, Engine, Hold, Verdict } from "../../../bindings/js/engine.ts";
import { endOf } from "../../../cluster/values/job-conditions.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import type { JobRecord } from "./job-record.ts";
import type { Commands } from "./commands.ts";
import type { LifeSign } from "./controllers.ts";
import type { Finding } from "./finding.ts";

/** A suspended Job may wait for its turn for days. */
const LONG_SUSPENDED_MS = 7 * 86_400_000;
/** Queueing systems suspend Jobs until there is capacity. */
const QUEUE_LABEL = "kueue.x-k8s.io/queue-name";
/** Ended Jobs without a TTL in one namespace: fewer are no trouble. */
const MANY_FINISHED = 100;
const KEEP_FINISHED_SECONDS = 7 * 86_400;
/** Reasons to be stuck that are not about pods. */
const OF_THE_JOB: ReadonlySet<string> = new Set(["NoController", "NoPods"]);
/** How long a Job without a deadline gets from now on. */
const GRACE_SECONDS = 600;

export interface JobContext {
  readonly nowMs: number;
  /** Younger problems are not reported. */
  readonly olderThanMs: number;
  readonly commands: Commands;
  /** When the controller of these Jobs was last alive; undefined: unknown. */
  readonly signOf: (manager: string | undefined) => LifeSign | undefined;
  readonly verdict: Engine["verdict"];
  /** Undefined: it cannot be asked. */
  readonly accountOf: (job: Job) => Promise<Account | undefined>;
}

/** What holds an unfinished Job. Undefined: nothing, or something that ends without help. */
export async function holdOf(
  { object: job, manager }: JobRecord & { readonly object: Job },
  pods: readonly JsonObject[] | undefined,
  context: JobContext,
): Promise<Finding | undefined> {
  const { nowMs, olderThanMs, commands } = context;
  const { name, namespace } = job.metadata;
  const verdict = context.verdict({ job, ...(pods === undefined ? {} : { pods }) }, nowMs);
  const ageMs = nowMs - (verdict.sinceMs ?? Date.parse(job.metadata.creationTimestamp));
  if (ageMs < olderThanMs) return undefined;
  const about = { kind: "job", namespace, name };
  const hasDeadline = job.spec?.activeDeadlineSeconds !== undefined;
  if (verdict.verdict === "Suspended" ? isCalm(job, verdict, ageMs) : verdict.verdict !== "Stuck") return undefined;
  // Pods that do not end are separate findings, and a deadline ends any other wait.
  const isJobAlone = verdict.verdict === "Suspended" || OF_THE_JOB.has(verdict.reason);
  if (!isJobAlone && (verdict.reason === "PodsTerminating" || hasDeadline)) return undefined;
  const { hold, fix } = firstHold(await context.accountOf(job), commands);
  const sentence = hold?.sentence ?? verdict.sentence.replace(/^the Job /, "it ");
  if (verdict.verdict === "Suspended") {
    const isZero = verdict.reason === "ParallelismIsZero";
    const change = isZero ? { parallelism: 1 } : { suspend: false };
    return {
      ...about,
      id: isZero ? "ParallelismZero" : "SuspendedLong",
      sentence: `${sentence}, for ${ageText(ageMs)}`,
      fix: fix ?? commands.merge("job", namespace, name, { spec: change }),
    };
  }
  if (verdict.reason === "NoController") {
    const told = `${sentence}${signText(context.signOf(manager))}`;
    return { ...about, id: "NobodyManages", sentence: told, fix: commands.startController(manager) };
  }
  if (verdict.reason === "NoPods") {
    // Its pods may have ended and gone after the Job was read.
    const isRefused = hold?.code === "CreationRefused";
    if (!isRefused && (job.status?.active as number) > 0) return undefined;
    const room = isRefused ? quotaCommand(hold.message, job, commands) : undefined;
    return { ...about, id: "PodsRefused", sentence, fix: room ?? commands.why(namespace!, name) };
  }
  const startMs = Date.parse(job.status?.startTime ?? job.metadata.creationTimestamp);
  const seconds = Math.ceil((nowMs - startMs) / 1000) + GRACE_SECONDS;
  return {
    ...about,
    id: "WaitsForever",
    sentence: `${sentence}; it has no activeDeadlineSeconds`,
    fix: commands.merge("job", namespace, name, { spec: { activeDeadlineSeconds: seconds } }),
  };
}

/** A suspended Job may wait for its turn. */
function isCalm({ metadata: { labels } }: Job, { reason }: Verdict, ageMs: number): boolean {
  return reason !== "ParallelismIsZero" && (ageMs < LONG_SUSPENDED_MS || labels?.[QUEUE_LABEL] !== undefined);
}

/** What holds the Job most of all, and the command against it. */
function firstHold(
  account: Account | undefined,
  commands: Commands,
): { readonly hold: Hold | undefined; readonly fix: string | undefined } {
  const hold = account?.holds[0];
  const remedy = account?.remedies.find(({ code }) => code === hold?.code);
  return { hold, fix: remedy && commands.given(remedy.command) };
}

export function signText(sign: LifeSign | undefined): string {
  if (sign === undefined) return ", and no Lease of it is known";
  return `, and its Lease ${sign.lease} was renewed ${ageText(sign.ageMs)} ago`;
}

/**
 * What a quota of pods lacks, in the words of the API server. They come from an Event, which other clients may write,
 * too, so only names are accepted: other text could become an option of the command.
 */
const QUOTA = /exceeded quota: ([a-z0-9][a-z0-9.-]*), requested: pods=\d+, used: pods=(\d{1,9}), limited: pods=\d+$/;

/** Raises a quota of pods so that all pods of the Job fit. Undefined: something else refuses its pods. */
function quotaCommand(refusal: string, job: Job, commands: Commands): string | undefined {
  const [, quota, used] = QUOTA.exec(refusal) ?? [];
  if (quota === undefined) return undefined;
  const pods = String(Number(used) + (job.spec?.parallelism ?? 1));
  return commands.merge("resourcequota", job.metadata.namespace, quota, { spec: { hard: { pods } } });
}

/** One finding for each namespace with many finished Jobs that nothing removes. */
export function finishedKept(jobs: Iterable<JobRecord>, commands: Commands): Finding[] {
  const counts = new Map<string, number>();
  for (const { namespace, isFinished, isRemoved } of jobs)
    if (isFinished && !isRemoved) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  const template =
    '{{range .items}}{{if not (or .spec.ttlSecondsAfterFinished .metadata.ownerReferences)}}{{.metadata.name}}{{"\\n"}}{{end}}{{end}}';
  return [...counts]
    .filter(([, count]) => count >= MANY_FINISHED)
    .map(([namespace, count]) => {
      const list = commands.kubectl(namespace, "get", "jobs", "--chunk-size", "500", "-o", `go-template=${template}`);
      const change = { spec: { ttlSecondsAfterFinished: KEEP_FINISHED_SECONDS } };
      const patch = commands.kubectl(namespace, "patch", "job", "--type", "merge", "-p", JSON.stringify(change));
      return {
        id: "FinishedKept",
        kind: "namespace",
        name: namespace,
        sentence: `${count} Jobs have ended and have no ttlSecondsAfterFinished and no owner`,
        fix: `${list} | xargs -n 50 ${patch}`,
      };
    });
}

/** Older versions of Kubernetes left these conditions out. A Job that ended under them is no trouble. */
const OF_OLD_VERSIONS = /without the (FailureTarget|SuccessCriteriaMet)=true condition/;

/** A status that the API server would refuse if it were written today. */
export function refusedStatus(job: Job, engine: Pick<Engine, "review">, commands: Commands): Finding[] {
  const problems = statusProblems(job, engine);
  const [problem] = problems;
  if (problem === undefined) return [];
  const { name, namespace } = job.metadata;
  const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more`;
  return [
    {
      id: "StatusRefused",
      kind: "job",
      namespace,
      name,
      sentence: `its status would be refused: ${problem}${more}`,
      fix: repairOf(job, engine, commands) ?? commands.kubectl(namespace, "delete", "job", name),
    },
  ];
}

/** What is wrong with the whole status, as if a controller wrote it for the first time. */
function statusProblems(job: Job, engine: Pick<Engine, "review">): string[] {
  return refusalsOf(job, { ...job, status: {} }, engine).filter((problem) => !OF_OLD_VERSIONS.test(problem));
}

/** Counters can be corrected. Conditions and times are final. */
function repairOf(job: Job, engine: Pick<Engine, "review">, commands: Commands): string | undefined {
  const { active = 0, ready = 0 } = job.status ?? {};
  const status =
    endOf(job) !== undefined
      ? { active: 0, ready: 0, terminating: 0, uncountedTerminatedPods: null }
      : { ready: Math.min(ready, active) };
  const repaired = { ...job, status: { ...job.status, ...status } } as Job;
  if (refusalsOf(repaired, job, engine).length > 0 || statusProblems(repaired, engine).length > 0) return undefined;
  return commands.merge("job", job.metadata.namespace, job.metadata.name, { status }, "--subresource", "status");
}

/** The errors of the API server when this status replaces that of `old`. */
function refusalsOf(job: Job, old: Job, engine: Pick<Engine, "review">): string[] {
  const { name, namespace } = job.metadata;
  const kind = { group: "batch", version: "v1", kind: "Job" };
  const resource = { group: "batch", version: "v1", resource: "jobs" };
  const typed = { apiVersion: "batch/v1", kind: "Job" };
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "doctor",
      kind,
      resource,
      subResource: "status",
      name,
      namespace,
      operation: "UPDATE",
      object: { ...job, ...typed },
      oldObject: { ...old, ...typed },
    },
  };
  const { allowed, status } = JSON.parse(engine.review(JSON.stringify(review))).response as {
    allowed: boolean;
    status?: { message?: string; details?: { causes?: { field: string; message: string }[] } };
  };
  if (allowed) return [];
  const causes = status?.details?.causes ?? [];
  return causes.length === 0
    ? [status?.message ?? "no reason is given"]
    : causes.map(({ field, message }) => `${field}: ${message}`);
}
