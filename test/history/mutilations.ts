/**
 * Histories that are wrong: each takes one that is right, does one thing to it that a bad controller would have done,
 * and names the rule that has to see it. A rule that no mutilation breaks is one that might as well not be there.
 *
 * A version that is put between two others gets a number between theirs, which no server would give.
 */
import {
  hasEnded,
  hasFailed,
  hasFinished,
  hasSucceeded,
  holdsFinalizer,
  isIndexed,
  isTrue,
  type Outcome,
  OUTCOMES,
  ownerOf,
  parallelismOf,
  uncounted,
} from "./facts.ts";
import type { Condition, Job, JobStatus, Line, Pod, WriteLine } from "./format.ts";
import {
  bornAt,
  finalState,
  History,
  type JobLife,
  type JobVersion,
  type PodLife,
  type PodVersion,
  type Version,
} from "./history.ts";

export interface Mutilation {
  /** What the controller has done. */
  readonly deed: string;
  /** Name of the rule that sees it. */
  readonly breaks: string;
  /** @throws Error when there is no place for it in the history */
  of(lines: readonly Line[]): Line[];
}

const BETWEEN = 0.5;
const NEW_UID = "00000000-0000-4000-8000-000000000000";

export const MUTILATIONS: readonly Mutilation[] = [
  {
    deed: "the status that names an ended pod is not written",
    breaks: "a finalizer goes only after the status that counts its pod",
    of(lines) {
      const { uid, job } = someEntrant(lines);
      return job.versions
        .filter(({ object }) => OUTCOMES.some((outcome) => uncounted(object, outcome).includes(uid)))
        .reduce<Line[]>(without, [...lines]);
    },
  },
  {
    deed: "a finalizer is taken off before the status is written",
    breaks: "a finalizer goes only after the status that counts its pod",
    of(lines) {
      const { entry, removal } = someEntrant(lines);
      return moved(lines, removal, entry.at - BETWEEN);
    },
  },
  {
    deed: "a pod is moved into the counter while it holds its finalizer",
    breaks: "a pod leaves the uncounted list when its finalizer is off",
    of(lines) {
      const { exit, removal } = someEntrant(lines);
      return moved(lines, removal, exit.at + BETWEEN);
    },
  },
  {
    deed: "a counter rises by two for one pod",
    breaks: "counters move by what leaves the uncounted lists",
    of(lines) {
      const { job, exit, outcome } = someEntrant(lines);
      return withStatus(lines, job, exit.at, (status) => ({ ...status, [outcome]: (status[outcome] ?? 0) + 1 }));
    },
  },
  {
    deed: "a pod that is counted is put into the list again",
    breaks: "a pod is counted once",
    of(lines) {
      const { job, exit, uid, outcome } = someEntrant(lines);
      return inserted(lines, job, exit, (status) => ({ ...status, uncountedTerminatedPods: { [outcome]: [uid] } }));
    },
  },
  {
    deed: "a pod that runs is counted",
    breaks: "a pod is counted as what it is",
    of(lines) {
      const { pod } = someEntrant(lines, "succeeded");
      return withPhase(lines, pod, "Running");
    },
  },
  {
    deed: "an index is said to be completed that failed",
    breaks: "an index is done as one of its pods is",
    of(lines) {
      const job = someJob(lines, isIndexed, ({ object }) => object.status?.completedIndexes !== undefined);
      const pods = new History(lines)
        .podsOf(job.uid)
        .filter(({ versions }) => versions.some(({ object }) => hasSucceeded(object)));
      return pods.reduce<Line[]>((changed, pod) => withPhase(changed, pod, "Failed"), [...lines]);
    },
  },
  {
    deed: "an index is counted twice",
    breaks: "succeeded is the number of completed indexes",
    of(lines) {
      const job = someJob(lines, isIndexed, ({ object }) => object.status?.completedIndexes !== undefined);
      const from = job.versions.find(({ object }) => object.status?.completedIndexes !== undefined)!;
      return withStatus(lines, job, from.at, (status) => ({ ...status, succeeded: (status.succeeded ?? 0) + 1 }));
    },
  },
  {
    deed: "the last finalizer stays on",
    breaks: "no pod is left with a finalizer when its Job has ended",
    of(lines) {
      const { pod, removal } = someEntrant(lines);
      return pod.versions.filter(({ at }) => at >= removal.at).reduce<Line[]>(without, [...lines]);
    },
  },
  {
    deed: "one pod too many is made",
    breaks: "no more pods than the controller could think were wanted",
    of(lines) {
      const history = new History(lines);
      const job = someJob(
        lines,
        (object) => !isIndexed(object) && object.spec.completions !== undefined && parallelismOf(object) > 1,
      );
      // By then there are as many as may be at once.
      const pod = history.podsOf(job.uid)[parallelismOf(job.versions[0]!.object) - 1]!;
      return withAnother(lines, pod, bornAt(pod) + BETWEEN);
    },
  },
  {
    deed: "a second pod is made for an index that has one",
    breaks: "an index has one pod at a time, and none when it is done",
    of(lines) {
      const pod = somePod(lines, somePodsJob(lines, isIndexed));
      return withAnother(lines, pod, bornAt(pod) + BETWEEN);
    },
  },
  {
    deed: "a pod is made for an index beyond the last",
    breaks: "an index is one that the Job has",
    of(lines) {
      const pod = somePod(lines, somePodsJob(lines, isIndexed));
      return withPod(lines, pod, (object) => ({
        ...object,
        metadata: { ...object.metadata, annotations: { "batch.kubernetes.io/job-completion-index": "99" } },
      }));
    },
  },
  {
    deed: "a pod is made when the Job has ended",
    breaks: "a Job at its end starts nothing",
    of(lines) {
      const job = somePodsJob(lines, (object) => !isIndexed(object));
      return withAnother(lines, somePod(lines, job), lastOf(job).at + BETWEEN);
    },
  },
  {
    deed: "a pod is made for a Job that the controller has said to be suspended",
    breaks: "a suspended Job starts nothing",
    of(lines) {
      const job = someJob(
        lines,
        () => true,
        ({ object }) => isTrue(object, "Suspended"),
      );
      const suspended = job.versions.find(({ object }) => isTrue(object, "Suspended"))!;
      return withAnother(lines, somePod(lines, job), suspended.at + BETWEEN);
    },
  },
  {
    deed: "a counter goes back",
    breaks: "counters never go back",
    of(lines) {
      const { job, exit, outcome } = someEntrant(lines);
      return inserted(lines, job, exit, (status) => ({ ...status, [outcome]: status[outcome]! - 1 }));
    },
  },
  {
    deed: "a condition is forgotten",
    breaks: "conditions are never taken back",
    of: (lines) =>
      withConditions(
        lines,
        ({ type }) => type !== "SuccessCriteriaMet" && type !== "FailureTarget",
        (job) => lastOf(job).at,
      ),
  },
  {
    deed: "a Job ends without the interim condition",
    breaks: "a terminal condition follows its interim one",
    of: (lines) =>
      withConditions(
        lines,
        ({ type }) => type !== "SuccessCriteriaMet" && type !== "FailureTarget",
        () => 0,
      ),
  },
  {
    deed: "a Job fails and completes",
    breaks: "a Job succeeds or fails, and not both",
    of(lines) {
      const job = someJob(
        lines,
        () => true,
        ({ object }) => isTrue(object, "Complete"),
      );
      return withStatus(lines, job, lastOf(job).at, (status) => ({
        ...status,
        conditions: [...status.conditions!, { type: "FailureTarget", status: "True" }],
      }));
    },
  },
  {
    deed: "a Job is said to have ended before all pods are counted",
    breaks: "a Job that has ended is at rest",
    of(lines) {
      const { job, uid, outcome } = someEntrant(lines);
      return withStatus(lines, job, lastOf(job).at, (status) => ({
        ...status,
        uncountedTerminatedPods: { [outcome]: [uid] },
      }));
    },
  },
  {
    deed: "more pods are said to be ready than are active",
    breaks: "a status makes sense",
    of(lines) {
      const job = someJob(lines, () => true);
      return withStatus(lines, job, 0, (status) => ({ ...status, ready: 7 }));
    },
  },
  {
    deed: "a status is sent that the server refuses",
    breaks: "no status is refused as invalid",
    of(lines) {
      const write = lines.find(
        (line): line is WriteLine =>
          line.line === "write" &&
          line.subresource === "status" &&
          line.resource === "jobs" &&
          new History(lines).isController(line.user),
      )!;
      const { uid: _uid, resourceVersion: _version, ...rest } = write;
      return [...lines, { ...rest, status: 422, message: "Job is invalid" }];
    },
  },
  {
    deed: "a Job is forgotten before its end",
    breaks: "every Job comes to its end",
    of(lines) {
      const job = someJob(lines, () => true);
      return job.versions.filter(({ object }) => hasFinished(object)).reduce<Line[]>(without, [...lines]);
    },
  },
  {
    deed: "a Job is removed that has not ended",
    breaks: "a controller removes a Job only when it has ended",
    of(lines) {
      const history = new History(lines);
      const job = someJob(lines, () => true);
      const { metadata } = job.versions[0]!.object;
      const unfinished = job.versions.filter(({ object }) => hasFinished(object)).reduce<Line[]>(without, [...lines]);
      const write: WriteLine = {
        line: "write",
        user: history.header.controllers[0]!.user,
        verb: "delete",
        resource: "jobs",
        namespace: metadata.namespace,
        name: metadata.name,
        sentMs: 0,
        answeredMs: 1,
        status: 200,
      };
      return [...unfinished, write];
    },
  },
  {
    deed: "a change has no request",
    breaks: "every change has its writer",
    of(lines) {
      const { removal } = someEntrant(lines);
      return lines.filter((line) => line !== removal.write);
    },
  },
  {
    deed: "a change is not shown",
    breaks: "every write that was accepted is seen",
    of(lines) {
      const { removal } = someEntrant(lines);
      return lines.filter((line) => line.line !== "event" || line.object !== removal.object);
    },
  },
];

