/**
 * Which exit codes the rules of spec.podFailurePolicy match, by docs/spec/controller.md 3.7. Invariant: `noteRules` has
 * read the rules of the current question before any other function here is called. Leaves out rules on conditions.
 */
import { after, firstOf, JsonNode, listOf, stringOf } from "../json/tree";
import { Subject } from "./subject";

/** The API server accepts no more. */
const MAX_RULES: i32 = 20;
/** Exit codes of Linux are one byte. */
export const EXIT_CODES: i32 = 256;

// For each rule and each exit code, whether the rule matches it.
const codes = memory.data(MAX_RULES * EXIT_CODES);

/** Reads the rules of the Job's policy. Returns them; null: there are none, or more than the API server takes. */
export function noteRules(subject: Subject): JsonNode | null {
  const rules = listOf(subject.spec.object("podFailurePolicy"), "rules");
  if (rules === null || rules.length > MAX_RULES) return null;
  memory.fill(codes, 0, MAX_RULES * EXIT_CODES);
  for (let rule = rules.first; rule !== null; rule = after(rule)) noteCodes(rule);
  return rules;
}

/** Whether the rule matches this exit code of some container. */
export function matchesCode(rule: JsonNode, code: i32): bool {
  return load<bool>(codes + rule.index * EXIT_CODES + code);
}

/** Whether the rule matches this exit code of the container. */
export function matches(rule: JsonNode, name: string, code: i32): bool {
  if (!matchesCode(rule, code)) return false;
  const named = containerOf(rule);
  return named.length == 0 || named == name;
}

/** The container that a rule is about; "": any. */
export function containerOf(rule: JsonNode): string {
  return stringOf(rule.object("onExitCodes"), "containerName");
}

// Notes which exit codes the rule matches. 0 never does.
function noteCodes(rule: JsonNode): void {
  const exitCodes = rule.object("onExitCodes");
  if (exitCodes === null) return;
  const at = codes + rule.index * EXIT_CODES;
  const isIn = exitCodes.string("operator") == "In";
  if (!isIn) memory.fill(at + 1, 1, EXIT_CODES - 1);
  for (let value = firstOf(exitCodes.list("values")); value !== null; value = after(value)) {
    const code = value.asInteger();
    if (code > 0 && code < EXIT_CODES) store<bool>(at + usize(code), isIn);
  }
}
