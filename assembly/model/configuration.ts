/**
 * What the host sets once: who this engine is, which sources feed it, and upstream's constants with upstream's values.
 * A configuration is applied as a whole or refused as a whole; a refusal names the field. Format: bindings/ABI.md,
 * "configure".
 */
import { decimal } from "../json/text";
import { BAD_CONFIGURATION, OK, refuse } from "../abi/codes";
import {
  MAX_SOURCES,
  RESOURCE_JOBS,
  RESOURCE_POD_GROUPS,
  RESOURCE_PODS,
  RESOURCE_WORKLOADS,
  setSource,
} from "./sources";
import { kubernetesMinor, setKubernetes } from "./kubernetes";
import { POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS } from "./backoff";
import { forgetSources, missingSource, noteSource, overlappingSources } from "./source-coverage";
import * as reader from "../json/reader";
import { dnsSubdomainProblems, pathProblems, qualifiedNameProblems } from "./name-rules";
import { blobIs, blobOf, blobsEqual, copyOf, cutAtCharacter, freeBlob, literal } from "../memory/blob";

const MAX_INSTANCE_BYTES: u32 = 32;
const MAX_MANAGER_BYTES: u32 = 63;
const MAX_CONSTANT: i64 = 86400000;
/** The most bytes of an unknown name that a refusal quotes. */
const MAX_QUOTED_BYTES: u32 = 40;

/** The names of the constants, in the order of the numbers that `setConstant` takes. */
const CONSTANTS: StaticArray<string> = [
  "syncBatchPeriodMs",
  "syncBurst",
  "syncCoalesceMs",
  "syncRetryBaseMs",
  "syncRetryMaxMs",
  "podBackoffBaseMs",
  "podBackoffMaxMs",
  "maxUncountedPods",
  "maxPodsPerSync",
];
const SYNC_BURST: i32 = 1;
const SYNC_COALESCE: i32 = 2;

/** The name of this engine, a blob. It is a part of event names. */
export let instance: usize = 0;
/** Time between two syncs of one Job that pod events cause, once its burst is used up. */
export let syncBatchPeriodMs: f64 = 1000;
/**
 * How many syncs pod events may cause at once. The allowance grows by one in each period (a token bucket). With 0, each
 * sync waits a batch period, as in upstream.
 */
export let syncBurst: f64 = 4;
/** How long the first of a burst of pod events waits for the others. It never waits longer than the batch period. */
export let syncCoalesceMs: f64 = 10;
export let syncRetryBaseMs: f64 = 1000;
export let syncRetryMaxMs: f64 = 60000;
export let podBackoffBaseMs: f64 = POD_BACKOFF_BASE_MS;
export let podBackoffMaxMs: f64 = POD_BACKOFF_MAX_MS;
export let maxUncountedPods: i32 = 500;
export let maxPodsPerSync: i32 = 500;

/** The value of spec.managedBy that means upstream's controller. A Job without the field means the same. */
const DEFAULT_MANAGER = literal("kubernetes.io/job-controller");
const DEFAULT_FINALIZER = literal("batch.kubernetes.io/job-tracking");

/** This engine runs the Jobs with this value of spec.managedBy. */
export let manager: usize = DEFAULT_MANAGER;
/** The tracking finalizer, which keeps a pod until it is counted. */
export let finalizer: usize = DEFAULT_FINALIZER;
/** Whether finished Jobs are deleted once their ttlSecondsAfterFinished has passed. */
export let removesFinished: bool = true;

/** Whether Jobs whose pods all run at once get a Workload and a PodGroup. */
export let gangScheduling: bool = false;

let configured = false;

/**
 * Whether this engine serves a managedBy value of another controller than upstream's, and not the Jobs without the
 * field.
 */
export function isSpecialManager(): bool {
  return manager != DEFAULT_MANAGER;
}

/** Who manages a Job with this spec.managedBy, as a new blob; 0: this engine does. `given`: the Job has the field. */
export function foreignManager(given: bool, ptr: usize, size: u32): usize {
  const named = given ? blobOf(ptr, size) : copyOf(DEFAULT_MANAGER);
  if (!blobsEqual(named, manager)) return named;
  freeBlob(named);
  return 0;
}

export function isConfigured(): bool {
  return configured;
}

/**
 * Takes the configuration in this JSON. Returns OK, or BAD_CONFIGURATION with the reason as the error text: it is
 * wrong, or the engine is configured already.
 */
