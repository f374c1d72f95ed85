/**
 * The run as JUnit XML, which CI servers show: a suite a Job, a test case a completion index, or a pod where there are
 * none. It is written at the end. Source: the Jenkins schema of JUnit reports.
 *
 * Invariant: any text of a container gives well-formed XML; a Job that is not complete has at least one case that is a
 * failure or an error, and a complete one has none. What a retry made good is output of its case.
 */
import { qualifiedName } from "../../words/job-name.ts";
import { hasIndex, parseIndexes } from "./index-set.ts";
import type { PodView } from "../../words/job-view.ts";
import { type PodResult, PodResults } from "./pod-results.ts";
import { printable } from "../../words/printable.ts";
import type { EndedJob, LogLine, RunOutput, RunSummary } from "./run-output.ts";
import { xml } from "./xml.ts";

/** Test cases of a suite. Of more indexes those that are complete are left out first. */
const MAX_CASES = 10_000;
/** The most indexes that are examined: a Job may name two billion of them. */
const MAX_INDEXES = 1_000_000;

interface Case {
  readonly name: string;
  readonly seconds: number;
  /** Undefined: it passed. */
  readonly problem?: Problem | undefined;
  /** The output of a successful case. */
  readonly output: string;
}

interface Problem {
  readonly element: "failure" | "error" | "skipped";
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

export class JunitOutput implements RunOutput {
  readonly #write: (text: string) => void;
  readonly #writeError: (text: string) => void;
  readonly #results = new PodResults();

  constructor(write: (text: string) => void, writeError: (text: string) => void) {
    this.#write = write;
    this.#writeError = writeError;
  }

  warning(_nowMs: number, text: string): void {
    this.#writeError(`Warning: ${printable(text)}\n`);
  }

  log(_nowMs: number, line: LogLine): void {
    this.#results.log(line);
  }

  pod(nowMs: number, pod: PodView): void {
    this.#results.pod(nowMs, pod);
  }

  note(_nowMs: number, text: string): void {
    this.#writeError(`${printable(text)}\n`);
  }

  event(): void {}
  job(): void {}
  decision(): void {}
  tick(): void {}

