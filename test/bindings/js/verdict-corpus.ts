/**
 * Makes the verdict vectors that come from what others have seen: every status in the recordings and histories of real
 * clusters, and the end of every vector of the engine, also ten minutes later. Run it to write them:
 * `node_modules/.bin/node test/bindings/js/verdict-corpus.ts`.
 *
 * The answers are those of the naive twin (test/naive/verdict.ts), never of the engine. Of Jobs and pods only what a
 * verdict may depend on is kept. Two situations that are alike are kept once.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { naiveVerdict, type NaiveVerdict } from "../../naive/verdict.ts";
import { loadVectors, newEngine } from "./vector-files.ts";
import { runVector } from "./vector-runner.ts";
import { CLOCK_OFFSET_MS } from "./vector-server.ts";

type Loose = Record<string, any>;

/** A verdict vector, as test/vectors/verdict/README.md describes it. */
export interface VerdictVector {
  readonly name: string;
  /** What it shows, and who gets it wrong. */
  readonly trap?: string;
  readonly nowMs: number;
  readonly input?: { readonly job: JsonObject; readonly pods?: readonly JsonObject[] };
  /** Bytes that are no question. */
  readonly text?: string;
  readonly expect?: Partial<NaiveVerdict & { message: string; evidence: string; sentence: string }>;
  /** A part of the refusal. */
  readonly refused?: string;
}

export const vectorsFolder = path.resolve(import.meta.dirname, "../../vectors");
const TEN_MINUTES_MS = 600_000;
/** Their Jobs are not readable, or of another form than the API has. */
const UNREADABLE = /hostile|lying-peers|pods that start: no trouble|times that no clock reaches/;
const INDEX_ANNOTATION = /^batch\.kubernetes\.io\/job-(completion-index|index-)/;

const kept = {
  metadata: [
    "name",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "finalizers",
    "ownerReferences",
  ],
  owner: ["uid", "controller"],
  condition: ["type", "status", "reason", "message", "lastTransitionTime"],
  container: ["name", "state", "lastState", "restartCount"],
};

function situation(name: string, nowMs: number, job: JsonObject, pods: readonly JsonObject[]): VerdictVector[] {
  const input = { job: shortJob(job), pods: pods.map(shortPod) };
  const alone = { job: input.job };
  const later = nowMs + TEN_MINUTES_MS;
  const known = { name, nowMs, input, expect: naiveVerdict(input.job, input.pods, nowMs) };
  return [
    known,
    { name: `${name}, without pods`, nowMs, input: alone, expect: naiveVerdict(input.job, undefined, nowMs) },
    { name: `${name}, ten minutes later`, nowMs: later, input, expect: naiveVerdict(input.job, input.pods, later) },
  ].filter((vector) => vector === known || isOther(vector.expect, known.expect));
}

/** Whether it is worth a separate vector. */
function isOther(a: NaiveVerdict, b: NaiveVerdict): boolean {
  return a.verdict !== b.verdict || a.reason !== b.reason || a.isNextBound !== b.isNextBound;
}

function shortJob(job: Loose): JsonObject {
  const { template: _, selector: __, ...spec } = job["spec"] ?? {};
  const status = job["status"] === undefined ? {} : { status: job["status"] };
  return { apiVersion: "batch/v1", kind: "Job", metadata: shortMetadata(job["metadata"]), spec, ...status };
}

function shortPod(pod: Loose): JsonObject {
  const { phase, conditions, initContainerStatuses, containerStatuses } = pod["status"] ?? {};
  const status = {
    phase,
    conditions: conditions
      ?.filter(({ type }: Loose) => type === "Ready" || type === "PodScheduled")
      .map((condition: Loose) => picked(condition, kept.condition)),
    initContainerStatuses: initContainerStatuses?.map(shortContainer),
    containerStatuses: containerStatuses?.map(shortContainer),
  };
  const inits = pod["spec"]?.initContainers?.map((container: Loose) => picked(container, ["name", "restartPolicy"]));
  const spec = inits === undefined ? {} : { spec: { initContainers: inits } };
  return JSON.parse(JSON.stringify({ metadata: shortMetadata(pod["metadata"]), ...spec, status })) as JsonObject;
}

function shortContainer(container: Loose): JsonObject {
  const text = JSON.stringify(picked(container, kept.container), (key, value: unknown) =>
    key === "terminated" || key === "running" ? picked(value as Loose, ["exitCode", "finishedAt"]) : value,
  );
  return JSON.parse(text) as JsonObject;
}

function shortMetadata(metadata: Loose): JsonObject {
  const owners = metadata["ownerReferences"]?.map((owner: Loose) => picked(owner, kept.owner));
  const counts = Object.entries(metadata["annotations"] ?? {}).filter(([name]) => INDEX_ANNOTATION.test(name));
  return {
    ...picked(metadata, kept.metadata),
    ...(counts.length === 0 ? {} : { annotations: Object.fromEntries(counts) as JsonObject }),
    ...(owners === undefined ? {} : { ownerReferences: owners }),
  };
}

