/** The lesson that the page opens with: a failure, two backoffs and a success, in a run that takes no time to make. */
import oneFails from "../../examples/one-fails.yaml";
import type { Lesson } from "./lesson.ts";
import { at, run } from "./make.ts";

export const FIRST_LESSON: Lesson = {
  id: "one-fails",
  group: "Begin",
  title: "One piece fails, and is tried again",
  text: "Six pieces of work run three at a time, and the pod of index 4 fails twice. After each failure the controller waits before it makes the next pod, and twice as long the second time.",
  scenario: run(oneFails),
  bookmarks: [
    at(12_842, "the first failure", { pod: "FAILED" }),
    at(30_010, "waiting for 20 seconds", { decision: "Backoff", nth: 2 }),
    at(58_010, "the last index succeeds", { decision: "Ended" }),
  ],
  question: "backoffLimit is 4, and two pods failed. Why do the five finished pods not run again?",
  answer:
    "Each index is counted separately: an index that has succeeded is done. Only index 4 gets new pods, and only its failures use up the limit.",
  ends: ["Complete (CompletionsReached), succeeded 6, failed 2"],
};
