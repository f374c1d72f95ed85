/**
 * What people see: harmless lines, progress that fits its terminal, a block that is removed exactly, and the summary.
 */
import { describe, expect, it } from "vitest";
import { terminalSize } from "../../../../host-node/cli/console.ts";
import type { Explanation } from "../../../../bindings/js/engine.ts";
import { holdText } from "../../../../host-node/cli/output/hold-text.ts";
import type { ConditionView, JobView, PodView } from "../../../../host-node/words/job-view.ts";
import { colouredLine, printable, printableLines, uncolouredLine } from "../../../../host-node/words/printable.ts";
import { progressLines } from "../../../../host-node/cli/output/progress.ts";
import type { EndedJob } from "../../../../host-node/cli/output/run-output.ts";
import { StatusBlock } from "../../../../host-node/cli/output/status-block.ts";
import { styleFor } from "../../../../host-node/words/style.ts";
import { summaryLines } from "../../../../host-node/cli/output/summary.ts";
import { TextOutput } from "../../../../host-node/cli/output/text-output.ts";

const plain = styleFor(false, {});
const coloured = styleFor(true, { TERM: "xterm" });

function job(view: Partial<JobView> = {}): JobView {
  const counts = { active: 0, ready: 0, succeeded: 0, failed: 0, terminating: 0 };
  return {
    namespace: "default",
    name: "pi",
    uid: view.name ?? "u",
    completions: 4,
    ...counts,
    conditions: [],
    state: "Running",
    startTimeMs: 0,
    endTimeMs: undefined,
    ...view,
  };
}

const pod: PodView = {
  namespace: "default",
  name: "pi-0-abcde",
  uid: "p",
  job: "pi",
  completionIndex: 0,
  phase: "Running",
  isDeleted: false,
  failure: "",
};

describe("printable", () => {
  it.each([
    ["plain ünïcödé 漢字 🙂\ttab", "plain ünïcödé 漢字 🙂\ttab"],
    ["\u001b[31mred\u001b[0m", "^[[31mred^[[0m"],
    ["\u001b]0;title\u0007", "^[]0;title^G"],
    ["\u009b2J", "\\u009b2J"],
    ["back\b\b\b\u007f", "back^H^H^H^?"],
    ["abc\u202edef", "abc\\u202edef"],
    ["exit code 3: disk full\r\nhint\r\n", "exit code 3: disk full^Jhint"],
    ["real cause\rlooks fine", "real cause^Mlooks fine"],
    ["line\r\n", "line"],
    ["two\nlines", "two^Jlines"],
  ])("%j becomes %j", (line, text) => {
    expect(printable(line)).toBe(text);
  });

  it("keeps, of text with several lines, its lines", () => {
    expect(printableLines("one\u001b[2J\r\n\n  two\rthree\u009b1m\n")).toBe("one^[[2J\n\n  two^Mthree\\u009b1m\n");
  });
});

describe("a line of a container", () => {
  it.each([
    ["no colours", "no colours"],
    [
      "\u001b[31mred\u001b[0m and \u001b[1;38;5;208morange\u001b[m",
      "\u001b[31mred\u001b[0m and \u001b[1;38;5;208morange\u001b[m\u001b[0m",
    ],
    ["\u001b[48;2;1;2;3mtrue\u001b[38:2::1:2:3mcolour", "\u001b[48;2;1;2;3mtrue\u001b[38:2::1:2:3mcolour\u001b[0m"],
    ["\u001b[8mhidden \u001b[31;8;5mred", "hidden \u001b[31mred\u001b[0m"],
    ["\u001b[38;8mhidden \u001b[38;5", "hidden ^[[38;5\u001b[0m"],
    ["\u001b[2J\u001b[31mred\u001b]0;title\u0007", "^[[2J\u001b[31mred^[]0;title^G\u001b[0m"],
    [`\u001b[${"1;".repeat(50)}mlong`, `^[[${"1;".repeat(50)}mlong`],
    ["\u001b[?31mprivate \u001b[>4m", "^[[?31mprivate ^[[>4m"],
    ["\u009b31m", "\\u009b31m"],
    ["\u001b[31m10%\r\u001b[32m20%\r\n", "\u001b[32m20%\u001b[0m"],
    ["10%\r20%\r100%\r\n", "100%"],
  ])("keeps of %j its colours, which end with it: %j", (line, text) => {
    expect(colouredLine(line)).toBe(text);
  });

  it("has none where none are wanted", () => {
    expect(uncolouredLine("\u001b[31mred\u001b[0m\u001b[2J")).toBe("red^[[2J");
    expect(plain.containerLine("\u001b[31mred")).toBe("red");
    expect(coloured.containerLine("\u001b[31mred")).toBe("\u001b[31mred\u001b[0m");
  });
});

