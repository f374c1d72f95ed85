/**
 * Answers an AdmissionReview (admission.k8s.io/v1). Jobs get defaults, the generated selector, validation and warnings.
 * Pods get the part of that for their spec. Anything else is allowed as it is.
 *
 * A CREATE whose object has a uid comes from an API server and gets everything. One without a uid comes from a mutating
 * webhook, which sees unvalidated input, and gets only defaults. Invariant: any bytes give an answer or a refusal, in
 * bounded time. If a field that is read has another type than in the API, the answer is a 400. What the API server does
 * around admission is left out: system fields, the stored status, generation (docs/spec/api.md 3.2, 3.4), and what may
 * change in a Pod's spec (5.2).
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, QUOTE } from "../json/punctuation";
import { decimal } from "../json/text";
import * as reader from "../json/reader";
import { JsonNode, mismatch, stringOf } from "../json/tree";
import { parseTree, writeString } from "../json/tree-text";
import { Writer } from "../json/writer";
import { writeBase64 } from "./base64";
import { defaultJob, defaultLabels, labelsOfTemplate } from "./defaults-job";
import { defaultObject } from "./default-fields";
import { defaultPod } from "./defaults-pod";
import { defaultPodResources } from "./defaults-pod-resources";
import { FieldErrors } from "./field-errors";
import { writePatch } from "./json-patch";
import { quote } from "./render";
import { schedulingRules } from "./scheduling-rules";
import { generateSelector, hasPrefixedLabels } from "./selector";
import { equal } from "./semantic-equality";
import { validateStatusUpdate } from "./status-facts";
import { validateJob } from "./validate-job";
import { behaves, DEFAULTS_OF_WHOLE_PODS } from "../model/kubernetes";
import { validateMetadata, validateMetadataUpdate } from "./validate-metadata";
import { validatePod } from "./validate-pod-template";
import { validateJobUpdate } from "./validate-update";
import { Warnings } from "./warning-list";
import { warnAboutJob, warnAboutPod } from "./warnings";

/** The largest review that is read, in bytes: more than two objects of the largest size that etcd accepts. */
export const MAX_REVIEW_BYTES: u32 = 8 * 1024 * 1024;

const API_VERSION = "admission.k8s.io/v1";
const RESULT_PREFIX_BYTES: u32 = 4;

const answer = new Writer(4096);
const patch = new Writer(2048);
let refusal: string = "";

/** What admission found out about one request. */
class Verdict {
  errors: FieldErrors = new FieldErrors();
  warnings: Warnings = new Warnings();
  /** Why a request cannot be read as its kind, as a sentence; the answer then has code 400. "" otherwise. */
  badRequest: string = "";
  /** `Job.batch` or `Pod`, as messages call it. */
  title: string = "";
  group: string = "";
  kind: string = "";
  name: string = "";

  get allowed(): bool {
    return this.errors.length == 0 && this.badRequest.length == 0;
  }
}

/**
 * Answers the AdmissionReview of `len` bytes at `ptr`. Returns the address of the answer: a u32 with the length in
 * bytes, and then that many bytes of JSON, valid until the next call. Returns 0 when the input is no AdmissionReview;
 * `reviewError` says why.
 */
export function review(ptr: usize, len: u32): usize {
  refusal = "";
  if (len > MAX_REVIEW_BYTES) {
    return refuse("the review has " + decimal(len) + " bytes: at most " + decimal(MAX_REVIEW_BYTES) + " are read");
  }
  const root = parseTree(ptr, len);
  if (root === null) {
    const problem = reader.errorText();
    return refuse(
      "the review cannot be read: " + (problem === null ? "" : problem) + ", at byte " + decimal(reader.errorOffset()),
    );
  }
  const apiVersion = root.string("apiVersion");
  const kind = root.string("kind");
  if (apiVersion != API_VERSION || kind != "AdmissionReview") {
    const given = 'the input is apiVersion "' + apiVersion + '", kind "' + kind + '"';
    return refuse(given + ": only an AdmissionReview of " + API_VERSION + " is answered");
  }
  const request = root.object("request");
  const uid = stringOf(request, "uid");
  if (request === null || uid.length == 0)
    return refuse("the AdmissionReview has no request with a uid: both are needed for an answer");
  return write(uid, judge(request), request.get("object"));
}

