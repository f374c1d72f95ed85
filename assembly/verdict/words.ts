/**
 * The sentence of a verdict, as it is being written. What comes from outside goes in as UTF-8 and is escaped when the
 * sentence becomes JSON. Invariant: one sentence at a time, because the engine answers one question at a time.
 */
import { CLOSE_PARENTHESIS, SPACE } from "../json/punctuation";
import { utf8Of } from "../json/utf8";
import { Writer } from "../json/writer";
import { writeSpan } from "../trace/sentence";

const sentence = new Writer(512);

/** Begins a new sentence. */
export function begin(): void {
  sentence.reset();
}

/** The sentence so far. It holds until the next `begin`. */
export function spoken(): Writer {
  return sentence;
}

/** Adds ASCII text of our own. */
export function say(ascii: string): void {
  sentence.text(ascii);
}

/** Adds text that came from outside. */
export function quoteText(text: string): void {
  const utf8 = utf8Of(text);
  sentence.bytes(utf8.start, utf8.length);
}

/** Adds `, 2 failed`, for example; nothing for 0. */
export function sayCount(count: i64, what: string): void {
  if (count <= 0) return;
  say(", ");
  sayNumber(count, what);
}

/** Adds `2 failed`, for example. */
export function sayNumber(count: i64, what: string): void {
  sentence.integer(count);
  say(what);
}

/** Adds a number of pods: `1 pod`, `2 pods`. */
export function sayPods(count: i64): void {
  sayNumber(count, count == 1 ? " pod" : " pods");
}

/**
 * Adds a time span with words around it: ` 20 s ago`. Adds nothing if the time is not known. It is rounded up to the
 * second, because one end of it is a time of the API, which writes whole seconds.
 */
export function saySpan(before: string, ms: f64, after: string): void {
  if (isNaN(ms)) return;
  say(before);
  writeSpan(sentence, ceil(ms / 1000) * 1000);
  say(after);
}

/** Adds `: MESSAGE (REASON)`, as far as they are there. */
export function sayWhy(reason: string, message: string): void {
  if (message.length > 0) {
    say(": ");
    quoteText(message);
  }
  if (reason.length == 0) return;
  if (message.length == 0) say(":");
  sentence.byte(SPACE);
  if (message.length > 0) say("(");
  quoteText(reason);
  if (message.length > 0) sentence.byte(CLOSE_PARENTHESIS);
}
