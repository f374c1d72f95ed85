/** What is kept of a run to be compared: nothing that is drawn by lot or told by a clock, and everything else. */
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../cluster/values/types.ts";
import { Sighting } from "./observer.ts";
import { outcomeOf } from "./outcome.ts";

const FINALIZER = "batch.kubernetes.io/job-tracking";

interface PodFacts {
  readonly index?: number;
  readonly phase?: string;
  readonly deleting?: boolean;
  /** Of its container. */
  readonly finishedAt?: string;
  readonly finalizers?: readonly string[];
  /** UID of its Job. */
  readonly owner?: string;
}

/** A run in the namespace `room-1`, with objects that are fed by hand. */
class Run {
  readonly sighting = new Sighting("room-1", "j", 0);

  job(atMs: number, status: object, spec: object = {}): this {
    return this.#take("jobs", "MODIFIED", atMs, {
      metadata: { name: "j", namespace: "room-1", uid: "uid-j", resourceVersion: "1", creationTimestamp: "" },
      spec,
      status,
    });
  }

  pod(
    atMs: number,
    name: string,
    {
      index,
      phase = "Pending",
      deleting = false,
      finishedAt,
      finalizers = [FINALIZER],
      owner = "uid-j",
    }: PodFacts = {},
    type: "MODIFIED" | "DELETED" = "MODIFIED",
  ): this {
    const metadata = {
      name,
      namespace: "room-1",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: "",
      finalizers: [...finalizers],
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: owner, controller: true }],
      ...(index === undefined ? {} : { annotations: { "batch.kubernetes.io/job-completion-index": String(index) } }),
      ...(deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    };
    return this.#take("pods", type, atMs, {
      metadata,
      spec: { nodeName: "node", hostname: `j-${index}` },
      status: {
        phase,
        ...(finishedAt === undefined ? {} : { containerStatuses: [{ state: { terminated: { finishedAt } } }] }),
      },
    });
  }

  event(name: string, reason: string, count: number): this {
    return this.#take("events", "MODIFIED", 0, {
      metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "" },
      type: "Normal",
      reason,
      count,
    });
  }

  #take(kind: "jobs" | "pods" | "events", type: "MODIFIED" | "DELETED", atMs: number, object: KubeObject): this {
    this.sighting.take(kind, type, object, atMs);
    return this;
  }
}