/** A pod that went through an uncounted list, with what happened to it. */
interface Course {
  readonly job: JobLife;
  readonly pod: PodLife;
  readonly uid: string;
  readonly outcome: Outcome;
  /** The first status with its UID, and the first without it again. */
  readonly entry: JobVersion;
  readonly exit: JobVersion;
  readonly removal: PodVersion;
}

/** Of a Job that has ended. */
function someEntrant(lines: readonly Line[], ...outcomes: readonly Outcome[]): Course {
  const history = new History(lines);
  for (const job of endedJobs(history)) {
    for (const pod of history.podsOf(job.uid)) {
      for (const outcome of outcomes.length > 0 ? outcomes : OUTCOMES) {
        const isIn = ({ object }: JobVersion): boolean => uncounted(object, outcome).includes(pod.uid);
        const entry = job.versions.find(isIn);
        const exit = job.versions.find((version) => version.at > (entry?.at ?? Infinity) && !isIn(version));
        const removal = pod.versions.find(
          ({ object, before }) => before !== undefined && hasEnded(object) && !holdsFinalizer(object),
        );
        if (entry !== undefined && exit !== undefined && removal !== undefined && exit.at > removal.at)
          return { job, pod, uid: pod.uid, outcome, entry, exit, removal };
      }
    }
  }
  throw new Error("no pod of this history goes through an uncounted list");
}

