/**
 * The exchange between a request and webhooks. The server is one synchronous function, so it cannot wait. If a
 * webhook's answer is missing, the server throws PendingReview, before it has written anything; the host fetches the
 * answers, and submits the request again with all answers known so far. The same request then makes the same random
 * choices, so that a new object has the name and the uid that the webhooks have seen.
 */
import type { ServerRequest } from "../contract/context.ts";
import type { Call, CallAnswer, ReviewAnswers } from "../contract/webhook-call.ts";

/** Thrown where answers are missing. */
export class PendingReview extends Error {
  readonly calls: readonly Call[];

  constructor(calls: readonly Call[]) {
    super("webhooks have to be asked first");
    this.calls = calls;
  }
}

/** Calls one webhook. `done` is called once, later. */
export type AskWebhook = (call: Call, done: (answer: CallAnswer) => void) => void;

/** The most repetitions of a request: a change calls some webhooks in turn, a deletion those of many objects. */
const MAX_ROUNDS = 1_000;

/** Numbers in [0, 1) that can be drawn again. */
export class Draws {
  readonly #random: () => number;
  #known: number[] | undefined;
  #place = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  readonly next = (): number => {
    if (this.#known === undefined) return this.#random();
    return (this.#known[this.#place++] ??= this.#random());
  };

  /** During the action the numbers of the list come first. New ones are appended to it. */
  repeat<T>(known: number[], action: () => T): T {
    this.#known = known;
    this.#place = 0;
    try {
      return action();
    } finally {
      this.#known = undefined;
    }
  }
}

type Handle<A> = (request: ServerRequest) => A;

/** Repeats requests until all their webhooks have answered. */
export class Conversations {
  readonly #draws: Draws;
  readonly #ask: AskWebhook;

  constructor(draws: Draws, ask: AskWebhook) {
    this.#draws = draws;
    this.#ask = ask;
  }

  /** @param done gets the outcome: the response, or what `handle` throws. At once, if no webhook has to be called */
  handle<A>(request: ServerRequest, handle: Handle<A>, done: (outcome: () => A) => void): void {
    const answers = new Map<string, CallAnswer & { readonly uid: string }>();
    const draws: number[] = [];
    let asked = request;
    const again = (rounds: number): void => {
      try {
        const answer = this.#draws.repeat(draws, () => handle(asked));
        done(() => answer);
      } catch (error) {
        if (!(error instanceof PendingReview) || rounds === 0) done(() => fail(error));
        else
          this.#askAll(error.calls, answers, () => {
            // Most requests need no webhook, and are passed on as they are.
            asked = withAnswers(request, answers);
            again(rounds - 1);
          });
      }
    };
    again(MAX_ROUNDS);
  }

  #askAll(calls: readonly Call[], answers: Map<string, CallAnswer & { readonly uid: string }>, done: () => void): void {
    let missing = calls.length;
    for (const call of calls)
      this.#ask(call, (answer) => {
        answers.set(call.key, { ...answer, uid: call.review.request.uid });
        if (--missing === 0) done();
      });
  }
}

function fail(error: unknown): never {
  throw error;
}

/** A request of this process builds its body lazily, on first read. */
function withAnswers(request: ServerRequest, reviewAnswers: ReviewAnswers): ServerRequest {
  if (request.user) return { ...request, reviewAnswers };
  return Object.defineProperty(Object.create(request) as ServerRequest, "reviewAnswers", { value: reviewAnswers });
}
