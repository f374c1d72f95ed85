/** The list of rules that each of the two policies of a Job is, in its JSON. Leaves out what stands in a rule. */
import * as reader from "../json/reader";

/** The API allows 20; rules beyond this are not read. */
const MAX_RULES: i32 = 64;

/**
 * Calls `readRule` at each rule of the policy in this JSON (no other document may be open). `policy`: what is handed to
 * it. False for JSON null and for what is no policy.
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
