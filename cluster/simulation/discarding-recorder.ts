/** A recorder that keeps nothing, for runs of which one thing alone is of interest. */
import type { RunRecorder } from "./recorder.ts";

const nothing = (): void => {};

export const DISCARDING: RunRecorder = {
  onWrite: nothing,
  onDecisions: nothing,
  onRequest: nothing,
  onSent: nothing,
  onAnswer: nothing,
  onFlag: nothing,
  onInstant: nothing,
};
