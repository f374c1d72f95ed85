/**
 * spec.successPolicy: whether enough indexes have succeeded. The rules are tried in order; the first one that holds
 * decides. Source: docs/spec/controller.md 3.8.
 */
import { IntervalSet } from "../intervals/intervals";
import * as reader from "../json/reader";
import { blobAt, blobSize, freeBlob } from "../memory/blob";
import { stringRead } from "../json/blobs";
import { release, zeroed } from "../memory/records";
import { readRules } from "./policy-rules";

const NO_COUNT: i32 = -1;

@unmanaged
class Rule {
  next: Rule | null;
  /** The text of succeededIndexes; 0: not given. */
  text: usize;
  indexes: IntervalSet;
  /** The number of completions with which `indexes` was read. */
  readFor: i32;
  count: i32;
}

/** The rules of one policy, in order. */
@unmanaged
export class SuccessPolicy {
  private first: Rule | null;
  private last: Rule | null;

  free(): void {
    let rule = this.first;
    while (rule !== null) {
      const next = rule.next;
      freeBlob(rule.text);
      rule.indexes.free();
      release<IntervalSet>(rule.indexes);
      release<Rule>(rule);
      rule = next;
    }
    heap.free(changetype<usize>(this));
  }

  /** The position of the first rule that the succeeded indexes meet; -1: none. */
  match(succeeded: IntervalSet, completions: i32): i32 {
    if (succeeded.count == 0) return -1;
    let rule = this.first;
    for (let i = 0; rule !== null; ++i) {
      if (meets(rule, succeeded, completions)) return i;
      rule = rule.next;
    }
    return -1;
  }

  append(rule: Rule): void {
    const before = this.last;
    if (before === null) this.first = rule;
    else before.next = rule;
    this.last = rule;
  }
}

function meets(rule: Rule, succeeded: IntervalSet, completions: i32): bool {
  if (rule.text == 0) return rule.count != NO_COUNT && succeeded.count >= rule.count;
  const required = rule.indexes;
  if (rule.readFor != completions) {
    required.parse(blobAt(rule.text), blobSize(rule.text), completions);
    rule.readFor = completions;
  }
  if (required.count == 0) return false;
  const overlap = required.countCommon(succeeded);
  return overlap == required.count || (rule.count != NO_COUNT && overlap >= rule.count);
}

/**
 * Reads a policy from its JSON, a blob with padding. The reader's current document is saved and restored. Null for JSON
 * null and for JSON that is no policy.
 */
export function readSuccessPolicy(text: usize): SuccessPolicy | null {
  const policy = zeroed<SuccessPolicy>();
  if (readRules(text, changetype<usize>(policy), readRule)) return policy;
  policy.free();
  return null;
}

function readRule(policy: usize): void {
  const rule = zeroed<Rule>();
  changetype<SuccessPolicy>(policy).append(rule);
  rule.indexes = zeroed<IntervalSet>();
  rule.count = NO_COUNT;
  rule.readFor = -1;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("succeededIndexes")) {
      if (reader.readString()) rule.text = stringRead(rule.text);
    } else if (reader.stringIs("succeededCount")) {
      rule.count = i32(reader.readInteger(NO_COUNT));
    } else {
      reader.skipValue();
    }
  }
}
