/**
 * A number of a forecast, and how tight it is. `exact`: some outcome of the pods reaches it, and none exceeds it.
 * `bound`: none exceeds it. `unbounded`: there is no limit, because of a field. `unknown`: an assumption is missing.
 */
import { CLOSE_BRACE } from "../json/punctuation";
import { writeString } from "../json/tree-text";
import { Writer } from "../json/writer";

/** The largest whole number that every language reads exactly. A larger one is written as this. */
const LARGEST: f64 = 9007199254740992;

/** One number. */
export class Amount {
  /** NaN: unbounded, or unknown. */
  value: f64;
  isExact: bool;
  /** The field that makes it unbounded, or the assumption that is missing; "": there is a number. */
  by: string = "";

  constructor(value: f64, isExact: bool) {
    this.value = value;
    this.isExact = isExact;
  }

  /** There is no limit, because of this field; an assumption: the number is not known without it. */
  static none(by: string): Amount {
    const amount = new Amount(NaN, false);
    amount.by = by;
    return amount;
  }

  /** Whether there is a number. */
  get isKnown(): bool {
    return !isNaN(this.value);
  }

  /** The value × `times` + `more`. */
  plus(more: f64, times: f64 = 1): Amount {
    return this.isKnown ? new Amount(this.value * times + more, this.isExact) : this;
  }

  /** Writes it as JSON after `head`, which ends with its name. */
  write(to: Writer, head: string): void {
    to.text(head);
    to.text('{"value":');
    to.number(min(this.value, LARGEST));
    if (this.isKnown) {
      to.text(this.isExact && this.value < LARGEST ? ',"is":"exact"' : ',"is":"bound"');
    } else {
      to.text(this.by.startsWith("assumptions.") ? ',"is":"unknown","by":' : ',"is":"unbounded","by":');
      writeString(this.by, to);
    }
    to.byte(CLOSE_BRACE);
  }
}

/** The smaller of a known number and another. */
export function capped(amount: Amount, by: f64): Amount {
  return amount.value <= by || isNaN(by) ? amount : new Amount(by, false);
}
