/**
 * When the finalizer of a pod that succeeded may go: the pod's index is in the stored status, or in the one that
 * the controller was last shown, for a user may have written another over it.
 */
import { expect, test } from "vitest";
import type { Clock } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import type { JobFacts, PodFacts } from "../facts.ts";
import type { Ledger } from "../ledger.ts";
import type { Backoff } from "./backoff.ts";
import type { Counting } from "./counting.ts";
import { PodRequests } from "./pods.ts";

const pod = {
  uid: "p",
  name: "p",
  namespace: "default",
  jobUid: "j",
  version: 1,
  phase: "Succeeded",
  index: 6,
  isControlled: true,
  isDeleting: false,
  holdsFinalizer: true,
  evidence: { containers: [], conditions: [] },
} as unknown as PodFacts;

function job(completedText: string): JobFacts {
  return {
    uid: "j",
    name: "j",
    isIndexed: true,
    completions: 11,
    completedText,
    conditions: [],
    failureRules: [],
    onlyReplaceFailed: false,
  } as unknown as JobFacts;
}

function strip(stored: JobFacts, shown: JobFacts): void {
  const ledger = {
    jobs: new Map([["j", { facts: stored, isGone: false }]]),
    podNamed: () => ({ facts: pod, versions: [pod], jobUid: "j" }),
  } as unknown as Ledger;
  const view = { pods: new Map([["p", pod]]), jobs: new Map([["j", shown]]), podsOf: () => [pod] };
  const process = {
    name: "controller 1",
    seen: () => [{ name: "controller 1", view, moment: 1 }],
  } as unknown as ControllerProcess;
  const counting = { isAccountedFor: () => false } as unknown as Counting;
  const requests = new PodRequests({ ledger, clock: {} as Clock, counting, backoff: {} as Backoff });
  requests.sent(process, { kind: "strip", namespace: "default", pod: "p", finalizer: "f" });
}

test.each([
  { what: "the index is in both", stored: "0-4,6", shown: "0-4,6", isAllowed: true },
  { what: "a write that was not shown has taken the index out", stored: "4", shown: "0-4,6", isAllowed: true },
  { what: "the controller was shown that the index is out", stored: "4", shown: "4", isAllowed: false },
  { what: "another index is in what was shown", stored: "4", shown: "0-5", isAllowed: false },
])("$what", ({ stored, shown, isAllowed }) => {
  const stripped = (): void => strip(job(stored), job(shown));
  if (isAllowed) expect(stripped).not.toThrow();
  else expect(stripped).toThrow(/is in no list of Job j/);
});
