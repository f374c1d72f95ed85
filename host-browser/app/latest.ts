/**
 * Questions to the Worker of which only the latest one matters. Invariant: at most one is under way; while it is, newer
 * ones replace each other, and the newest is asked when the answer has come. So a fast scrub cannot flood the Worker.
 */
export class Latest<Question, Answer> {
  readonly #ask: (id: number, question: Question) => void;
  readonly #onAnswer: (answer: Answer, question: Question) => void;
  #id = 0;
  #asked: Question | undefined;
  #waiting: Question | undefined;

  constructor(ask: (id: number, question: Question) => void, onAnswer: (answer: Answer, question: Question) => void) {
    this.#ask = ask;
    this.#onAnswer = onAnswer;
  }

  want(question: Question): void {
    if (this.#asked === undefined) this.#send(question);
    else this.#waiting = question;
  }

  /** Drops an answer to an older question than the one under way. */
  answered(id: number, answer: Answer): void {
    const question = this.#asked;
    if (id !== this.#id || question === undefined) return;
    this.#asked = undefined;
    const next = this.#waiting;
    this.#waiting = undefined;
    if (next !== undefined) this.#send(next);
    this.#onAnswer(answer, question);
  }

  /** The Worker was replaced: no question is under way any more. */
  forget(): void {
    this.#asked = undefined;
    this.#waiting = undefined;
  }

  #send(question: Question): void {
    this.#asked = question;
    this.#ask(++this.#id, question);
  }
}
