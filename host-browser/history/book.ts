/**
 * What the recorders of a history share: the tables, the ids of objects, the time, and the request of the controller
 * that is being carried out. Invariant: ids are row numbers of the tables, and an object keeps its id when it is gone.
 */
import { type LateTable, NONE } from "../records.ts";
import { Column } from "../columns.ts";
import { DecisionNumbers } from "./decision-numbers.ts";
import { JobTrack } from "./job-track.ts";
import { Tables } from "./tables.ts";
import type { Job, Pod } from "../../cluster/values/kinds.ts";

export class Book {
  readonly tables = new Tables();
  /** By Job id. */
  readonly tracks: JobTrack[] = [];
  /** Whole milliseconds since 1970 at which the run began. */
  readonly startMs: number;
  /** The instant that is being recorded, since the run began. */
  nowMs = 0;
  /** A request of the controller is being carried out: writes come from it. */
  request = NONE;
  /** The number of the decision that it carries out, or NONE. */
  cause = NONE;
  readonly numbers = new DecisionNumbers();
  /** By pod: why the controller deleted it, in recordings that show the deletion after the answer. */
  readonly deletions = new Map<number, number>();
  /** By pod id: the namespace, as a number of `namespaces`. */
  readonly podNamespaces = new Column("int32");
  readonly namespaces: string[] = [];
  readonly #jobs = new Map<string, JobTrack>();
  readonly #jobsByName = new Map<string, JobTrack>();
  readonly #pods = new Map<string, number>();
  /** Only failing requests identify a pod by name: filled lazily, up to row `#named`. */
  readonly #podsByName = new Map<string, number>();
  #named = 0;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  addJob(job: Job): JobTrack {
    const { uid, name, namespace = "" } = job.metadata;
    const record = { namespace, name, uid, createdMs: this.nowMs };
    const track = new JobTrack(this.tracks.length, record, this.startMs, this.numbers);
    this.tracks.push(track);
    this.tables.jobs.push(record);
    this.#jobs.set(uid, track);
    this.#jobsByName.set(`${namespace}/${name}`, track);
    return track;
  }

  /** The Job of this UID, also one that is gone. */
  job(uid: string): JobTrack | undefined {
    return this.#jobs.get(uid);
  }

  /** The latest Job of this name. */
  jobNamed(namespace: string, name: string): JobTrack | undefined {
    return this.#jobsByName.get(`${namespace}/${name}`);
  }

  track(id: number): JobTrack | undefined {
    return this.tracks[id];
  }

  /** The request under way has written the row, so the row comes from the decision that the request carries out. */
  carryOut(table: LateTable, row: number, track: JobTrack | undefined): void {
    if (this.cause !== NONE) track?.carryOut(table, row, this.cause, this.tables);
  }

  /** What the controller knows of any Job may have changed. */
  touchAll(): void {
    for (const { explanations } of this.tracks) explanations.isUrgent = true;
  }

  /** Notes a new pod, and returns its id. The caller appends its row. */
  addPod(pod: Pod, track: JobTrack | undefined): number {
    const { uid, name, namespace = "" } = pod.metadata;
    const id = this.tables.podNames.push(name) - 1;
    this.#pods.set(uid, id);
    let space = this.namespaces.indexOf(namespace);
    if (space < 0) space = this.namespaces.push(namespace) - 1;
    this.podNamespaces.push(space);
    this.tables.lastTransition.push(NONE);
    track?.pods.push(id);
    return id;
  }

  /** NONE: there never was such a pod. */
  pod(uid: string): number {
    return this.#pods.get(uid) ?? NONE;
  }

  /** The latest pod of this name; NONE: there has been none. */
  podNamed(namespace: string, name: string): number {
    const { podNames } = this.tables;
    for (; this.#named < podNames.length; this.#named++) {
      const space = this.namespaces[this.podNamespaces.at(this.#named)]!;
      this.#podsByName.set(`${space}/${podNames[this.#named]!}`, this.#named);
    }
    return this.#podsByName.get(`${namespace}/${name}`) ?? NONE;
  }

  /** The Job of a pod. */
  trackOfPod(pod: number): JobTrack | undefined {
    return pod === NONE ? undefined : this.tracks[this.tables.pods.columns.job.at(pod)];
  }
}
