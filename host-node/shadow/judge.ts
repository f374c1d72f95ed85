/**
 * Judges what the built-in controller has written: would Stint have written it, too?
 *
 * Invariant: a finding means that Stint would not write it in any of the states from which the other controller may
 * have decided (timeline.ts), at any of the moments. So a write that is only earlier, later or batched differently is
 * no divergence. Leaves out what the other controller should have written and did not (undone.ts).
 */
import { compareStatuses, type Mismatch, missingField } from "./compare.ts";
import { type DivergenceKind, type Finding, indexOf, isActive, isTracked } from "./divergence.ts";
import type { Intent, Oracle } from "./oracle.ts";
import {
  type Change,
  isCreation,
  isDeletion,
  isRemoval,
  isStatusWrite,
  type JobChange,
  type PodChange,
  type Snapshot,
  type Timeline,
} from "./timeline.ts";
import type { Job, JobStatus, Pod } from "../../cluster/values/kinds.ts";

/** The allowed clock skew: another machine's clock may have decided. */
const CLOCK_SKEW_MS = 2_000;
/** More questions about one write would delay all others; a write without a result by then stays undecided. */
const MAX_QUESTIONS = 400;

export interface JudgeOptions {
  readonly oracle: Oracle;
  /** The largest difference between two times, and the oldest state from which the other controller may decide. */
  readonly windowMs: number;
}

/** `nothing`: it is no write of a Job controller. */
export type Verdict = "nothing" | "same" | "undecided" | Finding;

export class Judge {
  readonly #oracle: Oracle;
  readonly #windowMs: number;

  constructor({ oracle, windowMs }: JudgeOptions) {
    this.#oracle = oracle;
    this.#windowMs = windowMs;
  }

  judge(timeline: Timeline, change: Change): Verdict {
    if (!timeline.changes.includes(change)) return "undecided";
    if (isStatusWrite(change)) return this.#judgeStatus(timeline, change as JobChange);
    if (isCreation(change)) return this.#judgeCreation(timeline, change as PodChange);
    if (isRemoval(change)) return this.#judgeRemoval(timeline, change as PodChange);
    if (isDeletion(change)) return this.#judgeDeletion(timeline, change as PodChange);
    return "nothing";
  }

