/**
 * Advice, as it is being written: what a rule says, unless the question turns the rule off. Invariant: one answer at a
 * time, and at most MAX_ADVICE of them in it.
 */
import { beginResult, endResult } from "../abi/result";
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, QUOTE } from "../json/punctuation";
import { after, JsonNode } from "../json/tree";
import { writeString } from "../json/tree-text";
import { blobAt, blobOf, freeBlob } from "../memory/blob";
import { isWord, nameEnd, next, sentenceAt, sentenceEnd } from "../trace/row";
import { writeName, writeNumbers, writeWords } from "../trace/sentence";
import { Rule } from "./rule";

/** The most advice of one answer. Further advice is left out. */
const MAX_ADVICE: i32 = 200;
const MAX_NUMBERS = 3;
const BAR: u8 = 0x7c;
const JOB = "job.";

const values = memory.data(MAX_NUMBERS * 8, 8);

let to = beginResult();
let count: i32 = 0;
let settings: JsonNode | null = null;

/** Begins an answer. `rules` are the settings of the question: code and severity. */
export function beginAdvice(rules: JsonNode | null): void {
  settings = rules;
  count = 0;
  to = beginResult();
  to.text('{"advice":[');
}

/** Ends the answer. Returns its address. */
export function endAdvice(): usize {
  settings = null;
  to.byte(CLOSE_BRACKET);
  to.byte(CLOSE_BRACE);
  return endResult();
}

/**
 * Writes the advice of a rule about the member `key` of a node, or of a map (`[key]`); "": about the node. It takes up
 * to three numbers in the order of the rule; `text` replaces `{text}`.
 */
export function advise(
  rule: Rule,
  node: JsonNode,
  key: string = "",
  text: string = "",
  first: f64 = NaN,
  second: f64 = NaN,
  third: f64 = NaN,
): void {
  const severity = severityOf(rule);
  if (severity == "off" || count == MAX_ADVICE) return;
  if (count++ > 0) to.byte(COMMA);
  store<f64>(values, first);
  store<f64>(values, second, 8);
  store<f64>(values, third, 16);
  const utf8 = String.UTF8.encode(text, false, String.UTF8.ErrorMode.REPLACE);
  const blob = blobOf(changetype<usize>(utf8), u32(utf8.byteLength));
  const sentence = sentenceAt(rule);
  const fix = next(sentence, BAR) + 1;
  to.text('{"code":"');
  writeName(to, rule);
  to.text('","severity":"');
  to.text(severity);
  to.text('","field":');
  const field = key.length == 0 ? node.path() : key.startsWith("[") ? node.path() + key : node.pathOf(key);
  writeString(field.startsWith(JOB) ? field.substring(JOB.length) : field, to);
  to.text(',"sentence":"');
  writeWords(to, rule, values, blob, sentence, fix - 1);
  to.text('","fix":"');
  writeWords(to, rule, values, blob, fix, next(fix, BAR));
  to.byte(QUOTE);
  to.text(',"numbers":');
  writeNumbers(to, rule, values, false);
  to.byte(CLOSE_BRACE);
  freeBlob(blob);
}

/** Whether the settings of the question name the rule. */
export function isSet(rule: Rule): bool {
  const rules = settings;
  return rules !== null && rules.has(codeOf(rule));
}

function severityOf(rule: Rule): string {
  const rules = settings;
  const set = rules === null || rules.length == 0 ? "" : rules.string(codeOf(rule));
  if (set.length > 0) return set;
  const fix = next(sentenceAt(rule), BAR) + 1;
  return isWord(next(fix, BAR) + 1, sentenceEnd(rule), "deny") ? "deny" : "warn";
}

/** The code of a rule. */
export function codeOf(rule: Rule): string {
  const name = blobAt(rule);
  return String.UTF8.decodeUnsafe(name, nameEnd(name) - name);
}
