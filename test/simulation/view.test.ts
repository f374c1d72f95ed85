/**
 * What a controller knows of its pods: when one ended, whichever version of its Job or of itself made it an end, and
 * whether it is there.
 */
import { describe, expect, test } from "vitest";
import type { JobFacts, PodFacts } from "./facts.ts";
import type { Ledger } from "./ledger.ts";
import { View } from "./view.ts";

const LABELS = { job: "a" };

function pod(facts: Partial<PodFacts>): PodFacts {
  return {
    uid: "p",
    jobUid: "j",
    namespace: "default",
    name: "p",
    labels: LABELS,
    phase: "Running",
    isDeleting: false,
    finishMs: NaN,
    ...facts,
  } as PodFacts;
}

function job(facts: Partial<JobFacts>): JobFacts {
  return { uid: "j", namespace: "default", name: "j", selector: { matchLabels: LABELS }, ...facts } as JobFacts;
}

/** A view that was shown these versions, in this order. */
function shown(...versions: (PodFacts | JobFacts)[]): View {
  const podVersions = new Map<number, PodFacts>();
  const jobVersions = new Map<number, JobFacts>();
  const view = new View({ podVersions, jobVersions } as unknown as Ledger);
  versions.forEach((facts, i) => {
    const version = i + 1;
    const isPod = "phase" in facts;
    if (isPod) podVersions.set(version, { ...facts, version });
    else jobVersions.set(version, { ...facts, version });
    view.takeLine(
      isPod ? "pods" : "jobs",
      `{"type":"MODIFIED","object":{"metadata":{"uid":"${facts.uid}","resourceVersion":"${version}"}}}`,
    );
  });
  return view;
}

describe("a failure is dated by the earliest version that was an end", () => {
  const deleted = pod({ isDeleting: true, finishMs: 19_000 });
  const failed = pod({ isDeleting: true, phase: "Failed", finishMs: 23_000 });
  const waits = job({ onlyReplaceFailed: true });
  const replaces = job({ onlyReplaceFailed: false });

  test.each([
    { order: "deleted pods are failures from the start", versions: [replaces, deleted, failed], finishMs: 19_000 },
    { order: "they become failures with the Job", versions: [waits, deleted, replaces, failed], finishMs: 19_000 },
    {
      order: "they become failures when the pod has failed already",
      versions: [waits, deleted, failed, replaces],
      finishMs: 23_000,
    },
    { order: "they never do", versions: [waits, deleted, failed], finishMs: 23_000 },
  ])("$order", ({ versions, finishMs }) => {
    expect(shown(...versions).endsOf("j").failures).toMatchObject([{ uid: "p", finishMs }]);
  });
});

describe("an end is that of the Job that had the pod", () => {
  const succeeded = pod({ phase: "Succeeded", finishMs: 5_000 });
  const successes = (view: View, jobUid: string): number[] => view.endsOf(jobUid).successes.map(({ order }) => order);

  test("also when the pod is released", () => {
    expect(successes(shown(job({}), succeeded, pod({ ...succeeded, jobUid: undefined })), "j")).toEqual([0]);
  });

  test("again when it is adopted again, by the same or by another", () => {
    const view = shown(
      job({}),
      succeeded,
      pod({ ...succeeded, jobUid: undefined }),
      succeeded,
      pod({ ...succeeded, jobUid: "other" }),
    );
    expect(successes(view, "j")).toEqual([1]);
    expect(successes(view, "other")).toEqual([2]);
  });
});

test("a pod that a request did not find is known again from its next version on, unless that is its deletion", () => {
  const podVersions = new Map([2, 3].map((version) => [version, pod({ version })] as const));
  const view = new View({ podVersions, jobVersions: new Map() } as unknown as Ledger);
  const line = (type: string, version: number): string =>
    `{"type":"${type}","object":{"metadata":{"uid":"p","resourceVersion":"${version}"}}}`;
  view.takeLine("pods", line("MODIFIED", 2));
  view.missed("p", 2);
  expect(view.pods.has("p")).toBe(true);
  view.missed("p", Infinity);
  view.takeLine("pods", line("MODIFIED", 2));
  expect(view.pods.has("p")).toBe(false);
  view.takeLine("pods", line("MODIFIED", 3));
  expect(view.pods.get("p")?.version).toBe(3);
  view.takeLine("pods", line("DELETED", 4));
  view.takeLine("pods", line("MODIFIED", 3));
  expect(view.pods.has("p")).toBe(false);
});
