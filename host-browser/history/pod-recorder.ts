/**
 * Records writes of pods as rows: one for the pod, and one whenever its state, its detail, its restarts or its node
 * change.
 *
 * Where a row comes from: the controller's write comes from the decision that led to its request. An end without the
 * controller (the pod ended, or the user deleted it) belongs to the Job's next decision, which takes it into account.
 * Nothing else that scheduler and kubelets do comes from a decision.
 */
import type { Write } from "../../cluster/index.ts";
import type { Pod } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import { LateTable, NONE, PodState } from "../records.ts";
import type { Book } from "./book.ts";
import type { GapRecorder } from "./gap-recorder.ts";
import type { JobTrack } from "./job-track.ts";
import { podMoment, type PodMoment } from "./pod-state.ts";
import type { PodVersions } from "./versions.ts";

const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";

export class PodRecorder {
  readonly #book: Book;
  readonly #versions: PodVersions;
  readonly #gaps: GapRecorder;

  constructor(book: Book, versions: PodVersions, gaps: GapRecorder) {
    this.#book = book;
    this.#versions = versions;
    this.#gaps = gaps;
  }

  /** Returns the id of the pod. */
  record({ type, object, stored }: Write<Pod>): number {
    const book = this.#book;
    const known = book.pod(object.metadata.uid);
    const pod = known === NONE ? this.#add(object) : known;
    const track = book.trackOfPod(pod);
    if (track !== undefined) track.explanations.isTouched = true;
    if (type === "DELETED") {
      this.#versions.remove(pod);
      this.#addGone(pod, track);
      return pod;
    }
    this.#versions.add(pod, stored, book.nowMs);
    this.#addIfChanged(pod, podMoment(object), track);
    return pod;
  }

  #add(object: Pod): number {
    const { nowMs, tables } = this.#book;
    const track = this.#trackOf(object);
    const pod = this.#book.addPod(object, track);
    const index = completionIndexOf(object);
    const columns = tables.pods.columns;
    columns.job.push(track?.id ?? NONE);
    columns.index.push(index);
    columns.attempt.push(track?.nextAttempt(index) ?? 0);
    columns.createdMs.push(nowMs);
    columns.decision.push(NONE);
    this.#book.carryOut(LateTable.POD, pod, track);
    return pod;
  }

  #trackOf({ metadata }: TypedObject): JobTrack | undefined {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    return owner === undefined ? undefined : this.#book.job(owner.uid);
  }

  #addIfChanged(pod: number, moment: PodMoment, track: JobTrack | undefined): void {
    const { tables } = this.#book;
    const { state, detail, restarts, node } = tables.transitions.columns;
    const detailId = tables.texts.idOrNone(moment.detail);
    const nodeId = tables.texts.idOrNone(moment.node);
    const last = tables.lastTransition.at(pod);
    if (
      last !== NONE &&
      state.at(last) === moment.state &&
      detail.at(last) === detailId &&
      restarts.at(last) === moment.restarts &&
      node.at(last) === nodeId
    )
      return;
    this.#append(pod, moment.state, detailId, moment.restarts, nodeId, track);
  }

  #addGone(pod: number, track: JobTrack | undefined): void {
    const { lastTransition, transitions } = this.#book.tables;
    const { detail, restarts, node } = transitions.columns;
    const last = lastTransition.at(pod);
    this.#append(pod, PodState.GONE, detail.at(last), restarts.at(last), node.at(last), track);
  }

  #append(
    pod: number,
    state: PodState,
    detail: number,
    restarts: number,
    node: number,
    track: JobTrack | undefined,
  ): void {
    const { tables, nowMs } = this.#book;
    const columns = tables.transitions.columns;
    const row = tables.transitions.length;
    columns.pod.push(pod);
    columns.atMs.push(nowMs);
    columns.state.push(state);
    columns.detail.push(detail);
    columns.restarts.push(restarts);
    columns.node.push(node);
    columns.decision.push(NONE);
    tables.previousTransition.push(tables.lastTransition.at(pod));
    tables.lastTransition.set(pod, row);
    if (track === undefined) return;
    this.#attribute(row, pod, state, track);
    if (state === PodState.FAILED && track.hasBackoffPerIndex) this.#gaps.failed(track.id, pod);
  }

  /**
   * A deleted pod fails and goes for the same reason. A pod that ends alone, or that the user deletes, belongs to the
   * next decision; if its Job is gone, to the decision that deleted the Job.
   */
  #attribute(row: number, pod: number, state: PodState, track: JobTrack): void {
    const { tables } = this.#book;
    const before = isEnd(state) && this.#wasEnding(row) ? this.#decisionBefore(row) : NONE;
    const cause = this.#book.deletions.get(pod);
    if (before !== NONE) tables.setDecision(LateTable.TRANSITION, row, before);
    else if (this.#isController && (state === PodState.PENDING || isEnd(state)))
      this.#book.carryOut(LateTable.TRANSITION, row, track);
    else if (!isEnd(state)) return;
    else if (track.decisionToDelete !== NONE) tables.setDecision(LateTable.TRANSITION, row, track.decisionToDelete);
    else if (cause !== undefined) track.carryOut(LateTable.TRANSITION, row, cause, tables);
    else track.awaitNext(LateTable.TRANSITION, row);
  }

  /** The pod was being deleted, or had ended and the controller now removes its finalizer. */
  #wasEnding(row: number): boolean {
    const { previousTransition, transitions } = this.#book.tables;
    let before = previousTransition.at(row);
    if (before === NONE || !isEnd(transitions.columns.state.at(before) as PodState)) return false;
    if (this.#isController) return true;
    for (; before !== NONE; before = previousTransition.at(before))
      if (transitions.columns.state.at(before) === PodState.TERMINATING) return true;
    return false;
  }

  #decisionBefore(row: number): number {
    const { previousTransition, transitions } = this.#book.tables;
    return transitions.columns.decision.at(previousTransition.at(row));
  }

  get #isController(): boolean {
    return this.#book.request !== NONE;
  }
}

/** Terminating, over or gone. */
function isEnd(state: PodState): boolean {
  return state >= PodState.TERMINATING;
}

function completionIndexOf({ metadata }: TypedObject): number {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : NONE;
}
