/**
 * Finds the best explanation of a Job. It asks in turn a controller at an address, the server itself and a
 * `stint controller` in the cluster; if none explains the Job, it reads the Job's own objects. It also says, in
 * sentences for people, where the explanation comes from and who runs the Job.
 *
 * Invariant: if no controller explains the Job, the answer says who was asked and why that failed. It claims nothing
 * that is not known.
 */
import type { Account, Attempt, EndCode, Explanation } from "../../../bindings/js/engine.ts";
import type { Job } from "../../../cluster/values/kinds.ts";
import { answeredObject, JOBS, resourcePath } from "../../../cluster/client/client.ts";
import type { EngineModule } from "../../engine-module.ts";
import { accountBy, OfflineEngine } from "../../../cluster/observed/offline-engine.ts";
import { UsageError } from "../../usage-error.ts";
import { ageText } from "../../../cluster/values/time-span.ts";
import type { EndedPod, LastFailure } from "../../words/job-view.ts";
import { SHOWN_LOG_LINES } from "../../words/last-failures.ts";
import type { WarningEvent } from "../output/warning-events.ts";
import type { ApiReader } from "./api-reader.ts";
import { askAddress, askLeaders, askServer, type JobTarget } from "./controllers.ts";
import { findAccount, NOTHING_READ, type ReadAccount } from "./account.ts";
import { explainFromObjects, managerOf } from "./objects.ts";
import { readLastWarnings } from "./warnings.ts";

/**
 * A controller looks at a new Job within a moment. If it has not done so after this time, perhaps no controller runs.
 */
const LATE_MS = 10_000;
/** The name that the API server gives to this writer: the first part of its User-Agent. */
const BUILT_IN_WRITER = "kube-controller-manager";

/** Of the pods that a controller remembers. It has fewer. */
const MAX_ENDED = 100;

/** An explanation, where it comes from, and what else is worth showing. */
export interface Answer {
  readonly explanation: Explanation;
  /** Whether the explanation comes from a controller or from the Job's objects. */
  readonly source: "controller" | "objects";
  /** For a Job that is not complete: the pod that failed last, how, and what it printed last. */
  readonly lastFailure?: LastFailure | undefined;
  /** Other pods that its controller has seen end, and that are not there any more; the newest first. */
  readonly ended?: readonly EndedPod[];
  /** What holds the Job, what comes next, and what to do. Undefined: its pods were not asked for, or not readable. */
  readonly account?: Account | undefined;
  /** Sentences for people: the source of the explanation, who runs the Job, what could not be read. */
  readonly remarks: readonly string[];
  /** The next step, in words; undefined: `nextMs` of the explanation gives it. */
  readonly next?: string;
  readonly events: readonly WarningEvent[];
}

export interface Question {
  readonly target: JobTarget;
  /** `http://127.0.0.1:8080` */
  readonly controllerUrl: string | undefined;
  readonly controllerNamespace: string;
  /** Reads the API server; or the error that says why it cannot be read. */
  readonly reader: ApiReader | UsageError;
  readonly engineModule: () => Promise<EngineModule>;
}

/**
 * Undefined: there is no such Job. @throws UsageError when neither server nor controller can be asked, or the Job may
 * not be read
 */
export async function findAnswer({
  target,
  controllerUrl,
  controllerNamespace,
  reader,
  engineModule,
}: Question): Promise<Answer | undefined> {
  const reasons: string[] = [];
  const known = async (
    { lastFailure: remembered, account: ofController, ...explanation }: Explanation,
    by?: string,
  ): Promise<Answer> => {
    const read = await podsOf(explanation, reader, target, engineModule);
    const { account, events, unread } = read;
    const lastFailure = rememberedFailure(remembered) ?? read.lastFailure;
    const remarks = [...(by === undefined ? [] : [`as ${by} sees it`]), ...unread];
    const ended = endedPods(ofController, account, lastFailure);
    return { explanation, source: "controller", lastFailure, ended, account, remarks, events };
  };
  if (controllerUrl !== undefined) {
    const answer = await askAddress(controllerUrl, target);
    if ("explanation" in answer) return known(answer.explanation, `the controller at ${controllerUrl}`);
    if (answer.reason !== undefined) reasons.push(answer.reason);
  }
  // A user who names a controller may have no credentials. The message first says why the controller gave no
  // explanation.
  if (reader instanceof UsageError)
    throw reasons.length === 0
      ? reader
      : new UsageError(`${reasons.join("; ")}, and its objects cannot be read: ${reader.message}`);
  const server = await askServer(reader, target);
  if ("explanation" in server) return known(server.explanation);
  if (server.reason !== undefined) reasons.push(server.reason);
  const leaders = await askLeaders(reader, controllerNamespace, target);
  if ("explanation" in leaders) return known(leaders.explanation, `the controller in pod ${leaders.by}`);
  reasons.push(...leaders.reasons);
  const objects = await explainFromObjects(reader, target, await engineModule());
  if (objects === undefined) return undefined;
  const { explanation, job, isDue, lastFailure, account, events, unread } = objects;
  return {
    explanation,
    source: "objects",
    lastFailure,
    account,
    remarks: [
      `from its objects: no controller that explains it was found${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`,
      whoRuns(job, explanation, reader.now()),
      ...unread,
    ],
    ...(isDue ? { next: "when its controller acts" } : {}),
    events,
  };
}

