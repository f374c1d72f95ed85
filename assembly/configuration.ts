/**
 * What the host sets once: who this engine is, which sources feed it, and upstream's constants with upstream's values.
 * A configuration is taken whole or refused whole, naming the field. Format: bindings/ABI.md, "configure".
 */
import { BAD_CONFIGURATION, OK, refuse } from "./abi/codes";
import { MAX_SOURCES, RESOURCE_JOBS, RESOURCE_PODS, setSource } from "./ingest/sources";
import * as reader from "./json/reader";
import { blobOf } from "./model/blob";

const MAX_INSTANCE_BYTES: u32 = 32;

/** Goes into event names. */
export let instance: usize = 0;
/** Delay of a sync that pod events cause once the burst is used up; one more burst token each period. */
export let syncBatchPeriodMs: f64 = 1000;
/** Syncs that pod events may cause at once. 0: every one waits a batch period, as upstream. */
export let syncBurst: f64 = 4;
/** How long the first of a burst of pod events waits for the others. Never longer than the batch period. */
export let syncCoalesceMs: f64 = 10;
export let syncRetryBaseMs: f64 = 1000;
export let syncRetryMaxMs: f64 = 60000;
export let podBackoffBaseMs: f64 = 10000;
export let podBackoffMaxMs: f64 = 600000;
export let maxUncountedPods: i32 = 500;
export let maxPodsPerSync: i32 = 500;

let configured = false;

export function isConfigured(): bool {
  return configured;
}

export function configureFrom(ptr: usize, length: u32): i32 {
  if (configured) return refuse(BAD_CONFIGURATION, "the engine is configured already: make a new instance to configure anew");
  const problem = read(ptr, length, false);
  if (problem !== null) return refuse(BAD_CONFIGURATION, problem, reader.ok() ? -1 : i64(reader.errorOffset()));
  read(ptr, length, true);
  configured = true;
  return OK;
}

// Read twice: first to check, then to set, so that a refused configuration changes nothing.
function read(ptr: usize, length: u32, apply: bool): string | null {
  let problem: string | null = null;
  let sources = 0;
  reader.open(ptr, length);
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringIs("instance")) {
        if (reader.readString()) {
          if (reader.stringSize() > MAX_INSTANCE_BYTES) problem = "instance is longer than 32 bytes";
          else if (apply) instance = blobOf(reader.stringAt(), reader.stringSize());
        }
      } else if (reader.stringIs("sources")) {
        if (reader.enterArray()) {
          for (; reader.nextElement(); ++sources) {
            const wrong = readSource(apply);
            if (wrong !== null) problem = wrong;
          }
        }
      } else if (reader.stringIs("constants")) {
        const wrong = readConstants(apply);
        if (wrong !== null) problem = wrong;
      } else {
        problem = "unknown field; allowed are instance, sources and constants";
        reader.skipValue();
      }
    }
  }
  if (!reader.atEnd()) return "the configuration is not a JSON object";
  if (problem === null && sources == 0) problem = "sources is empty: at least one source of jobs and one of pods are needed";
  return problem;
}

function readSource(apply: bool): string | null {
  let id: i64 = -1;
  let resource: u8 = 0;
  let namespace: usize = 0;
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringIs("id")) {
        id = reader.readInteger(-1);
      } else if (reader.stringIs("resource")) {
        if (!reader.readString()) continue;
        if (reader.stringIs("jobs")) resource = RESOURCE_JOBS;
        else if (reader.stringIs("pods")) resource = RESOURCE_PODS;
      } else if (reader.stringIs("namespace")) {
        if (reader.readString() && reader.stringSize() > 0 && apply) namespace = blobOf(reader.stringAt(), reader.stringSize());
      } else {
        reader.skipValue();
      }
    }
  }
  if (id < 0 || id >= MAX_SOURCES) return "sources[].id must be 0 to 63";
  if (resource == 0) return "sources[].resource must be \"jobs\" or \"pods\"";
  if (apply) setSource(u32(id), resource, namespace);
  return null;
}

function readConstants(apply: bool): string | null {
  let problem: string | null = null;
  if (!reader.enterObject()) return null;
  while (reader.nextKey()) {
    // The name is compared before the number is read: both are strings of the reader.
    const which = constantNumber();
    const value = reader.readInteger(-1);
    if (which < 0) problem = "unknown constant; bindings/ABI.md lists them";
    else if (value < (which == 1 || which == 8 ? 0 : 1) || value > 86400000) problem = "a constant must be a whole number from 1 (syncBurst, syncCoalesceMs: 0) to 86400000";
    else if (apply) setConstant(which, f64(value));
  }
  return problem;
}

function constantNumber(): i32 {
  if (reader.stringIs("syncBatchPeriodMs")) return 0;
  if (reader.stringIs("syncBurst")) return 1;
  if (reader.stringIs("syncRetryBaseMs")) return 2;
  if (reader.stringIs("syncRetryMaxMs")) return 3;
  if (reader.stringIs("podBackoffBaseMs")) return 4;
  if (reader.stringIs("podBackoffMaxMs")) return 5;
  if (reader.stringIs("maxUncountedPods")) return 6;
  if (reader.stringIs("maxPodsPerSync")) return 7;
  if (reader.stringIs("syncCoalesceMs")) return 8;
  return -1;
}

function setConstant(which: i32, value: f64): void {
  if (which == 0) syncBatchPeriodMs = value;
  else if (which == 1) syncBurst = value;
  else if (which == 2) syncRetryBaseMs = value;
  else if (which == 3) syncRetryMaxMs = value;
  else if (which == 4) podBackoffBaseMs = value;
  else if (which == 5) podBackoffMaxMs = value;
  else if (which == 6) maxUncountedPods = i32(value);
  else if (which == 7) maxPodsPerSync = i32(value);
  else syncCoalesceMs = value;
}
