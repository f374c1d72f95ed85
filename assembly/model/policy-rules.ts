/** The list of rules in the JSON of a Job's two policies. The file of each policy reads its rules. */
import * as reader from "../json/reader";
import { blobAt, blobSize } from "../memory/blob";

/** The API allows 20 rules. Rules beyond this number are not read. */
const MAX_RULES: i32 = 64;

/**
 * Calls `readRule` at each rule of the policy in this JSON, and hands it `policy`. The reader's current document is
 * saved and restored. False for JSON null and for JSON that is no policy.
 */
export function readRules(text: usize, policy: usize, readRule: (policy: usize) => void): bool {
  reader.aside();
  reader.open(blobAt(text), blobSize(text));
  const isPolicy = reader.enterObject();
  if (isPolicy) readMembers(policy, readRule);
  const isRead = isPolicy && reader.ok();
  reader.back();
  return isRead;
}

function readMembers(policy: usize, readRule: (policy: usize) => void): void {
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
}
