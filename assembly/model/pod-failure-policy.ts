/**
 * spec.podFailurePolicy: which rule, if any, says what the failure of a pod means. A policy is read once for each Job.
 * A pod is judged by its evidence (evidence.ts). Source: docs/spec/controller.md 3.7.
 */
import { SLASH } from "../json/punctuation";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { blobIs, copyOf, freeBlob, literal } from "../memory/blob";
import { stringRead } from "../json/blobs";
import { release, zeroed } from "../memory/records";
import { readRules } from "./policy-rules";

/** No rule matched: the failure counts. */
export const ACTION_NONE: u8 = 0;
export const ACTION_IGNORE: u8 = 1;
export const ACTION_COUNT: u8 = 2;
export const ACTION_FAIL_INDEX: u8 = 3;
export const ACTION_FAIL_JOB: u8 = 4;

const TRUE = literal("True");

@unmanaged
class Pattern {
  type: usize;
  status: usize;
  next: Pattern | null;
}

@unmanaged
class Rule {
  next: Rule | null;
  /** onExitCodes.containerName; 0: any container. */
  containerName: usize;
  /** The exit codes, i32 each. */
  values: usize;
  valueCount: i32;
  patterns: Pattern | null;
  lastPattern: Pattern | null;
  action: u8;
  hasExitCodes: bool;
  isIn: bool;
  isNotIn: bool;
}

/** The rules of one policy, in order. */
@unmanaged
export class PodFailurePolicy {
  private first: Rule | null;
  private last: Rule | null;

  free(): void {
    let rule = this.first;
    while (rule !== null) {
      const next = rule.next;
      freeRule(rule);
      rule = next;
    }
    heap.free(changetype<usize>(this));
  }

  /**
   * Judges a pod by its evidence. Returns the action of the first rule that matches, or ACTION_NONE. `writeMessage` can
   * then write why.
   */
  judge(evidence: usize): u8 {
    ruleIndex = 0;
    let rule = this.first;
    while (rule !== null) {
      if (
        rule.action != ACTION_NONE &&
        (rule.hasExitCodes ? matchesExit(rule, evidence) : matchesCondition(rule, evidence))
      )
        return rule.action;
      rule = rule.next;
      ++ruleIndex;
    }
    return ACTION_NONE;
  }

  /** The position of the only rule with the action Ignore; -1: there are none, or several. */
  onlyIgnoring(): i32 {
    let found = -1;
    let index = 0;
    let rule = this.first;
    while (rule !== null) {
      if (rule.action == ACTION_IGNORE) {
        if (found >= 0) return -1;
        found = index;
      }
      rule = rule.next;
      ++index;
    }
    return found;
  }

  append(rule: Rule): void {
    const before = this.last;
    if (before === null) this.first = rule;
    else before.next = rule;
    this.last = rule;
  }
}

// The position of the rule that matched last.
let ruleIndex: i32 = 0;
// What that rule matched: a container with its exit code, or a condition type.
let matchedName: usize = 0;
let matchedNameSize: u32 = 0;
let matchedCode: i32 = 0;
let matchedContainer = false;

/** Writes why the Job fails. Call it after `judge` gave ACTION_FAIL_JOB. */
export function writeMessage(to: Writer, namespace: usize, pod: usize): void {
  if (matchedContainer) {
    to.text("Container ");
    to.bytes(matchedName, matchedNameSize);
    to.text(" for pod ");
  } else {
    to.text("Pod ");
  }
  to.blob(namespace);
  to.byte(SLASH);
  to.blob(pod);
  if (matchedContainer) {
    to.text(" failed with exit code ");
    to.integer(matchedCode);
  } else {
    to.text(" has condition ");
    to.bytes(matchedName, matchedNameSize);
  }
  to.text(" matching FailJob rule at index ");
  to.integer(ruleIndex);
}

function matchesExit(rule: Rule, at: usize): bool {
  const end = at + 4 + load<u32>(at);
  at += 4;
  while (at < end) {
    const code = load<i32>(at);
    const size = load<u32>(at, 4);
    const name = at + 8;
    at = name + size;
    if (rule.containerName != 0 && !blobIs(rule.containerName, name, size)) continue;
    const listed = isListed(rule, code);
    if (!(rule.isIn && listed) && !(rule.isNotIn && !listed)) continue;
    matchedContainer = true;
    matchedName = name;
    matchedNameSize = size;
    matchedCode = code;
    return true;
  }
  return false;
}

