/**
 * One pass over a cluster: Jobs, then their pods page by page, then what blocks a controller.
 *
 * Invariant: every list is read once. Jobs are listed before pods, so that a pod whose Job was not listed has none;
 * pods younger than `olderThanMs` are not judged, because their Jobs may be younger than the list.
 */
import type { Engine } from "../../../bindings/js/engine.ts";
import { JOBS, PODS, resourcePath } from "../../../cluster/client/client.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { accountBy } from "../../../cluster/observed/offline-engine.ts";
import { UsageError } from "../../usage-error.ts";
import { shortPod } from "../../words/short-pod.ts";
import { BlockingBudgets } from "./blocking-budgets.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import type { Commands } from "./commands.ts";
import { readLifeSigns } from "./controllers.ts";
import { cronJobFindings } from "./cron-jobs.ts";
import { type Diagnosis, type Finding, type FindingId, FINDINGS } from "./finding.ts";
import { finishedKept, holdOf, type JobContext, refusedStatus } from "./jobs.ts";
import { type JobRecord, recordOf } from "./job-record.ts";
import { judgePod, type JudgedPod, notCounted, type Uncounted } from "./pods.ts";
import { RejectingNodes } from "./rejecting-nodes.ts";
import { unreachableWebhooks } from "./webhooks.ts";
import { document } from "../../words/document.ts";

const UID_LABEL = "batch.kubernetes.io/controller-uid";
/** What keeps a Job from its end until a person acts. */
const HOLDING: ReadonlySet<FindingId> = new Set(["NobodyManages", "PodsRefused", "WaitsForever", "ParallelismZero"]);
/** A Job with more pods than this is judged without them. The engine takes 8 MiB at once. */
const MAX_PODS_OF_A_JOB = 5_000;
/** The most findings that are kept. */
const MAX_FINDINGS = 10_000;
/** For at most this many uncounted pods a dry run tries whether their finalizer may be removed. */
const MAX_TRIES = 5;

/** Of so many Jobs the pods and Events are read once more. Of the others the verdict alone says what is wrong. */
const MAX_ACCOUNTS = 500;

export interface Examination {
  readonly reader: ClusterReader;
  readonly engine: Engine;
  readonly commands: Commands;
  readonly olderThanMs: number;
  /** Ask the server, as a dry run, whether the finalizer of a pod that is not counted may be removed. */
  readonly triesPatches: boolean;
  readonly accountOf: JobContext["accountOf"];
}

/** @throws UsageError when Jobs may not be read, or the server does not answer */
export async function diagnose(examination: Examination): Promise<Diagnosis> {
  const { reader, engine, commands, olderThanMs } = examination;
  const findings: Finding[] = [];
  const jobs = await readJobs(examination, findings);
  const nowMs = reader.now();
  const pods = await readPods(examination, jobs, nowMs, findings);
  const signOf = await readLifeSigns(reader);
  findings.push(...notCounted(pods.uncounted, { nowMs, commands }, signOf));
  if (examination.triesPatches) findings.push(...(await deniedPatches(pods.uncounted, reader, commands)));
  let accounts = 0;
  const context: JobContext = {
    nowMs,
    olderThanMs,
    commands,
    signOf,
    accountOf: async (job) => (accounts++ < MAX_ACCOUNTS ? examination.accountOf(job) : undefined),
    verdict: (question, nowMs) => engine.verdict(question, nowMs),
  };
  const held = new Set(pods.troubled);
  for (const record of jobs.values()) {
    const { object, uid } = record;
    // The user has to fix its pods first, and they may be the only problem.
    if (object === undefined || pods.troubled.has(uid)) continue;
    const own = pods.byJob.get(uid) ?? [];
    // If the pods of a Job may not be read, or need not have the label, only the status is known.
    const haveLabel = record.matchLabels[UID_LABEL] !== undefined;
    const isKnown = pods.areRead && haveLabel && own.length <= MAX_PODS_OF_A_JOB;
    const finding = await holdOf({ ...record, object }, isKnown ? own : undefined, context);
    if (finding === undefined) continue;
    findings.push(finding);
    if (HOLDING.has(finding.id)) held.add(uid);
  }
  findings.push(...(await cronJobFindings(jobs.values(), reader, { nowMs, olderThanMs, commands, held })));
  findings.push(...finishedKept(jobs.values(), commands), ...(await unreachableWebhooks(reader, commands)));
  const order = Object.keys(FINDINGS);
  findings.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  return {
    findings: findings.slice(0, MAX_FINDINGS),
    left: Math.max(0, findings.length - MAX_FINDINGS),
    skipped: reader.skipped,
    jobs: jobs.size,
    pods: pods.count,
  };
}

