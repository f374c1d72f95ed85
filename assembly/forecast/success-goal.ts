/**
 * What a successPolicy makes of a Job (docs/spec/controller.md 3.8): how few completion indexes must have pods before a
 * rule matches, and how many can have pods while none does.
 *
 * Indexes get their pods in ascending order. So a rule that wants `wanted` of its indexes can match at the earliest
 * once its `wanted`-th index has a pod. To keep the rule from matching, all later indexes of the rule must stay open:
 * each occupies one of the pods that run at once, or has failed for good.
 */
import { IntervalSet } from "../intervals/intervals";
import { ABSENT, after, JsonNode, listOf } from "../json/tree";

// Reused: the engine answers one question at a time.
const indexes = changetype<IntervalSet>(memory.data(offsetof<IntervalSet>(), 8));

export class SuccessGoal {
  /** The fewest indexes that have had a pod when the Job succeeds. */
  least: f64 = 0;
  /** The most that can have had one. */
  most: f64 = 0;
  rules: i32 = 0;

  /** `held`: how many indexes may run at once or fail for good. */
  read(spec: JsonNode, completions: f64, held: f64): void {
    this.least = completions;
    this.most = completions;
    const rules = listOf(spec.object("successPolicy"), "rules");
    if (rules === null || !(completions < f64(i32.MAX_VALUE))) return;
    for (let rule = rules.first; rule !== null; rule = after(rule)) addRule(this, rule, completions, held);
  }
}

function addRule(goal: SuccessGoal, rule: JsonNode, completions: f64, held: f64): void {
  const given = rule.integer("succeededCount");
  indexes.clear();
  if (rule.has("succeededIndexes") && given != 0) {
    const text = String.UTF8.encode(rule.string("succeededIndexes"));
    indexes.parse(changetype<usize>(text), text.byteLength, i32(completions));
  } else if (given != ABSENT && completions > 0) {
    indexes.addRange(0, i32(completions) - 1);
  }
  // A rule that wants more indexes than it has never matches.
  if (indexes.count == 0 || given > indexes.count) return;
  const wanted = given == ABSENT ? indexes.count : max(1, i32(given));
  ++goal.rules;
  goal.least = min(goal.least, indexAt(wanted) + 1);
  // `wanted` - 1 of the rule's indexes have succeeded, and `held` more are open: the rule can go without a match up to
  // this place.
  const last = f64(wanted) + held - 1;
  if (last <= f64(indexes.count)) goal.most = min(goal.most, indexAt(i32(last)) + 1);
}

// The index at this place among those of the rule; 1 is the first.
function indexAt(place: i32): f64 {
  let left = place - 1;
  for (let i = 0; i < indexes.length; i++) {
    const size = indexes.lastAt(i) - indexes.firstAt(i) + 1;
    if (left < size) return f64(indexes.firstAt(i) + left);
    left -= size;
  }
  return 0;
}