  #judgeStatus(timeline: Timeline, change: JobChange): Verdict {
    const written = change.after!.status;
    let nearest: { readonly intent: Intent; readonly mismatches: readonly Mismatch[] } | undefined;
    // The server takes a status only for the version of the Job from which it was made.
    const withJob = (state: Snapshot): Snapshot => ({ ...state, job: change.before });
    for (const intent of this.#intents(
      timeline,
      [
        ...timeline.statesBefore(change, this.#windowMs, ["creation", "removal"]),
        // Pods may have been created after the sync has looked at those that have ended.
        ...timeline.statesBefore(change, this.#windowMs, ["removal"]),
      ].map(withJob),
      change,
    )) {
      if (intent === "undecided") return intent;
      for (const status of nextStatuses(intent, change.before!.status)) {
        const mismatches = compareStatuses(written, status, this.#windowMs);
        if (mismatches.length === 0) return "same";
        if (nearest === undefined || mismatches.length < nearest.mismatches.length) nearest = { intent, mismatches };
      }
    }
    return statusFinding(change.atMs, nearest!.intent, nearest!.mismatches, "the built-in controller wrote");
  }

  #judgeCreation(timeline: Timeline, change: PodChange): Verdict {
    const pod = change.after!;
    const index = indexOf(pod);
    let latest: Intent | undefined;
    let lacking: string | undefined;
    let wanted: Intent["creations"][number] | undefined;
    for (const intent of this.#intents(timeline, this.#statesBefore(timeline, change), change)) {
      if (intent === "undecided") return intent;
      latest ??= intent;
      const same = intent.creations.find((creation) => indexOf(creation) === index);
      if (same === undefined) continue;
      wanted ??= same;
      const field = missingField(pod, same);
      if (field === undefined) return "same";
      lacking ??= field;
    }
    const what = `pod ${pod.metadata.name}${index === undefined ? "" : ` for index ${index}`}`;
    if (wanted !== undefined)
      return finding("creation", change, latest!, {
        sentence: `${what} was created, but not as Stint would: ${lacking} differs`,
        builtIn: { metadata: pod.metadata, spec: pod.spec },
        stint: wanted,
      });
    return finding(this.#comesLater(timeline, change, latest!, index) ? "back-off" : "creation", change, latest!, {
      sentence: Number.isFinite(latest!.nextMs)
        ? `${what} was created, and Stint would create none before ${new Date(latest!.nextMs).toISOString()}`
        : `${what} was created, and Stint would create none`,
      builtIn: { creates: pod.metadata.name },
      stint: { creates: latest!.creations.map(indexOf) },
    });
  }

  /** Whether Stint would create the pod when its next moment has come. */
  #comesLater(timeline: Timeline, change: Change, { nextMs }: Intent, index: string | undefined): boolean {
    if (!Number.isFinite(nextMs)) return false;
    const [state] = this.#statesBefore(timeline, change);
    return this.#oracle.ask({ ...state!, nowMs: nextMs }).creations.some((pod) => indexOf(pod) === index);
  }

  #judgeRemoval(timeline: Timeline, change: PodChange): Verdict {
    const { uid, name, ownerReferences = [] } = change.before!.metadata;
    // A pod that belongs to no Job is in no status, so it waits for none.
    const isOrphan = !ownerReferences.some(({ controller }) => controller === true);
    const isWanted = (intent: Intent): boolean =>
      intent.removals.some((removal) => removal.uid === uid && (removal.afterStatuses === 0 || isOrphan));
    let latest: Intent | undefined;
    // One sync removes several at the same time. It knows the status that it has written itself, but may not have seen
    // changes by users yet.
    const states = [
      ...timeline.statesBefore(change, this.#windowMs, ["creation"]),
      ...timeline.statesBefore(change, this.#windowMs, []),
    ];
    const known = podsOf(states);
    const { job } = states[0]!;
    for (const intent of this.#intents(timeline, [...states.map((state) => ({ ...state, job })), ...states], change)) {
      if (intent === "undecided") return intent;
      if (isWanted(intent) || wantsToDelete(intent, change.before!, known)) return "same";
      latest ??= intent;
    }
    const isLater = latest!.removals.some((removal) => removal.uid === uid);
    return finding("finalizer", change, latest!, {
      sentence: `pod ${name} lost its finalizer, and Stint would ${isLater ? "store its status first" : "leave it"}`,
      builtIn: { removes: name },
      stint: null,
    });
  }

  /** Any client may have deleted the pod: only a deletion in place of another one is surely the controller's. */
  #judgeDeletion(timeline: Timeline, change: PodChange): Verdict {
    const { name } = change.before!.metadata;
    let latest: Intent | undefined;
    const states = [...this.#statesBefore(timeline, change)];
    const known = podsOf(states);
    for (const intent of this.#intents(timeline, states, change)) {
      if (intent === "undecided") return intent;
      if (wantsToDelete(intent, change.before!, known)) return "same";
      latest ??= intent;
    }
    const spared = latest!.deletions.map((wanted) => timeline.pods.get(wanted));
    if (spared.length === 0 || !spared.every((pod) => pod !== undefined && isActive(pod))) return "nothing";
    const names = spared.map((pod) => pod!.metadata.name);
    return finding("deletion", change, latest!, {
      sentence: `pod ${name} was deleted, and Stint would delete ${names.join(", ")}`,
      builtIn: { deletes: name },
      stint: { deletes: names },
    });
  }

  #statesBefore(timeline: Timeline, change: Change): Iterable<Snapshot> {
    return timeline.statesBefore(change, this.#windowMs, ["creation", "removal"]);
  }

  /** What Stint would do in each of the states, at each relevant moment, the likeliest first. */
  *#intents({ goneJob }: Timeline, states: Iterable<Snapshot>, { atMs }: Change): Generator<Intent | "undecided"> {
    let questions = 0;
    const asked = new Set<string>();
    for (const { job, pods, untilMs } of states) {
      const key = keyOf(job, pods);
      if (asked.has(key)) continue;
      asked.add(key);
      // Its write may be seen up to a window after the sync began. Until its next moment Stint would decide the same.
      let [fromMs, sameUntilMs] = [Infinity, -Infinity];
      const lastMs = atMs + CLOCK_SKEW_MS;
      const moments = [untilMs, untilMs - this.#windowMs, atMs, lastMs];
      for (const nowMs of moments) {
        if (fromMs <= nowMs && nowMs < sameUntilMs) continue;
        for (const refusesPods of [false, true]) {
          if (++questions > MAX_QUESTIONS) {
            yield "undecided";
            return;
          }
          const intent = this.#oracle.ask({ job, goneJob, pods, nowMs, refusesPods });
          yield intent;
          if (!refusesPods) [fromMs, sameUntilMs] = [nowMs, intent.nextMs];
          if (intent.creations.length + intent.deletions.length > 0) continue;
          if (intent.nextMs < lastMs) moments.push(intent.nextMs);
          break;
        }
      }
    }
  }
}

