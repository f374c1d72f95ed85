/**
 * What is known of a Pod once it was read (read-pod.ts), and is taken into its record (apply-pod.ts). There is one
 * record of facts: the next pod that is read replaces them.
 */
import { Writer } from "../json/writer";
import { Evidence } from "../model/evidence";
import { PHASE_OTHER } from "../model/pod";
import { PHASE_RANK_PENDING } from "../model/pod-ranking";
import { WAIT_NONE } from "../model/wait-reasons";
import { ObjectFacts } from "./object-facts";

/** Longer messages of pods that wait are cut. */
export const MAX_WAIT_MESSAGE_BYTES: u32 = 256;

// Managed, so they hang on globals too (memory/garbage.ts).
const waitMessage = new Writer(MAX_WAIT_MESSAGE_BYTES);
const sidecars = new Writer(128);
const evidence = new Evidence();

@unmanaged
export class PodFacts extends ObjectFacts {
  /** lastTransitionTime of the first Ready condition; NaN: absent. */
  readySinceMs: f64;
  /** When the pod ended, by the first rule of controller.md 3.2 that gives a time. */
  finishMs: f64;
  /** Of all containers, and of all sidecars: when the last ended; NaN: not all have, or nobody says when. */
  containersFinishMs: f64;
  sidecarsFinishMs: f64;
  restarts: i32;
  maxRestarts: i32;
  maxSidecarRestarts: i32;
  /** Of the container whose status is being read; 0: it has not ended, or succeeded. */
  exitCode: i32;
  /** The message that belongs to waitCode, if something must change first. */
  waitMessage: Writer;
  /** Names of init containers with restartPolicy Always, each followed by a zero byte. Rare. */
  sidecars: Writer;
  /** What a podFailurePolicy judges it by. */
  evidence: Evidence;
  phase: u8;
  phaseRank: u8;
  /** Why it does not run, by its containers or its scheduler (wait-reasons.ts). */
  waitCode: u8;
  hasNode: bool;
  ready: bool;
  readyIsFalse: bool;
  sidecarRuns: bool;

  /** Forgets the pod read before. */
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
