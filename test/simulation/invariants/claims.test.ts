/**
 * What may follow a claim that failed, at the same instant: nothing, but when another Job is about to adopt the pod.
 */
import { expect, test } from "vitest";
import type { Clock } from "../../../bindings/js/host.ts";
import type { ControllerProcess } from "../controller-process.ts";
import type { JobFacts, PodFacts } from "../facts.ts";
import type { Ledger } from "../ledger.ts";
import { Claiming } from "./claims.ts";
import type { Sent } from "./requests.ts";

const pod = {
  uid: "p",
  name: "p",
  namespace: "default",
  isControlled: false,
  isDeleting: false,
  labels: { color: "red" },
} as unknown as PodFacts;

function job(uid: string, color: string): JobFacts {
  return {
    uid,
    name: uid,
    namespace: "default",
    isForeign: false,
    isDeleting: false,
    conditions: [],
    selector: { matchLabels: { color } },
  } as unknown as JobFacts;
}

const jobs = new Map(
  [job("its-own", "red"), job("like-it", "red"), job("other", "blue")].map((facts) => [facts.uid, facts]),
);
const ledger = { jobNamed: (_namespace: string, name: string) => jobs.get(name) } as unknown as Ledger;
const create: Sent = {
  kind: "create",
  jobUid: "its-own",
  index: -1,
  failures: "none",
  revision: undefined,
  podGroup: undefined,
};

function controller(name: string): ControllerProcess {
  const view = { pods: new Map([["p", pod]]), jobs };
  return {
    name,
    role: { finalizer: "f" },
    view,
    seen: () => [{ view, moment: 0 }],
    moment: 1,
  } as unknown as ControllerProcess;
}

const one = controller("controller 1");

/** Two Jobs select the pod; the adoption by the first of them has failed. */
function failedClaim(): { readonly rule: Claiming; readonly read: (job: string, process?: ControllerProcess) => void } {
  const rule = new Claiming(ledger, { now: () => 1000 } as Clock);
  const read = (name: string, process = one): void =>
    rule.sent(process, { kind: "read job", namespace: "default", job: name });
  read("its-own");
  rule.answered(
    one,
    { kind: "read job", namespace: "default", job: "its-own" },
    { status: 200, headers: {}, body: JSON.stringify({ metadata: { uid: "its-own" } }) },
  );
  const adopt: Sent = { kind: "adopt", namespace: "default", pod: "p", podUid: "p", jobUid: "its-own", finalizer: "f" };
  rule.sent(one, adopt);
  rule.answered(one, adopt, { status: 409, headers: {}, body: "" });
  return { rule, read };
}

test.each([
  { why: "nothing else happens", reads: [] },
  { why: "the Job itself is read again", reads: [["its-own", one]] },
  { why: "a Job is read that does not select the pod", reads: [["other", one]] },
  { why: "another controller is about to adopt the pod", reads: [["like-it", controller("controller 2")]] },
] as const)("no pod is created when $why", ({ reads }) => {
  const { rule, read } = failedClaim();
  for (const [name, process] of reads) read(name, process);
  expect(() => rule.sent(one, create)).toThrow(/in the sync in which a claim has failed/);
});

test("a pod may be created when another Job is about to adopt the one that was not claimed", () => {
  const { rule, read } = failedClaim();
  read("like-it");
  expect(() => rule.sent(one, create)).not.toThrow();
});