function picked(object: Loose, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]]));
}

/** Every status that a recording shows, each as the pods were then. */
function fromRecording(file: string): VerdictVector[] {
  const lines = readFileSync(path.join(vectorsFolder, "recordings", file), "utf8")
    .trim()
    .split("\n");
  const objects = new Map<string, Loose>();
  const found: VerdictVector[] = [];
  let lastWritten = 0;
  for (const [i, line] of lines.entries()) {
    const { uri, code, verb, response } = JSON.parse(line) as Loose;
    if (code >= 300 || uri.includes("/events") || response?.metadata === undefined) continue;
    const { uid, resourceVersion } = response.metadata;
    if (uid === undefined || response.spec === undefined) continue;
    lastWritten = Math.max(lastWritten, timesIn(response), Date.parse(response.metadata.creationTimestamp));
    objects.set(uid, response);
    const isGone = verb === "delete" && response.metadata.finalizers === undefined;
    if (response.kind !== "Job" || Number.isNaN(Number(resourceVersion))) continue;
    const pods = [...objects.values()].filter(({ kind }) => kind === "Pod") as JsonObject[];
    const label = `${path.basename(file, ".jsonl")}, write ${i + 1}${isGone ? ", its last" : ""}`;
    found.push(...situation(label, lastWritten, response as JsonObject, pods));
  }
  return found;
}

function fromHistory(file: string): VerdictVector[] {
  const lines = readFileSync(path.join(vectorsFolder, "histories", file), "utf8")
    .trim()
    .split("\n");
  const events = lines
    .map((line) => JSON.parse(line) as Loose)
    .filter(({ line }) => line === "event")
    .sort((a, b) => Number(a["object"].metadata.resourceVersion) - Number(b["object"].metadata.resourceVersion));
  const objects = new Map<string, Loose>();
  const found: VerdictVector[] = [];
  let lastWritten = 0;
  for (const { type, object } of events) {
    const { uid, name } = object.metadata;
    lastWritten = Math.max(lastWritten, timesIn(object));
    if (type === "DELETED") objects.delete(uid);
    else objects.set(uid, object);
    if (object.kind !== "Job" || type === "DELETED") continue;
    const isItsPod = (pod: Loose): boolean =>
      pod["kind"] === "Pod" && pod["metadata"].ownerReferences?.[0]?.uid === uid;
    const pods = [...objects.values()].filter(isItsPod) as JsonObject[];
    const label = `${path.basename(file, ".jsonl")} ${name} at version ${object.metadata.resourceVersion}`;
    found.push(...situation(label, lastWritten, object as JsonObject, pods));
  }
  return found;
}

/** The latest time in an object that is not of the future. */
function timesIn(object: Loose): number {
  const text = JSON.stringify({ ...object, metadata: { created: object["metadata"].creationTimestamp } });
  return Math.max(0, ...[...text.matchAll(/"(\d{4}-\d\d-\d\dT[^"]*Z)"/g)].map(([, time]) => Date.parse(time!)));
}

async function fromVectors(): Promise<VerdictVector[]> {
  const found: VerdictVector[] = [];
  for (const { file, vector, objects } of loadVectors()) {
    if (UNREADABLE.test(`${file} ${vector.name}`)) continue;
    await runVector(vector, objects, {
      newEngine,
      atEnd: (server) => {
        const nowMs = CLOCK_OFFSET_MS + server.nowMs;
        for (const job of server.all("Job")) {
          const label = `${path.basename(file, ".json")}: ${vector.name}: ${(job["metadata"] as Loose)["name"]}`;
          found.push(...situation(label, nowMs, job, server.all("Pod")));
        }
      },
    });
  }
  return found;
}

/** Without those whose question is that of an earlier one. */
function distinct(vectors: readonly VerdictVector[]): VerdictVector[] {
  const seen = new Set<string>();
  return vectors.filter(({ nowMs, input }) => {
    const { metadata, spec, status } = input!.job as Loose;
    const pods = input!.pods?.map((pod) => [pod["spec"], pod["status"], (pod["metadata"] as Loose)["annotations"]]);
    const text = JSON.stringify({ nowMs, spec, status, deleted: metadata.deletionTimestamp, pods });
    return seen.size < seen.add(text).size;
  });
}

async function write(name: string, vectors: readonly VerdictVector[]): Promise<void> {
  const filepath = path.join(vectorsFolder, "verdict", `${name}.json`);
  const cases = distinct(vectors);
  // One case a line.
  const text = `{"cases":[\n${cases.map((vector) => JSON.stringify(vector)).join(",\n")}\n]}\n`;
  writeFileSync(filepath, text);
  console.log(`${name}: ${cases.length} cases, ${text.length} bytes`);
}

if (import.meta.main) {
  const filesOf = (folder: string) =>
    readdirSync(path.join(vectorsFolder, folder)).filter((file) => file.endsWith(".jsonl"));
  await write("recordings", filesOf("recordings").flatMap(fromRecording));
  await write("histories", filesOf("histories").flatMap(fromHistory));
  await write("engine-ends", await fromVectors());
}
