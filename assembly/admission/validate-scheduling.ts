/**
 * Rules of spec.scheduling, how the pods of a Job are scheduled together (docs/spec/api.md 2.10). Importing this file
 * installs them. They hold while gang scheduling is on; otherwise the API server drops the field. Some of them upstream
 * declares as tags of its types: these come after all others, and an update checks only what it changes. Invariant:
 * works on a defaulted object. Source: pkg/apis/batch/validation, and the tags of k8s.io/api/batch/v1 and
 * scheduling/v1alpha3.
 */
import { decimal, joined, StringSet, wordsOf } from "../json/text";
import { ABSENT, JsonNode, listOf, memberOf, objectOf } from "../json/tree";
import { gangScheduling } from "../model/configuration";
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from "../model/name-rules";
import { FieldErrors } from "./field-errors";
import { quote, renderNode } from "./render";
import { chooseSchedulingRules, SchedulingRules } from "./scheduling-rules";
import { equal } from "./semantic-equality";

const FIELD = "spec.scheduling";
const TOPOLOGIES_MAX: i32 = 1;
const CLAIMS_MAX: i32 = 4;

const POLICIES = "basic,gang";
const MODES = "single,all";
const REFERENCES = "resourceClaimName,resourceClaimTemplateName";

const CHARACTERS = " characters";
const EMPTY = '""';
const NULL = "null";
const IMMUTABLE = "field is immutable";
const NO_SET = "field cannot be set once created";
const NO_UNSET = "field cannot be cleared once set";
const ALL_OF_BASIC = "the disruptionMode `all` is not supported with the Basic scheduling policy";
const FIXED_VARIANT =
  "the basic/gang policy variant is immutable after creation; only schedulingPolicy.gang.minCount may be updated";

class WholeSchedulingRules extends SchedulingRules {
  together(spec: JsonNode, errors: FieldErrors): void {
    const scheduling = gangScheduling ? spec.object("scheduling") : null;
    if (scheduling === null) return;
    const policy = scheduling.object("schedulingPolicy");
    const minCount = minCountOf(policy);
    const parallelism = spec.integer("parallelism");
    if (minCount != ABSENT && minCount > parallelism) {
      const detail = "must not be greater than parallelism (" + decimal(parallelism) + ")";
      errors.invalid(FIELD + ".schedulingPolicy.gang.minCount", decimal(minCount), detail);
    }
    const isBasic = policy === null || policy.has("basic");
    const mode = scheduling.object("disruptionMode");
    // With both modes the first counts.
    const isAll = mode !== null && mode.has("all") && !mode.has("single");
    if (isBasic && isAll) errors.invalid(FIELD + ".disruptionMode", EMPTY, ALL_OF_BASIC);
  }

  // A gang stays one.
  changes(spec: JsonNode, oldSpec: JsonNode, errors: FieldErrors): void {
    if (!gangScheduling) return;
    const policy = objectOf(spec.object("scheduling"), "schedulingPolicy");
    const old = objectOf(oldSpec.object("scheduling"), "schedulingPolicy");
    if (policy === null || old === null || policy.has("basic") == old.has("basic")) return;
    errors.invalid(policy.path(), NULL, FIXED_VARIANT);
  }

  declared(job: JsonNode, old: JsonNode | null, errors: FieldErrors): void {
    if (!gangScheduling) return;
    const scheduling = objectOf(job.object("spec"), "scheduling");
    const before = objectOf(objectOf(old, "spec"), "scheduling");
    const isUpdate = old !== null;
    if (isUpdate && !keepsPresence(FIELD, scheduling, before, errors)) return;
    if (scheduling === null) return;
    validatePolicy(scheduling, before, isUpdate, errors);
    if (isUpdate) validateFrozen(scheduling, before, errors);
    else validateNew(scheduling, errors);
  }
}

function validateNew(scheduling: JsonNode, errors: FieldErrors): void {
  validateTopology(scheduling.object("schedulingConstraints"), errors);
  validateUnion(scheduling.object("disruptionMode"), MODES, errors);
  validateClaims(scheduling, errors);
}

// Checks what an update may not change.
function validateFrozen(scheduling: JsonNode, before: JsonNode | null, errors: FieldErrors): void {
  if (!sameConstraints(scheduling.object("schedulingConstraints"), objectOf(before, "schedulingConstraints")))
    errors.invalid(scheduling.pathOf("schedulingConstraints"), NULL, IMMUTABLE);
  if (!sameMembers(scheduling.object("disruptionMode"), objectOf(before, "disruptionMode"), MODES))
    errors.invalid(scheduling.pathOf("disruptionMode"), NULL, IMMUTABLE);
  if (!equal(scheduling.get("resourceClaims"), memberOf(before, "resourceClaims")))
    errors.invalid(scheduling.pathOf("resourceClaims"), NULL, IMMUTABLE);
}

