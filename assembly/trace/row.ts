/**
 * The form of a decision: one row of decisions.ts, which says its name, its numbers and its sentence. The trace, the
 * explanation of where a Job stands, bindings/ABI.md and docs/decisions.md have all three from there.
 *
 * In memory a row is one blob, `Name(numbers)sentence`, and its address stands for the decision everywhere. The numbers
 * are names separated by commas, in the order of the values; `;` stands before those that only an explanation knows,
 * and a name may be empty. Invariant: names have letters only, so that whatever else comes ends one.
 */
import { blobAt, blobSize, literal } from "../memory/blob";

/** Address of a row. */
export type Decision = usize;

const ROUND_OPEN: u8 = 0x28;
const ROUND_CLOSE: u8 = 0x29;

/** What was done, or is waited for: the trace has it. scripts/build-engine.ts turns the call into data. */
export function decision(name: string, numbers: string, sentence: string): Decision {
  return literal(name + "(" + numbers + ")" + sentence);
}

/** What is the case, and was never decided: only an explanation says it. It becomes data in the same way. */
export function standing(name: string, numbers: string, sentence: string): Decision {
  return decision(name, numbers, sentence);
}

export function nameAt(row: Decision): usize {
  return blobAt(row);
}

/** Where the first number has its name; it may be an empty one. */
export function numbersAt(row: Decision): usize {
  return next(blobAt(row), ROUND_OPEN) + 1;
}

export function sentenceAt(row: Decision): usize {
  return next(blobAt(row), ROUND_CLOSE) + 1;
}

export function sentenceEnd(row: Decision): usize {
  return blobAt(row) + blobSize(row);
}

/** Where the mark comes next; there must be one. */
export function next(at: usize, mark: u8): usize {
  while (load<u8>(at) != mark) ++at;
  return at;
}

/** Where the name ends that begins here. */
export function nameEnd(at: usize): usize {
  while ((u32(load<u8>(at)) | 0x20) - 0x61 < 26) ++at;
  return at;
}

/** Whether these bytes are the word. */
export function isWord(from: usize, end: usize, word: string): bool {
  if (end - from != usize(word.length)) return false;
  for (let i = 0; i < word.length; ++i) {
    if (load<u8>(from + i) != u8(word.charCodeAt(i))) return false;
  }
  return true;
}
