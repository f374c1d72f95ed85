/**
 * Prints stages that run at the same time one after the other: the output of the first as it comes, and then what the
 * next one has printed meanwhile.
 *
 * Invariant: nothing is lost, and no line of one stage is among those of another. Stages come in the order in which
 * they began.
 */
export interface Turn {
  print(text: string): void;
  /** Nothing more comes. */
  end(): void;
}

export class Turns {
  readonly #out: (text: string) => void;
  /** The first has its turn: it has printed all that it was given. */
  readonly #waiting: { text: string; isOver: boolean }[] = [];

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  begin(): Turn {
    const turn = { text: "", isOver: false };
    this.#waiting.push(turn);
    return {
      print: (text) => {
        turn.text += text;
        this.#flush();
      },
      end: () => {
        turn.isOver = true;
        this.#flush();
      },
    };
  }

  #flush(): void {
    while (this.#waiting.length > 0) {
      const first = this.#waiting[0]!;
      if (first.text !== "") this.#out(first.text);
      first.text = "";
      if (!first.isOver) return;
      this.#waiting.shift();
    }
  }
}
