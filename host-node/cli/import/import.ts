/**
 * `stint import`: reads what was seen of Jobs and pods, in logs of `kubectl get --watch` or in a flight recording,
 * explains each write of their controller, and makes a recording of it that `stint replay` and the playground open.
 *
 * Invariant: nothing is sent. The recording is made by this program's engine, which gets the same events, so it replays
 * byte for byte. Possible secrets are left out of it unless the user asks for them.
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Recorder } from "../../../bindings/js/recorder.ts";
import type { Job, Pod } from "../../../cluster/values/kinds.ts";
import { loadEngineModule } from "../../engine-module.ts";
import { isFlight, readSegments } from "../../flight-recorder/read-segments.ts";
import { redactStory } from "../../../cluster/observed/redact.ts";
import {
  accountBy,
  type OfflineConfiguration,
  OfflineEngine,
  UPSTREAM,
} from "../../../cluster/observed/offline-engine.ts";
import { RecordingFile } from "../../recording-file.ts";
import { flightStory } from "../../../cluster/observed/flight-story.ts";
import { readKubectlLogs } from "../../../cluster/observed/kubectl-log.ts";
import { type Explained, Reconstruction } from "../../../cluster/observed/reconstruction.ts";
import { type Story, until } from "../../../cluster/observed/story.ts";
import { readProblem, UsageError } from "../../usage-error.ts";
import type { Console } from "../console.ts";
import { outputEndStatus } from "../exit-status.ts";
import { jobFilter } from "../job-filter.ts";
import { counted } from "../../words/counted.ts";
import { explanationLines } from "../../words/explanation.ts";
import { LastFailures } from "../../words/last-failures.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { styleFor } from "../../words/style.ts";
import { BackpressureOutput } from "../backpressure-output.ts";
import { documentLine, head } from "../json/document.ts";
import type { Answer } from "../why/answer.ts";
import { jobAccount } from "../why/job-document.ts";
import { type ImportReport, type ImportWrite, importWrite } from "./document.ts";

/** Of all logs together. They are read whole. */
const MAX_LOG_BYTES = 256 * 1024 ** 2;
/** At most this many Jobs of one name, in different namespaces, are explained. */
const MAX_EXPLAINED = 10;
/** The playground opens no larger recording. */
const MAX_RECORDING_BYTES = 256 * 1024 ** 2;

export interface ImportOptions {
  /** Logs of kubectl, or one flight recording. */
  readonly files: readonly string[];
  /** The recording to make. */
  readonly save?: string | undefined;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** Shows what concerns this Job alone: `pi`, `team/pi`. */
  readonly job?: string | undefined;
  /** Later changes are left out: `2026-11-23T20:36:22Z`. */
  readonly until?: string | undefined;
  /** The recording has values of environment variables and annotations, too. */
  readonly everything: boolean;
  readonly output: "text" | "json";
}

interface Source {
  readonly story: Story;
  readonly configuration: OfflineConfiguration;
  /** The time to look at; undefined: that of the last change. */
  readonly endMs: number | undefined;
}

/** @returns the exit status. @throws UsageError for what cannot be read, with file and line */
export async function importLogs(options: ImportOptions, console: Console): Promise<number> {
  const { save, force } = options;
  if (force && save === undefined)
    throw new UsageError("--force is given without --save; it lets --save replace a file");
  const endMs = timeOf(options.until);
  const { story, configuration } = sourceOf(options, console);
  const source = { story: until(story, endMs), configuration, endMs };
  if (!options.everything) redactStory(source.story);
  if (save === undefined) return reconstruct(source, options, undefined, console);
  const file = new RecordingFile({
    path: resolve(console.workingDirectory, save),
    force,
    onProblem: (problem) => console.writeError(`stint: ${printable(problem)}\n`),
    maxBytes: MAX_RECORDING_BYTES,
  });
  try {
    return await reconstruct(source, options, file.recorder, console);
  } finally {
    file.close();
  }
}

async function reconstruct(
  { story, configuration, endMs = 0 }: Source,
  { files, job, output }: ImportOptions,
  recorder: Recorder | undefined,
  console: Console,
): Promise<number> {
  const engine = new OfflineEngine(await loadEngineModule(), configuration, recorder);
  const writer = new BackpressureOutput(console);
  const isShown = jobFilter(job);
  const writes: ImportWrite[] = [];
  let written = 0;
  let unexplained = 0;
  const reconstruction = new Reconstruction(engine, story);
  for (const explained of reconstruction.run()) {
    written++;
    if (!explained.isAsked) unexplained++;
    if (isShown(explained.write.namespace, explained.write.job)) {
      if (output === "json") writes.push(importWrite(explained));
      else writer.writeText(`${textOf(explained)}\n`);
    }
    if (!(await writer.isRead())) return outputEndStatus(console);
  }
  const endedMs = Math.max(reconstruction.nowMs, endMs);
  const states = job === undefined ? [] : statesOf(engine, story, isShown, endedMs);
  const { jobs, pods } = story.first;
  const changes = story.seen.length;
  if (output === "json") {
    const counts = { jobs: jobs.length, pods: pods.length, changes, written, unexplained };
    const told = { ...head("ImportReport"), files, ...counts, writes, states: states.map(jobAccount) };
    writer.write(documentLine(told satisfies ImportReport));
    return 0;
  }
  for (const line of states.flatMap((state) => stateLines(state, endedMs, console))) writer.write(`${line}\n`);
  const there = `${counted(jobs.length, "Job")} and ${counted(pods.length, "pod")} at the beginning`;
  const explained = unexplained === 0 ? "all of them explained" : `${unexplained} not explained`;
  writer.writeText(
    `${files.join(", ")}: ${there}, ${counted(changes, "change")}, ${counted(written, "write")} of the controller, ${explained}\n`,
  );
  return 0;
}

