/**
 * Decides which one of several replicas acts: the one that holds a Lease, as with Kubernetes' own controllers.
 *
 * Invariant: if `holdsFor(ms)` is true, no other replica can take the Lease within that time. This replica counts from
 * the moment at which it sent its last successful renewal, on a clock that never goes back. Another replica waits for
 * the whole duration after it saw that renewal. The times in the Lease are for people; they are never compared. Leaves
 * out what a leader does, and what to do with writes while a renewal is late (fenced-transport.ts). Source: client-go
 * tools/leaderelection/leaderelection.go.
 */
import type { ApiRequest, ApiResponse, Clock, Timer, Transport } from "../../bindings/js/host.ts";
import { refusalMessage } from "../../bindings/js/refusal.ts";
import { LEASES, resourcePath } from "../../cluster/client/client.ts";

/** Each wait for the next attempt is longer by a random share up to this, so that replicas do not act in step. */
const JITTER = 0.2;
const CREATED = 201;
const OK = 200;
const NOT_FOUND = 404;
const CONFLICT = 409;

export interface LeaderElectionTimes {
  /** How long others wait, after the last renewal they saw, before they take over. */
  readonly leaseDurationMs: number;
  /** A leader that could not renew for this long gives up. It is shorter than the lease duration. */
  readonly renewDeadlineMs: number;
  /** The time between two attempts to get or to renew the Lease. */
  readonly retryPeriodMs: number;
}

export const DEFAULT_LEADER_ELECTION_TIMES: LeaderElectionTimes = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderElectionOptions {
  /** It must answer each request, if need be with status 0, in less than the renew deadline. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly times: LeaderElectionTimes;
  /** Namespace of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** The name of this replica. No other replica may ever have the same. */
  readonly identity: string;
  readonly userAgent?: string;
  /** This replica leads from now on. */
  readonly onStarted: () => void;
  /** This replica leads no longer. `reason` is a part of a sentence. */
  readonly onStopped: (reason: string) => void;
  /** Called after each renewal that succeeded. */
  readonly onRenewed?: () => void;
  /** Another replica holds the Lease now. */
  readonly onLeader?: (identity: string) => void;
  readonly onProblem?: (problem: string) => void;
}

/** What is known of the Lease. */
interface LeaseRecord {
  readonly metadata: { readonly resourceVersion: string } & Readonly<Record<string, unknown>>;
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** One replica's part in an election. It begins with `start`. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  #lease: LeaseRecord | undefined;
  /** When the present version of the Lease was first seen. */
  #seenMs = 0;
  #isLeading = false;
  /** Until then no other replica can take the Lease. */
  #heldUntilMs = -Infinity;
  #renewedMs = -Infinity;
  #answeredMs = -Infinity;
  #refusal: string | undefined;
  #timer: Timer | undefined;
  #isAsking = false;
  #released: (() => void) | undefined;
  #keepsLease = false;
  /** In this attempt a write conflicted with that of another replica, and the Lease was read again. */
  #hasReread = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Identity of the leader. Undefined: as far as is known, there is none. */
  get leader(): string | undefined {
    return this.#lease?.spec.holderIdentity || undefined;
  }

  /** When the API server last returned the Lease, by the clock; -Infinity: never. A refusal does not count. */
  get answeredMs(): number {
    return this.#answeredMs;
  }

  /**
   * Why the API server refused the last attempt, as one line that is a part of a sentence. Undefined: it did not
   * refuse, or there was no answer.
   */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Whether no other replica can hold the Lease within the next `ms` milliseconds. */
  holdsFor(ms: number): boolean {
    return this.#isLeading && this.#options.clock.now() + ms < this.#heldUntilMs;
  }

  start(): void {
    this.#attempt();
  }

