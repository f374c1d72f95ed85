/**
 * Replicas over one Lease of the in-memory API server, on virtual time: who leads, how it is handed over, and that no
 * two may ever write at once, whatever happens to their connections.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse, Transport } from "../../../bindings/js/host.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { DEFAULT_LEADER_ELECTION_TIMES, LeaderElection } from "../../../host-node/controller/leader-election.ts";
import { seeded } from "../../cluster/component-harness.ts";

const START_MS = Date.UTC(2026, 0, 1);
const PATH = "/apis/coordination.k8s.io/v1/namespaces/default/leases/stint";
const REQUEST_TIMEOUT_MS = 5_000;
/** How long a write of the controller may take; it starts only while the Lease is held for that long. */
const WRITE_TIMEOUT_MS = 10_000;

/** A way to the API server that can be cut: then requests time out, and those that got through lose their answer. */
class Wire implements Transport {
  isCut = false;
  losesAnswers = false;
  readonly #cluster: Cluster;
  readonly #clock: VirtualClock;

  constructor(cluster: Cluster, clock: VirtualClock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  send(request: ApiRequest, done: (response: ApiResponse) => void): void {
    const lost = { status: 0, headers: {}, body: "" };
    // The real server takes a PUT with the uid of a Lease that is gone for a conflict; the in-memory one makes the
    // Lease again.
    if (
      request.method === "PUT" &&
      (this.#cluster.handle({ method: "GET", path: PATH, headers: {} }) as ApiResponse).status === 404
    ) {
      this.#clock.defer(() => done({ status: 409, headers: {}, body: "{}" }));
      return;
    }
    if (this.isCut) this.#clock.setTimer(REQUEST_TIMEOUT_MS, () => done(lost));
    else
      this.#cluster.transport.send(request, (response) =>
        this.losesAnswers ? this.#clock.setTimer(REQUEST_TIMEOUT_MS, () => done(lost)) : done(response),
      );
  }

  stream(): () => void {
    throw new Error("an election watches nothing");
  }
}

interface Replica {
  readonly election: LeaderElection;
  readonly wire: Wire;
  readonly history: string[];
  readonly problems: string[];
}

let clock: VirtualClock;
let cluster: Cluster;
let random: () => number;

beforeEach(() => {
  clock = new VirtualClock(START_MS);
  random = seeded(7);
  cluster = new Cluster({ clock, random, admission: () => "{}", gangScheduling: false });
});

/** Identities are a, b, c… in the order of creation. */
function replicas(count: number): Replica[] {
  return Array.from({ length: count }, (_, i) => {
    const wire = new Wire(cluster, clock);
    const history: string[] = [];
    const problems: string[] = [];
    const election = new LeaderElection({
      transport: wire,
      clock,
      random,
      wallTime: () => clock.now(),
      times: DEFAULT_LEADER_ELECTION_TIMES,
      namespace: "default",
      name: "stint",
      identity: String.fromCharCode(97 + i),
      onStarted: () => history.push("leads"),
      onStopped: (reason) => history.push(reason),
      onLeader: (identity) => history.push(`follows ${identity}`),
      onProblem: (problem) => problems.push(problem),
    });
    election.start();
    return { election, wire, history, problems };
  });
}

function lease(): any {
  const answer = cluster.handle({ method: "GET", path: PATH, headers: {} }) as ApiResponse;
  return JSON.parse(String(answer.body));
}

function writers(all: readonly Replica[]): number {
  return all.filter(({ election }) => election.holdsFor(WRITE_TIMEOUT_MS)).length;
}

/** Lets time pass, and looks at each tenth of a second that one replica at most could hold the Lease. */
function pass(ms: number, all: readonly Replica[]): void {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100);
    expect(all.filter(({ election }) => election.holdsFor(0)).length).toBeLessThanOrEqual(1);
  }
}

