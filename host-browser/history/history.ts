/**
 * The history of a run, kept in the Worker: records what happens, hands out new columns, and answers how everything was
 * at any instant up to the newest.
 *
 * Invariant: nothing is run again for a look into the past. What is read at an instant depends on what happened up to
 * it, and on nothing later, unless so much happened that versions had to be dropped: then the view says so.
 */
import type { Decision, Explanation } from "../../bindings/js/engine.ts";
import type { ApiRequest, ApiResponse } from "../../bindings/js/host.ts";
import type { Write } from "../../cluster/index.ts";
import type { YamlReader } from "../../cluster/yaml/yaml-tree.ts";
import type { Query } from "../messages.ts";
import { type Chunk, NONE } from "../records.ts";
import type { FlagRecord } from "../../cluster/simulation/recorder.ts";
import { Book } from "./book.ts";
import { DecisionRecorder } from "./decision-recorder.ts";
import { type EitherEvent, EventRecorder } from "./event-recorder.ts";
import type { Done } from "./own-after-all.ts";
import type { FieldSource } from "./field-lines.ts";
import { GapRecorder } from "./gap-recorder.ts";
import { NodeRecorder } from "./node-recorder.ts";
import { JobRecorder } from "./job-recorder.ts";
import type { JobTrack } from "./job-track.ts";
import { PodRecorder } from "./pod-recorder.ts";
import { RequestRecorder } from "./request-recorder.ts";
import { PodVersions } from "./versions.ts";
import type { Job, Node, Pod } from "../../cluster/values/kinds.ts";

/** Versions of pods that are kept, of some 70 bytes each beside the latest: all of 20,000 pods. */
export const MAX_POD_VERSIONS = 120_000;
/** Versions of Events that are kept. */
export const MAX_EVENT_VERSIONS = 50_000;

export interface HistoryOptions {
  /** When the run began, in whole milliseconds since 1970. */
  readonly startMs: number;
  /** The manifest, for the lines of its fields. */
  readonly yaml: string;
  readonly readYaml: YamlReader;
  /** Of view.ts, which the Worker loads after the first picture. */
  readonly viewAt: (history: History, query: Query) => unknown;
  readonly maxPodVersions?: number;
}

/** The engine's explanation of a Job, now; undefined: no controller is running. */
export type Explain = (namespace: string, name: string) => Explanation | undefined;

export class History {
  readonly book: Book;
  readonly podVersions: PodVersions;
  readonly jobs: JobRecorder;
  readonly events: EventRecorder;
  readonly decisions: DecisionRecorder;
  readonly requests: RequestRecorder;
  /** The manifest of the run. */
  readonly source: FieldSource;
  readonly #pods: PodRecorder;
  readonly #viewAt: HistoryOptions["viewAt"];
  readonly #gaps: GapRecorder;
  readonly #nodes: NodeRecorder;

  constructor({ startMs, yaml, readYaml, viewAt, maxPodVersions = MAX_POD_VERSIONS }: HistoryOptions) {
    this.book = new Book(startMs);
    this.#viewAt = viewAt;
    this.source = { yaml, readYaml };
    this.podVersions = new PodVersions(maxPodVersions);
    this.#gaps = new GapRecorder(this.book, this.podVersions);
    this.#pods = new PodRecorder(this.book, this.podVersions, this.#gaps);
    this.#nodes = new NodeRecorder(this.book);
    this.jobs = new JobRecorder(this.book);
    this.events = new EventRecorder(this.book, MAX_EVENT_VERSIONS);
    this.decisions = new DecisionRecorder(this.book, this.#gaps);
    this.requests = new RequestRecorder(this.book);
  }

  onWrite(write: Write, nowMs: number): void {
    this.book.nowMs = nowMs;
    const { resource } = write;
    if (resource === "pods") {
      const pod = this.#pods.record(write as unknown as Write<Pod>);
      this.requests.wrote(this.book.trackOfPod(pod), pod);
    } else if (resource === "jobs") {
      const track = this.jobs.record(write as unknown as Write<Job>);
      this.requests.wrote(track, NONE);
    } else if (resource === "events")
      this.requests.wrote(this.events.record(write as unknown as Write<EitherEvent>), NONE);
    else if (resource === "nodes") this.#nodes.record(write as unknown as Write<Node>);
  }

  /** Called just before the requests that the decisions lead to. */
  onDecisions(decisions: readonly Decision[], nowMs: number): void {
    this.book.nowMs = nowMs;
    this.decisions.record(decisions);
  }

  /** A new controller begins. */
  onController(): void {
    this.book.numbers.beginController();
  }

  /** The controller sends a request. Writes until `onSent` are attributed to it. */
  onRequest(id: number, request: ApiRequest, nowMs: number): void {
    this.book.nowMs = nowMs;
    this.requests.begin(id, request);
  }

  /** In recordings: the request has been answered. Writes until `onSent` are attributed to it. */
  onDone(id: number, nowMs: number): Done | undefined {
    this.book.nowMs = nowMs;
    const about = this.requests.resume(id);
    return about && { ...about, book: this.book, versions: this.jobs.objects };
  }

  /** The API server has carried the request out. */
  onSent(): void {
    this.requests.end();
  }

  onAnswer(id: number, { status }: Pick<ApiResponse, "status">, nowMs: number): void {
    this.book.nowMs = nowMs;
    this.requests.answered(id, status);
  }

  onFlag(flag: FlagRecord): void {
    this.book.tables.flags.push(flag);
    this.book.touchAll();
  }

  /** Everything of this instant has happened. */
  onInstant(nowMs: number, explain: Explain): void {
    this.book.nowMs = nowMs;
    const isQuiet = this.requests.underWay === 0;
    for (const track of this.book.tracks) {
      if (isQuiet) track.settle(this.book.tables, nowMs);
      if (isQuiet && this.#hasDecided(track)) this.#gaps.settle(track);
      const { explanations, name, namespace, pods } = track;
      if (explanations.isDue(pods.length, nowMs)) explanations.add(explain(namespace, name), nowMs);
    }
  }

  take(): Chunk {
    return this.book.tables.take();
  }

  look(query: Query): unknown {
    return this.#viewAt(this, query);
  }

  #hasDecided({ decisions }: JobTrack): boolean {
    const last = decisions.length - 1;
    return last >= 0 && this.book.tables.decisions.columns.atMs.at(decisions.at(last)) === this.book.nowMs;
  }
}
