/**
 * The door of the page: a text that a user pastes or drops becomes an answer, and what the page shows of it.
 *
 * Invariant: every text has an answer, or one sentence that says what was given, what is allowed and what to do. The
 * same text at the same time has the same answer. Nothing is fetched and nothing is sent. Leaves out how the text comes
 * here (the Worker), and how the answer looks (the page).
 */
import type { Account, AccountQuestion } from "../../bindings/js/engine.ts";
import { UsageError } from "../../cluster/values/usage-error.ts";
import { endOf } from "../../cluster/values/job-conditions.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import { fieldLinesOf } from "../history/field-lines.ts";
import type { DoorAnswer, JobAnswer, Why } from "../door-answer.ts";
import { answerOf } from "./explain-objects.ts";
import { DESCRIBED_NOTE, describedJobs } from "./described-job.ts";
import { type FoundJob, type FoundObjects, objectsIn } from "./found-objects.ts";
import { kindOf, type KindName } from "./kinds.ts";
import { readLog, type WholeEngineFile } from "./read-log.ts";
import { type NewWorld, reconstruct } from "./reconstruct.ts";
import { isSecret, runManifest } from "./run-manifest.ts";

export interface DoorTools {
  readonly readYaml: YamlReader;
  /** Asks the whole engine. Undefined: it cannot read the question. */
  ask(question: AccountQuestion, nowMs: number): Account | undefined;
  /** The same, as it was fetched: it makes recordings. */
  readonly engine: WholeEngineFile;
  readonly newWorld: NewWorld;
  /** Wall time. */
  nowMs(): number;
}

/** More takes the reader too long: a megabyte takes it about a second. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_LOG_LENGTH = 64 * 1024 * 1024;
/** A text whose newest time is older than this was not fetched just now. */
const DAY_MS = 86_400_000;
const MAX_ANSWERS = 20;

export function openDoor(pasted: string, tools: DoorTools): DoorAnswer {
  const text = pasted.replace(/^\ufeff/, "");
  const kind = kindOf(text);
  const { name, called } = kind;
  if ("instead" in kind)
    return refused(name, called, `${called === "nothing" ? "there is" : "this is"} ${called}; ${kind.instead}`);
  if (name === "objects") return explainedObjects(text, tools);
  if (name === "recording" || name === "scenario") return { kind: name, given: called, notes: [], jobs: [] };
  if (name === "log" || name === "flight") return explainedLog(text, name, called, tools);
  return explainedDescription(text, called, tools);
}

function explainedDescription(text: string, called: string, tools: DoorTools): DoorAnswer {
  const answer = explainedObjects(describedJobs(text), tools);
  if (answer.problem !== undefined) return refused("described", called, answer.problem);
  return { ...answer, kind: "described", given: called, notes: [DESCRIBED_NOTE], jobs: answer.jobs.map(withoutLines) };
}

function withoutLines({ why, ...job }: JobAnswer): JobAnswer {
  return { ...job, why: { ...why, evidence: [] } };
}

/** The recording is what runs, and the account is that of the last states. Their lines are in no text. */
function explainedLog(text: string, kind: "log" | "flight", called: string, tools: DoorTools): DoorAnswer {
  if (text.length > MAX_LOG_LENGTH)
    return refused(
      kind,
      called,
      `this has ${text.length} characters; allowed are ${MAX_LOG_LENGTH}: give a part of it`,
    );
  try {
    const { recording, objects, notes } = readLog(text, kind === "flight", tools.engine);
    const { jobs, yaml, problem, ...last } = explainedObjects(objects, tools);
    if (problem !== undefined) return refused(kind, called, problem);
    const given = last.given.replace(/^[^:]*/, called);
    return { kind, given, notes, jobs: jobs.map(withoutLines), recording, ...(yaml === undefined ? {} : { yaml }) };
  } catch (error) {
    if (error instanceof UsageError) return refused(kind, called, error.message);
    throw error;
  }
}

