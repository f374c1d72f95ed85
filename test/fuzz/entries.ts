/**
 * The entries of the ABI that take bytes, each with how it is given one hostile input. What an entry makes of its input
 * is not judged here: subject.ts knows what the engine must never do.
 */
import { IngestKind } from "../../bindings/js/engine.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import type { Chance } from "../simulation/chance.ts";
import {
  attemptQuestions,
  configuration,
  jobs,
  lintQuestions,
  questions,
  questionsAhead,
  reviews,
  texts,
} from "./corpus.ts";
import { drawMutations, mutated } from "./mutations.ts";
import { Breach, JOBS, PODS, Subject } from "./subject.ts";

export interface Entry {
  readonly name: string;
  /** How often it is taken. */
  readonly weight: number;
  play(subject: Subject, chance: Chance, nowMs: number, module: WebAssembly.Module): void;
}

const EVENT_TYPES = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] as const;
const STATUSES = [0, 200, 201, 404, 409, 422, 429, 500, -1, 999] as const;
/** Polls that follow an input: what a Job of a thousand pods asks for first. */
const POLLS = 20;

/** A list that ends would take the canary with it, for it does not show it. */
const KINDS = [IngestKind.listBegin, IngestKind.page, IngestKind.watchLines, IngestKind.streamLost, 5, 6, -1] as const;

export const entries: readonly Entry[] = [
  {
    name: "watch lines",
    weight: 30,
    play(subject, chance, nowMs) {
      const lines = Array.from(
        { length: chance.integer(1, 3) },
        () => `{"type":"${chance.pick(EVENT_TYPES)}","object":${chance.pick(texts)}}\n`,
      ).join("");
      subject.ingest(
        chance.pick([JOBS, PODS]),
        IngestKind.watchLines,
        Buffer.concat([mutated(lines, drawMutations(chance)), Buffer.from("\n")]),
        nowMs,
      );
      const body = chance.pick(texts);
      subject.answerAll(nowMs, POLLS, () => ({ status: 200, body }));
    },
  },
  {
    name: "pages",
    weight: 20,
    play(subject, chance, nowMs) {
      const source = chance.pick([JOBS, PODS]);
      const items = Array.from({ length: chance.integer(0, 3) }, () => chance.pick(texts)).join();
      subject.ingest(source, IngestKind.listBegin, "", nowMs);
      subject.ingest(
        source,
        IngestKind.page,
        mutated(
          `{"kind":"${source === JOBS ? "JobList" : "PodList"}","metadata":{"resourceVersion":"9","continue":"c"},"items":[${items}]}`,
          drawMutations(chance),
        ),
        nowMs,
      );
      subject.listContinue(source);
      subject.ingest(source, IngestKind.streamLost, "", nowMs);
      subject.answerAll(nowMs, POLLS, () => ({ status: 500, body: "" }));
    },
  },
  {
    name: "answers",
    weight: 15,
    play(subject, chance, nowMs) {
      const job = chance.pick(jobs);
      const version = chance.integer(1_000_000, 2_000_000_000);
      const metadata = {
        ...(job["metadata"] as JsonObject),
        name: `j${version}`,
        uid: `u${version}`,
        resourceVersion: String(version),
      };
      const line = JSON.stringify({ type: "ADDED", object: { ...job, metadata, status: {} } });
      subject.ingest(JOBS, IngestKind.watchLines, `${line}\n`, nowMs);
      const [status, retryAfterMs, body] = [
        chance.pick(STATUSES),
        chance.pick([-1, 0, 1e9, NaN, Infinity, -Infinity]),
        mutated(chance.pick(texts), drawMutations(chance)),
      ];
      subject.answerAll(nowMs, 3, () => ({ status, retryAfterMs, body }));
      subject.ingest(JOBS, IngestKind.watchLines, `${line.replace("ADDED", "DELETED")}\n`, nowMs);
    },
  },
  {
    name: "calls in any order",
    weight: 10,
    play(subject, chance, nowMs) {
      const input = chance.isHit(0.3) ? "" : mutated(chance.pick(texts), drawMutations(chance));
      const source = chance.integer(-1, 65);
      subject.ingest(source, chance.pick(KINDS), input, nowMs);
      subject.settle(chance.pick([source, -1, NaN, 1e300]), chance.pick(STATUSES), -1, input, nowMs);
      subject.answerAll(nowMs, POLLS, () => ({ status: 200, body: input }));
    },
  },
  {
    name: "reviews",
    weight: 30,
    play: (subject, chance) => subject.review(mutated(chance.pick(reviews), drawMutations(chance))),
  },
  {
    name: "questions about an end",
    weight: 15,
    play: (subject, chance) =>
      subject.verdict(
        mutated(chance.pick(questions), drawMutations(chance)),
        chance.pick([0, -1, NaN, 1_767_225_700_000, 253_402_300_799_999, 1e300]),
      ),
  },
  {
    name: "questions about attempts",
    weight: 15,
    play: (subject, chance) =>
      subject.account(
        mutated(chance.pick(attemptQuestions), drawMutations(chance)),
        chance.pick([0, -1, NaN, 1_767_225_700_000, 253_402_300_799_999, 1e300]),
      ),
  },
  {
    name: "questions of lint",
    weight: 10,
    play: (subject, chance) => subject.lint(mutated(chance.pick(lintQuestions), drawMutations(chance)), 0),
  },
  {
    name: "questions about what comes",
    weight: 15,
    play: (subject, chance) =>
      subject.forecast(
        mutated(chance.pick(questionsAhead), drawMutations(chance)),
        chance.pick([0, -1, NaN, 1_767_225_700_000, 253_402_300_799_999, 1e300]),
      ),
  },
  {
    name: "names to explain",
    weight: 3,
    play: (subject, chance) =>
      void subject.explain(
        mutated(chance.pick(["default/indexed", "/", "a", "quiet/", "quiet/canary2"]), drawMutations(chance)),
      ),
  },
  {
    name: "configurations",
    weight: 3,
    play(_subject, chance, _nowMs, module) {
      const fresh = new Subject(module, { isConfigured: false });
      const code = fresh.configure(mutated(configuration, drawMutations(chance)));
      // Taken whole, or refused and another one taken.
      const next = fresh.configure(configuration);
      if ((code !== 0 && code !== 2) || next !== (code === 0 ? 2 : 0))
        throw new Breach(`a configuration was answered ${code}, and a sound one after it ${next}`);
    },
  },
];
