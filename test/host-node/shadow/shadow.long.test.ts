/** A shadow beside a Job controller on a virtual clock: it finds what is planted, and nothing else. */
import { afterEach, describe, expect, it } from "vitest";
import { randomScenario } from "../../parity/random/scenario.ts";
import { PLANTED, type Planted } from "./planted.ts";
import { Stage, type StageOptions, type Tampering } from "./stage.ts";
import { tries } from "../../tries.ts";

const RANDOM_JOBS = tries(40, 8);
/** The shadow stands still for so long, after that many seconds in which it did not. */
const STALL_SECONDS = 16;
const LONG_STALL_SECONDS = 30;
const BETWEEN_STALLS_SECONDS = 20;
let stage: Stage;

afterEach(() => stage.close());

async function open(options: StageOptions = {}): Promise<Stage> {
  stage = await Stage.open(options);
  return stage;
}

const kinds = (): string[] => [...new Set(stage.divergences.map(({ kind }) => kind))];

describe("a controller that does as Stint", () => {
  it("diverges in nothing, whatever the Jobs and their users do", async () => {
    let judged = 0;
    let stalled = 0;
    let undecided = 0;
    for (let seed = 1; seed <= RANDOM_JOBS; seed++) {
      await open({ seed });
      playRandom(seed);
      expect({ seed, divergences: stage.divergences, problems: stage.problems }).toEqual({
        seed,
        divergences: [],
        problems: [],
      });
      judged += stage.shadow.counts.judged;
      stalled += stage.shadow.counts.stalled;
      undecided += stage.shadow.counts.undecided;
      stage.close();
    }
    expect(judged).toBeGreaterThan(10 * RANDOM_JOBS);
    expect(stalled).toBe(0);
    expect(undecided).toBeLessThan(judged / 100);
  });
});

