/**
 * What is known of a Pod once it was read (read-pod.ts). apply-pod.ts copies it into the pod's record. There is one
 * record of facts; the next pod that is read replaces them.
 */
import { Writer } from "../json/writer";
import { Evidence } from "../model/evidence";
import { PHASE_OTHER } from "../model/pod-state";
import { PHASE_RANK_PENDING } from "../model/pod-ranking";
import { WAIT_NONE } from "../model/wait-reasons";
import { ObjectFacts } from "./object-facts";

/** Longer messages of pods that wait are cut. */
export const MAX_WAIT_MESSAGE_BYTES: u32 = 256;

// These are managed, so they hang on globals, too (memory/garbage.ts).
const waitMessage = new Writer(MAX_WAIT_MESSAGE_BYTES);
const sidecars = new Writer(128);
const evidence = new Evidence();

/** The facts of the pod that was read last. */
@unmanaged
export class PodFacts extends ObjectFacts {
  /** lastTransitionTime of the first Ready condition; NaN: absent. */
  readySinceMs: f64;
  /** When the pod ended, by the first rule of controller.md 3.2 that gives a time. */
  finishMs: f64;
  /**
   * When the last of all containers ended, and the last of all sidecars; NaN: not all have ended, or no time is known.
   */
  containersFinishMs: f64;
  sidecarsFinishMs: f64;
  restarts: i32;
  maxRestarts: i32;
  maxSidecarRestarts: i32;
  /** The exit code of the container whose status is being read; 0: it has not ended, or it succeeded. */
  exitCode: i32;
  /** The message that belongs to waitCode, if something must change before the pod can run. */
  waitMessage: Writer;
  /** Names of init containers with restartPolicy Always, each followed by a zero byte. Few pods have any. */
  sidecars: Writer;
  /** What a podFailurePolicy checks in the pod. */
  evidence: Evidence;
  phase: u8;
  phaseRank: u8;
  /** Why the pod does not run, according to its containers or its scheduler (wait-reasons.ts). */
  waitCode: u8;
  hasNode: bool;
  ready: bool;
  readyIsFalse: bool;
  sidecarRuns: bool;

  /** Forgets the previous pod. */
  begin(): void {
    this.beginObject(offsetof<PodFacts>());
    this.readySinceMs = NaN;
    this.containersFinishMs = NaN;
    this.sidecarsFinishMs = NaN;
    this.waitMessage = waitMessage;
    this.sidecars = sidecars;
    this.evidence = evidence;
    this.phase = PHASE_OTHER;
    this.phaseRank = PHASE_RANK_PENDING;
    this.waitCode = WAIT_NONE;
    waitMessage.reset();
    sidecars.reset();
    evidence.reset();
  }
}
