/**
 * A run that is overtaken by the end of its Job says so, and is no run that comes to no end. What servers of a version
 * refuse and drop is checked.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { KubernetesVersion } from "../../cluster/values/kubernetes-versions.ts";
import type { ApiClient } from "../kubernetes/api-client.ts";
import { Sighting } from "./observer.ts";
import { Overtaken, play } from "./play.ts";
import type { Moment, Scenario } from "./scenario.ts";
import type { Side } from "./theatre.ts";

const MINUTES = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What becomes of a run that waits for a moment which does not come, while its Job has these conditions. */
async function endOf(when: Moment, conditions: readonly object[], { isRestless = false } = {}): Promise<unknown> {
  const scenario: Scenario = { name: "j", rows: [], job: {}, actions: [{ when, deletePod: {} }] };
  const sighting = new Sighting("room", "j", Date.now());
  const job = { metadata: { name: "j", namespace: "room", uid: "u", resourceVersion: "1", creationTimestamp: "" } };
  sighting.take("jobs", "ADDED", { ...job, status: { conditions } }, Date.now());
  if (isRestless) setInterval(() => (sighting.changedMs = Date.now()), 1_000);
  const client = { succeed: async () => ({}) } as unknown as ApiClient;
  const ended = play({ scenario, sighting, client, kubernetes: "1.36", side: "stint" }).catch(
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(10 * MINUTES);
  return ended;
}

test("a Job that has ended, and a moment that did not come before", async () => {
  const error = await endOf({ gone: 1 }, [{ type: "Complete", status: "True" }]);
  expect(error).toBeInstanceOf(Overtaken);
  expect(String(error)).toContain('the Job ended before {"gone":1}; seen last: status {"conditions":');
});

test("a Job that has ended, and pods that continue changing until the time is over", async () => {
  expect(await endOf({ gone: 1 }, [{ type: "Failed", status: "True" }], { isRestless: true })).toBeInstanceOf(
    Overtaken,
  );
});

test("a Job that continues, and a moment that does not come", async () => {
  const error = await endOf({ gone: 1 }, []);
  expect(error).not.toBeInstanceOf(Overtaken);
  expect(String(error)).toContain('{"gone":1} did not come');
});

/** What becomes of a run on a server that drops the field, or keeps it, and answers what is tried with a status. */
async function endOn(
  kubernetes: KubernetesVersion,
  side: Side,
  answers: { field?: string; status: number; dropped?: string },
) {
  const { dropped } = answers;
  const scenario: Scenario = {
    name: "j",
    rows: [],
    job: {},
    shows: [{ change: "hostname-override", field: "spec.template.spec.hostnameOverride" }],
    actions: [{ tryJob: {}, refusedBefore: "image-volumes", ...(dropped === undefined ? {} : { field: dropped }) }],
    until: {},
  };
  const sighting = new Sighting("room", "j", Date.now());
  const stored = { spec: { template: { spec: { hostnameOverride: answers.field } } } };
  const client = {
    request: async () => ({ status: answers.status, body: {} }),
    succeed: async (_method: string, path: string) => {
      if (path.includes("dryRun") && answers.status > 299) throw new Error(`refused with ${answers.status}`);
      return stored;
    },
  } as unknown as ApiClient;
  const ended = play({ scenario, sighting, client, kubernetes, side }).then(
    () => "the end",
    (error: Error) => error.message,
  );
  await vi.advanceTimersByTimeAsync(10 * MINUTES);
  return ended;
}

test("a server before a change drops the field, and refuses what was tried", async () => {
  expect(await endOn("1.34", "upstream", { status: 422 })).toBe("the end");
  expect(await endOn("1.34", "upstream", { field: "a", status: 422 })).toBe(
    "Kubernetes 1.34 keeps spec.template.spec.hostnameOverride, against hostname-override",
  );
  expect(await endOn("1.34", "upstream", { status: 201 })).toContain(
    "201, but Kubernetes 1.34 is before image-volumes",
  );
  expect(await endOn("1.34", "upstream", { status: 201, dropped: "spec.x" })).toBe("the end");
  expect(await endOn("1.34", "stint", { status: 201 })).toBe("the end");
  expect(await endOn("1.34", "stint", { status: 500 })).toContain("500, but Kubernetes 1.34 is before image-volumes");
});

test("a server after a change keeps the field, and takes what was tried", async () => {
  expect(await endOn("1.35", "upstream", { field: "a", status: 201 })).toBe("the end");
  expect(await endOn("1.35", "stint", { field: "a", status: 201, dropped: "spec.x" })).toContain(
    "drops spec.x, against",
  );
  expect(await endOn("1.35", "stint", { status: 201 })).toContain("drops spec.template.spec.hostnameOverride");
  expect(await endOn("1.35", "stint", { field: "a", status: 422 })).toBe("refused with 422");
});

/** What becomes of a run whose server fills in limits of pods or not, and answers what is tried with a status. */
async function endSince(kubernetes: KubernetesVersion, answers: { status: number; limits?: object }): Promise<string> {
  const scenario: Scenario = {
    name: "j",
    rows: [],
    job: {},
    shows: [{ change: "defaults-of-whole-pods", podField: "spec.resources.limits.cpu" }],
    actions: [{ tryJob: {}, refusedSince: "image-volumes-without-reference" }],
    until: {},
  };
  const sighting = new Sighting("room", "j", Date.now());
  if (answers.limits !== undefined) {
    const pod = { metadata: { name: "p", namespace: "room", uid: "u", resourceVersion: "1", creationTimestamp: "" } };
    sighting.take("pods", "ADDED", { ...pod, spec: { resources: { limits: answers.limits } } }, Date.now());
  }
  const client = {
    request: async () => ({ status: answers.status, body: {} }),
    succeed: async () => ({}),
  } as unknown as ApiClient;
  const ended = play({ scenario, sighting, client, kubernetes, side: "upstream" }).then(
    () => "the end",
    (error: Error) => error.message,
  );
  await vi.advanceTimersByTimeAsync(10 * MINUTES);
  return ended;
}

test("a server before a change takes what later ones refuse, and leaves a field of pods out", async () => {
  expect(await endSince("1.36", { status: 201, limits: {} })).toBe("the end");
  expect(await endSince("1.36", { status: 422, limits: {} })).toContain("1.36 answers 422 and not 201");
  expect(await endSince("1.36", { status: 201, limits: { cpu: "1" } })).toBe(
    "Kubernetes 1.36 fills in spec.resources.limits.cpu, against defaults-of-whole-pods",
  );
});

test("a server since a change refuses what is tried, and fills in a field of pods", async () => {
  expect(await endSince("1.37", { status: 422, limits: { cpu: "1" } })).toBe("the end");
  expect(await endSince("1.37", { status: 201, limits: { cpu: "1" } })).toContain("1.37 answers 201 and not 422");
  expect(await endSince("1.37", { status: 422, limits: {} })).toContain("leaves out spec.resources.limits.cpu");
  expect(await endSince("1.37", { status: 422 })).toContain("no pod shows spec.resources.limits.cpu");
});