function endedJobs({ jobs }: History): JobLife[] {
  return [...jobs.values()].filter((job) => hasFinished(finalState(job)?.object ?? job.versions[0]!.object));
}

/** A Job that has ended, is so, and had such a version. */
function someJob(
  lines: readonly Line[],
  isSo: (job: Job) => boolean,
  had: (version: JobVersion) => boolean = () => true,
): JobLife {
  const found = endedJobs(new History(lines)).find(({ versions }) => isSo(versions[0]!.object) && versions.some(had));
  if (found === undefined) throw new Error("no Job of this history is as the mutilation needs it");
  return found;
}

/** A Job that has a pod. */
function somePodsJob(lines: readonly Line[], isSo: (job: Job) => boolean): JobLife {
  const history = new History(lines);
  return someJob(lines, (job) => isSo(job) && history.podsOf(job.metadata.uid).length > 0);
}

const somePod = (lines: readonly Line[], job: JobLife): PodLife =>
  new History(lines).podsOf(job.uid).find(({ versions }) => ownerOf(versions[0]!.object) === job.uid)!;

const lastOf = ({ versions }: JobLife): JobVersion => versions.at(-1)!;

function without(lines: readonly Line[], { object, write }: Version<Job | Pod>): Line[] {
  return lines.filter((line) => line !== write && !(line.line === "event" && line.object === object));
}

