/**
 * Remembers what a controller has seen of pods that are gone, so that it can still say who ended them: a drained pod is
 * deleted with all that tells of the drain. It reads along with the engine: the last states of pods and the states of
 * their Jobs in the lines of its watches, and the Events that it sends.
 *
 * Invariant: the engine does the same as without it. Only lines of pods that are gone and have not succeeded are read,
 * and Jobs only when pods of theirs are remembered: of others the newest lines are kept, unread. Memory is limited:
 * LIMITS and MAX_LINE_BYTES. A Job that is gone is forgotten; a pod that went while a watch was broken was not seen.
 */
import { type Engine, IngestKind, type PollResult } from "../../bindings/js/engine.ts";
import type { RecordableEngine } from "../../bindings/js/recorder.ts";
import { BoundedMap } from "../../cluster/values/bounded-map.ts";
import { deletedAt } from "../../cluster/values/deleted-object.ts";
import type { Event, Job, Pod } from "../../cluster/values/kinds.ts";
import { SizedMap } from "../../cluster/values/sized-map.ts";
import { answerOf } from "../../cluster/observed/offline-engine.ts";
import { isTerminal } from "../../cluster/observed/account-pods.ts";
import { LastFailures, type MemoryLimits } from "../words/last-failures.ts";
import type { JobControllerSource } from "./sources.ts";

const LIMITS: MemoryLimits = { jobs: 8 * 1024 ** 2, events: 1024 ** 2, lines: 0 };
/** Lines of Jobs of which no pod is remembered yet. */
const MAX_LINES = 5000;
const MAX_LINE_BYTES = 3 * 1024 ** 2;
/** What a kept line takes beside its bytes. */
const LINE_BYTES = 200;
/** A text of a character for each byte: nothing is made sooner, and nothing takes less. */
const BYTES = "latin1";
/** Jobs that are known to be none of this controller's. */
const MAX_OTHERS = 1000;
const NEWLINE = 10;
/** The type of an event stands at the beginning of its line. */
const HEAD_BYTES = 40;
const DELETED = '"type":"DELETED"';
const SUCCEEDED = '"phase":"Succeeded"';
const UID = '"uid":"';
const MAX_UID = 128;
const DELETION_EVENT = "SuccessfulDelete";

export interface GonePodsOptions {
  readonly sources: readonly Pick<JobControllerSource, "id" | "resource">[];
  /** Wall time in milliseconds since 1970. */
  readonly wallTime: () => number;
}

export class GonePods {
  readonly failures = new LastFailures(
    (question) => answerOf(() => this.#engine?.account(question, this.#wallTime())),
    { limits: LIMITS, seesGoneAlone: true },
  );
  readonly #resources: ReadonlyMap<number, JobControllerSource["resource"]>;
  readonly #wallTime: () => number;
  /** By the UIDs in them: that of the Job, and perhaps that of its owner. */
  readonly #jobLines = new SizedMap<string, string>(MAX_LINES, MAX_LINE_BYTES);
  readonly #others = new BoundedMap<string, true>(MAX_OTHERS);
  #engine: Engine | undefined;

  constructor({ sources, wallTime }: GonePodsOptions) {
    this.#resources = new Map(sources.map(({ id, resource }) => [id, resource]));
    this.#wallTime = wallTime;
  }

  /**
   * The same engine, read along with. A later one replaces it, as after a trap.
   * @param engine of which `inputs` takes the calls
   */
  watch(inputs: RecordableEngine, engine: Engine): RecordableEngine {
    this.#engine = engine;
    return {
      configure: (configuration) => inputs.configure(configuration),
      setClockOffset: (offsetMs) => inputs.setClockOffset(offsetMs),
      watchVersion: (source) => inputs.watchVersion(source),
      listContinue: (source) => inputs.listContinue(source),
      settle: (...answer) => inputs.settle(...answer),
      poll: (now, max) => this.#seeRequests(inputs.poll(now, max)),
      ingest: (source, kind, bytes, now) => {
        const code = inputs.ingest(source, kind, bytes, now);
        if (kind === IngestKind.watchLines) this.#seeLines(this.#resources.get(source), bytes);
        return code;
      },
    };
  }

  #seeRequests(polled: PollResult): PollResult {
    for (const { method, path, body } of polled.requests) {
      if (method !== "POST" || !path.endsWith("/events")) continue;
      const bytes = bufferOf(body);
      if (bytes.includes(DELETION_EVENT)) this.failures.event(JSON.parse(bytes.toString()) as Event);
    }
    return polled;
  }

