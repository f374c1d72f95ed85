/** The settings of a question: which rules are off, warn or deny. Invariant: a code that no rule has is refused. */
import { after, JsonNode } from "../json/tree";
import { blobAt } from "../memory/blob";
import { isWord, nameEnd } from "../trace/row";
import { codeOf } from "./advice";
import { AFTER_END_RULES } from "./after-end";
import { AROUND_RULES } from "./around";
import { CRON_JOB_RULES } from "./cron-job";
import { HOOK_RULES } from "./hooks";
import { POLICY_RULES } from "./policy";
import { POLICY_CONTAINER_RULES } from "./policy-containers";
import { RETRY_RULES } from "./retries";
import { SIZE_RULES } from "./size";
import { TEMPLATE_RULES } from "./template";
import { Rule } from "./rule";

/** No code is longer. */
const MAX_CODE_LENGTH: i32 = 63;
const row = memory.data((MAX_CODE_LENGTH + 1) * 4, 4);

/** All rules, in the order in which lint looks for them. */
const LISTS: StaticArray<StaticArray<Rule>> = [
  RETRY_RULES,
  AFTER_END_RULES,
  CRON_JOB_RULES,
  HOOK_RULES,
  SIZE_RULES,
  AROUND_RULES,
  POLICY_RULES,
  POLICY_CONTAINER_RULES,
  TEMPLATE_RULES,
];

/** What is wrong with the settings of a question; "" if nothing is. */
export function settingsProblem(rules: JsonNode | null): string {
  if (rules === null) return "";
  for (let setting = rules.first; setting !== null; setting = after(setting)) {
    if (!isRule(setting.key)) return setting.path() + ": no rule has this code; the nearest is " + nearest(setting.key);
    const severity = rules.string(setting.key);
    if (severity != "off" && severity != "warn" && severity != "deny")
      return setting.path() + ': "' + severity + '" is no severity; allowed are off, warn and deny';
  }
  return "";
}

function isRule(code: string): bool {
  for (let i = 0; i < LISTS.length; ++i) {
    for (let j = 0; j < LISTS[i].length; ++j) {
      const name = blobAt(LISTS[i][j]);
      if (isWord(name, nameEnd(name), code)) return true;
    }
  }
  return false;
}

// The code with the smallest edit distance.
function nearest(word: string): string {
  let best = "";
  let fewest = i32.MAX_VALUE;
  for (let i = 0; i < LISTS.length; ++i) {
    for (let j = 0; j < LISTS[i].length; ++j) {
      const code = codeOf(LISTS[i][j]);
      const changes = distance(word.substring(0, MAX_CODE_LENGTH), code);
      if (changes >= fewest) continue;
      fewest = changes;
      best = code;
    }
  }
  return best;
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
