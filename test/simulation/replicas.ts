/**
 * Two replicas with the election and the fence of host-node/: each takes part in the election of one Lease, and has a
 * controller while it leads. One may be killed, end in good order, or be stopped for any time and resume as if nothing
 * had happened, and then what it had on its lips leaves it. The Lease travels on a network as bad as everything else.
 *
 * Invariant: as in host-node/controller/controller-replica.ts: a replica's next controller begins when no request of
 * the one before is under way.
 */
import type { ApiResponse, Clock, Transport } from "../../bindings/js/host.ts";
import { LeaderElection, type LeaderElectionTimes } from "../../host-node/controller/leader-election.ts";
import { NO_ANSWER } from "../../host-node/transport/no-answer.ts";
import type { Chance } from "./chance.ts";
import type { ControllerProcess } from "./controller-process.ts";
import type { Deployment } from "./deployment.ts";
import { FaultyTransport } from "./faulty-transport.ts";
import { LEASE } from "./ledger.ts";
import { StoppableClock } from "./stoppable-clock.ts";
import type { World } from "./world.ts";

const REPLICAS = 2;
const TIMES: LeaderElectionTimes = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
/** Of a controller: it writes only while the Lease is held for as long. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Of the election: half of the time in which it must be renewed. */
const ELECTION_TIMEOUT_MS = 5_000;

export class Replicas implements Deployment {
  readonly #world: World;
  readonly #chance: Chance;
  #replicas: Replica[];
  #number = 0;

  constructor(world: World, chance: Chance) {
    this.#world = world;
    this.#chance = chance;
    this.#replicas = Array.from({ length: REPLICAS }, () => this.#newReplica());
  }

  get processes(): readonly ControllerProcess[] {
    return this.#replicas.flatMap(({ process }) => process ?? []);
  }

  crash(gapMs: number): void {
    this.#exchange((replica) => replica.crash(), gapMs);
  }

  handOver(gapMs: number): void {
    this.#exchange((replica) => replica.end(), gapMs);
  }

  halt(): void {
    const running = this.#replicas.filter(({ isHalted }) => !isHalted);
    if (running.length > 0) this.#leaderOf(running).halt();
  }

  proceed(): void {
    for (const replica of this.#replicas) replica.proceed();
  }

  #exchange(end: (replica: Replica) => void, gapMs: number): void {
    const replica = this.#leaderOf(this.#replicas);
    // Who is stopped is killed, and nothing else.
    if (replica.isHalted) replica.crash();
    else end(replica);
    this.#world.clock.advance(gapMs);
    this.#replicas = [...this.#replicas.filter((other) => other !== replica), this.#newReplica()];
  }

  // Mostly it is of more interest than the one that waits.
  #leaderOf(replicas: readonly Replica[]): Replica {
    const leaders = replicas.filter(({ process }) => process !== undefined);
    return this.#chance.pick(leaders.length > 0 && this.#chance.isHit(0.8) ? leaders : replicas);
  }

  #newReplica(): Replica {
    this.#number++;
    return new Replica(this.#world, `replica-${this.#number}`, this.#chance.fork(`replica ${this.#number}`));
  }
}

class Replica {
  readonly #identity: string;
  readonly #world: World;
  readonly #clock: StoppableClock;
  readonly #network: FaultyTransport;
  readonly #election: LeaderElection;
  #process: ControllerProcess | undefined;
  /** Of controllers before that have requests under way. */
  #unsettled = 0;
  #isGone = false;

  constructor(world: World, identity: string, chance: Chance) {
    this.#world = world;
    this.#identity = identity;
    const clock = new StoppableClock(world.clock);
    this.#clock = clock;
    const nothing = (): void => {};
    this.#network = new FaultyTransport({
      handle: (request) => world.ledger.handle(identity, request),
      clock: world.clock,
      ownClock: clock,
      chance: chance.fork("network"),
      weather: () => world.weather,
      hasOldPodLists: false,
      listener: {
        sent: nothing,
        handled: nothing,
        answered: nothing,
        streamBegan: nothing,
        lineShown: nothing,
        pageShown: nothing,
        lied: (what) => this.#say(what),
      },
    });
    this.#election = new LeaderElection({
      clock,
      random: chance.fork("jitter").random,
      wallTime: () => clock.now(),
      transport: givingUp(this.#network, clock),
      times: TIMES,
      ...LEASE,
      identity,
      onStarted: () => this.#lead(),
      onStopped: (reason) => {
        this.#say(`leads no longer: ${reason}`);
        this.#endSession();
      },
      onRenewed: () => this.#process?.release(),
    });
    this.#election.start();
  }

  get process(): ControllerProcess | undefined {
    return this.#process;
  }

  get isHalted(): boolean {
    return this.#clock.isStopped;
  }

  crash(): void {
    this.#say("is killed");
    this.#isGone = true;
    this.#process?.crash();
    this.#process = undefined;
    this.#network.crash();
    this.#election.stop(undefined, { keepsLease: true });
  }

  /** What is under way is settled, and then the Lease is given back. */
  end(): void {
    this.#say("ends");
    this.#isGone = true;
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined) this.#election.stop();
    else process.stop(() => this.#election.stop());
  }

  halt(): void {
    this.#say("is stopped");
    this.#clock.stop();
    this.#network.halt();
    this.#process?.halt();
  }

  proceed(): void {
    if (!this.isHalted) return;
    this.#say("continues");
    this.#network.proceed();
    this.#process?.proceed();
    this.#clock.goOn();
  }

  #lead(): void {
    if (this.#isGone || this.#unsettled > 0 || this.#process !== undefined) return;
    this.#say("leads");
    const mayWrite = (): boolean => this.#election.holdsFor(REQUEST_TIMEOUT_MS);
    this.#process = this.#world.startController({
      ownClock: this.#clock,
      leadership: { identity: this.#identity, mayWrite },
    });
  }

  #endSession(): void {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined) return;
    this.#unsettled++;
    process.stop(() => {
      this.#unsettled--;
      if (this.#election.isLeading) this.#lead();
    });
  }

  #say(text: string): void {
    this.#world.trace.add(this.#identity, text);
  }
}

/** An answer that comes later than an election waits is none. */
function givingUp(transport: Transport, clock: Clock): Transport {
  return {
    send: (request, done) => {
      let isAnswered = false;
      const answer = (response: ApiResponse): void => {
        if (isAnswered) return;
        isAnswered = true;
        timer.cancel();
        done(response);
      };
      const timer = clock.setTimer(ELECTION_TIMEOUT_MS, () => answer(NO_ANSWER));
      transport.send(request, answer);
    },
    stream: (request, sink) => transport.stream(request, sink),
  };
}
