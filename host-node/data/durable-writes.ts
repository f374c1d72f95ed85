/**
 * Makes every write of a cluster durable before it is visible outside of the process. All writes of one turn of the
 * event loop share one commit, so many clients wait for the disk once.
 *
 * Invariant: while a write is not on the disk, no answer and no line of a watch goes out to any client; they wait for
 * the commit, in their order. Components in this process (scheduler, kubelet, controllers) may see a write before that,
 * and act on it. If the process is killed then, they are lost together with what they have seen, and start again from
 * what is on the disk: to them it never happened. One effect may remain: a container that was started for a pod that is
 * not on the disk has run, as it may have run on a node that was lost.
 *
 * When a commit fails, the content of the disk is unknown, so nothing goes out any more, and the server has to end.
 */
import type { ObservedWrite } from "../../cluster/apiserver/server.ts";
import type { Change } from "./database.ts";

export interface DurableWritesOptions {
  /** Returns when the changes are on the disk, up to this revision. */
  readonly commit: (changes: Iterable<Change>, revision: number) => void;
  /** Calls back once the present turn is over. */
  readonly soon: (callback: () => void) => void;
  readonly onFailure: (error: Error) => void;
}

export class DurableWrites {
  readonly #options: DurableWritesOptions;
  /** The latest write of each object, by resource and key. */
  readonly #pending = new Map<string, ObservedWrite>();
  readonly #waiting: (() => void)[] = [];
  #revision = 0;
  #hasFailed = false;

  constructor(options: DurableWritesOptions) {
    this.#options = options;
  }

  /** Whether writes are not on the disk yet, or earlier callbacks wait. */
  get isPending(): boolean {
    return this.#pending.size > 0 || this.#waiting.length > 0 || this.#hasFailed;
  }

  /** Takes a write; a listener for `Cluster.observe`. */
  readonly take = (write: ObservedWrite): void => {
    if (this.#pending.size === 0) this.#options.soon(() => this.commit());
    this.#pending.set(`${write.resource} ${write.stored.key}`, write);
    this.#revision = write.revision;
  };

  /** Calls back when all writes so far are on the disk: at once if they are. In the order of the calls. */
  after(callback: () => void): void {
    if (this.isPending) this.#waiting.push(callback);
    else callback();
  }

  /** Commits the pending writes, and runs the callbacks that waited for them. */
  commit(): void {
    if (this.#hasFailed || this.#pending.size === 0) return;
    try {
      this.#options.commit(changesOf(this.#pending.values()), this.#revision);
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onFailure(error as Error);
      return;
    }
    this.#pending.clear();
    // None of them writes: they send answers, and lines of watches.
    for (const callback of this.#waiting.splice(0)) callback();
  }
}

function* changesOf(writes: Iterable<ObservedWrite>): Generator<Change> {
  for (const { resource, type, revision, stored } of writes)
    yield { resource, key: stored.key, revision, text: type === "DELETED" ? undefined : stored.text };
}