// Checks that an update neither sets nor clears a field.
function keepsPresence(field: string, value: JsonNode | null, before: JsonNode | null, errors: FieldErrors): bool {
  if ((value === null) == (before === null)) return true;
  errors.invalid(field, NULL, value === null ? NO_UNSET : NO_SET);
  return false;
}

function validatePolicy(scheduling: JsonNode, before: JsonNode | null, isUpdate: bool, errors: FieldErrors): void {
  const policy = scheduling.object("schedulingPolicy");
  const old = objectOf(before, "schedulingPolicy");
  if (isUpdate && !keepsPresence(scheduling.pathOf("schedulingPolicy"), policy, old, errors)) return;
  if (policy === null) return;
  if (!isUpdate || !sameMembers(policy, old, POLICIES)) validateUnion(policy, POLICIES, errors);
  const minCount = minCountOf(policy);
  const isChanged = !isUpdate || minCount != minCountOf(old);
  if (isChanged && minCount != ABSENT && minCount < 1)
    errors.invalid(policy.path() + ".gang.minCount", decimal(minCount), "must be greater than or equal to 1");
}

function minCountOf(policy: JsonNode | null): i64 {
  const gang = objectOf(policy, "gang");
  return gang === null ? ABSENT : gang.integer("minCount");
}

// Checks that exactly one of the named members is there.
function validateUnion(union: JsonNode | null, names: string, errors: FieldErrors): void {
  if (union === null) return;
  const members = wordsOf(names);
  const given = new Array<string>();
  const ticked = new Array<string>();
  for (let i = 0; i < members.length; i++) {
    ticked.push("`" + members[i] + "`");
    if (union.has(members[i])) given.push(members[i]);
  }
  const allowed = joined(ticked, ", ");
  if (given.length == 0) errors.invalid(union.path(), EMPTY, "must specify one of: " + allowed);
  else if (given.length > 1)
    errors.invalid(union.path(), quote("{" + joined(given, ", ") + "}"), "must specify exactly one of: " + allowed);
}

// Whether both have the same of the named members. An empty object is one: in Go it is a pointer.
function sameMembers(a: JsonNode | null, b: JsonNode | null, names: string): bool {
  if (a === null || b === null) return (a === null) == (b === null);
  const members = wordsOf(names);
  for (let i = 0; i < members.length; i++) {
    if (a.has(members[i]) != b.has(members[i])) return false;
  }
  return true;
}

function sameConstraints(a: JsonNode | null, b: JsonNode | null): bool {
  if (a === null || b === null) return (a === null) == (b === null);
  return equal(a.get("topology"), b.get("topology"));
}

function validateTopology(constraints: JsonNode | null, errors: FieldErrors): void {
  const topology = listOf(constraints, "topology");
  if (topology === null) return;
  if (topology.length > TOPOLOGIES_MAX) {
    errors.tooMany(topology.path(), topology.length, TOPOLOGIES_MAX);
    return;
  }
  const constraint = topology.first;
  if (constraint === null) return;
  const key = constraint.string("key");
  if (key.length == 0) errors.required(constraint.pathOf("key"));
  else errors.invalidEach(constraint.pathOf("key"), key, qualifiedNameProblems(key));
}

function validateClaims(scheduling: JsonNode, errors: FieldErrors): void {
  const claims = scheduling.list("resourceClaims");
  if (claims === null) return;
  if (claims.length > CLAIMS_MAX) {
    errors.tooMany(claims.path(), claims.length, CLAIMS_MAX);
    return;
  }
  const names = new StringSet();
  for (let claim = claims.first; claim !== null; claim = errors.after(claim)) {
    if (!names.add(claim.string("name"))) errors.duplicate(claim.path(), renderNode(claim));
  }
  for (let claim = claims.first; claim !== null; claim = errors.after(claim)) validateClaim(claim, errors);
}

function validateClaim(claim: JsonNode, errors: FieldErrors): void {
  validateUnion(claim, REFERENCES, errors);
  const name = claim.string("name");
  if (name.length == 0) errors.required(claim.pathOf("name"));
  else errors.invalidEach(claim.pathOf("name"), name, inBytes(dnsLabelProblems(name)));
  const references = wordsOf(REFERENCES);
  for (let i = 0; i < references.length; i++) {
    if (!claim.has(references[i])) continue;
    const reference = claim.string(references[i]);
    errors.invalidEach(claim.pathOf(references[i]), reference, inBytes(dnsSubdomainProblems(reference)));
  }
}

// Declared rules count bytes, where those of names speak of characters.
function inBytes(problems: string[]): string[] {
  const texts = new Array<string>();
  for (let i = 0; i < problems.length; i++) {
    const problem = problems[i];
    const end = problem.length - CHARACTERS.length;
    texts.push(problem.endsWith(CHARACTERS) ? problem.substring(0, end) + " bytes" : problem);
  }
  return texts;
}

chooseSchedulingRules(new WholeSchedulingRules());