/** The version is stored at another moment. */
function moved(lines: readonly Line[], { object, write }: PodVersion, at: number): Line[] {
  return lines.map((line) => {
    if (line === write) return { ...write!, resourceVersion: String(at) };
    return line.line === "event" && line.object === object ? { ...line, object: atVersion(object, at) } : line;
  });
}

function atVersion<T extends Job | Pod>(object: T, at: number): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(at) } };
}

/** One more version of the Job, just after another, by the same writer. */
function inserted(
  lines: readonly Line[],
  { uid }: JobLife,
  after: JobVersion,
  change: (status: JobStatus) => JobStatus,
): Line[] {
  const at = after.at + BETWEEN;
  const object = atVersion({ ...after.object, status: change(after.object.status ?? {}) }, at);
  return [...lines, { ...after.write!, uid, resourceVersion: String(at) }, { line: "event", type: "MODIFIED", object }];
}

/** Every status of the Job from a version on is changed. */
function withStatus(
  lines: readonly Line[],
  { uid }: JobLife,
  from: number,
  change: (status: JobStatus) => JobStatus,
): Line[] {
  return lines.map((line) => {
    if (
      line.line !== "event" ||
      line.object.kind !== "Job" ||
      line.object.metadata.uid !== uid ||
      Number(line.object.metadata.resourceVersion) < from
    )
      return line;
    return { ...line, object: { ...line.object, status: change(line.object.status ?? {}) } };
  });
}

/** Of one Job that has ended, from a version on. */
function withConditions(
  lines: readonly Line[],
  keeps: (condition: Condition) => boolean,
  from: (job: JobLife) => number,
): Line[] {
  // The interim condition must have been stored in a separate write.
  const job = someJob(
    lines,
    () => true,
    ({ object }) => !hasFinished(object) && (isTrue(object, "SuccessCriteriaMet") || isTrue(object, "FailureTarget")),
  );
  return withStatus(lines, job, from(job), (status) => ({
    ...status,
    ...(status.conditions === undefined ? {} : { conditions: status.conditions.filter(keeps) }),
  }));
}

function withPod(lines: readonly Line[], { uid }: PodLife, change: (pod: Pod) => Pod): Line[] {
  return lines.map((line) =>
    line.line === "event" && line.object.kind === "Pod" && line.object.metadata.uid === uid
      ? { ...line, object: change(line.object) }
      : line,
  );
}

/** How it ended is another. */
function withPhase(lines: readonly Line[], pod: PodLife, phase: string): Line[] {
  return withPod(lines, pod, (object) =>
    hasSucceeded(object) || hasFailed(object) ? { ...object, status: { ...object.status, phase } } : object,
  );
}

/** The creation of a pod is done again, under another name. */
function withAnother(lines: readonly Line[], { versions }: PodLife, at: number): Line[] {
  const { object, write } = versions[0]!;
  const name = `${object.metadata.name}-again`;
  const again = atVersion({ ...object, metadata: { ...object.metadata, name, uid: NEW_UID } }, at);
  return [
    ...lines,
    { ...write!, name, uid: NEW_UID, resourceVersion: String(at) },
    { line: "event", type: "ADDED", object: again },
  ];
}
