/** The outcome of a run in which nothing happened: what tests of comparing change one thing of. */
import type { Outcome } from "./outcome.ts";

export const NOTHING: Outcome = {
  status: {},
  order: [],
  events: {},
  podsCreated: {},
  podsAtOnce: 0,
  podsLeft: [],
  podContents: [],
  gapsMs: {},
  objects: [],
  backwards: [],
};