/** Why the last `review` returned 0; "" if it did not. */
export function reviewError(): string {
  return refusal;
}

function refuse(reason: string): usize {
  refusal = reason;
  return 0;
}

function judge(request: JsonNode): Verdict {
  const verdict = new Verdict();
  const kind = request.object("kind");
  const operation = request.string("operation");
  if (kind === null || (operation != "CREATE" && operation != "UPDATE")) return verdict;
  verdict.group = kind.string("group");
  verdict.kind = kind.string("kind");
  const isJob = verdict.group == "batch" && verdict.kind == "Job";
  const isPod = verdict.group.length == 0 && verdict.kind == "Pod";
  const subresource = request.string("subResource");
  const isStatus = isJob && subresource == "status" && operation == "UPDATE";
  if ((!isJob && !isPod) || (subresource.length > 0 && !isStatus)) return verdict;
  verdict.title = isJob ? "Job.batch" : "Pod";
  const object = request.object("object");
  if (object === null) return refuseObject(verdict, "the request has no object");
  // Paths of fields begin at the object, as in the API.
  object.detach();
  const metadata = object.object("metadata");
  verdict.name = metadata === null ? request.string("name") : metadata.string("name");
  if (operation == "CREATE") {
    judgeCreate(object, isJob, request.string("namespace"), verdict);
  } else {
    const old = request.object("oldObject");
    if (old === null) return refuseObject(verdict, "the request has no oldObject");
    old.detach();
    if (isStatus) judgeStatus(object, old, verdict);
    else judgeUpdate(object, old, isJob, request.string("namespace"), verdict);
  }
  const problem = mismatch();
  return problem.length > 0 ? refuseObject(verdict, problem) : verdict;
}

function refuseObject(verdict: Verdict, problem: string): Verdict {
  verdict.badRequest = verdict.kind + ' in version "v1" cannot be handled as a ' + verdict.kind + ": " + problem;
  return verdict;
}

function judgeCreate(object: JsonNode, isJob: bool, namespace: string, verdict: Verdict): void {
  const uid = stringOf(object.object("metadata"), "uid");
  if (!isJob) {
    applyPodDefaults(object, uid.length > 0);
    if (uid.length == 0) return;
    validateMetadata(object, namespace, verdict.errors);
    validatePod(object, null, verdict.errors);
    if (verdict.allowed) warnAboutPod(object, true, verdict.warnings);
    return;
  }
  defaultJob(object);
  // Upstream's Job and template share one map of labels. So a Job without labels also shows the labels that are
  // generated for the template. But a generated name puts a copy in between: then the Job shows the labels that the
  // template had before. A template without labels has no map to share. Then the Job gets the labels when it is read,
  // after validation.
  const isNamed = stringOf(object.object("metadata"), "generateName").length == 0;
  if (uid.length == 0 || !isNamed) defaultLabels(object);
  if (uid.length == 0) return;
  const labels = labelsOfTemplate(object);
  const sharesLabels = labels !== null && labels.length > 0;
  generateSelector(object);
  if (sharesLabels) defaultLabels(object);
  validateJob(object, namespace, uid, true, verdict.errors);
  schedulingRules().declared(object, null, verdict.errors);
  defaultLabels(object);
  if (verdict.allowed) warnAboutJob(object, true, verdict.warnings);
}