  #seeLines(resource: JobControllerSource["resource"] | undefined, bytes: Uint8Array | string): void {
    if (resource !== "pods" && resource !== "jobs") return;
    const all = bufferOf(bytes);
    for (let from = 0; from < all.length;) {
      const newline = all.indexOf(NEWLINE, from);
      const end = newline < 0 ? all.length : newline;
      const line = all.subarray(from, end);
      const isGone = line.subarray(0, HEAD_BYTES).includes(DELETED);
      if (resource === "jobs") this.#seeJob(line, isGone);
      else if (isGone && !line.includes(SUCCEEDED)) this.#seeGonePod(objectIn<Pod>(line));
      from = end + 1;
    }
  }

  #seeJob(line: Buffer, isGone: boolean): void {
    if (isGone) {
      const job = objectIn<Job>(line);
      if (job === undefined) return;
      this.failures.forget(job);
      this.#jobLines.delete(job.metadata.uid);
      return;
    }
    for (const uid of uidsIn(line)) {
      this.#others.delete(uid);
      if (this.failures.knows(uid)) this.#readJob(uid, line);
      else this.#jobLines.put(uid, line.toString(BYTES), line.length + LINE_BYTES);
    }
  }

  /** It may be the owner of the Job in the line that has this UID. */
  #readJob(uid: string, line: Buffer): void {
    const job = objectIn<Job>(line);
    if (job?.metadata.uid !== uid) return;
    const { metadata, spec, status } = job;
    const { managedFields: _, annotations: __, ...kept } = metadata;
    this.failures.job(JSON.stringify({ metadata: kept, spec, status }), uid);
  }

  #seeGonePod(pod: Pod | undefined): void {
    const owner = pod?.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (pod === undefined || owner === undefined) return;
    const { uid, name } = owner;
    const isNew = !this.failures.knows(uid);
    if (isNew && !this.#isOurs(pod.metadata.namespace ?? "", name, uid)) return;
    // A pod that went without having ended was deleted, perhaps with no time to say so.
    this.failures.lost(isTerminal(pod) ? pod : deletedAt(pod, this.#wallTime()));
    const line = this.#jobLines.get(uid);
    if (!isNew || line === undefined || !this.failures.knows(uid)) return;
    this.#jobLines.delete(uid);
    this.#readJob(uid, Buffer.from(line, BYTES));
  }

  /** Pods of a Job that is gone itself go after it, and those of other controllers' Jobs are watched, too. */
  #isOurs(namespace: string, name: string, uid: string): boolean {
    if (this.#others.has(uid)) return false;
    const explanation = answerOf(() => this.#engine?.explain(namespace, name, this.#wallTime()));
    if (explanation === undefined) return false;
    const isOurs = explanation.found && explanation["uid"] === uid && explanation.state !== "Foreign";
    if (!isOurs) this.#others.put(uid, true);
    return isOurs;
  }
}

/** The object of an event; undefined: the line is no JSON, which the engine refuses. */
function objectIn<Kind extends Job | Pod>(line: Buffer): Kind | undefined {
  try {
    const { object } = JSON.parse(line.toString()) as { object?: Kind };
    return typeof object?.metadata?.uid === "string" ? object : undefined;
  } catch {
    return undefined;
  }
}

/** All UIDs in a line. */
function uidsIn(line: Buffer): Set<string> {
  const found = new Set<string>();
  for (let at = line.indexOf(UID); at >= 0; at = line.indexOf(UID, at + 1)) {
    const from = at + UID.length;
    const end = line.indexOf('"', from);
    if (end > from && end - from <= MAX_UID) found.add(line.toString(BYTES, from, end));
  }
  return found;
}

function bufferOf(bytes: Uint8Array | string): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
