/** The list of rules in the JSON of a Job's two policies. What a rule says is left to the file of each policy. */
import * as reader from "../json/reader";

/** The API allows 20 rules. Rules beyond this number are not read. */
const MAX_RULES: i32 = 64;

/**
 * Calls `readRule` at each rule of the policy in this JSON, and hands it `policy`. No other document may be open. False
 * for JSON null and for JSON that is no policy.
 */
export function readRules(ptr: usize, length: u32, policy: usize, readRule: (policy: usize) => void): bool {
  reader.open(ptr, length);
  if (!reader.enterObject()) return false;
  while (reader.nextKey()) {
    if (!reader.stringIs("rules")) {
      reader.skipValue();
      continue;
    }
    if (!reader.enterArray()) continue;
    for (let i = 0; reader.nextElement(); ++i) {
      if (i < MAX_RULES) readRule(policy);
      else reader.skipValue();
    }
  }
  return reader.ok();
}