describe("a server that takes seconds to create a pod", () => {
  it("makes no divergence when another back-off ends meanwhile", async () => {
    let isSlow = false;
    await open({
      tampering: (request, done, send) => {
        const waitMs = isSlow && request.method === "POST" && request.path.endsWith("/pods") ? 2_500 : 0;
        stage.clock.setTimer(waitMs, () => send(request, done));
      },
    });
    const spec = { completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimitPerIndex: 2 };
    stage.createJob("slow", spec, { runMs: 300_000 });
    stage.pass(5);
    isSlow = true;
    for (const pod of stage.pods().slice(0, 2)) {
      stage.api("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`);
      stage.pass(2);
    }
    stage.pass(60);
    expect(stage.pods()).toHaveLength(3);
    expect(stage.divergences).toEqual([]);
  });
});

describe("a shadow that is paused for a while", () => {
  it("reports nothing of Jobs that ended, failed and went on meanwhile", async () => {
    for (let seed = 1; seed <= RANDOM_JOBS; seed++) {
      await open({ seed });
      playRandom(seed, withStalls(seed));
      expect({ seed, divergences: stage.divergences }).toEqual({ seed, divergences: [] });
      stage.close();
    }
  });

  it("reports nothing of a Job that passed its deadline meanwhile", async () => {
    await open();
    const spec = { completionMode: "Indexed", completions: 5, parallelism: 4, activeDeadlineSeconds: 8 };
    stage.createJob("late", spec, { runMs: 2_000, byIndex: { 4: { runMs: 60_000 } } });
    stage.pass(1);
    stage.passUnseen(STALL_SECONDS);
    stage.pass(60);
    expect(stage.divergences).toEqual([]);
  });
});

describe("a shadow that is paused for longer than its window", () => {
  it("does not report what it saw too late, and counts it", async () => {
    let stalled = 0;
    for (let seed = 1; seed <= RANDOM_JOBS; seed++) {
      await open({ seed });
      playRandom(seed, withStalls(seed, LONG_STALL_SECONDS));
      expect({ seed, divergences: stage.divergences }).toEqual({ seed, divergences: [] });
      stalled += stage.shadow.counts.stalled;
      stage.close();
    }
    expect(stalled).toBeGreaterThan(0);
  });

  it("says so once, in one sentence", async () => {
    await open();
    stage.pass(30);
    stage.passUnseen(LONG_STALL_SECONDS);
    stage.pass(60);
    expect(stage.problems).toEqual(["the shadow saw changes 30 s late; what seems to diverge around that is not told"]);
  });

  it("reports afterwards what the controller still leaves undone", async () => {
    await open({ tampering: creatingAtMost(2) });
    stage.createJob("left", { completions: 3, parallelism: 3 }, { runMs: 300_000 });
    stage.passUnseen(LONG_STALL_SECONDS);
    expect(stage.divergences).toEqual([]);
    stage.pass(60);
    expect(kinds()).toEqual(["creation"]);
  });

  it("reports what the controller does otherwise a while later", async () => {
    await open({ constants: { podBackoffBaseMs: 1 } });
    stage.pass(5);
    stage.passUnseen(LONG_STALL_SECONDS);
    stage.pass(15);
    stage.createJob("hasty", { completions: 1 }, { runMs: 4_000, exitCodes: [1, 0] });
    stage.pass(60);
    expect(kinds()).toContain("back-off");
  });
});

describe("a back-off that the present pods do not tell", () => {
  /** A user deletes each pod of a Job: the failures are counted, and their pods are gone. */
  function losePods(): void {
    stage.createJob("lost", { completions: 1, podReplacementPolicy: "Failed" }, { runMs: 300_000 });
    for (let lost = 0; lost < 3; lost++) {
      stage.pass(25);
      const [pod] = stage.pods();
      stage.api("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`);
    }
    stage.pass(30);
    expect(stage.pods()).toEqual([]);
  }

  it("is waited for", async () => {
    await open();
    losePods();
    stage.pass(60);
    expect(stage.pods()).toHaveLength(1);
    expect(stage.divergences).toEqual([]);
  });

  it("is waited for no longer than it lasts", async () => {
    await open({ tampering: creatingAtMost(3) });
    losePods();
    expect(stage.divergences).toEqual([]);
    stage.pass(60);
    expect(kinds()).toEqual(["creation"]);
  });
});

describe("a difference that is planted", () => {
  it.each(PLANTED)("is found: $difference", async (planted) => {
    await open({ tampering: sending(planted) });
    play(planted);
    expect(kinds()).toContain(planted.kind);
    expect(stage.shadow.counts.stalled).toBe(0);
  });

  it.each(PLANTED)("is not found without it: $difference", async (planted) => {
    await open();
    play(planted);
    expect(stage.divergences).toEqual([]);
  });

  it("is found: failures are not waited for", async () => {
    await open({ constants: { podBackoffBaseMs: 1 } });
    stage.createJob("hasty", { completions: 1 }, { runMs: 4_000, exitCodes: [1, 0] });
    stage.pass(60);
    expect(kinds()).toContain("back-off");
  });

  it("is found: another pod is deleted than the one that ranks first", async () => {
    await open({
      tampering: (request, done, send) => {
        if (request.method !== "DELETE") return send(request, done);
        const [folder, name] = [request.path.slice(0, request.path.lastIndexOf("/")), request.path.split("/").pop()];
        const other = stage.pods().find(({ metadata }) => metadata.name !== name && !metadata.deletionTimestamp);
        send({ ...request, path: `${folder}/${other.metadata.name}` }, done);
      },
    });
    const outcome = { byIndex: { 0: { startDelayMs: 60_000 } }, runMs: 120_000 };
    stage.createJob("wrong", { completionMode: "Indexed", completions: 2, parallelism: 2 }, outcome);
    stage.pass(10);
    stage.api("PATCH", "/apis/batch/v1/namespaces/default/jobs/wrong", { spec: { parallelism: 1 } });
    stage.pass(60);
    expect(kinds()).toContain("deletion");
  });
});

/** The server never answers a creation of a pod after these. */
function creatingAtMost(count: number): Tampering {
  let created = 0;
  return (request, done, send) => {
    if (request.method === "POST" && request.path.endsWith("/pods") && ++created > count) return;
    send(request, done);
  };
}

/** As a proxy between the controller and the server. */
function sending({ plant }: Planted): Tampering {
  const tampering = plant();
  return (request, done, send) => {
    const { method, path } = request;
    const body = typeof request.body === "string" ? request.body : new TextDecoder().decode(request.body);
    const sendNext = ([next, ...rest]: ReturnType<typeof tampering>): void =>
      send({ ...request, method: next!.method as typeof method, path: next!.path, body: next!.body }, (answer) =>
        rest.length === 0 ? done(answer) : sendNext(rest),
      );
    sendNext(tampering({ method, path, body }));
  };
}

function play({ job, outcome, patch }: Planted): void {
  stage.createJob("job", job, outcome);
  stage.pass(10);
  if (patch !== undefined) stage.api("PATCH", "/apis/batch/v1/namespaces/default/jobs/job", patch);
  stage.pass(60);
}

/** Lets time pass in which the shadow stands still now and then, for each Job at other moments. */
function withStalls(seed: number, stallSeconds = STALL_SECONDS): (seconds: number) => void {
  let seen = seed % BETWEEN_STALLS_SECONDS;
  return (seconds) => {
    for (let left = seconds; left > 0;) {
      const isStalled = seen >= BETWEEN_STALLS_SECONDS;
      if (isStalled) stage.passUnseen(stallSeconds);
      else stage.pass(1);
      seen = isStalled ? 0 : seen + 1;
      left -= isStalled ? stallSeconds : 1;
    }
  };
}

/** A random Job of the parity runs, with what users do to it, as far as it can still be done. */
function playRandom(seed: number, pass: (seconds: number) => void = (seconds) => stage.pass(seconds)): void {
  const { name, job, outcome, actions = [] } = randomScenario(seed);
  const path = `/apis/batch/v1/namespaces/default/jobs/${name}`;
  stage.createJob(name, job, outcome);
  for (const action of actions) {
    pass(6 + (action.afterMs ?? 0) / 1000);
    const isThere = stage.api("GET", "/apis/batch/v1/namespaces/default/jobs").items.length > 0;
    const pod = stage.pods().find(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === "Running");
    if ("patchJob" in action && isThere) tryTo(() => stage.api("PATCH", path, action.patchJob));
    if ("deleteJob" in action && isThere) stage.api("DELETE", path, { propagationPolicy: action.deleteJob });
    if (("deletePod" in action || "evictPod" in action) && pod !== undefined)
      stage.api("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`);
  }
  pass(300);
}

/** The server refuses some changes of a Job that has ended. */
function tryTo(act: () => void): void {
  try {
    act();
  } catch (error) {
    expect((error as Error).message).toContain("422");
  }
}
