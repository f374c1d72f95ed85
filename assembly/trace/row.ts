/**
 * The form of a decision: one row of decisions.ts, with its name, its numbers and its sentence. The trace, the
 * explanation of a Job's state, bindings/ABI.md and docs/decisions.md all take the three from there.
 *
 * In memory a row is one blob, `Name(numbers)sentence`. Everywhere else the address of the row identifies the decision.
 * The numbers are names separated by commas, in the order of the values. A `;` separates those that only an explanation
 * knows. A name may be empty. Invariant: names consist of letters only, so that any other character ends one.
 */
import { blobAt, blobSize, literal } from "../memory/blob";

/** The address of a row. */
export type Decision = usize;

const ROUND_OPEN: u8 = 0x28;
const ROUND_CLOSE: u8 = 0x29;

/** A decision: what was done, or is waited for. The trace has it. scripts/build-engine.ts turns the call into data. */
export function decision(name: string, numbers: string, sentence: string): Decision {
  return literal(name + "(" + numbers + ")" + sentence);
}

/** A state of a Job that no decision says. Only an explanation reports it. It becomes data in the same way. */
export function jobState(name: string, numbers: string, sentence: string): Decision {
  return decision(name, numbers, sentence);
}

/** The address of the decision's name. */
export function nameAt(row: Decision): usize {
  return blobAt(row);
}

/** The address of the name of the first number. The name may be empty. */
export function numbersAt(row: Decision): usize {
  return next(blobAt(row), ROUND_OPEN) + 1;
}

/** The address of the sentence. */
export function sentenceAt(row: Decision): usize {
  return next(blobAt(row), ROUND_CLOSE) + 1;
}

/** The address behind the sentence. */
export function sentenceEnd(row: Decision): usize {
  return blobAt(row) + blobSize(row);
}

/** The address of the next `mark` from `at` on. There must be one. */
export function next(at: usize, mark: u8): usize {
  while (load<u8>(at) != mark) ++at;
  return at;
}

/** The address behind the name that begins here. */
export function nameEnd(at: usize): usize {
  while ((u32(load<u8>(at)) | 0x20) - 0x61 < 26) ++at;
  return at;
}

/** Whether the bytes from `from` to before `end` are the word. */
export function isWord(from: usize, end: usize, word: string): bool {
  if (end - from != usize(word.length)) return false;
  for (let i = 0; i < word.length; ++i) {
    if (load<u8>(from + i) != u8(word.charCodeAt(i))) return false;
  }
  return true;
}