describe("styleFor", () => {
  it("colours terminals only, and respects NO_COLOR and dumb ones", () => {
    expect(coloured.red("x")).toBe("\u001b[31mx\u001b[0m");
    for (const style of [plain, styleFor(true, { NO_COLOR: "1" }), styleFor(true, { TERM: "dumb" })])
      expect(style.red(style.bold(style.numbered(3, "x")))).toBe("x");
    expect(styleFor(true, { NO_COLOR: "" }).red("x")).not.toBe("x");
  });
});

describe("terminalSize", () => {
  it("takes a width or height of 0 for an unknown one", () => {
    expect(terminalSize({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 });
    expect(terminalSize({ columns: 1, rows: 7 })).toEqual({ columns: 1, rows: 7 });
  });
});

describe("progressLines", () => {
  const frame = { nowMs: 12_000, columns: 80, rows: 5, style: plain };

  it("shows bar, counts and elapsed time", () => {
    expect(progressLines([job({ succeeded: 1, active: 2, failed: 1 })], frame)).toEqual([
      "pi  █████░░░░░░░░░░░░░░░  1/4  2 active  1 failed  12.0s",
    ]);
    expect(progressLines([job({ succeeded: 4, state: "Complete", endTimeMs: 3000 })], frame)).toEqual([
      "pi  ████████████████████  4/4  Complete  3.0s",
    ]);
  });

  it("has no bar for a work queue, and none where there is no room", () => {
    expect(progressLines([job({ completions: null, succeeded: 2, active: 1 })], frame)).toEqual([
      "pi  2  1 active  12.0s",
    ]);
    expect(progressLines([job()], { ...frame, columns: 30 })).toEqual(["pi  0/4  0 active  12.0s"]);
  });

  it("never exceeds the width, whatever the names and numbers", () => {
    for (let columns = 1; columns < 120; columns++) {
      const jobs = [
        job({ name: "n".repeat(63), succeeded: 100_000, completions: 1_000_000, active: 500, failed: 99 }),
        job({ completions: 0 }),
        job({ completions: null, active: 100_000 }),
      ];
      for (const line of progressLines(jobs, { ...frame, columns })) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it("puts those that run first and counts what does not fit", () => {
    const jobs = [
      job({ name: "done", state: "Complete", endTimeMs: 1000 }),
      ...Array.from({ length: 9 }, (_, i) => job({ name: `job-${i}` })),
    ];
    const lines = progressLines(jobs, frame);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatch(/^job-0 /);
    expect(lines[4]).toBe("… and 6 more Jobs");
  });
});

describe("StatusBlock", () => {
  /** A terminal of unbounded height: what is on it after these writes. */
  function screen(writes: string): string[] {
    const lines: string[] = [""];
    let row = 0;
    for (const [, up, clear, text] of writes.matchAll(/(\u001b\[1A)|(\u001b\[2K)|([^\u001b]+)/g)) {
      if (up !== undefined) row--;
      else if (clear !== undefined) lines[row] = "";
      else {
        for (const [i, part] of text!.split("\n").entries()) {
          if (i > 0) row++;
          lines[row] = (i > 0 ? "" : (lines[row] ?? "")) + part;
        }
      }
    }
    // What is below the cursor is empty.
    expect(lines.slice(row + 1).filter((line) => line !== "")).toEqual([]);
    return lines.slice(0, row + 1);
  }

  it("stays last, is redrawn in place and disappears", () => {
    let written = "";
    const block = new StatusBlock((text) => (written += text), true);
    block.print(["log 1"]);
    block.show(["a", "b"]);
    expect(screen(written)).toEqual(["log 1", "a", "b", ""]);
    block.print(["log 2", "log 3"]);
    block.show(["A"]);
    expect(screen(written)).toEqual(["log 1", "log 2", "log 3", "A", ""]);
    block.show([]);
    block.print(["end"]);
    expect(screen(written)).toEqual(["log 1", "log 2", "log 3", "end", ""]);
  });

  it("writes nothing when nothing has changed, and no block on what is no terminal", () => {
    let writes = 0;
    const block = new StatusBlock(() => writes++, true);
    block.show(["a"]);
    block.show(["a"]);
    expect(writes).toBe(1);
    let text = "";
    const file = new StatusBlock((more) => (text += more), false);
    file.show(["a"]);
    file.print(["log"]);
    expect(text).toBe("log\n");
  });
});

function output(
  options: {
    terminal?: boolean;
    several?: boolean;
    style?: typeof plain;
    explanations?: Map<string, Explanation>;
  } = {},
): { text: () => string; errors: () => string; out: TextOutput } {
  let text = "";
  let errors = "";
  const explanations = options.explanations ?? new Map<string, Explanation>();
  const out = new TextOutput({
    write: (more) => (text += more),
    writeError: (more) => (errors += more),
    explain: (job) => explanations.get(job.name),
    hold: () => undefined,
    placeOf: () => undefined,
    errorStyle: plain,
    terminal: options.terminal ? () => ({ columns: 80, rows: 24 }) : undefined,
    style: options.style ?? plain,
    startMs: 1000,
    hasSeveralJobs: options.several ?? false,
  });
  return { text: () => text, errors: () => errors, out };
}

describe("a Warning of the API", () => {
  it("is printed again only when it has come twice as often", () => {
    const { text, out } = output();
    const warning = { kind: "Pod", namespace: "default", name: "p", type: "Warning", reason: "Failed" } as const;
    for (let i = 0; i < 20; i++) out.event(1000 * i, { ...warning, message: "no such image" });
    out.event(20_000, { ...warning, message: "no login" });
    out.event(20_000, { ...warning, name: "q", message: "no such image" });
    for (const name of ["a", "b"]) out.event(20_000, { ...warning, name: "r", message: `pods "${name}" is forbidden` });
    expect(text().trimEnd().split("\n")).toEqual([
      "  0.0s  pod/p: Failed: no such image",
      "  0.0s  pod/p: Failed: no such image (2 times)",
      "  2.0s  pod/p: Failed: no such image (4 times)",
      "  6.0s  pod/p: Failed: no such image (8 times)",
      " 14.0s  pod/p: Failed: no such image (16 times)",
      " 19.0s  pod/p: Failed: no login",
      " 19.0s  pod/q: Failed: no such image",
      ' 19.0s  pod/r: Failed: pods "a" is forbidden',
      ' 19.0s  pod/r: Failed: pods "b" is forbidden (2 times)',
    ]);
  });
});

describe("TextOutput", () => {
  const line = { pod, container: "main", isOneOfSeveral: false, attempt: 0, stream: "stdout", line: "hello" } as const;

  it("prefixes logs with the completion index, else with what tells the pod from its siblings", () => {
    const { text, out } = output();
    out.log(1000, line);
    out.log(1000, { ...line, pod: { ...pod, completionIndex: undefined } });
    out.log(1000, { ...line, isOneOfSeveral: true });
    expect(text()).toBe("[0] hello\n[0-abcde] hello\n[0/main] hello\n");
    const several = output({ several: true });
    several.out.log(1000, line);
    expect(several.text()).toBe("[pi/0] hello\n");
  });

  it("warns beside the output, harmlessly", () => {
    const { text, errors, out } = output();
    out.warning(1000, "job.yaml:1:1: \u001b[2J");
    expect({ text: text(), errors: errors() }).toEqual({ text: "", errors: "Warning: job.yaml:1:1: ^[[2J\n" });
  });

  it("distinguishes Jobs of one name in two namespaces in every line", () => {
    const { text, out } = output({ several: true });
    for (const namespace of ["default", "team"]) {
      const view = job({ namespace, uid: namespace });
      out.job(1000, view);
      out.job(1000, { ...view, active: 1 });
      out.log(1000, { ...line, pod: { ...pod, namespace } });
      out.pod(1000, { ...pod, namespace, phase: "Failed" });
      out.event(1000, { kind: "Job", namespace, name: "pi", type: "Warning", reason: "R", message: "m" });
    }
    const linesOf = (prefix: string): string[] => [
      `  0.0s  ${prefix}pi: 0/4 complete, 1 active`,
      `[${prefix}pi/0] hello`,
      `  0.0s  pod/${prefix}pi-0-abcde failed`,
      `  0.0s  job/${prefix}pi: R: m`,
    ];
    expect(text().trimEnd().split("\n")).toEqual([...linesOf(""), ...linesOf("team/")]);
    const frame = { nowMs: 0, startMs: 0, columns: 30, rows: 5, style: plain };
    expect(progressLines([job(), job({ namespace: "team" })], frame)).toEqual([
      "pi       0/4  0 active  0.0s",
      "team/pi  0/4  0 active  0.0s",
    ]);
  });

  it("prints news on plain lines, once", () => {
    const { text, out } = output();
    out.job(1000, job());
    out.job(1000, job({ active: 2 }));
    out.job(1100, job({ active: 2, ready: 2 }));
    out.job(1200, job({ active: 1, succeeded: 1 }));
    out.job(1300, job({ active: 2, succeeded: 1 }));
    out.job(62_000, job({ failed: 1, succeeded: 1, state: "Failed" }));
    expect(text()).toBe(
      "  0.0s  pi: 0/4 complete, 2 active\n  0.2s  pi: 1/4 complete, 1 active\n 1m01s  pi: Failed, 1/4 complete, 1 failed\n",
    );
  });

  it("prints failed pods and warnings of the API without control characters", () => {
    const { text, out } = output();
    out.pod(1000, { ...pod, phase: "Succeeded" });
    out.pod(1000, { ...pod, phase: "Failed", failure: "container main exited (exit code 1, Error): \u001b[2J" });
    out.event(1000, {
      kind: "Job",
      namespace: "default",
      name: "pi",
      type: "Warning",
      reason: "BackoffLimitExceeded",
      message: "m",
    });
    out.event(1000, {
      kind: "Job",
      namespace: "default",
      name: "pi",
      type: "Normal",
      reason: "SuccessfulCreate",
      message: "m",
    });
    out.event(1000, {
      kind: "Pod",
      namespace: "default",
      name: "x",
      type: "Warning",
      reason: "UnsupportedField",
      message: "shown already",
    });
    expect(text()).toBe(
      "  0.0s  pod/pi-0-abcde failed: container main exited (exit code 1, Error): ^[[2J\n  0.0s  job/pi: BackoffLimitExceeded: m\n",
    );
  });

  it("breaks what it tells where a terminal ends", () => {
    const { text, out } = output({ terminal: true });
    out.event(1000, {
      kind: "Job",
      namespace: "default",
      name: "pi",
      type: "Warning",
      reason: "FailedCreate",
      message: "a message of several words that is too long for one line of this terminal",
    });
    const lines =
      "  0.0s  job/pi: FailedCreate: a message of several words that is too long for\n        one line of this terminal\n";
    expect(text()).toBe(lines);
    const inColour = output({ terminal: true, style: coloured });
    inColour.out.event(1000, {
      kind: "Job",
      namespace: "default",
      name: "pi",
      type: "Warning",
      reason: "FailedCreate",
      message: "a message of several words that is too long for one line of this terminal",
    });
    expect(inColour.text().replace(/\u001b\[\d+m/g, "")).toBe(lines);
  });

  it("prints without a colour that deleted pods ended", () => {
    const { text, out } = output({ style: coloured });
    out.pod(1000, {
      ...pod,
      phase: "Failed",
      isDeleted: true,
      failure: "container main exited (exit code 143, signal 15, Error)",
    });
    out.pod(1000, { ...pod, phase: "Failed" });
    expect(text()).toContain("pod/pi-0-abcde ended: container main exited (exit code 143, signal 15, Error)\n");
    expect(text()).toContain("pod/pi-0-abcde \u001b[31mfailed\u001b[0m\n");
  });

  it("draws a block on a terminal and no progress lines", () => {
    const { text, out } = output({ terminal: true });
    out.job(1000, job({ active: 2, startTimeMs: 1000 }));
    expect(text()).toBe("pi  ░░░░░░░░░░░░░░░░░░░░  0/4  2 active  0.0s\n");
    out.tick(1200);
    expect(text()).toContain("0.2s");
    out.end(2000, { jobs: [], exitStatus: 0, durationMs: 1000, isSimulated: false, notes: [] });
    expect(text().endsWith("\u001b[1A\u001b[2K\nexit status 0 after 1.0s\n")).toBe(true);
  });
});

function explanation(parts: Partial<Explanation>): Explanation {
  return {
    namespace: "default",
    job: "pi",
    found: true,
    state: "Waiting",
    sentence: "",
    nextMs: null,
    decisions: [],
    ...parts,
  };
}

const backoff = explanation({
  code: "Backoff",
  numbers: { remainingMs: 6_400, backoffMs: 10_000, failures: 1 },
  sentence: "waiting 7 s before the next pod is created: …",
});

describe("holdText", () => {
  it.each<[Partial<Explanation>, string]>([
    [backoff, "next pod in 7 s (back-off 10 s)"],
    [
      { code: "IndexBackoff", numbers: { remainingMs: 130_000, backoffMs: 160_000, index: 3 } },
      "index 3 again in 2 min 10 s (back-off 2 min 40 s)",
    ],
    [{ code: "PodsStuck", sentence: "1 of 1 active pod cannot run" }, "1 pod has no node: too small^[[2J"],
    [{ code: "CreateFailed", sentence: "creating a pod was refused" }, "1 pod has no node: too small^[[2J"],
    [{ code: "WaitingForPods", sentence: "waiting for pods: 1 active" }, ""],
    [{ found: false, state: "Unknown", sentence: "no such Job is known" }, ""],
  ])("of %j is %j", (parts, text) => {
    expect(holdText(explanation(parts), () => "1 pod has no node: too small\u001b[2J")).toBe(text);
  });

  it("is the controller's sentence where the account has no hold", () => {
    const refused = explanation({ code: "CreateFailed", sentence: "creating a pod was refused: quota\u001b[2J" });
    expect(holdText(refused, () => undefined)).toBe("creating a pod was refused: quota^[[2J");
  });
});

describe("why nothing happens", () => {
  const frame = { nowMs: 12_000, columns: 80, rows: 5, style: plain };
  const waiting = job({ failed: 1, uid: "u" });

  it("is at the end of the Job's line, and the bar gets shorter for it", () => {
    const of = (columns: number): string =>
      progressLines([waiting], { ...frame, columns, holds: new Map([["u", "next pod in 7 s (back-off 10 s)"]]) })[0]!;
    expect(of(80)).toBe("pi  ░░░░░░░░░░░░░░░░░░░░  0/4  1 failed  12.0s  next pod in 7 s (back-off 10 s)");
    expect(of(60)).toBe("pi  0/4  1 failed  12.0s  next pod in 7 s (back-off 10 s)");
    expect(of(50)).toBe("pi  0/4  1 failed  12.0s  next pod in 7 s (back-o…");
    expect(of(35)).toBe("pi  0/4  1 failed  next pod in 7 s…");
    expect(of(28)).toBe("pi  0/4  1 failed");
    for (let columns = 1; columns < 120; columns++) expect(of(columns).length).toBeLessThanOrEqual(columns);
  });

  it("leaves the lines of several Jobs below each other, with bars of one width", () => {
    const jobs = [
      waiting,
      job({ name: "all", completions: 120, succeeded: 60, active: 10 }),
      job({ name: "queue", completions: null, succeeded: 3, active: 1 }),
    ];
    expect(progressLines(jobs, { ...frame, holds: new Map([["u", "next pod in 7 s (back-off 10 s)"]]) })).toEqual([
      "pi     ░░░░░░░░░░░░░░░  0/4     1 failed  12.0s  next pod in 7 s (back-off 10 s)",
      "all    ███████░░░░░░░░  60/120  10 active  12.0s",
      "queue                   3       1 active  12.0s",
    ]);
    const long = progressLines(jobs, { ...frame, holds: new Map([["u", "x".repeat(200)]]) });
    expect(long[0]).toMatch(/^pi {5}░{8} {2}0\/4 {5}1 failed {2}12\.0s {2}x{37}…$/);
    expect(long[1]).toMatch(/^all {4}█{4}░{4} {2}60\/120 {2}10 active {2}12\.0s$/);
  });

  it("is asked of the engine at each tick, of Jobs that run, and forgotten when the Job moves", () => {
    const explanations = new Map([["pi", backoff]]);
    const { text, out } = output({ terminal: true, explanations });
    out.job(1000, job({ failed: 1 }));
    expect(text()).not.toContain("next pod");
    out.tick(1100);
    expect(text()).toContain("next pod in 7 s (back-off 10 s)\n");
    const before = text().length;
    out.job(2000, job({ failed: 1, active: 1 }));
    expect(text().slice(before)).not.toContain("next pod");
    expect(text().slice(before)).toContain("0/4  1 active  1 failed");
    out.job(3000, job({ failed: 1, state: "Failed" }));
    out.tick(3100);
    expect(text().slice(before)).not.toContain("next pod");
  });

  it("is not asked where there is no terminal", () => {
    const { text, out } = output({ explanations: new Map([["pi", backoff]]) });
    out.job(1000, job());
    out.tick(1100);
    expect(text()).toBe("");
  });
});

const condition = (type: string, reason: string, message: string): ConditionView => ({
  type,
  status: "True",
  reason,
  message,
});
const conditions = [
  condition("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline"),
  condition("Failed", "DeadlineExceeded", "Job was active longer than specified deadline"),
];
const failed = job({
  state: "Failed",
  failed: 2,
  completedIndexes: "",
  failedIndexes: "0,2-3",
  conditions,
  endTimeMs: 5000,
});
const lastFailure = {
  pod: "pi-0-abcde",
  failure: "container main exited (exit code 3, Error)",
  endedBy: "Exited" as const,
  log: ["reading", "\u001b[31mno such file\u001b[2J"],
};
const failedLines = [
  "",
  "job pi  Failed in 5.0s",
  "  succeeded 0/4   failed 2   completed indexes none   failed indexes 0,2-3",
  "  0 X.XX",
  "    X failed   . not complete",
  "  DeadlineExceeded: Job was active longer than specified deadline",
  "  last failure: pod pi-0-abcde: container main exited (exit code 3, Error)",
  "  │ reading",
  "  │ no such file^[[2J",
];
const end = { exitStatus: 1, durationMs: 5100, isSimulated: true, reason: "interrupted", notes: [] };

describe("summaryLines", () => {
  it("prints of one Job its counters, why it ended, and the last failure with what was printed last", () => {
    expect(summaryLines({ ...end, jobs: [{ ...failed, lastFailure }] }, plain)).toEqual([
      ...failedLines,
      "",
      "interrupted; exit status 1 after 5.1s of simulated time",
    ]);
  });

  it("prints conditions that the final one does not say", () => {
    const suspended = { ...condition("Suspended", "JobResumed", "Job resumed"), status: "False" };
    const view = job({
      state: "Complete",
      conditions: [
        suspended,
        condition("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0"),
        condition("Complete", "CompletionsReached", ""),
      ],
    });
    expect(summaryLines({ ...end, jobs: [view] }, plain).slice(3, -2)).toEqual([
      "  Suspended False: JobResumed: Job resumed",
      "  SuccessCriteriaMet: SuccessPolicy: Matched rules at index 0",
      "  CompletionsReached",
    ]);
  });

  it("ends with the notes, dim, before the exit status", () => {
    const { dim } = coloured;
    const notes = ["commands run on this machine", "ports are not mapped\u001b[2J"];
    expect(summaryLines({ ...end, jobs: [failed], notes }, coloured).slice(-4)).toEqual([
      "",
      dim("note: commands run on this machine"),
      dim("note: ports are not mapped^[[2J"),
      "interrupted; exit status 1 after 5.1s of simulated time",
    ]);
    expect(summaryLines({ ...end, jobs: [failed], notes }, plain, 20)).toContain("note: commands run");
  });

  it("breaks lines where a terminal ends", () => {
    const notes = ["commands run on this machine, not in the images of their containers"];
    const lines = summaryLines({ ...end, jobs: [{ ...failed, lastFailure }], notes }, plain, 40);
    for (const line of lines.filter((line) => !line.startsWith("interrupted")))
      expect(line.length).toBeLessThanOrEqual(40);
  });

  it("prints several Jobs in a table, those that failed last and with what failed, and a total", () => {
    const done = job({ name: "done", state: "Complete", succeeded: 4, endTimeMs: 1000 });
    const slow = {
      ...job({ namespace: "team", name: "slow", completions: null, active: 1 }),
      sentence: "1 active pod runs",
    };
    expect(summaryLines({ ...end, jobs: [{ ...failed, lastFailure }, done, slow] }, plain)).toEqual([
      "",
      "job team/slow  not finished",
      "  succeeded 0   failed 0   active 1",
      "  1 active pod runs",
      ...failedLines,
      "",
      "JOB        STATE         SUCCEEDED  FAILED  TIME  REASON",
      "done       Complete      4/4        0       1.0s",
      "team/slow  not finished  0          0",
      "pi         Failed        0/4        2       5.0s  DeadlineExceeded",
      "",
      "3 Jobs: 1 complete, 1 not finished, 1 failed: pi",
      "",
      "interrupted; exit status 1 after 5.1s of simulated time",
    ]);
  });

  it("prints what Jobs that have not ended wait for: of many, the first in full, more in brief, and how many are left", () => {
    const jobs = (count: number): EndedJob[] =>
      Array.from({ length: count }, (_, i) => ({
        ...job({ name: `j${i}`, active: 1 }),
        sentence: `waits for ${i}\u001b[2J`,
        lastFailure: { pod: `j${i}-x`, failure: "", endedBy: "Exited" as const, log: ["no disk"] },
      }));
    const [first, ...lines] = summaryLines({ ...end, jobs: jobs(22) }, plain);
    expect(first).toBe("");
    for (const i of [0, 1, 2, 3, 4])
      expect(lines.splice(0, 6)).toEqual([
        `job j${i}  not finished`,
        "  succeeded 0/4   failed 0   active 1",
        `  waits for ${i}^[[2J`,
        `  last failure: pod j${i}-x`,
        "  │ no disk",
        "",
      ]);
    expect(lines.splice(0, 30)).toEqual(
      Array.from({ length: 15 }, (_, i) => [`job j${i + 5}  not finished`, `  waits for ${i + 5}^[[2J`]).flat(),
    );
    expect(lines.slice(0, 3)).toEqual(["", "… and 2 more Jobs that have not ended", ""]);
    expect(summaryLines({ ...end, jobs: jobs(21) }, plain)).toContain("… and 1 more Job that has not ended");
    expect(summaryLines({ ...end, jobs: jobs(20) }, plain).join("\n")).not.toContain("more Job");
  });

  it("prints of many failed Jobs the last ones, and names ten", () => {
    const lines = summaryLines(
      { ...end, jobs: Array.from({ length: 12 }, (_, i) => job({ name: `j${i}`, state: "Failed", failed: 1 })) },
      plain,
    );
    expect(lines.filter((line) => line.startsWith("job "))).toEqual([7, 8, 9, 10, 11].map((i) => `job j${i}  Failed`));
    expect(lines).toContain("12 Jobs: 12 failed: j0, j1, j2, j3, j4, j5, j6, j7, j8, j9, and 2 more");
  });

  it("takes for these the Jobs whose ends are the latest, wherever they are in the files", () => {
    const ends = [9000, 1000, 5000, 2000, 8000, 3000];
    const jobs = ends.map((endTimeMs) => job({ name: `at-${endTimeMs}`, state: "Failed", endTimeMs }));
    const lines = summaryLines({ ...end, jobs }, plain);
    expect(lines.filter((line) => line.startsWith("job ")).map((line) => line.split(" ")[1])).toEqual([
      "at-2000",
      "at-3000",
      "at-5000",
      "at-8000",
      "at-9000",
    ]);
    expect(lines.slice(0, 2)).toEqual(["", "Of 6 failed Jobs the 5 that failed last:"]);
    expect(summaryLines({ ...end, jobs: jobs.slice(1) }, plain).join("\n")).not.toContain("that failed last");
  });
});