function refused(kind: KindName, given: string, problem: string): DoorAnswer {
  return { kind, given, problem, notes: [], jobs: [] };
}

function explainedObjects(text: string, tools: DoorTools): DoorAnswer {
  const { readYaml, ask, nowMs } = tools;
  const isJson = /^\s*[{[]/.test(text);
  if (text.length > MAX_LENGTH)
    return refused(
      "objects",
      "objects of Kubernetes",
      `this has ${text.length} characters; allowed are ${MAX_LENGTH}: give the objects of one Job, by \`-l job-name=NAME\``,
    );
  const objects = objectsIn(text, readYaml, isJson);
  const given = `objects of Kubernetes${objects.counts === "" ? "" : `: ${objects.counts}`}`;
  if (objects.problem !== undefined) return refused("objects", given, objects.problem);
  const { yaml, dropped } = runManifest(objects, text);
  const then = timeOf(objects, nowMs());
  const seen = objects.jobs.filter(({ job, isOfCronJob }) => !isOfCronJob && hasRun(job));
  const jobs = seen.slice(0, MAX_ANSWERS).flatMap((each) => {
    // Of a Job that has ended nothing depends on the time, but how long ago that was.
    const ms = endOf(each.job) === undefined ? then.ms : nowMs();
    return answerOf(objects, each, (question) => ask(question, ms)) ?? [];
  });
  return {
    kind: "objects",
    given,
    notes: [
      ...objects.notes,
      ...(objects.surroundings.some(isSecret) ? ["the values of Secrets are left out: a run needs none"] : []),
      ...(dropped.length === 0 ? [] : [`what a server adds is not a part of the run: ${named(dropped)}`]),
      ...(then.note !== undefined && seen.some(({ job }) => endOf(job) === undefined) ? [then.note] : []),
      ...(seen.length > MAX_ANSWERS ? [`of ${seen.length} Jobs the first ${MAX_ANSWERS} are explained`] : []),
    ],
    jobs: jobs.map((job) => ({ ...job, why: withShownLines(job, yaml, readYaml) })),
    yaml,
    ...reconstructed(seen, yaml, tools),
  };
}

/** A server has made it: its metadata says so, or a controller has written its status. */
function hasRun({ metadata, status }: { readonly metadata?: object; readonly status?: object }): boolean {
  return (metadata !== undefined && "uid" in metadata) || Object.keys(status ?? {}).length > 0;
}

/** Of a Job that has ended; several would have to be found together. */
function reconstructed(seen: readonly FoundJob[], yaml: string, { newWorld }: DoorTools): Partial<DoorAnswer> {
  const [first, ...others] = seen;
  if (first === undefined || others.length > 0 || endOf(first.job) === undefined) return {};
  const world = reconstruct(first, yaml, newWorld);
  return { isReconstructed: world !== undefined, ...(world === undefined ? {} : { world }) };
}

/** The lines of the evidence in the manifest of the run, too. */
function withShownLines({ namespace, name, why }: JobAnswer, yaml: string, readYaml: YamlReader): Why {
  const lines = fieldLinesOf({ yaml, readYaml });
  const evidence = why.evidence.map((each) => {
    const line = each.field.startsWith("spec.")
      ? lines.of(namespace, name, undefined, [each.field])[0]?.line
      : undefined;
    return line === undefined ? each : { ...each, shownLine: line };
  });
  return { ...why, evidence };
}

/** Now; or of an old text the newest time in it. */
function timeOf({ latestMs }: FoundObjects, nowMs: number): { readonly ms: number; readonly note?: string } {
  if (latestMs === 0 || Math.abs(nowMs - latestMs) < DAY_MS) return { ms: nowMs };
  return { ms: latestMs, note: `as of ${new Date(latestMs).toISOString()}, the newest time in the text` };
}

function named(fields: readonly string[]): string {
  const [first, second, third, ...more] = fields;
  return (
    [first, second, third].filter((each) => each !== undefined).join(", ") +
    (more.length > 0 ? ` and ${more.length} more` : "")
  );
}
