/**
 * The door of the page: a text that a user pastes or drops becomes an answer, and what the page shows of it.
 *
 * Invariant: every text has an answer, or one sentence that says what was given, what is allowed and what to do. The
 * same text at the same time has the same answer. Nothing is fetched and nothing is sent. Leaves out how the text comes
 * here (the Worker), and how the answer looks (the page).
 */
import type { Account, AccountQuestion } from "../../bindings/js/engine.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import { answerOf, type JobAnswer } from "./explain-objects.ts";
import { type FoundObjects, objectsIn } from "./found-objects.ts";
import { kindOf, type KindName } from "./kinds.ts";
import { runManifest } from "./run-manifest.ts";

export interface DoorTools {
  readonly readYaml: YamlReader;
  /** Asks the whole engine. Undefined: it cannot read the question. */
  ask(question: AccountQuestion, nowMs: number): Account | undefined;
  /** Wall time. */
  nowMs(): number;
}

/** What the page gets: plain data. */
export interface DoorAnswer {
  readonly kind: KindName;
  /** What was given: `objects of Kubernetes: 1 Job, 3 Pods`. */
  readonly given: string;
  /** Why there is no answer, as one sentence; absent: there is one. */
  readonly problem?: string;
  readonly notes: readonly string[];
  /** Of the Jobs that have a status. */
  readonly jobs: readonly JobAnswer[];
  /** What the page runs; absent: nothing. */
  readonly yaml?: string;
}

/** More takes the reader too long: a megabyte takes it about a second. */
const MAX_LENGTH = 4 * 1024 * 1024;
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
  return { kind: name, given: called, notes: [], jobs: [] };
}

function refused(kind: KindName, given: string, problem: string): DoorAnswer {
  return { kind, given, problem, notes: [], jobs: [] };
}

function explainedObjects(text: string, { readYaml, ask, nowMs }: DoorTools): DoorAnswer {
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
  const asOf = timeOf(objects, nowMs());
  const seen = objects.jobs.filter(({ job, isOfCronJob }) => !isOfCronJob && hasRun(job));
  const jobs = seen
    .slice(0, MAX_ANSWERS)
    .flatMap((job) => answerOf(objects, job, (question) => ask(question, asOf.ms)) ?? []);
  return {
    kind: "objects",
    given,
    notes: [
      ...objects.notes,
      ...(dropped.length === 0 ? [] : [`what a server adds is not a part of the run: ${named(dropped)}`]),
      ...(seen.length > 0 && asOf.note !== undefined ? [asOf.note] : []),
      ...(seen.length > MAX_ANSWERS ? [`of ${seen.length} Jobs the first ${MAX_ANSWERS} are explained`] : []),
    ],
    jobs,
    yaml,
  };
}

/** A server has made it: its metadata says so, or a controller has written its status. */
function hasRun({ metadata, status }: { readonly metadata?: object; readonly status?: object }): boolean {
  return (metadata !== undefined && "uid" in metadata) || Object.keys(status ?? {}).length > 0;
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