export function configureFrom(ptr: usize, length: u32): i32 {
  if (configured)
    return refuse(BAD_CONFIGURATION, "the engine is configured already: make a new instance to configure anew");
  const problem = read(ptr, length, false);
  if (problem !== null) return refuse(BAD_CONFIGURATION, problem, reader.ok() ? -1 : i64(reader.errorOffset()));
  read(ptr, length, true);
  configured = true;
  return OK;
}

// The result of the current reading.
let problem: string | null = null;
let apply = false;
let sourceIds: u64 = 0;
/** One bit for each RESOURCE_* that has a source. */
let resources: u32 = 0;
let wantsGangs = false;
let hasSources = false;
let hasManager = false;
let hasOwnFinalizer = false;
let givesRemoval = false;

// Reads the configuration. It is read twice, first to check and then to set, so that a refused one changes nothing.
function read(ptr: usize, length: u32, toApply: bool): string | null {
  problem = null;
  apply = toApply;
  sourceIds = 0;
  resources = 0;
  wantsGangs = false;
  hasSources = false;
  hasManager = false;
  hasOwnFinalizer = false;
  givesRemoval = false;
  forgetSources();
  reader.open(ptr, length);
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringIs("instance")) readInstance();
      else if (reader.stringIs("sources")) readSources();
      else if (reader.stringIs("constants")) readConstants();
      else if (reader.stringIs("gangScheduling")) wantsGangs = reader.readBoolean();
      else if (reader.stringIs("managedBy")) readManager();
      else if (reader.stringIs("finalizer")) readFinalizer();
      else if (reader.stringIs("removesFinished")) readRemoval();
      else if (reader.stringIs("kubernetes")) readKubernetes();
      else skipUnknown("the configuration");
    }
  }
  if (problem === null && !reader.atEnd()) return "the configuration cannot be read: " + reader.errorText()!;
  if (hasSources) checkSources();
  if (apply) gangScheduling = wantsGangs;
  if (hasManager && !hasOwnFinalizer)
    note("finalizer: an engine with managedBy needs one that is not batch.kubernetes.io/job-tracking");
  // Upstream removes the finished Jobs of every manager.
  if (apply && hasManager && !givesRemoval) removesFinished = false;
  return problem;
}

function checkSources(): void {
  if (!has(RESOURCE_JOBS) || !has(RESOURCE_PODS))
    note("sources: at least one source of jobs and one of pods are needed");
  if (wantsGangs && (!has(RESOURCE_WORKLOADS) || !has(RESOURCE_POD_GROUPS)))
    note("sources: with gangScheduling, at least one source of workloads and one of podgroups are needed");
  if (!wantsGangs && (has(RESOURCE_WORKLOADS) || has(RESOURCE_POD_GROUPS)))
    note('sources[].resource: "workloads" and "podgroups" are for gangScheduling, which is false');
  const missing = missingSource(wantsGangs);
  if (missing !== null) note(missing);
  const overlapping = overlappingSources();
  if (overlapping !== null) note(overlapping);
}

function has(resource: u8): bool {
  return ((resources >> resource) & 1) != 0;
}

// Keeps only the first problem.
function note(text: string): void {
  if (problem === null) problem = text;
}

function skipUnknown(place: string): void {
  note(place + " has no field " + nameRead());
  reader.skipValue();
}

function textRead(): string {
  return String.UTF8.decodeUnsafe(reader.stringAt(), reader.stringSize());
}

function nameRead(): string {
  return String.UTF8.decodeUnsafe(
    reader.stringAt(),
    cutAtCharacter(reader.stringAt(), reader.stringSize(), MAX_QUOTED_BYTES),
  );
}

function readInstance(): void {
  if (!reader.readString()) return;
  if (reader.stringSize() > MAX_INSTANCE_BYTES) note("instance: longer than 32 bytes");
  else if (apply) instance = blobOf(reader.stringAt(), reader.stringSize());
}

function readManager(): void {
  hasManager = true;
  if (!readText("managedBy")) return;
  const text = textRead();
  const slash = text.indexOf("/");
  if (slash < 1 || slash == text.length - 1 || reader.stringSize() > MAX_MANAGER_BYTES)
    note("managedBy: must be a domain, a slash and a path, 63 bytes at most, not " + nameRead());
  else if (blobIs(DEFAULT_MANAGER, reader.stringAt(), reader.stringSize()))
    note("managedBy: " + text + " is the default: leave it out");
  else if (
    !noteFirst("managedBy: ", dnsSubdomainProblems(text.substring(0, slash))) &&
    !noteFirst("managedBy: ", pathProblems(text.substring(slash + 1))) &&
    apply
  )
    manager = blobOf(reader.stringAt(), reader.stringSize());
}

