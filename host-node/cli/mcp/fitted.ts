/**
 * Answers that fit the context of an agent: what is too long is cut, and a sentence says what was left out. Pure
 * functions.
 */
import { UsageError } from "../../usage-error.ts";

/** In characters of JSON. Agents take some 100,000 characters of an answer, and many less. */
export const MAX_ANSWER_LENGTH = 64 * 1024;
/** Room for the sentence about what was left out. */
const SENTENCE_LENGTH = 512;

type Answer = Record<string, unknown> & { readonly notes: readonly string[] };

/**
 * The answer with as many items of its lists as there is room for, the first ones.
 * @param lists the properties that have them; one is cut when the answer does not fit without those before it
 * @throws UsageError when it does not fit without any
 */
export function fitted(answer: Answer, lists: readonly string[]): Record<string, unknown> {
  let left = answer;
  for (const list of lists) {
    if (lengthOf(left) <= MAX_ANSWER_LENGTH) return left;
    left = cut(left, list);
  }
  if (lengthOf(left) <= MAX_ANSWER_LENGTH) return left;
  throw new UsageError(
    `the answer has ${lengthOf(answer)} characters, and ${MAX_ANSWER_LENGTH} are allowed; ask about less, or run the command`,
  );
}

function cut(answer: Answer, list: string): Answer {
  const items = (answer[list] ?? []) as readonly unknown[];
  if (items.length === 0) return answer;
  let room = MAX_ANSWER_LENGTH - SENTENCE_LENGTH - lengthOf({ ...answer, [list]: [] });
  const kept: unknown[] = [];
  for (const item of items) {
    room -= lengthOf(item) + 1;
    if (room < 0) break;
    kept.push(item);
  }
  const left = `${items.length - kept.length} of the ${items.length} ${list} are left out: an answer has at most ${MAX_ANSWER_LENGTH} characters. Ask about less, such as one namespace, or run the command.`;
  return { ...answer, [list]: kept, notes: [...answer.notes, left] };
}

export function fittedText(text: string): string {
  if (text.length <= MAX_ANSWER_LENGTH) return text;
  const cut = text.slice(0, MAX_ANSWER_LENGTH - SENTENCE_LENGTH).toWellFormed();
  return `${cut}\n… cut here: the text has ${text.length} characters, and an answer at most ${MAX_ANSWER_LENGTH}.`;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}