  end(nowMs: number, { jobs, durationMs, reason }: RunSummary): void {
    const suites = jobs.map((job) => ({ job, cases: casesOf(job, this.#results.of(job), nowMs, reason) }));
    this.#write(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        `<testsuites ${countsOf(suites.flatMap(({ cases }) => cases))} time="${seconds(durationMs)}">`,
        ...suites.flatMap(({ job, cases }) => suiteLines(job, cases, nowMs)),
        "</testsuites>",
        "",
      ].join("\n"),
    );
  }
}

function casesOf(job: EndedJob, pods: readonly PodResult[], nowMs: number, reason: string | undefined): Case[] {
  const cases = job.completedIndexes === undefined ? podCases(job, pods, nowMs) : indexCases(job, pods, nowMs);
  if (job.state === "Complete" || cases.some(({ problem }) => problem && problem.element !== "skipped")) return cases;
  return [...cases, { name: "Job", seconds: 0, problem: problemOfJob(job, reason), output: "" }];
}

/** A deadline, a time-out, or a pod that never ran. */
function problemOfJob(job: EndedJob, reason = "it was stopped"): Problem {
  const { state, conditions, sentence, lastFailure, withoutPods = "" } = job;
  const text =
    lastFailure === undefined
      ? withoutPods
      : [`pod ${lastFailure.pod}: ${lastFailure.failure}`, ...lastFailure.log].join("\n");
  if (state === "Running") return { element: "error", type: "NotFinished", message: sentence ?? reason, text };
  const failed = conditions.find(({ type }) => type === "Failed");
  return { element: "failure", type: failed?.reason ?? "Failed", message: failed?.message ?? "", text };
}

function indexCases(job: EndedJob, pods: readonly PodResult[], nowMs: number): Case[] {
  const completed = parseIndexes(job.completedIndexes ?? "");
  const failed = parseIndexes(job.failedIndexes ?? "");
  const byIndex = Map.groupBy(pods, ({ pod }) => pod.completionIndex);
  const count = Math.min(job.completions ?? 0, MAX_INDEXES);
  const cases: Case[] = [];
  // Complete ones come last, up to the limit, and then all are sorted.
  const indexes = Array.from({ length: count }, (_, index) => index);
  const chosen = [
    ...indexes.filter((index) => !hasIndex(completed, index)),
    ...indexes.filter((index) => hasIndex(completed, index)),
  ].slice(0, MAX_CASES);
  for (const index of chosen.sort((a, b) => a - b)) {
    const own = byIndex.get(index) ?? [];
    const common = { name: `index ${index}`, seconds: secondsOf(own, nowMs) };
    if (hasIndex(completed, index)) cases.push({ ...common, output: failureText(own) });
    else if (hasIndex(failed, index) || (job.state === "Failed" && own.some(isFailure)))
      cases.push({ ...common, problem: failureOf(own), output: "" });
    else
      cases.push({
        ...common,
        problem: skipped(own.length === 0 ? "it did not run" : "it was not completed"),
        output: failureText(own),
      });
  }
  return cases;
}

/** In a Job that is complete in the end, a pod that failed was tried again. */
function podCases(job: EndedJob, pods: readonly PodResult[], nowMs: number): Case[] {
  return pods.map((result) => {
    const { pod } = result;
    const common = { name: pod.name, seconds: secondsOf([result], nowMs), output: "" };
    if (pod.phase === "Succeeded") return common;
    if (!isFailure(result)) return { ...common, problem: skipped("it was ended before it had finished") };
    const problem = failureOf([result]);
    return { ...common, problem: job.state === "Failed" ? problem : { ...problem, element: "skipped" } };
  });
}

/** A pod that was deleted has not failed. */
function isFailure({ pod }: PodResult): boolean {
  return pod.phase === "Failed" && !pod.isDeleted;
}

function failureOf(pods: readonly PodResult[]): Problem {
  const last = pods.findLast(isFailure) ?? pods.at(-1);
  const tries = pods.filter(isFailure).length;
  const message = `${last?.pod.failure || "it failed"}${tries > 1 ? ` (the last of ${tries} failed pods)` : ""}`;
  return { element: "failure", type: "PodFailed", message, text: failureText(pods) };
}

function skipped(message: string): Problem {
  return { element: "skipped", type: "NotCompleted", message, text: "" };
}

function failureText(pods: readonly PodResult[]): string {
  return pods
    .filter(isFailure)
    .flatMap(({ pod, lines }) => [`pod ${pod.name}: ${pod.failure}`, ...lines])
    .join("\n");
}

/** From the first pod to the end of the last. */
function secondsOf(pods: readonly PodResult[], nowMs: number): number {
  if (pods.length === 0) return 0;
  return (Math.max(...pods.map(({ endedMs = nowMs }) => endedMs)) - pods[0]!.beganMs) / 1000;
}

function suiteLines(job: EndedJob, cases: readonly Case[], nowMs: number): string[] {
  const { namespace, name, startTimeMs, endTimeMs = nowMs } = job;
  const started = startTimeMs === undefined ? "" : ` timestamp="${new Date(startTimeMs).toISOString()}"`;
  const time = seconds(startTimeMs === undefined ? 0 : endTimeMs - startTimeMs);
  const suite = xml(qualifiedName(namespace, name));
  return [
    `  <testsuite name="${suite}" ${countsOf(cases)} time="${time}"${started}>`,
    ...cases.flatMap((each) => caseLines(each, suite)),
    "  </testsuite>",
  ];
}

function caseLines({ name, seconds, problem, output }: Case, suite: string): string[] {
  const head = `    <testcase name="${xml(name)}" classname="${suite}" time="${seconds.toFixed(3)}"`;
  if (problem === undefined)
    return output === ""
      ? [`${head}/>`]
      : [`${head}>`, `      <system-out>${xml(output)}</system-out>`, "    </testcase>"];
  const { element, type, message, text } = problem;
  const start = `      <${element} type="${xml(type)}" message="${xml(message)}"`;
  return [`${head}>`, text === "" ? `${start}/>` : `${start}>${xml(text)}</${element}>`, "    </testcase>"];
}

function countsOf(cases: readonly Case[]): string {
  const count = (element: Problem["element"]): number =>
    cases.filter(({ problem }) => problem?.element === element).length;
  return `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