function readFinalizer(): void {
  if (!readText("finalizer")) return;
  const text = textRead();
  hasOwnFinalizer = !blobIs(DEFAULT_FINALIZER, reader.stringAt(), reader.stringSize());
  if (text.indexOf("/") < 1) note("finalizer: must be a domain, a slash and a name, not " + nameRead());
  else if (!noteFirst("finalizer: ", qualifiedNameProblems(text)) && apply)
    finalizer = blobOf(reader.stringAt(), reader.stringSize());
}

function readKubernetes(): void {
  if (!readText("kubernetes")) return;
  const minor = kubernetesMinor(textRead());
  if (minor < 0) note("kubernetes: must be 1.33 to 1.37, not " + nameRead());
  else if (apply) setKubernetes(minor);
}

function readText(field: string): bool {
  const isText = reader.readString();
  if (!isText) note(field + ": must be a string");
  return isText;
}

// Notes the first problem, if there is one. True when there is.
function noteFirst(field: string, problems: string[]): bool {
  if (problems.length > 0) note(field + problems[0]);
  return problems.length > 0;
}

function readRemoval(): void {
  givesRemoval = true;
  const isNull = reader.readNull();
  const value = !isNull && reader.readBoolean();
  if (isNull || !reader.ok()) note("removesFinished: must be true or false");
  else if (apply) removesFinished = value;
}

function readSources(): void {
  hasSources = true;
  if (!reader.enterArray()) return;
  while (reader.nextElement()) readSource();
}

function readSource(): void {
  let id: i64 = -1;
  let resource: u8 = 0;
  let namespace = "";
  let isSelection = false;
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringIs("id")) {
        id = reader.readInteger(-1);
      } else if (reader.stringIs("resource")) {
        if (!reader.readString()) continue;
        if (reader.stringIs("jobs")) resource = RESOURCE_JOBS;
        else if (reader.stringIs("pods")) resource = RESOURCE_PODS;
        else if (reader.stringIs("workloads")) resource = RESOURCE_WORKLOADS;
        else if (reader.stringIs("podgroups")) resource = RESOURCE_POD_GROUPS;
      } else if (reader.stringIs("namespace")) {
        if (reader.readString()) namespace = textRead();
      } else if (reader.stringIs("isSelection")) {
        isSelection = reader.readBoolean();
      } else {
        skipUnknown("sources[]");
      }
    }
  }
  if (!reader.ok()) return;
  if (id < 0 || id >= MAX_SOURCES) {
    note("sources[].id: must be 0 to 63");
  } else if (((sourceIds >> u64(id)) & 1) != 0) {
    note("sources[].id: " + decimal(id) + " stands there twice");
  } else if (resource == 0) {
    note('sources[].resource: must be "jobs", "pods", "workloads" or "podgroups"');
  } else {
    sourceIds |= u64(1) << u64(id);
    resources |= u32(1) << resource;
    noteSource(decimal(id), resource, namespace, isSelection);
    if (apply) setSource(u32(id), resource, namespace == "" ? 0 : blobOfText(namespace), isSelection);
  }
}

function blobOfText(text: string): usize {
  const bytes = String.UTF8.encode(text);
  return blobOf(changetype<usize>(bytes), u32(bytes.byteLength));
}

function readConstants(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const which = constantNumber();
    if (which < 0) {
      skipUnknown("constants");
      continue;
    }
    const value = reader.readInteger(-1);
    const lowest: i64 = which == SYNC_BURST || which == SYNC_COALESCE ? 0 : 1;
    if (!reader.ok() || value < lowest || value > MAX_CONSTANT)
      note("constants." + CONSTANTS[which] + ": must be a whole number from " + decimal(lowest) + " to 86400000");
    else if (apply) setConstant(which, f64(value));
  }
}

function constantNumber(): i32 {
  for (let i = 0; i < CONSTANTS.length; ++i) {
    if (reader.stringIs(CONSTANTS[i])) return i;
  }
  return -1;
}

function setConstant(which: i32, value: f64): void {
  if (which == 0) syncBatchPeriodMs = value;
  else if (which == SYNC_BURST) syncBurst = value;
  else if (which == SYNC_COALESCE) syncCoalesceMs = value;
  else if (which == 3) syncRetryBaseMs = value;
  else if (which == 4) syncRetryMaxMs = value;
  else if (which == 5) podBackoffBaseMs = value;
  else if (which == 6) podBackoffMaxMs = value;
  else if (which == 7) maxUncountedPods = i32(value);
  else maxPodsPerSync = i32(value);
}