function isListed(rule: Rule, code: i32): bool {
  for (let i = 0; i < rule.valueCount; ++i) {
    if (load<i32>(rule.values + (usize(i) << 2)) == code) return true;
  }
  return false;
}

// Compares the conditions in their order, each with all patterns. A size of 0 ends the list.
function matchesCondition(rule: Rule, at: usize): bool {
  at += 4 + load<u32>(at);
  while (load<u32>(at) != 0) {
    const typeSize = load<u32>(at);
    const type = at + 4;
    const statusSize = load<u32>(type + typeSize);
    const status = type + typeSize + 4;
    at = status + statusSize;
    let pattern = rule.patterns;
    while (pattern !== null) {
      if (blobIs(pattern.type, type, typeSize) && blobIs(pattern.status, status, statusSize)) {
        matchedContainer = false;
        matchedName = type;
        matchedNameSize = typeSize;
        return true;
      }
      pattern = pattern.next;
    }
  }
  return false;
}

// ── reading a policy ────────────────────────────────────────────────────────────────────────────────

/**
 * Reads a policy from its JSON, a blob with padding. The reader's current document is saved and restored. Null for JSON
 * null and for JSON that is no policy.
 */
export function readPodFailurePolicy(text: usize): PodFailurePolicy | null {
  const policy = zeroed<PodFailurePolicy>();
  if (readRules(text, changetype<usize>(policy), readRule)) return policy;
  policy.free();
  return null;
}

function readRule(policy: usize): void {
  const rule = zeroed<Rule>();
  changetype<PodFailurePolicy>(policy).append(rule);
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("action")) {
      if (reader.readString()) rule.action = actionRead();
    } else if (reader.stringIs("onExitCodes")) {
      readExitCodes(rule);
    } else if (reader.stringIs("onPodConditions")) {
      readPatterns(rule);
    } else {
      reader.skipValue();
    }
  }
}

// A rule with an unknown action is skipped; the next rule is tried.
function actionRead(): u8 {
  if (reader.stringIs("Ignore")) return ACTION_IGNORE;
  if (reader.stringIs("Count")) return ACTION_COUNT;
  if (reader.stringIs("FailIndex")) return ACTION_FAIL_INDEX;
  return reader.stringIs("FailJob") ? ACTION_FAIL_JOB : ACTION_NONE;
}

function readExitCodes(rule: Rule): void {
  if (!reader.enterObject()) return;
  rule.hasExitCodes = true;
  while (reader.nextKey()) {
    if (reader.stringIs("containerName")) {
      if (reader.readString()) rule.containerName = stringRead(rule.containerName);
    } else if (reader.stringIs("operator")) {
      if (!reader.readString()) continue;
      rule.isIn = reader.stringIs("In");
      rule.isNotIn = reader.stringIs("NotIn");
    } else if (reader.stringIs("values")) {
      if (!reader.enterArray()) continue;
      while (reader.nextElement()) addValue(rule, i32(reader.readInteger()));
    } else {
      reader.skipValue();
    }
  }
}

function addValue(rule: Rule, value: i32): void {
  // The array doubles its capacity whenever the count reaches a power of two, from 8 on.
  if (rule.valueCount == 0) rule.values = heap.alloc(8 * 4);
  else if (rule.valueCount >= 8 && (rule.valueCount & (rule.valueCount - 1)) == 0)
    rule.values = heap.realloc(rule.values, usize(rule.valueCount) * 8);
  store<i32>(rule.values + (usize(rule.valueCount++) << 2), value);
}

function readPatterns(rule: Rule): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    const pattern = zeroed<Pattern>();
    const before = rule.lastPattern;
    if (before === null) rule.patterns = pattern;
    else before.next = pattern;
    rule.lastPattern = pattern;
    pattern.status = copyOf(TRUE);
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      if (reader.stringIs("type")) {
        if (reader.readString()) pattern.type = stringRead(pattern.type);
      } else if (reader.stringIs("status")) {
        if (reader.readString()) pattern.status = stringRead(pattern.status);
      } else {
        reader.skipValue();
      }
    }
  }
}

function freeRule(rule: Rule): void {
  freeBlob(rule.containerName);
  if (rule.values != 0) heap.free(rule.values);
  let pattern = rule.patterns;
  while (pattern !== null) {
    const next = pattern.next;
    freeBlob(pattern.type);
    freeBlob(pattern.status);
    release<Pattern>(pattern);
    pattern = next;
  }
  release<Rule>(rule);
}
