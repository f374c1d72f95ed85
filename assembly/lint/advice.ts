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
import { Rule, RULES } from "./rules";

/** The most advice of one answer. Further advice is left out. */
const MAX_ADVICE: i32 = 200;
/** No code is longer. */
const MAX_CODE_LENGTH: i32 = 63;
const MAX_NUMBERS = 3;
const BAR: u8 = 0x7c;
const JOB = "job.";

const values = memory.data(MAX_NUMBERS * 8, 8);
const row = memory.data((MAX_CODE_LENGTH + 1) * 4, 4);

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

/** What is wrong with the settings of a question; "" if nothing is. */
export function settingsProblem(rules: JsonNode | null): string {
  if (rules === null) return "";
  for (let setting = rules.first; setting !== null; setting = after(setting)) {
    if (find(setting.key) == 0)
      return setting.path() + ": no rule has this code; the nearest is " + nearest(setting.key);
    const severity = rules.string(setting.key);
    if (severity != "off" && severity != "warn" && severity != "deny")
      return setting.path() + ': "' + severity + '" is no severity; allowed are off, warn and deny';
  }
  return "";
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

function codeOf(rule: Rule): string {
  const name = blobAt(rule);
  return String.UTF8.decodeUnsafe(name, nameEnd(name) - name);
}

function find(code: string): Rule {
  for (let i = 0; i < RULES.length; ++i) {
    const name = blobAt(RULES[i]);
    if (isWord(name, nameEnd(name), code)) return RULES[i];
  }
  return 0;
}

// The code with the smallest edit distance.
function nearest(word: string): string {
  let best = RULES[0];
  let fewest = i32.MAX_VALUE;
  for (let i = 0; i < RULES.length; ++i) {
    const changes = distance(word.substring(0, MAX_CODE_LENGTH), codeOf(RULES[i]));
    if (changes >= fewest) continue;
    fewest = changes;
    best = RULES[i];
  }
  return codeOf(best);
}

// How many characters have to be changed, added or taken out (Levenshtein), one row of the table at a time.
function distance(a: string, b: string): i32 {
  for (let j = 0; j <= b.length; ++j) store<i32>(row + (j << 2), j);
  for (let i = 1; i <= a.length; ++i) {
    let diagonal = i - 1;
    store<i32>(row, i);
    for (let j = 1; j <= b.length; ++j) {
      const at = row + (j << 2);
      const above = load<i32>(at);
      const changed = diagonal + i32(a.charCodeAt(i - 1) != b.charCodeAt(j - 1));
      store<i32>(at, min(changed, min(above, load<i32>(at - 4)) + 1));
      diagonal = above;
    }
  }
  return load<i32>(row + (b.length << 2));
}