async function readJobs(
  { reader, engine, commands }: Examination,
  findings: Finding[],
): Promise<ReadonlyMap<string, JobRecord>> {
  const jobs = new Map<string, JobRecord>();
  for await (const page of reader.pages(JOBS, "Jobs", { isEverywhere: true }))
    for (const job of page) {
      jobs.set(job.metadata.uid, recordOf(job));
      findings.push(...refusedStatus(job, engine, commands));
    }
  const [refused] = reader.skipped;
  if (refused !== undefined)
    throw new UsageError(
      `Jobs may not be listed with these credentials (${refused.reason}).\nWith --namespace, list on jobs in that namespace is enough; ${document("docs/doctor.md")} has a role with all rights that are of use.`,
    );
  return jobs;
}

interface ReadPods {
  /** The pods of unfinished Jobs, by the UID of the Job. */
  readonly byJob: ReadonlyMap<string, readonly JsonObject[]>;
  readonly uncounted: readonly Uncounted[];
  /** UIDs of Jobs with a faulty pod. */
  readonly troubled: ReadonlySet<string>;
  readonly count: number;
  readonly areRead: boolean;
}

async function readPods(
  { reader, engine, commands, olderThanMs }: Examination,
  jobs: ReadonlyMap<string, JobRecord>,
  nowMs: number,
  findings: Finding[],
): Promise<ReadPods> {
  const byJob = new Map<string, JsonObject[]>();
  const uncounted: Uncounted[] = [];
  const troubled = new Set<string>();
  const nodes = new RejectingNodes();
  const budgets = await BlockingBudgets.read(reader);
  const ask = accountBy(engine, () => nowMs);
  let count = 0;
  const judge = (pod: JudgedPod): void => {
    count++;
    const found = judgePod(pod, { nowMs, olderThanMs, commands, jobs, ask });
    if (found === undefined) return;
    for (const { uid } of pod.metadata.ownerReferences ?? []) troubled.add(uid);
    if ("id" in found) findings.push(found);
    else uncounted.push(found);
  };
  for await (const page of reader.pages(PODS, "pods", { labelSelector: UID_LABEL }))
    for (const pod of page) {
      judge(pod);
      nodes.pod(pod);
      budgets.pod(pod);
      const uid = pod.metadata.labels![UID_LABEL]!;
      if (jobs.get(uid)?.object === undefined) continue;
      const pods = byJob.get(uid) ?? [];
      byJob.set(uid, pods);
      if (pods.length <= MAX_PODS_OF_A_JOB) pods.push(shortPod(pod));
    }
  // Most of them are no pods of Jobs: what they are for is not read.
  const others = { labelSelector: `!${UID_LABEL}`, metadataAlone: true };
  for await (const page of reader.pages(PODS, "pods", others)) page.forEach(judge);
  findings.push(...nodes.findings(commands), ...budgets.findings(commands));
  return { byJob, uncounted, troubled, count, areRead: reader.skipped.every(({ what }) => what !== "pods") };
}

/** What refuses the removal of a finalizer: usually admission. */
async function deniedPatches(
  uncounted: readonly Uncounted[],
  reader: ClusterReader,
  commands: Commands,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { job, pod, finalizer, finalizerIndex } of uncounted.slice(0, MAX_TRIES)) {
    const path = `/metadata/finalizers/${finalizerIndex}`;
    const patch = [
      { op: "test", path, value: finalizer },
      { op: "remove", path },
    ];
    const refusal = await reader.wouldRefuse(resourcePath(PODS, job.namespace, pod), patch);
    if (refusal === undefined) continue;
    findings.push({
      id: "PatchDenied",
      kind: "pod",
      namespace: job.namespace,
      name: pod,
      sentence: `the removal of its finalizer ${finalizer} is refused: ${refusal}`,
      fix: commands.kubectl(
        undefined,
        ...["get", "validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicies"],
      ),
    });
  }
  return findings;
}
