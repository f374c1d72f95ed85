/** The log of decisions: their JSON, what counts as a repetition, and how many are kept. */
import "./engine-first";
import { Writer } from "../../assembly/json/writer";
import { writeSentence } from "../../assembly/trace/sentence";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { acquireName } from "../../assembly/memory/names";
import { setNow } from "../../assembly/time/now";
import { blobOfText, textAt } from "./support";
import * as trace from "../../assembly/trace";

const out = new Writer();
const CLOCK: f64 = 1767323045678; // 2026-01-02T03:04:05.678Z

function newJob(name: string = "j"): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("u"));
}

function lastSentence(job: Job): string {
  out.reset();
  const last = job.trace.last!;
  writeSentence(out, last.decision, last.numbers, false, last.text);
  return textAt(out.start, out.length);
}

function decisions(job: Job): string {
  out.reset();
  trace.writeDecisions(out, job);
  return textAt(out.start, out.length);
}

function taken(): string {
  const writer = trace.takeDecisions();
  return textAt(writer.start, writer.length);
}

describe("decisions", () => {
  it("are one JSON object each", () => {
    setNow(CLOCK);
    taken();
    const job = newJob('n"j');
    expect(decisions(job)).toBe("[]");
    expect(job.trace.last).toBeNull();
    trace.recordWait(job, trace.RETRY, CLOCK + 4000, 4000, 3);
    const expected =
      '[{"id":1,"atMs":1767323045678,"namespace":"default","job":"n\\"j","uid":"u","code":"Retry","message":"trying again in 4 s, after 3 failures","nextMs":1767323049678,"numbers":{"delayMs":4000,"failures":3}}]';
    expect(decisions(job)).toBe(expected);
    expect(taken()).toBe(expected);
    expect(taken()).toBe("");
    expect(job.trace.last!.nextMs).toBe(CLOCK + 4000);
    trace.record(job, trace.COMPLETIONS_REACHED, 0, 3);
    expect(taken().includes('"nextMs":null,"numbers":{"succeeded":3}}')).toBe(true);
    removeJob(job);
  });

  it("are not noted twice in a row", () => {
    const job = newJob();
    const first = trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403)).toBe(first);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 403)).toBe(first + 1);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 409)).toBe(first + 2);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(first + 3);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(first + 3);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 409)).toBe(first + 4);
    // The same wait, however much of it is left; another wait is another decision.
    expect(trace.recordWait(job, trace.BACKOFF, 5000, 400, 1, 0)).toBe(first + 5);
    expect(trace.recordWait(job, trace.BACKOFF, 5000, 300, 1, 0)).toBe(first + 5);
    expect(trace.recordWait(job, trace.BACKOFF, 6000, 300, 1, 0)).toBe(first + 6);
    expect(trace.record(job, trace.SUSPENDED, 0, 1)).toBe(first + 7);
    expect(trace.record(job, trace.SUSPENDED, 0, 0)).toBe(first + 7);
    removeJob(job);
    taken();
  });

  it("say once more which indexes wait when these are others", () => {
    const job = newJob();
    const first = trace.recordWait(job, trace.INDEX_BACKOFF, 5000, 400, 3, 1, 1000);
    const second = trace.recordWait(job, trace.INDEX_BACKOFF, 5000, 300, 3, 1, 1000, blobOfText("3,7"));
    expect(second).toBe(first + 1);
    expect(trace.recordWait(job, trace.INDEX_BACKOFF, 5000, 200, 3, 1, 1000, blobOfText("3,7"))).toBe(second);
    expect(decisions(job).includes('"backoffMs":1000},"indexes":"3,7"}]')).toBe(true);
    expect(lastSentence(job)).toBe(
      "waiting 300 ms before index 3 is tried again: 1 failure, back-off 1 s; indexes 3,7 wait",
    );
    removeJob(job);
    taken();
  });

  it("that are expected have their number before they are made", () => {
    const job = newJob();
    const other = newJob("other");
    const expected = trace.expectDecision(job);
    expect(trace.expectDecision(job)).toBe(expected);
    expect(trace.record(other, trace.PARALLELISM_IS_ZERO)).toBe(expected + 1);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(expected);
    expect(trace.latestDecision(job)).toBe(expected);
    // What fails, or is the same again, is not what was expected.
    const second = trace.expectDecision(job);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(expected);
    expect(trace.expectDecision(job)).toBe(second + 1);
    expect(trace.record(job, trace.STATUS_WRITE_FAILED, 0, 500)).toBe(second + 2);
    expect(trace.record(job, trace.RETRY, 0, 1)).toBe(second + 3);
    removeJob(job);
    removeJob(other);
    taken();
  });

  it("are kept, the last twelve of them, oldest first", () => {
    const job = newJob();
    for (let i = 0; i < 30; ++i) trace.record(job, trace.WAITING_FOR_TERMINATION, blobOfText("text"), i);
    expect(job.trace.length).toBe(12);
    for (let i = 0; i < 12; ++i) expect(job.trace.at(i).number0).toBe(18 + i);
    expect(lastSentence(job)).toBe("every pod is decided; waiting for 29 pods to end");
    removeJob(job);
    taken();
  });

  it("that say what failed are counted, also when they repeat the last one", () => {
    setNow(CLOCK);
    const job = newJob();
    trace.record(job, trace.PARALLELISM_IS_ZERO);
    expect(job.trace.trouble).toBeNull();
    trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403);
    setNow(CLOCK + 5000);
    const again = trace.latestDecision(job);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403)).toBe(again);
    expect(job.trace.trouble!.decision).toBe(trace.CREATE_FAILED);
    expect(job.trace.trouble!.number1).toBe(2);
    expect(job.trace.trouble!.number2).toBe(CLOCK);
    removeJob(job);
    taken();
  });

  it("that the host does not take are bounded", () => {
    const job = newJob();
    for (let i = 0; i < 20000; ++i) trace.record(job, trace.WAITING_FOR_TERMINATION, 0, i);
    const size = trace.takeDecisions().length;
    expect(size > 1000000 && size < 1100000).toBe(true);
    expect(trace.takeDecisions().length).toBe(0);
    removeJob(job);
  });
});