function judgeUpdate(object: JsonNode, old: JsonNode, isJob: bool, namespace: string, verdict: Verdict): void {
  const errors = verdict.errors;
  if (isJob) {
    defaultJob(object);
    defaultLabels(object);
    defaultJob(old);
  } else {
    applyPodDefaults(object, false);
    applyPodDefaults(old, false);
  }
  validateMetadataUpdate(object, old, errors);
  if (isJob) {
    validateJobUpdate(object, old, namespace, uidOf(object, old), hasPrefixedLabels(old), errors);
    schedulingRules().declared(object, old, errors);
  } else validatePod(object, old, errors);
  if (!verdict.allowed || equal(object.get("spec"), old.get("spec"))) return;
  if (isJob) warnAboutJob(object, false, verdict.warnings);
  else warnAboutPod(object, true, verdict.warnings);
}

function judgeStatus(object: JsonNode, old: JsonNode, verdict: Verdict): void {
  defaultJob(old);
  validateMetadataUpdate(object, old, verdict.errors);
  validateStatusUpdate(object, old, verdict.errors);
}

// `created`: the pod is new and behind mutating admission.
function applyPodDefaults(pod: JsonNode, created: bool): void {
  const spec = defaultObject(pod, "spec");
  if (spec === null) return;
  defaultPod(spec);
  if (created || !behaves(DEFAULTS_OF_WHOLE_PODS)) defaultPodResources(spec);
}

// The server fills in a uid that the request has left out.
function uidOf(object: JsonNode, old: JsonNode): string {
  const uid = stringOf(object.object("metadata"), "uid");
  return uid.length > 0 ? uid : stringOf(old.object("metadata"), "uid");
}

function write(uid: string, verdict: Verdict, object: JsonNode | null): usize {
  answer.reset();
  answer.grow(RESULT_PREFIX_BYTES);
  answer.length = RESULT_PREFIX_BYTES;
  answer.text('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":');
  writeString(uid, answer);
  if (verdict.allowed) {
    answer.text(',"allowed":true');
    if (object !== null) writePatchOf(object);
  } else {
    answer.text(',"allowed":false,"status":');
    writeStatus(verdict);
  }
  const warnings = verdict.warnings.list;
  if (warnings.length > 0) {
    answer.text(',"warnings":[');
    for (let i = 0; i < warnings.length; i++) {
      if (i > 0) answer.byte(COMMA);
      writeString(warnings[i], answer);
    }
    answer.byte(CLOSE_BRACKET);
  }
  answer.text("}}");
  store<u32>(answer.start, answer.length - RESULT_PREFIX_BYTES);
  return answer.start;
}

function writePatchOf(object: JsonNode): void {
  patch.reset();
  if (writePatch(object, patch) == 0) return;
  answer.text(',"patchType":"JSONPatch","patch":"');
  writeBase64(patch.start, patch.length, answer);
  answer.byte(QUOTE);
}

function writeStatus(verdict: Verdict): void {
  const bad = verdict.badRequest.length > 0;
  const message = bad
    ? verdict.badRequest
    : verdict.title + " " + quote(verdict.name) + " is invalid: " + verdict.errors.text();
  answer.text('{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":');
  writeString(message, answer);
  if (bad) {
    answer.text(',"reason":"BadRequest","code":400}');
    return;
  }
  answer.text(',"reason":"Invalid","details":{');
  if (verdict.name.length > 0) {
    answer.text('"name":');
    writeString(verdict.name, answer);
    answer.byte(COMMA);
  }
  if (verdict.group.length > 0) {
    answer.text('"group":');
    writeString(verdict.group, answer);
    answer.byte(COMMA);
  }
  answer.text('"kind":');
  writeString(verdict.kind, answer);
  answer.text(',"causes":[');
  const errors = verdict.errors.causes();
  for (let i = 0; i < errors.length; i++) {
    answer.text(i == 0 ? '{"reason":' : ',{"reason":');
    writeString(errors[i].reason, answer);
    answer.text(',"message":');
    writeString(errors[i].message, answer);
    answer.text(',"field":');
    writeString(errors[i].field, answer);
    answer.byte(CLOSE_BRACE);
  }
  answer.text(']},"code":422}');
}
