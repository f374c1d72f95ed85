/** What a row says: its sentence with numbers, spans and moments in it, its name, and its numbers as JSON. */
import "./engine-first";
import { Writer } from "../../assembly/json/writer";
import { setNow } from "../../assembly/time/now";
import * as trace from "../../assembly/trace";
import { isTriedAgain, writeName, writeNumbers, writeSentence } from "../../assembly/trace/sentence";
import { blobOfText, textAt } from "./support";

const out = new Writer();
const CLOCK: f64 = 1767323045678; // 2026-01-02T03:04:05.678Z
const values: usize = memory.data(48, 8);

function written(): string {
  return textAt(out.start, out.length);
}

function fill(a: f64, b: f64, c: f64, d: f64, e: f64 = NaN, f: f64 = NaN): void {
  out.reset();
  store<f64>(values, a);
  store<f64>(values, b, 8);
  store<f64>(values, c, 16);
  store<f64>(values, d, 24);
  store<f64>(values, e, 32);
  store<f64>(values, f, 40);
}

/** As the trace has it. */
function sentence(row: usize, a: f64 = NaN, b: f64 = NaN, c: f64 = NaN, d: f64 = NaN): string {
  fill(a, b, c, d);
  writeSentence(out, row, values, false, blobOfText("the text"));
  return written();
}

/** As an explanation has it. */
function explained(
  row: usize,
  a: f64 = NaN,
  b: f64 = NaN,
  c: f64 = NaN,
  d: f64 = NaN,
  e: f64 = NaN,
  f: f64 = NaN,
): string {
  fill(a, b, c, d, e, f);
  writeSentence(out, row, values, true, blobOfText("the text"));
  return written();
}

function numbers(
  row: usize,
  isExplained: bool,
  a: f64 = NaN,
  b: f64 = NaN,
  c: f64 = NaN,
  d: f64 = NaN,
  e: f64 = NaN,
  f: f64 = NaN,
): string {
  fill(a, b, c, d, e, f);
  writeNumbers(out, row, values, isExplained);
  return written();
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
    expect(sentence(trace.COUNTED, 4, 5, 6)).toBe("counted: 4 succeeded, 5 failed; uncounted: 6");
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
    const never: f64 = 36525.0 * 86400000.0;
    const spans: f64[] = [
      0,
      0.2,
      10,
      999,
      1000,
      1001,
      never,
      never + 1,
      119000,
      119001,
      121000,
      7199000,
      7200000,
      7260000,
      90000000,
      -5,
    ];
    const texts: string[] = [
      "0 s",
      "1 ms",
      "10 ms",
      "999 ms",
      "1 s",
      "2 s",
      "876600 h",
      "more than 100 years",
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

  it("of something that fails say how often it was tried, where that is known", () => {
    setNow(CLOCK);
    expect(sentence(trace.DELETE_FAILED, 500, 3, CLOCK, 4000)).toBe("deleting a pod failed: the text");
    expect(explained(trace.DELETE_FAILED, 500, 3, CLOCK, 4000)).toBe(
      "deleting a pod failed 3 times since 03:04:05, next try in 4 s: the text",
    );
    expect(explained(trace.NO_LABELS, NaN, 1, CLOCK)).toBe(
      "creating a pod was not possible once since 03:04:05: the pod template has no labels",
    );
    expect(isTriedAgain(trace.DELETE_FAILED)).toBe(true);
    expect(isTriedAgain(trace.NO_LABELS)).toBe(true);
    expect(isTriedAgain(trace.CLAIMING)).toBe(false);
    expect(isTriedAgain(trace.RETRY)).toBe(false);
  });

  it("use numbers that only an explanation knows nowhere else", () => {
    setNow(CLOCK);
    expect(sentence(trace.SUSPENDED, 2, CLOCK)).toBe(
      "the Job is suspended: no pod is created until spec.suspend is false",
    );
    expect(explained(trace.SUSPENDED, 2, CLOCK)).toBe(
      "the Job is suspended since 03:04:05: no pod is created until spec.suspend is false",
    );
    expect(explained(trace.DELETING, NaN, NaN, 1)).toBe(
      "the Job is being deleted: no pod is created any more, and pods lose their finalizer; 1 pod must go first",
    );
    expect(explained(trace.INDEX_BACKOFF, 4000, 7, 1, 10000, CLOCK, 3)).toBe(
      "waiting 4 s before index 7 is tried again: 1 failure, back-off 10 s since 03:04:05; 3 indexes wait; indexes the text wait",
    );
  });

  it("of what is no decision are written in the same way", () => {
    expect(explained(trace.QUEUED, 4000)).toBe("the controller is about to look at the Job, in 4 s");
    expect(explained(trace.QUEUED)).toBe("the controller is about to look at the Job");
    expect(explained(trace.PODS_STUCK, 1, 2, 3, 4)).toBe("1 of 2 active pods cannot run, 3 succeeded of 4");
  });

  it("escape a text for the JSON string that has them", () => {
    out.reset();
    writeSentence(out, trace.CREATE_FAILED, values, false, blobOfText('pods "a" is\nforbidden'));
    expect(written()).toBe('creating a pod was refused: pods \\"a\\" is\\nforbidden');
  });
});

describe("names and numbers", () => {
  it("are those of the row", () => {
    out.reset();
    writeName(out, trace.WAITING_FOR_PODS_TO_BE_CLEAR);
    expect(written()).toBe("WaitingForPodsToBeClear");
    expect(numbers(trace.CREATING, false, 3, 1, 4, 2)).toBe('{"pods":3,"active":1,"wanted":4,"succeeded":2}');
    expect(numbers(trace.REFUSED, true)).toBe("{}");
  });

  it("leave out what is not known", () => {
    expect(numbers(trace.CREATING, false, NaN, 1, NaN, 2)).toBe('{"active":1,"succeeded":2}');
    expect(numbers(trace.CREATING, false)).toBe("{}");
  });

  it("have more in an explanation", () => {
    expect(numbers(trace.CREATE_FAILED, false, 403, 3, 5, 6)).toBe('{"status":403}');
    expect(numbers(trace.CREATE_FAILED, true, 403, 3, 5, 6)).toBe(
      '{"status":403,"tries":3,"sinceMs":5,"remainingMs":6}',
    );
    expect(numbers(trace.NO_LABELS, false, NaN, 3, 5, 6)).toBe("{}");
    expect(numbers(trace.NO_LABELS, true, NaN, 3, 5, 6)).toBe('{"tries":3,"sinceMs":5,"remainingMs":6}');
    expect(numbers(trace.INDEX_BACKOFF, true, 1, 2, 3, 4, 5, 6)).toBe(
      '{"remainingMs":1,"index":2,"failures":3,"backoffMs":4,"lastFailureMs":5,"indexes":6}',
    );
  });
});
