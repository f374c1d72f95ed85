/** Decisions: the sentence of every code, what counts as a repetition, and how many are kept. */
import "./engine-first";
import { Writer } from "../../assembly/json/writer";
import { writeSentence } from "../../assembly/sentence";
import { blobAt, blobSize } from "../../assembly/memory/blob";
import { addJob, Job, removeJob } from "../../assembly/model/job";
import { acquireName } from "../../assembly/memory/names";
import { setNow } from "../../assembly/time/now";
import * as trace from "../../assembly/trace";
import { blobOfText, textAt } from "./support";

const out = new Writer();
const CLOCK: f64 = 1767323045678; // 2026-01-02T03:04:05.678Z

function newJob(name: string = "j"): Job {
  const namespace = blobOfText("default");
  return addJob(acquireName(blobAt(namespace), blobSize(namespace)), blobOfText(name), blobOfText("u"));
}

function lastSentence(job: Job): string {
  out.reset();
  const last = trace.lastEntry(job)!;
  writeSentence(out, trace.sentenceOf(last.code), trace.numbersOf(last.code), last.numbers, last.text);
  return textAt(out.start, out.length);
}

/** The sentence of one decision. */
function sentence(code: i32, a: f64 = NaN, b: f64 = NaN, c: f64 = NaN, d: f64 = NaN): string {
  const job = newJob();
  trace.record(job, code, blobOfText("the text"), a, b, c, d);
  const text = lastSentence(job);
  removeJob(job);
  return text;
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

describe("sentences", () => {
  it("have their numbers in them", () => {
    expect(sentence(trace.CREATING, 3, 1, 4, 2)).toBe("creating 3 pods: 1 of 4 wanted active, 2 succeeded");
    expect(sentence(trace.CREATING, 1, 0, 1, 0)).toBe("creating 1 pod: 0 of 1 wanted active, 0 succeeded");
    expect(sentence(trace.TOO_MANY_FAILURES, 7, 6)).toBe(
      "the Job fails: 7 failed pods, more than backoffLimit 6 allows",
    );
    expect(sentence(trace.TOO_MANY_RESTARTS, 1, 0)).toBe("the Job fails: 1 container restart, and backoffLimit is 0");
    expect(sentence(trace.WAITING_FOR_TERMINATION, 2)).toBe("every pod is decided; waiting for 2 pods to end");
    expect(sentence(trace.DELETING_SURPLUS, 2, 5, 3)).toBe("deleting 2 surplus pods: 5 active, 3 wanted");
    expect(sentence(trace.COUNTED, 4, 5, 6)).toBe("counted: 4 succeeded, 5 failed, 6 on the way into these numbers");
    expect(sentence(trace.RETRY, 4000, 3)).toBe("trying again in 4 s, after 3 failures");
  });

  it("have their text in them", () => {
    expect(sentence(trace.FOREIGN)).toBe("not run: spec.managedBy says that the text manages this Job");
    expect(sentence(trace.CREATE_FAILED, 403)).toBe("creating a pod was refused: the text");
    expect(sentence(trace.ENDED, 3, 1)).toBe("the Job has ended with the text: 3 succeeded, 1 failed");
  });

  it("leave out what is not known", () => {
    expect(sentence(trace.COMPLETIONS_REACHED, 3, 5)).toBe("the Job completes: 3 of 5 succeeded");
    expect(sentence(trace.COMPLETIONS_REACHED, 3)).toBe("the Job completes: 3 succeeded");
    expect(sentence(trace.WAITING_FOR_PODS, 3, 2, 1, 9)).toBe(
      "waiting for pods: 3 active, 2 of them ready, 1 succeeded of 9",
    );
    expect(sentence(trace.WAITING_FOR_PODS, 3, 2, 1)).toBe("waiting for pods: 3 active, 2 of them ready, 1 succeeded");
  });

  it("show spans and moments as people say them, with the date when that is another", () => {
    setNow(CLOCK);
    expect(sentence(trace.BACKOFF, 14000, 2, CLOCK, 20000)).toBe(
      "waiting 14 s before the next pod is created: 2 failures in a row, back-off 20 s since 03:04:05",
    );
    expect(sentence(trace.DEADLINE_PASSED, 5400000, -1)).toBe(
      "the Job fails: activeDeadlineSeconds of 90 min have passed since 1969-12-31 23:59:59",
    );
    const spans: f64[] = [0, 1, 1000, 119000, 119001, 121000, 7199000, 7200000, 7260000, 90000000, -5];
    const texts: string[] = [
      "0 s",
      "1 s",
      "1 s",
      "119 s",
      "2 min",
      "2 min 1 s",
      "119 min 59 s",
      "2 h",
      "2 h 1 min",
      "25 h",
      "0 s",
    ];
    for (let i = 0; i < spans.length; ++i)
      expect(sentence(trace.RETRY, spans[i], 1)).toBe("trying again in " + texts[i] + ", after 1 failure");
  });

  it("of every code have no placeholder left", () => {
    for (let code = trace.REFUSED; code <= trace.STATUS_NOT_SENT; ++code) {
      const text = sentence(code, 1, 2, 3, 4);
      expect(text.length > 10).toBe(true);
      expect(text.includes("{") || text.includes("[") || text.includes("null")).toBe(false, text);
    }
  });

  it("escape a text for the JSON string that they stand in", () => {
    const job = newJob();
    trace.record(job, trace.CREATE_FAILED, blobOfText('pods "a" is\nforbidden'), 403);
    expect(lastSentence(job)).toBe('creating a pod was refused: pods \\"a\\" is\\nforbidden');
    removeJob(job);
  });
});

describe("decisions", () => {
  it("are one JSON object each", () => {
    setNow(CLOCK);
    taken();
    const job = newJob('n"j');
    expect(decisions(job)).toBe("[]");
    expect(trace.lastEntry(job)).toBeNull();
    trace.recordWait(job, trace.RETRY, CLOCK + 4000, 4000, 3);
    const expected =
      '[{"atMs":1767323045678,"namespace":"default","job":"n\\"j","uid":"u","code":"Retry","message":"trying again in 4 s, after 3 failures","nextMs":1767323049678,"numbers":{"delayMs":4000,"failures":3}}]';
    expect(decisions(job)).toBe(expected);
    expect(taken()).toBe(expected);
    expect(taken()).toBe("");
    expect(trace.lastEntry(job)!.nextMs).toBe(CLOCK + 4000);
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

  it("that say what failed are counted until nothing fails any more", () => {
    setNow(CLOCK);
    const job = newJob();
    trace.record(job, trace.PARALLELISM_IS_ZERO);
    expect(job.trace.trouble).toBeNull();
    trace.record(job, trace.CREATE_FAILED, blobOfText("a"), 403);
    setNow(CLOCK + 5000);
    trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 500);
    trace.record(job, trace.CREATE_FAILED, blobOfText("b"), 500);
    const trouble = job.trace.trouble!;
    expect(textAt(blobAt(trouble.text), blobSize(trouble.text))).toBe("b");
    expect(trouble.number0).toBe(500);
    expect(trouble.number1).toBe(3);
    expect(trouble.number2).toBe(CLOCK);
    trace.record(job, trace.NO_LABELS);
    expect(job.trace.trouble!.number1).toBe(1);
    expect(job.trace.trouble!.number2).toBe(CLOCK + 5000);
    expect(job.trace.trouble!.text).toBe(0);
    job.trace.forgetTrouble();
    expect(job.trace.trouble).toBeNull();
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