  /**
   * Leaves the election. If this replica holds the Lease, it gives it back, so that another one need not wait. Then, or
   * when that fails, `released` is called. With `keepsLease` the Lease runs out instead, because a write under it may
   * still be on its way.
   */
  stop(released: () => void = () => {}, { keepsLease = false } = {}): void {
    this.#timer?.cancel();
    this.#released = released;
    this.#keepsLease = keepsLease;
    if (!this.#isAsking) this.#release();
  }

  #attempt(): void {
    this.#hasReread = false;
    if (this.#lease === undefined || !this.#isLeading) this.#read();
    else this.#write("PUT", this.#lease);
  }

  #read(): void {
    this.#ask("GET", undefined, (response) => {
      if (response.status === NOT_FOUND) {
        this.#lease = undefined;
        if (this.#isLeading) this.#lose("the Lease was deleted");
        this.#write("POST", undefined);
        return;
      }
      if (response.status !== OK || !this.#see(response)) return this.#again(response);
      const { spec } = this.#lease!;
      if (spec.holderIdentity && spec.holderIdentity !== this.#options.identity) {
        if (this.#isLeading) this.#lose(`${spec.holderIdentity} holds the Lease`);
        if (this.#options.clock.now() < this.#seenMs + (spec.leaseDurationSeconds ?? 0) * 1000) return this.#again();
      }
      this.#write("PUT", this.#lease);
    });
  }

  /**
   * Takes or renews the Lease. The resourceVersion makes sure that no other replica wrote in between. It worked only if
   * the answer is the Lease with this replica as its holder.
   */
  #write(method: "POST" | "PUT", lease: LeaseRecord | undefined): void {
    const sentMs = this.#options.clock.now();
    this.#ask(method, this.#body(lease), (response) => {
      if (
        (response.status === OK || response.status === CREATED) &&
        this.#see(response) &&
        this.leader === this.#options.identity
      ) {
        this.#renewedMs = sentMs;
        this.#heldUntilMs = sentMs + this.#options.times.leaseDurationMs;
        if (!this.#isLeading) {
          this.#isLeading = true;
          this.#options.onStarted();
        }
        this.#options.onRenewed?.();
        this.#again();
        return;
      }
      // Another replica has written the Lease, or it is gone, so read it. A 404 to a POST means that the namespace does
      // not exist.
      if (response.status === CONFLICT || (response.status === NOT_FOUND && method === "PUT")) {
        this.#heldUntilMs = -Infinity;
        if (!this.#hasReread) {
          this.#hasReread = true;
          this.#read();
          return;
        }
      }
      this.#again(response);
    });
  }

  #body(lease: LeaseRecord | undefined): object {
    const { identity, namespace, name, times, wallTime } = this.#options;
    const now = microTime(wallTime());
    const isMine = lease?.spec.holderIdentity === identity;
    return {
      apiVersion: LEASES.apiVersion,
      kind: LEASES.kind,
      metadata: lease?.metadata ?? { name, namespace },
      spec: {
        ...lease?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(times.leaseDurationMs / 1000),
        acquireTime: isMine ? (lease.spec.acquireTime ?? now) : now,
        renewTime: now,
        leaseTransitions: isMine
          ? (lease.spec.leaseTransitions ?? 0)
          : lease === undefined
            ? 0
            : (lease.spec.leaseTransitions ?? 0) + 1,
      },
    };
  }

  #release(): void {
    const lease = this.#lease;
    this.#isLeading = false;
    this.#heldUntilMs = -Infinity;
    const released = this.#released!;
    // Also give back a Lease that this replica got only now. If another replica has it already, the resourceVersion
    // causes a conflict.
    if (lease?.spec.holderIdentity !== this.#options.identity || this.#keepsLease) {
      this.#options.clock.defer(released);
      return;
    }
    const now = microTime(this.#options.wallTime());
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    this.#ask("PUT", { apiVersion: LEASES.apiVersion, kind: LEASES.kind, metadata: lease.metadata, spec }, released);
  }

  /** Remembers the Lease in an answer. False: the answer is not a Lease. */
  #see(response: ApiResponse): boolean {
    const lease = leaseIn(response);
    if (lease === undefined) return false;
    const previous = this.#lease;
    this.#lease = lease;
    if (lease.metadata.resourceVersion !== previous?.metadata.resourceVersion) this.#seenMs = this.#options.clock.now();
    const { holderIdentity = "" } = lease.spec;
    if (holderIdentity !== "" && holderIdentity !== (previous?.spec.holderIdentity ?? ""))
      this.#options.onLeader?.(holderIdentity);
    return true;
  }

  #lose(reason: string): void {
    this.#isLeading = false;
    this.#heldUntilMs = -Infinity;
    this.#options.onStopped(reason);
  }

  #again(failure?: ApiResponse): void {
    const { clock, random, times, onProblem, namespace, name } = this.#options;
    if (failure === undefined || failure.status === CONFLICT) this.#answeredMs = clock.now();
    this.#refusal =
      failure === undefined || failure.status === 0
        ? undefined
        : `the Lease ${namespace}/${name}: ${sentenceOf(failure)} (status ${failure.status})`;
    if (failure !== undefined)
      onProblem?.(`${this.#refusal ?? `the Lease ${namespace}/${name}: no answer`}; it is tried again`);
    if (this.#isLeading && clock.now() >= this.#renewedMs + times.renewDeadlineMs)
      this.#lose(`the Lease could not be renewed for ${times.renewDeadlineMs / 1000} s`);
    this.#timer = clock.setTimer(Math.round(times.retryPeriodMs * (1 + JITTER * random())), () => this.#attempt());
  }

  /** Sends one request at a time. An answer that comes after `stop` only completes the stop. */
  #ask(method: ApiRequest["method"], body: object | undefined, then: (response: ApiResponse) => void): void {
    const { transport, namespace, name, userAgent = "stint" } = this.#options;
    const path = resourcePath(LEASES, namespace, method === "POST" ? undefined : name);
    const headers = {
      accept: "application/json",
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const isLast = this.#released !== undefined;
    this.#isAsking = true;
    transport.send(
      { method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
      (response) => {
        this.#isAsking = false;
        if (this.#released === undefined || isLast) return then(response);
        // `stop` was called meanwhile. Give back the Lease in the version of this write.
        if (response.status === OK || response.status === CREATED) this.#lease = leaseIn(response) ?? this.#lease;
        this.#release();
      },
    );
  }
}

/** The time in the form of the API's MicroTime: six digits after the point. */
function microTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace("Z", "000Z");
}

function sentenceOf(failure: ApiResponse): string {
  return failure.status === OK || failure.status === CREATED
    ? "the answer is no Lease"
    : refusalMessage(failure) || "refused without a reason";
}

function leaseIn({ body }: ApiResponse): LeaseRecord | undefined {
  try {
    const lease = JSON.parse(
      typeof body === "string" ? body : new TextDecoder().decode(body),
    ) as Partial<LeaseRecord> & { readonly kind?: string };
    return lease.kind === LEASES.kind && typeof lease.metadata?.resourceVersion === "string"
      ? { metadata: lease.metadata, spec: lease.spec ?? {} }
      : undefined;
  } catch {
    return undefined;
  }
}