/**
 * The last failure that a controller has seen. Its pod may be gone.
 * @param answer the member `lastFailure` of its explanation; undefined: it remembers none
 */
export function rememberedFailure(answer: unknown): LastFailure | undefined {
  const { pod, failure, endedBy, log } = (answer ?? {}) as Readonly<Record<keyof LastFailure, unknown>>;
  if (typeof pod !== "string" || typeof failure !== "string" || !Array.isArray(log)) return undefined;
  const lines = log.filter((line) => typeof line === "string").slice(-SHOWN_LOG_LINES);
  return { pod, failure, endedBy: typeof endedBy === "string" ? (endedBy as EndCode) : null, log: lines };
}

/**
 * The pods that a controller remembers, without those that are there and the one that failed last.
 * @param answer the member `account` of its explanation; undefined: it remembers none
 */
export function endedPods(
  answer: unknown,
  account: Account | undefined,
  lastFailure: LastFailure | undefined,
): readonly EndedPod[] {
  const { attempts } = (answer ?? {}) as { attempts?: unknown };
  if (!Array.isArray(attempts)) return [];
  const known = new Set(account?.attempts.map(({ uid }) => uid));
  const found: EndedPod[] = attempts.flatMap((attempt: Partial<Record<keyof Attempt, unknown>> | null) => {
    const { pod, uid, endedBy, cause } = attempt ?? {};
    const isOne = typeof pod === "string" && typeof endedBy === "string" && typeof cause === "string" && cause !== "";
    return isOne && !known.has(String(uid)) && pod !== lastFailure?.pod
      ? [{ pod, endedBy: endedBy as EndCode, cause }]
      : [];
  });
  return found.slice(-MAX_ENDED).toReversed();
}

interface ReadPods extends Omit<ReadAccount, "events"> {
  readonly events: readonly WarningEvent[];
}

/**
 * A controller explains the Job but not its pods. So the pods are read to find out why they failed or do not start. If
 * they cannot be read, the explanation is shown without that.
 */
async function podsOf(
  explanation: Explanation,
  reader: ApiReader | UsageError,
  target: JobTarget,
  engineModule: Question["engineModule"],
): Promise<ReadPods> {
  if (reader instanceof UsageError) return { ...NOTHING_READ, events: [] };
  try {
    const found = await accountOf(explanation, reader, target, engineModule);
    const { events, refusal } = await readLastWarnings(reader, target.namespace, explanation.pods ?? []);
    return { ...found, events, unread: [...found.unread, ...(refusal === undefined ? [] : [refusal])] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const [problem] = error.message.split("\n", 1);
    return { ...NOTHING_READ, events: [], unread: [`its pods could not be read: ${problem}`] };
  }
}

/** A Job that is complete, or whose pods all run well, needs no account. */
async function accountOf(
  explanation: Explanation,
  reader: ApiReader,
  target: JobTarget,
  engineModule: Question["engineModule"],
): Promise<ReadAccount> {
  const { state, code, failed, uid, active, ready, parallelism } = explanation;
  const isWell = code === "WaitingForPods" && ready === active && active === parallelism && failed === 0;
  if (state === "Complete" || isWell || typeof uid !== "string") return NOTHING_READ;
  const { namespace, job: name } = target;
  const engine = new OfflineEngine(await engineModule(), { instance: "why", namespace });
  const answer = answeredObject(await reader.get(resourcePath(JOBS, namespace, name))) as Partial<Job>;
  const job = answer.metadata?.uid === uid ? (answer as Job) : { metadata: { name, namespace, uid } };
  return findAccount(
    reader,
    job,
    accountBy(engine, () => reader.now()),
  );
}

/** What the Job and the last writer of its status say about who runs it. */
export function whoRuns(job: Job, { state }: Explanation, nowMs: number): string {
  const manager = managerOf(job);
  const writer = statusWriter(job);
  const ageMs = nowMs - Date.parse(job.metadata.creationTimestamp);
  const wrote =
    writer === undefined ? undefined : `${writer.name} wrote its status ${ageText(nowMs - writer.atMs)} ago`;
  const isUntouched = writer === undefined && Object.keys(job.status ?? {}).length === 0;
  const untouched = `its status is empty, ${ageText(ageMs)} after it was created`;
  if (manager !== undefined)
    return `spec.managedBy says ${manager}: whether that controller runs is not known here${wrote === undefined ? (isUntouched ? `; ${untouched}` : "") : `; ${wrote}`}`;
  if (isUntouched)
    return ageMs < LATE_MS
      ? "the built-in controller is to run it, and has not looked at it yet"
      : `no controller runs it: ${untouched}, and the built-in controller is to run it; does kube-controller-manager run?`;
  const verb = state === "Complete" || state === "Failed" ? "was run" : "run";
  if (writer === undefined || writer.name === BUILT_IN_WRITER)
    return `${verb} by the built-in controller${wrote === undefined ? "" : `; ${wrote}`}`;
  return `${verb} in place of the built-in controller: ${wrote}`;
}

// The writer that wrote the status last.
function statusWriter(job: Job): { readonly name: string; readonly atMs: number } | undefined {
  const entries = (job.metadata.managedFields ?? []) as { manager?: string; subresource?: string; time?: string }[];
  const writes = entries
    .filter(({ subresource }) => subresource === "status")
    .map(({ manager = "an unknown client", time = "" }) => ({ name: manager, atMs: Date.parse(time) }));
  return writes.sort((a, b) => a.atMs - b.atMs).at(-1);
}