/** The final states of the Jobs in question, and the reasons. */
function statesOf(
  engine: OfflineEngine,
  story: Story,
  isMeant: (namespace: string, job: string) => boolean,
  nowMs: number,
): Answer[] {
  const { first, seen } = story;
  const all = [...first.jobs, ...seen.filter(({ resource }) => resource === "jobs").map(({ object }) => object)];
  const jobs = new Map(
    all.map(({ metadata: { namespace = "", name, uid } }) => [`${namespace}/${name}`, { namespace, name, uid }]),
  );
  const meant = [...jobs.values()].filter(({ namespace, name }) => isMeant(namespace, name)).slice(0, MAX_EXPLAINED);
  const failures = failuresOf(engine, story, new Set(meant.map(({ uid }) => uid)), nowMs);
  return meant.map(({ namespace, name, uid }) => {
    const explanation = engine.explain(namespace, name, nowMs);
    const account = explanation.state === "Complete" ? undefined : failures.accountOf({ uid });
    const known = account === undefined ? {} : { lastFailure: failures.of({ uid }, account), account };
    return { explanation, source: "objects", remarks: [], events: [], ...known };
  });
}

/** In the words of `stint why`. */
function stateLines({ explanation, lastFailure, account }: Answer, nowMs: number, console: Console): string[] {
  const { terminal, environment } = console;
  const style = styleFor(terminal !== undefined, environment);
  const context = { columns: terminal?.().columns, hasKubectl: false, lastFailure, account };
  return ["", ...explanationLines(explanation, nowMs, style, context), ""];
}

/** What is known of the pods of some Jobs, which may be gone by the end. */
function failuresOf(
  engine: OfflineEngine,
  { first, seen }: Story,
  jobs: ReadonlySet<string>,
  nowMs: number,
): LastFailures {
  const failures = new LastFailures(accountBy(engine, () => nowMs));
  const isOf = ({ metadata }: Job | Pod): boolean =>
    metadata.ownerReferences?.some(({ uid }) => jobs.has(uid)) ?? false;
  for (const job of first.jobs) failures.job(job as Job);
  for (const pod of first.pods.filter(isOf)) failures.pod(pod as Pod);
  for (const { resource, type, object } of seen) {
    if (resource === "jobs") failures.job(object as Job);
    else if (isOf(object)) {
      failures.pod(object as Pod);
      if (type === "DELETED") failures.gone(object as Pod);
    }
  }
  return failures;
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`--until is ${JSON.stringify(text)}; allowed is a time such as 2026-11-23T20:36:22Z`);
  return ms;
}

function textOf({ atMs, write, isAsked, decision }: Explained): string {
  const { namespace, job, what } = write;
  const why = isAsked ? (decision?.message ?? "") : "not explained: by what is known, it was not to be done here";
  const text = `${printable(what)}${why === "" ? "" : ` (${printable(why)})`}`;
  return `${new Date(atMs).toISOString()}  job ${qualifiedName(namespace, job)}: ${text}`;
}

function sourceOf({ files }: ImportOptions, console: Console): Omit<Source, "endMs"> {
  const paths = files.map((file) => resolve(console.workingDirectory, file));
  const flight = paths.find(isFlight);
  const instance = "import";
  if (flight === undefined) {
    const configuration = { instance, ...UPSTREAM };
    return { story: readKubectlLogs(readLogs(files, paths)), configuration };
  }
  if (files.length > 1)
    throw new UsageError(
      `${files[paths.indexOf(flight)]} is a flight recording, and ${files.length} files are given; allowed is it alone`,
    );
  const { story, configuration } = flightStory(readSegments(flight));
  return { story, configuration: { ...configuration, instance } };
}

function readLogs(files: readonly string[], paths: readonly string[]): { name: string; text: string }[] {
  let bytes = 0;
  return paths.map((path, i) => {
    const name = files[i]!;
    try {
      bytes += statSync(path).size;
      if (bytes <= MAX_LOG_BYTES) return { name, text: readFileSync(path, "utf8") };
    } catch (error) {
      throw new UsageError(`cannot read ${files[i]}: ${readProblem(error)}`);
    }
    throw new UsageError(`the logs are larger than ${MAX_LOG_BYTES} bytes, which is the limit; import a part of them`);
  });
}
