/** The fuzzer holds on a few thousand inputs, repeats itself, and notices what it is there to notice. */
import { expect, test } from "vitest";
import { IngestKind } from "../../bindings/js/engine.ts";
import { engineModule } from "../bindings/js/vector-files.ts";
import { Chance } from "../simulation/chance.ts";
import { type Entry, entries } from "./entries.ts";
import { Fuzzer, INPUTS_A_ROUND } from "./fuzzer.ts";
import { drawMutations, mutated } from "./mutations.ts";
import { Breach, PODS, Subject } from "./subject.ts";

const ROUNDS = 120;

test(`${(ROUNDS * INPUTS_A_ROUND).toLocaleString("en-US")} inputs are borne`, () => {
  const fuzzer = new Fuzzer(engineModule);
  for (let round = 0; round < ROUNDS; round++) expect(fuzzer.play(7, round)).toBeUndefined();
});

test("the canary is alive: its pod is counted and the next one created", () => {
  const requests = new Subject(engineModule)
    .canarysRequests(40_000)
    .map((request) => request.split(" ").slice(0, 2).join(" "));
  expect(requests).toContain("POST /api/v1/namespaces/quiet/pods");
  expect(requests).toContain("PATCH /apis/batch/v1/namespaces/quiet/jobs/canary/status");
});

/** An entry that does one thing, so that a round does nothing else. */
const only = (play: Entry["play"]): Fuzzer => new Fuzzer(engineModule, [{ name: "fault", weight: 1, play }]);

test.each<[string, Entry["play"], string]>([
  [
    "a change of what is known of the canary",
    (subject, _chance, nowMs) =>
      void subject.ingest(
        PODS,
        IngestKind.watchLines,
        `{"type":"DELETED","object":{"kind":"Pod","metadata":{"name":"canary-x","namespace":"quiet","uid":"uid-canary-x","resourceVersion":"9"}}}\n`,
        nowMs,
      ),
    "what is known of the canary has changed",
  ],
  ["a trap", (subject) => subject.review(new Uint8Array(65 * 1024 * 1024)), "trapped"],
  [
    "a breach of an entry's own",
    () => {
      throw new Breach("on purpose");
    },
    "on purpose",
  ],
])("notices %s", (_name, play, message) => {
  expect(only(play).play(1, 0)).toMatchObject({ seed: 1, round: 0, message: expect.stringContaining(message) });
});

test("the fuzzer notices other requests of the canary", () => {
  // Nothing shows it before the pod succeeds, once the Job has been looked at: the version is one that explain does not
  // tell.
  const play: Entry["play"] = (subject, _chance, nowMs) => {
    subject.ingest(
      PODS,
      IngestKind.watchLines,
      `{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"canary-x","namespace":"quiet","uid":"uid-canary-x","resourceVersion":"9","finalizers":["batch.kubernetes.io/job-tracking"],"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"canary","uid":"uid-canary","controller":true}]},"status":{"phase":"Running"}}}\n`,
      nowMs,
    );
    subject.poll(nowMs + 10);
  };
  expect(only(play).play(1, 0)?.message).toContain("the canary's requests have changed");
});

test("a round is the same every time", () => {
  const draw = (seed: number): string => {
    const chance = new Chance(seed, "round 3");
    return Array.from(
      { length: 20 },
      () => chance.weighted(entries).name + mutated('{"a":1}', drawMutations(chance)).toString("hex"),
    ).join();
  };
  expect(draw(5)).toBe(draw(5));
  expect(draw(5)).not.toBe(draw(6));
});
