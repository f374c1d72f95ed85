/**
 * CronJobs whose Jobs do not end: one that makes no more Jobs because it waits for the last (Forbid), and one that
 * makes another Job at each run (Allow). `stint why` judges a CronJob by the same rules. Invariant: CronJobs are read
 * only when a Job of one has not ended for long. Leaves out what keeps the Jobs from ending, which is a finding of the
 * Job.
 */
import { CRON_JOBS } from "../../../cluster/client/client.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import type { Commands } from "./commands.ts";
import type { Finding } from "./finding.ts";
import type { JobRecord } from "./job-record.ts";
import type { CronJob } from "../../../cluster/values/kinds.ts";

/** This many unfinished Jobs of one CronJob are more than a slow run and the next one. */
const MANY_JOBS = 3;
/** A deadline for later Jobs, whose duration is not known here. */
const DEADLINE_SECONDS = 3_600;

/** By what a CronJob is judged. */
export interface CronJobJudgement {
  readonly nowMs: number;
  readonly commands: Commands;
  /** The UIDs of Jobs that do not end by themselves. */
  readonly held: ReadonlySet<string>;
}

interface CronJobContext extends CronJobJudgement {
  /** Younger Jobs are not judged. */
  readonly olderThanMs: number;
}

export async function cronJobFindings(
  jobs: Iterable<JobRecord>,
  reader: ClusterReader,
  context: CronJobContext,
): Promise<Finding[]> {
  const { nowMs, olderThanMs } = context;
  const old = [...jobs].filter(
    ({ object, createdMs, cronJob }) =>
      object !== undefined && cronJob !== undefined && nowMs - createdMs >= olderThanMs,
  );
  const byCronJob = Map.groupBy(old, ({ cronJob }) => cronJob!);
  for (const [uid, own] of byCronJob)
    if (own.length < MANY_JOBS && !own.some((job) => context.held.has(job.uid))) byCronJob.delete(uid);
  if (byCronJob.size === 0) return [];
  const findings: Finding[] = [];
  for await (const page of reader.pages(CRON_JOBS, "CronJobs"))
    for (const cronJob of page) {
      const own = byCronJob.get(cronJob.metadata.uid);
      const finding = own && findingOf(cronJob, own, context);
      if (finding !== undefined) findings.push(finding);
    }
  return findings;
}

/** @param own its Jobs that have not ended, one at least */
export function findingOf(
  cronJob: CronJob,
  own: readonly Pick<JobRecord, "uid" | "name" | "createdMs">[],
  context: CronJobJudgement,
): Finding | undefined {
  const { namespace, name } = cronJob.metadata;
  const { concurrencyPolicy = "Allow", suspend = false } = cronJob.spec ?? {};
  // A suspended CronJob makes no Jobs anyway.
  if (suspend === true) return undefined;
  const about = { kind: "cronjob", namespace, name };
  const oldest = own.reduce((a, b) => (b.createdMs < a.createdMs ? b : a));
  const age = ageText(context.nowMs - oldest.createdMs);
  const held = own.find(({ uid }) => context.held.has(uid));
  if (concurrencyPolicy === "Forbid" && held !== undefined)
    return {
      ...about,
      id: "CronJobFrozen",
      sentence: `concurrencyPolicy is Forbid, and its Job ${held.name} does not end: it makes no other Job until then`,
      fix: context.commands.merge("cronjob", namespace, name, {
        spec: { jobTemplate: { spec: { activeDeadlineSeconds: DEADLINE_SECONDS } } },
      }),
    };
  if (concurrencyPolicy !== "Allow" || own.length < MANY_JOBS) return undefined;
  return {
    ...about,
    id: "CronJobPilesUp",
    sentence: `${own.length} of its Jobs have not ended, the oldest for ${age}, and each run adds one`,
    fix: context.commands.merge("cronjob", namespace, name, { spec: { concurrencyPolicy: "Forbid" } }),
  };
}
