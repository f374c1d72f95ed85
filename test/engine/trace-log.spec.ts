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
      '[{"atMs":1767323045678,"namespace":"default","job":"n\\"j","uid":"u","code":"Retry","message":"trying again in 4 s, after 3 failures","nextMs":1767323049678,"numbers":{"delayMs":4000,"failures":3}}]';
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
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403)).toBe(true);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403)).toBe(false);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 403)).toBe(true);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 409)).toBe(true);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(true);
    expect(trace.record(job, trace.PARALLELISM_IS_ZERO)).toBe(false);
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 409)).toBe(true);
    // The same wait, however much of it is left; another wait is another decision.
    expect(trace.recordWait(job, trace.BACKOFF, 5000, 400, 1, 0)).toBe(true);
    expect(trace.recordWait(job, trace.BACKOFF, 5000, 300, 1, 0)).toBe(false);
    expect(trace.recordWait(job, trace.BACKOFF, 6000, 300, 1, 0)).toBe(true);
    expect(trace.record(job, trace.SUSPENDED, 0, 1)).toBe(true);
    expect(trace.record(job, trace.SUSPENDED, 0, 0)).toBe(false);
    removeJob(job);
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
    expect(trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403)).toBe(false);
    expect(job.trace.trouble!.decision).toBe(trace.CREATE_FAILED);
    expect(job.trace.trouble!.number1).toBe(2);
    expect(job.trace.trouble!.number2).toBe(CLOCK);
    removeJob(job);
    taken();
  });

  it("that nobody takes are bounded", () => {
    const job = newJob();
    for (let i = 0; i < 20000; ++i) trace.record(job, trace.WAITING_FOR_TERMINATION, 0, i);
    const size = trace.takeDecisions().length;
    expect(size > 1000000 && size < 1100000).toBe(true);
    expect(trace.takeDecisions().length).toBe(0);
    removeJob(job);
  });
});
