/**
 * Finds what the built-in controller should have written and did not.
 *
 * Stint's engine decides on the present state, and again when a window has passed. What it wants both times, and what
 * the other controller has not begun in between, is left undone. It is reported once, until it is done.
 */
import { BackOff } from "./back-off.ts";
import { compareStatuses } from "./compare.ts";
import { type Finding, indexOf } from "./divergence.ts";
import { statusFinding } from "./judge.ts";
import type { Intent, Oracle } from "./oracle.ts";
import { type Change, isCreation, isStatusWrite, type Timeline } from "./timeline.ts";

export interface UndoneOptions {
  readonly oracle: Oracle;
  readonly windowMs: number;
}

/** The wanted writes, by a text that identifies each. */
type Wishes = ReadonlyMap<string, () => Finding>;

/** Of one Job. */
export class Undone {
  readonly backOff: BackOff;
  readonly #oracle: Oracle;
  readonly #windowMs: number;
  /** The wanted writes when Stint was last asked. */
  #wanted: ReadonlySet<string> = new Set();
  #askedMs = -Infinity;
  #told: ReadonlySet<string> = new Set();
  /** When Stint is asked again. */
  #nextMs = -Infinity;

  constructor({ oracle, windowMs }: UndoneOptions) {
    this.#oracle = oracle;
    this.#windowMs = windowMs;
    this.backOff = new BackOff({ windowMs, backOffMs: (failures) => oracle.backOffMs(failures) });
  }

  /** Something has changed. */
  wake(nowMs: number): void {
    this.#nextMs = Math.min(this.#nextMs, Math.max(this.#askedMs + this.#windowMs, nowMs));
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextMs;
  }

  /** Stint cannot be asked now. */
  pause(nowMs: number): void {
    this.#nextMs = nowMs + this.#windowMs;
  }

  /** Asks Stint about the present state. @returns the writes that were found undone since the last time */
  look(timeline: Timeline, nowMs: number): Finding[] {
    const { job, goneJob } = timeline;
    const intent = this.#oracle.ask({ job, goneJob, pods: [...timeline.pods.values()], nowMs });
    // The backoff of an index is derived from a pod that is kept, so Stint knows it.
    const waitsUntilMs = job?.spec?.backoffLimitPerIndex === undefined ? this.backOff.untilMs : -Infinity;
    const waits = intent.creations.length > 0 && nowMs < waitsUntilMs;
    const wishes = wishesOf(
      timeline,
      waits ? { ...intent, creations: [], statuses: [] } : intent,
      nowMs,
      this.#windowMs,
    );
    const done = doneSince(timeline.changes, this.#askedMs);
    const late = [...wishes.keys()].filter((wish) => this.#wanted.has(wish) && !done.has(wish));
    const findings = late.filter((wish) => !this.#told.has(wish)).map((wish) => wishes.get(wish)!());
    this.#told = new Set(late);
    this.#wanted = new Set(wishes.keys());
    this.#askedMs = nowMs;
    const changesMs = waits ? Math.min(waitsUntilMs, intent.nextMs) : intent.nextMs;
    this.#nextMs = wishes.size > 0 ? nowMs + this.#windowMs : Math.max(changesMs, nowMs + this.#windowMs);
    return findings;
  }
}

function wishesOf({ job, pods }: Timeline, intent: Intent, nowMs: number, windowMs: number): Wishes {
  const wishes = new Map<string, () => Finding>();
  const decisions = intent.decisions.map(({ code, message }) => ({ code, message }));
  const wish = (key: string, kind: Finding["kind"], sentence: string, stint: object): void => {
    const found = { kind, atMs: nowMs, builtIn: null, stint, decisions };
    wishes.set(key, () => ({ ...found, sentence: `${sentence}, and the built-in controller does not` }));
  };
  for (const pod of intent.creations) {
    const index = indexOf(pod);
    wish(
      creationKey(index),
      "creation",
      `Stint would create a pod${index === undefined ? "" : ` for index ${index}`}`,
      { creates: intent.creations.map((creation) => indexOf(creation) ?? null) },
    );
  }
  for (const uid of intent.deletions) {
    const name = pods.get(uid)?.metadata.name;
    if (name !== undefined) wish(`deletion ${uid}`, "deletion", `Stint would delete pod ${name}`, { deletes: name });
  }
  for (const { uid, afterStatuses } of intent.removals) {
    const name = pods.get(uid)?.metadata.name;
    if (name !== undefined && afterStatuses === 0)
      wish(`finalizer ${uid}`, "finalizer", `Stint would take the finalizer off pod ${name}`, { removes: name });
  }
  const [status] = intent.statuses;
  if (wishes.size > 0 || status === undefined) return wishes;
  const mismatches = compareStatuses(job?.status, status, windowMs);
  if (mismatches.length > 0)
    wishes.set(STATUS, () => statusFinding(nowMs, intent, mismatches, "the built-in controller leaves"));
  return wishes;
}

const STATUS = "status";

function creationKey(index: string | undefined): string {
  return index === undefined ? "creation" : `creation ${index}`;
}

function doneSince(changes: readonly Change[], sinceMs: number): ReadonlySet<string> {
  const done = new Set<string>();
  for (const change of changes) {
    if (change.atMs < sinceMs) continue;
    if (isCreation(change)) done.add(creationKey(indexOf(change.after!)));
    if (isStatusWrite(change)) done.add(STATUS);
  }
  return done;
}
