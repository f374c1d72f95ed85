/**
 * What the page says at each bookmark of each lesson: it is about the Job of the bookmark, the controller has looked at
 * what the bookmark shows, and the sentence contradicts neither itself nor the picture.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type Bookmark, SETTLE_MS } from "../../../host-browser/catalogue/lesson.ts";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { spokenJob } from "../../../host-browser/catalogue/spoken-job.ts";
import { PodState } from "../../../host-browser/records.ts";
import { Timeline } from "../../../host-browser/picture/timeline.ts";
import type { View } from "../../../host-browser/history/view.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { Run } from "../history/run.ts";

/** Bookmarks at which the controller and the API differ for longer: that is what they show, or a second of two. */
const UNSETTLED: ReadonlySet<string> = new Set([
  "queue-pod-per-item: four items are done",
  "thousand: half of them are done",
  "limit-per-index: three odd ones are done",
  "one-retry: restarted, and given up",
  "success-policy: index 2 decides, the others are ended",
  ...["one: written down as uncounted", "two: the finalizers are off", "three: counted"].map((s) => `accounting: ${s}`),
  "restart: it dies",
  "api-errors: the errors begin",
]);

/** With these a number of milliseconds is in the sentence, and it is that until the controller looks again. */
const WAITS: ReadonlySet<string> = new Set(["Queued", "Backoff", "IndexBackoff", "CreateFailed"]);
/** The state of a Job that has one of these conditions. */
const ENDS: readonly string[] = ["Complete", "Failed", "Suspended"];

interface Looked {
  readonly view: View;
  readonly timeline: Timeline;
  readonly job: number;
}

describe.each(LESSONS.map((lesson) => [lesson.id, lesson] as const))("%s", (id, { scenario, bookmarks }) => {
  let run: Run;
  const timeline = new Timeline();
  beforeAll(() => {
    const { yaml, ...world } = scenario;
    run = new Run(yaml, world).to(bookmarks[2].atMs);
    timeline.append(run.history.take(), bookmarks[2].atMs);
  });

  function lookAt(bookmark: Bookmark): Looked {
    const job = spokenJob(timeline.jobs, bookmark);
    return { view: run.look({ atMs: bookmark.atMs, job, panel: "status" }), timeline, job };
  }

  test.each([0, 1, 2] as const)("bookmark %i is about its Job", (i) => {
    const { job } = lookAt(bookmarks[i]);
    const own = ownJob(timeline, bookmarks[i]);
    if (own !== undefined) expect(timeline.jobs[job]?.name).toBe(timeline.jobs[own]?.name);
  });

  test.each([0, 1, 2] as const)("bookmark %i is where the controller has looked", (i) => {
    const { atMs, label } = bookmarks[i];
    const { view } = lookAt(bookmarks[i]);
    const isNextNear = i < 2 && bookmarks[i + 1]!.atMs <= atMs + SETTLE_MS;
    const isSettled = view.code === "Queued" ? isNextNear : view.differences.length === 0;
    expect(isSettled, `${view.code} ${view.differences}`).toBe(!UNSETTLED.has(`${id}: ${label}`));
  });

  test.each([0, 1, 2] as const)("bookmark %i has a sentence that is true of the picture", (i) => {
    expect(contradictions(lookAt(bookmarks[i]), bookmarks[i])).toEqual([]);
  });
});

/** The Job of the decision, or of the pod, that the bookmark shows; undefined: it shows something else. */
function ownJob({ decisions, transitions, pods, texts }: Timeline, { shows }: Bookmark): number | undefined {
  const { nth = 1 } = shows;
  if ("decision" in shows) {
    const rows = Array.from({ length: decisions.code.length }, (_, row) => row);
    const row = rows.filter((each) => texts[decisions.code.at(each)] === shows.decision)[nth - 1];
    return row === undefined ? undefined : decisions.job.at(row);
  }
  if (!("pod" in shows)) return undefined;
  const rows = Array.from({ length: transitions.state.length }, (_, row) => row);
  const row = rows.filter((each) => transitions.state.at(each) === PodState[shows.pod])[nth - 1];
  return row === undefined ? undefined : pods.job.at(transitions.pod.at(row));
}

/** What of the sentence is not so. */
function contradictions({ view, timeline, job }: Looked, { atMs, shows }: Bookmark): string[] {
  const { code, sentence, nextMs } = view;
  const faults: string[] = [];
  const isGone = "deleted" in shows || ("flag" in shows && shows.flag === "delete-job");
  if (sentence.startsWith("The Job is gone") !== isGone) faults.push(`the Job is${isGone ? "" : " not"} gone`);
  if (sentence.startsWith("There is no")) faults.push("the Job is there");
  if (WAITS.has(code) && !sentence.includes(spanText(nextMs! - atMs))) faults.push(`it waits ${nextMs! - atMs} ms`);
  const end = view.conditions.find(({ type, status }) => status === "True" && ENDS.includes(type))?.type;
  if (end !== undefined ? code !== end : ENDS.includes(code))
    faults.push(`its condition is ${end ?? "none of an end"}`);
  const wasWritten = view.differences.length === 0;
  for (const [words, count] of countsIn(sentence)) {
    const there = podsIn(timeline, job, atMs)[words];
    // Pods are counted as succeeded when the status is written.
    if (there !== count && (words !== "succeeded" || wasWritten)) faults.push(`${there} pods are ${words}`);
  }
  return faults.map((fault) => `${sentence}: but ${fault}`);
}

/** The numbers of the sentence: `waiting for pods: 2 active, 1 of them ready, 3 succeeded of 5`. */
function countsIn(sentence: string): [string, number][] {
  const waiting = /(\d+) active, (\d+) of them ready, (\d+) succeeded/.exec(sentence);
  if (waiting !== null) return ["active", "ready", "succeeded"].map((words, i) => [words, Number(waiting[i + 1])]);
  const stuck = /of (\d+) active pods? cannot run, (\d+) succeeded/.exec(sentence);
  if (stuck !== null) return ["active", "succeeded"].map((words, i) => [words, Number(stuck[i + 1])]);
  const creating = /(\d+) of \d+ wanted active/.exec(sentence);
  return creating === null ? [] : [["active", Number(creating[1])]];
}

function podsIn(timeline: Timeline, job: number, atMs: number): Readonly<Record<string, number>> {
  const states: (PodState | undefined)[] = [];
  for (let pod = 0; pod < timeline.podCount; pod++)
    if (timeline.pods.job.at(pod) === job) states.push(timeline.stateAt(pod, atMs));
  const count = (...wanted: PodState[]): number =>
    states.filter((state) => wanted.some((each) => each === state)).length;
  const { PENDING, STARTING, WAITING, RUNNING, READY, SUCCEEDED } = PodState;
  return {
    active: count(PENDING, STARTING, WAITING, RUNNING, READY),
    ready: count(READY),
    succeeded: count(SUCCEEDED),
  };
}