/**
 * A replica alone with a server that answers by `answer`; more than 1,000 requests at one moment are a loop without a
 * wait.
 */
function replicaAt(answer: (request: ApiRequest) => ApiResponse): {
  election: LeaderElection;
  asked: string[];
  problems: string[];
} {
  const asked: string[] = [];
  const problems: string[] = [];
  let moment = { ms: 0, count: 0 };
  const send = (request: ApiRequest, done: (response: ApiResponse) => void): void => {
    moment = moment.ms === clock.now() ? { ...moment, count: moment.count + 1 } : { ms: clock.now(), count: 1 };
    if (moment.count > 1000)
      throw new Error(`1,000 requests at one moment, ${asked.slice(-2).join(" and ")} again and again`);
    asked.push(request.method);
    clock.defer(() => done(answer(request)));
  };
  const election = new LeaderElection({
    transport: { send, stream: () => () => {} },
    clock,
    random: () => 0,
    wallTime: () => clock.now(),
    times: DEFAULT_LEADER_ELECTION_TIMES,
    namespace: "gone",
    name: "stint",
    identity: "a",
    onStarted: () => {},
    onStopped: () => {},
    onProblem: (problem) => problems.push(problem),
  });
  election.start();
  return { election, asked, problems };
}

describe("LeaderElection", () => {
  it("makes the first replica the leader, with a Lease as upstream writes it", () => {
    const all = replicas(3);
    pass(20_000, all);
    expect(all.map(({ election }) => election.isLeading)).toEqual([true, false, false]);
    expect(all[0]!.history).toEqual(["follows a", "leads"]);
    expect(all[1]!.history).toEqual(["follows a"]);
    expect(lease().spec).toMatchObject({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: "2026-01-01T00:00:00.000000Z",
    });
    expect(Date.parse(lease().spec.renewTime)).toBeGreaterThan(START_MS + 15_000);
    expect(writers(all)).toBe(1);
  });

  it("hands over within the duration of the Lease and one retry when the leader is gone without a word", () => {
    const all = replicas(2);
    pass(10_000, all);
    all[0]!.wire.isCut = true; // kill -9 of a: it is never heard of again.
    const { leaseDurationMs, retryPeriodMs } = DEFAULT_LEADER_ELECTION_TIMES;
    pass(leaseDurationMs + 2 * retryPeriodMs, all);
    expect(all[1]!.election.isLeading).toBe(true);
    expect(lease().spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  });

  it("stops writing in time and gives up when it cannot renew, and follows who took over", () => {
    const all = replicas(2);
    pass(10_000, all);
    all[0]!.wire.isCut = true;
    pass(6_000, all);
    expect(writers(all)).toBe(0); // It may still hold the Lease, but not for as long as a write may take.
    pass(30_000, all);
    expect(all[0]!.history.at(-1)).toBe("the Lease could not be renewed for 10 s");
    all[0]!.wire.isCut = false;
    pass(5_000, all);
    expect(all[0]!.history.at(-1)).toBe("follows b");
    expect(all[0]!.problems[0]).toBe("the Lease default/stint: no answer; it is tried again");
  });

  it("never has two writers when the answers of a leader get lost", () => {
    const all = replicas(2);
    pass(10_000, all);
    all[0]!.wire.losesAnswers = true; // Its renewals are stored all the same, so that b sees a leader.
    pass(60_000, all);
    all[0]!.wire.losesAnswers = false;
    pass(20_000, all);
    expect(writers(all)).toBe(1);
  });
});

describe("LeaderElection at its end", () => {
  it("gives the Lease back at the end, and another replica takes it at its next look", () => {
    const all = replicas(2);
    pass(10_000, all);
    let released = false;
    all[0]!.election.stop(() => (released = true));
    pass(3_000, all);
    expect(released).toBe(true);
    expect(all[1]!.election.isLeading).toBe(true);
    expect(all[0]!.history).not.toContain("follows b");
  });

  it("ends also when the Lease cannot be given back, or was never held", () => {
    const all = replicas(2);
    pass(10_000, all);
    let released = 0;
    all[0]!.wire.isCut = true;
    for (const { election } of all) election.stop(() => released++);
    pass(REQUEST_TIMEOUT_MS * 2, all);
    expect(released).toBe(2);
  });

  it.each([
    ["another object", () => ({ kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "99" }, spec: {} })],
    [
      "the Lease as it was before",
      (lease: object) => ({
        ...lease,
        metadata: { resourceVersion: "7" },
        spec: { holderIdentity: "z", leaseDurationSeconds: 15 },
      }),
    ],
    ["no object", () => null],
  ])("does not lead when a write of the Lease is answered 200 with %s", (_what, lie) => {
    const [only] = replicas(1);
    const send = only!.wire.send.bind(only!.wire);
    only!.wire.send = (request, done) => {
      if (request.method === "GET") send(request, done);
      else
        clock.defer(() =>
          done({ status: 200, headers: {}, body: JSON.stringify(lie(JSON.parse(String(request.body)))) }),
        );
    };
    pass(6_000, [only!]);
    expect(only!.history).not.toContain("leads");
    expect(only!.election.holdsFor(0)).toBe(false);
  });

  it("takes no Lease any more once it is ending", () => {
    const [only] = replicas(1);
    let released = false;
    only!.election.stop(() => (released = true)); // The first request, which reads, is under way.
    pass(3_000, [only!]);
    expect(released).toBe(true);
    expect(only!.history).toEqual([]);
  });

  it("gives back a Lease that it got while it was ending", () => {
    const [only] = replicas(1);
    const answer = only!.wire.send.bind(only!.wire);
    let released = false;
    only!.wire.send = (request, done) => {
      if (request.method === "POST") only!.election.stop(() => (released = true));
      answer(request, done);
    };
    pass(3_000, [only!]);
    expect(released).toBe(true);
    expect(only!.history).not.toContain("leads");
    expect(lease().spec.holderIdentity).toBe("");
  });

  it("lets the Lease run out when its holder asks to keep it", () => {
    const all = replicas(2);
    pass(10_000, all);
    let released = false;
    all[0]!.election.stop(() => (released = true), { keepsLease: true });
    pass(10_000, all);
    expect(released).toBe(true);
    expect([all[0]!.election.isLeading, all[1]!.election.isLeading]).toEqual([false, false]);
    pass(10_000, all);
    expect(all[1]!.election.isLeading).toBe(true);
  });
});