describe("the outcome of a run", () => {
  test("has the status without times, UIDs and names that are drawn", () => {
    const conditions = [
      {
        type: "FailureTarget",
        status: "True",
        reason: "PodFailurePolicy",
        message: "Container main for pod room-1/j-0-abcde failed",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ];
    const run = new Run().pod(1, "j-0-abcde", { index: 0 }).job(1, {
      active: 0,
      startTime: "2026-01-01T00:00:00Z",
      conditions,
      uncountedTerminatedPods: { failed: ["uid-1", "uid-2"] },
    });
    expect(outcomeOf(run.sighting).status).toEqual({
      j: {
        active: 0,
        startTime: "set",
        completionTime: undefined,
        uncountedTerminatedPods: { succeeded: 0, failed: 2 },
        conditions: ["FailureTarget=True PodFailurePolicy: Container main for pod NAMESPACE/j-0-* failed"],
        finalizers: [],
        generation: undefined,
        isBeingDeleted: false,
      },
    });
  });

  test("has each change in the write that showed it, and says which counters are on their way", () => {
    const suspended = (status: string): object => ({ conditions: [{ type: "Suspended", status }] });
    const run = new Run()
      .job(1, {})
      .job(2, suspended("True"))
      .job(3, { startTime: "x", ...suspended("False") })
      .job(4, { startTime: "x", succeeded: 2, ...suspended("True") });
    expect(
      outcomeOf(run.sighting).order.map(
        ({ what, write, isPassing }) => `${write} ${what}${isPassing ? " (passing)" : ""}`,
      ),
    ).toEqual([
      ...[
        "1 Suspended True : ",
        "2 startTime set",
        "2 Suspended False : ",
        "3 Suspended True : , time 2",
        "3 succeeded 1 (passing)",
        "3 succeeded 2",
      ],
    ]);
  });

  test("counts events by reason, with their repetitions", () => {
    expect(
      outcomeOf(
        new Run()
          .job(1, {})
          .event("a", "SuccessfulCreate", 1)
          .event("b", "SuccessfulCreate", 3)
          .event("b", "SuccessfulCreate", 5).sighting,
      ).events,
    ).toEqual({ "Normal SuccessfulCreate": 6 });
  });

  test("counts pods by index, those at once, and says what is left of them", () => {
    const run = new Run()
      .pod(1, "j-0-aaaaa", { index: 0 })
      .pod(2, "j-1-bbbbb", { index: 1 })
      .pod(3, "j-0-aaaaa", { index: 0, phase: "Failed", finalizers: [] })
      .pod(4, "j-0-ccccc", { index: 0 })
      .pod(5, "j-1-bbbbb", { index: 1 }, "DELETED");
    const { podsCreated, podsAtOnce, podsLeft, podContents } = outcomeOf(run.sighting);
    expect(podsCreated).toEqual({ "0": 2, "1": 1 });
    expect(podsAtOnce).toBe(2);
    expect(podsLeft).toEqual(["0 Failed, of Job j, finalizers none", `0 Pending, of Job j, finalizers ${FINALIZER}`]);
    // The two pods of index 0 are alike.
    expect(podContents).toHaveLength(2);
    expect(podContents[0]).not.toContain("nodeName");
  });

  test("measures from a failure, or the request to delete a pod, to the next creation in the same index; and no surplus pod", () => {
    const run = new Run()
      .pod(0, "a", { index: 0 })
      .pod(0, "b", { index: 1 })
      .pod(1_000, "a", { index: 0, phase: "Failed" })
      .pod(2_000, "b", { index: 1, phase: "Running", deleting: true, finalizers: [] })
      .pod(3_000, "b", { index: 1, phase: "Failed", deleting: true, finalizers: [] })
      .pod(5_000, "c", { index: 1 })
      .pod(11_000, "d", { index: 0 })
      .pod(12_000, "d", { index: 0, phase: "Running", deleting: true })
      .pod(32_000, "e", { index: 0 })
      .pod(33_000, "f", { index: 0 });
    expect(outcomeOf(run.sighting).gapsMs).toEqual({ "0": [10_000, 20_000] });
  });

  test("measures within one Job: a pod of the next one of that name is no retry", () => {
    const run = new Run()
      .pod(0, "a")
      .pod(1_000, "a", { deleting: true })
      .pod(2_000, "b", { owner: "uid-of-the-next" })
      .pod(3_000, "b", { owner: "uid-of-the-next", phase: "Failed" })
      .pod(13_000, "c", { owner: "uid-of-the-next" });
    expect(outcomeOf(run.sighting).gapsMs).toEqual({ "-": [10_000] });
  });

  test("measures from when the containers ended, by the whole second in which controllers take it, where the pod says so", () => {
    const run = new Run()
      .pod(0, "a", { index: 0 })
      .pod(2_900, "a", { index: 0, phase: "Failed", finishedAt: "1970-01-01T00:00:02Z" })
      .pod(12_100, "b", { index: 0 })
      .pod(12_900, "b", { index: 0, phase: "Failed", finishedAt: "1970-01-01T00:00:12Z" })
      .pod(32_050, "c", { index: 0 });
    expect(outcomeOf(run.sighting).gapsMs).toEqual({ "0": [10_100, 20_050] });
  });

  test("sees counters that go back, where they may not", () => {
    const elastic = { completionMode: "Indexed", completions: 2, parallelism: 2 };
    expect(
      outcomeOf(new Run().job(1, { succeeded: 2, failed: 1 }).job(2, { succeeded: 1 }).sighting).backwards,
    ).toEqual(["succeeded went from 2 to 1", "failed went from 1 to 0"]);
    expect(
      outcomeOf(new Run().job(1, { succeeded: 2 }, elastic).job(2, { succeeded: 1 }, elastic).sighting).backwards,
    ).toEqual([]);
  });
});

describe("a moment", () => {
  const run = new Run()
    .job(1, { ready: 1, conditions: [{ type: "Suspended", status: "False" }] })
    .pod(1, "a", { phase: "Running" })
    .pod(1, "b", { phase: "Running", deleting: true })
    .pod(1, "c")
    .pod(2, "c", {}, "DELETED")
    .event("e", "Completed", 1)
    .event("f", "SuccessfulCreate", 2)
    .event("g", "SuccessfulCreate", 3);

  test.each([
    {},
    { pods: { Running: 2, terminating: 1 } },
    { created: 3, gone: 1 },
    { status: { ready: 1 } },
    { condition: "!Suspended" },
    { events: { Completed: 1, SuccessfulCreate: 5 } },
  ])("%j has come", (moment) => {
    expect(run.sighting.holds(moment)).toBe(true);
  });

  test.each([
    { pods: { Running: 3 } },
    { pods: { Pending: 1 } },
    { created: 4 },
    { gone: 2 },
    { status: { ready: 2 } },
    { condition: "Suspended" },
    { condition: "Complete" },
    { events: { Failed: 1 } },
    { events: { SuccessfulCreate: 6 } },
    { created: 1, gone: 2 },
  ])("%j has not come", (moment) => {
    expect(run.sighting.holds(moment)).toBe(false);
  });

  test("the active pods are neither over nor being deleted", () => {
    expect(run.sighting.activePods.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });
});