/** By their UIDs, in their last states. */
function podsOf(states: readonly Snapshot[]): ReadonlyMap<string, Pod> {
  return new Map(states.toReversed().flatMap(({ pods }) => pods.map((pod) => [pod.metadata.uid, pod] as const)));
}

/** This pod, or one of the same rank: which of those is deleted is random. */
function wantsToDelete({ deletions }: Intent, pod: Pod, known: ReadonlyMap<string, Pod>): boolean {
  if (!isActive(pod)) return false;
  if (deletions.includes(pod.metadata.uid)) return true;
  return deletions.some((uid) => known.has(uid) && rankOf(known.get(uid)!) === rankOf(pod));
}

/** The rank by which upstream chooses active pods for deletion. */
function rankOf({ metadata, spec, status }: Pod): string {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready");
  const restarts = (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0);
  return JSON.stringify([
    ...[metadata.creationTimestamp, spec?.nodeName !== undefined, status?.phase, ready?.status],
    ...[ready?.lastTransitionTime, Math.max(0, ...restarts)],
  ]);
}

function keyOf(job: Job | undefined, pods: readonly Pod[]): string {
  const versions = pods.map((pod) => `${pod.metadata.resourceVersion}${isTracked(pod) ? "" : "-"}`);
  return `${job?.metadata.resourceVersion} ${versions.sort().join()}`;
}

/**
 * What may be written next. Between two writes of one sync a new engine finds part of the pods to count, and counts
 * these first. So it may write more often, as long as it removes no finalizer and stores no condition in between.
 */
function* nextStatuses({ statuses, removals }: Intent, stored: JobStatus): Generator<JobStatus> {
  if (statuses.length === 0) yield stored;
  let conditions = JSON.stringify(stored?.conditions ?? []);
  for (const [at, status] of statuses.entries()) {
    yield status;
    const next = JSON.stringify(status.conditions ?? []);
    if (next !== conditions || removals.some(({ afterStatuses }) => afterStatuses === at + 1)) return;
    conditions = next;
  }
}

function finding(
  kind: DivergenceKind,
  { atMs }: Pick<Change, "atMs">,
  { decisions }: Intent,
  sides: Pick<Finding, "sentence" | "builtIn" | "stint">,
): Finding {
  return { kind, atMs, ...sides, decisions: decisions.map(({ code, message }) => ({ code, message })) };
}

const RANKS: readonly Mismatch["kind"][] = ["end", "condition", "status", "timing"];

/** The most serious of several fields decides the kind. */
export function statusFinding(
  atMs: number,
  intent: Intent,
  mismatches: readonly Mismatch[],
  who: "the built-in controller wrote" | "the built-in controller leaves",
): Finding {
  const kind = RANKS.find((rank) => mismatches.some((mismatch) => mismatch.kind === rank))!;
  const sides = mismatches.map(
    ({ field, builtIn, stint }) =>
      `${field}: ${JSON.stringify(builtIn) ?? "nothing"}, Stint ${JSON.stringify(stint) ?? "nothing"}`,
  );
  return finding(kind, { atMs }, intent, {
    sentence: `${who} ${sides.join("; ")}`,
    builtIn: Object.fromEntries(mismatches.map(({ field, builtIn }) => [field, builtIn ?? null])),
    stint: Object.fromEntries(mismatches.map(({ field, stint }) => [field, stint ?? null])),
  });
}