describe("LeaderElection when others write the Lease", () => {
  it("creates the Lease again when a client deletes it, and leads again", () => {
    const all = replicas(1);
    pass(10_000, all);
    cluster.handle({ method: "DELETE", path: PATH, headers: {} });
    pass(6_000, all);
    expect(all[0]!.history.slice(2)).toEqual(["the Lease was deleted", "follows a", "leads"]);
    expect(lease().spec.holderIdentity).toBe("a");
  });

  it("steps down at once when another holder is written into the Lease", () => {
    const all = replicas(1);
    pass(10_000, all);
    const current = lease();
    cluster.handle({
      method: "PUT",
      path: PATH,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...current, spec: { ...current.spec, holderIdentity: "x" } }),
    });
    pass(5_000, all);
    expect(all[0]!.history.at(-1)).toBe("x holds the Lease");
    pass(20_000, all);
    expect(all[0]!.election.isLeading).toBe(true); // x never renews it.
  });
});

describe("LeaderElection against what a server answers", () => {
  it("says that the namespace of the Lease is not there, and looks again after the retry period", () => {
    const message = 'namespaces "gone" not found';
    const { asked, problems } = replicaAt(() => ({
      status: 404,
      headers: {},
      body: JSON.stringify({ kind: "Status", message }),
    }));
    clock.advance(5_000);
    expect(asked).toEqual(["GET", "POST", "GET", "POST", "GET", "POST"]);
    expect(problems).toEqual(Array<string>(3).fill(`the Lease gone/stint: ${message} (status 404); it is tried again`));
  });

  it("reads at once the Lease that another replica has created meanwhile", () => {
    const others = {
      kind: "Lease",
      metadata: { resourceVersion: "1" },
      spec: { holderIdentity: "b", leaseDurationSeconds: 15 },
    };
    let isThere = false;
    const { asked, election, problems } = replicaAt(({ method }) => {
      if (method === "POST") isThere = true;
      return method === "GET" && isThere
        ? { status: 200, headers: {}, body: JSON.stringify(others) }
        : { status: method === "GET" ? 404 : 409, headers: {}, body: "{}" };
    });
    clock.advance(1_000);
    expect({ asked, leader: election.leader, problems }).toEqual({
      asked: ["GET", "POST", "GET"],
      leader: "b",
      problems: [],
    });
  });

  it("waits the retry period after a few requests, whatever is answered", () => {
    const held = {
      kind: "Lease",
      metadata: { resourceVersion: "1" },
      spec: { holderIdentity: "a", leaseDurationSeconds: 15 },
    };
    const answers = [0, 200, 404, 409, 500].map((status) => ({
      status,
      headers: {},
      body: JSON.stringify(status === 200 ? held : { message: "no" }),
    }));
    for (const get of answers) {
      for (const post of answers) {
        for (const put of answers) {
          const { asked, election } = replicaAt(({ method }) =>
            method === "GET" ? get : method === "POST" ? post : put,
          );
          clock.advance(20_000);
          expect(asked.length, `GET ${get.status}, POST ${post.status}, PUT ${put.status}`).toBeLessThanOrEqual(4 * 11);
          election.stop();
        }
      }
    }
  });

  it("knows when it last heard something of the Lease, and what it hears in its place", () => {
    const others: ApiResponse = {
      status: 200,
      headers: {},
      body: JSON.stringify({
        kind: "Lease",
        metadata: { resourceVersion: "1" },
        spec: { holderIdentity: "b", leaseDurationSeconds: 15 },
      }),
    };
    const refusal = (status: number): ApiResponse => ({
      status,
      headers: {},
      body: JSON.stringify({ kind: "Status", message: "no\nentry" }),
    });
    let get = others;
    let post = refusal(403);
    const { election } = replicaAt(({ method }) => (method === "GET" ? get : post));
    const known = (): object => ({ answeredMs: election.answeredMs, refusal: election.refusal });
    expect(known()).toEqual({ answeredMs: -Infinity, refusal: undefined });
    clock.advance(1_000);
    expect(known()).toEqual({ answeredMs: START_MS, refusal: undefined });
    for (const [answer, sentence] of [
      [refusal(401), "no entry (status 401)"],
      [refusal(500), "no entry (status 500)"],
      [{ ...others, body: "{}" }, "the answer is no Lease (status 200)"],
    ] as const) {
      get = answer;
      clock.advance(2_000);
      expect(known()).toEqual({ answeredMs: START_MS, refusal: `the Lease gone/stint: ${sentence}` });
    }
    get = refusal(404); // It may read, but not create.
    clock.advance(2_000);
    expect(known()).toEqual({ answeredMs: START_MS, refusal: "the Lease gone/stint: no entry (status 403)" });
    get = { status: 0, headers: {}, body: "" };
    clock.advance(2_000);
    expect(known()).toEqual({ answeredMs: START_MS, refusal: undefined });
    get = others;
    clock.advance(2_000);
    expect(known()).toEqual({ answeredMs: START_MS + 12_000, refusal: undefined });
    get = refusal(404);
    post = refusal(409);
    clock.advance(2_000);
    expect(election.answeredMs).toBe(START_MS + 14_000);
  });
});
