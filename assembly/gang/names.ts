/**
 * Names of Workloads and PodGroups. A name consists of the owner's name and a deterministic hash, so that a repeated
 * request names the same object. Source: docs/spec/controller.md section 11, "Names".
 */
import { Writer } from "../json/writer";
import { blobAt, blobSize, cutAtCharacter, literal } from "../memory/blob";
import { Job } from "../model/job";

/** The longest name of an object, in bytes. */
const MAX_NAME_BYTES: u32 = 253;
/** The longest name of a PodGroupTemplate, which is a DNS label, in bytes. */
const MAX_LABEL_BYTES: u32 = 63;
const TEMPLATE_SUFFIX = "-pgt-0";
const FNV_OFFSET: u32 = 2166136261;
const FNV_PRIME: u32 = 16777619;
const UID_TYPE = literal("(types.UID)");
/** The digits as upstream's safe alphabet writes them. */
const SAFE_DIGITS = "456789bcdf";
const MAX_DIGITS: u32 = 10;
const DASH: u32 = 0x2d;

export function writeWorkloadName(to: Writer, job: Job): void {
  const hash = hashed(hashed(FNV_OFFSET, UID_TYPE), job.uid);
  to.bytes(blobAt(job.name), min(blobSize(job.name), MAX_NAME_BYTES - 1 - digitsOf(hash)));
  writeSafe(to, hash);
}

/**
 * Writes the name of a Workload's only PodGroupTemplate, as JSON text without quotes. The name is cut to the length of
 * a label, as Kubernetes 1.38 does. 1.37 does not, and its API server refuses the Workload of a Job with a long name.
 */
export function writeTemplateName(to: Writer, job: Job): void {
  const name = blobAt(job.name);
  to.escaped(name, cutAtCharacter(name, blobSize(job.name), MAX_LABEL_BYTES - u32(TEMPLATE_SUFFIX.length)));
  to.text(TEMPLATE_SUFFIX);
}

/**
 * Writes the name of a PodGroup. `workload` is the name of the Workload, a blob, and `template` that of its template.
 * `uid` is 0 for the only PodGroup of a Workload, or the UID of the Job that is one of several with this Workload.
 */
export function writePodGroupName(to: Writer, workload: usize, template: usize, templateLength: u32, uid: usize): void {
  const hash = podGroupHash(workload, template, templateLength, uid);
  const room = MAX_NAME_BYTES - digitsOf(hash) - 2;
  const half = room / 2;
  let workloadSize = blobSize(workload);
  let templateSize = templateLength;
  if (workloadSize + templateSize > room) {
    if (workloadSize <= half) {
      templateSize = room - workloadSize;
    } else if (templateSize <= half) {
      workloadSize = room - templateSize;
    } else {
      workloadSize = room - half;
      templateSize = half;
    }
  }
  to.bytes(blobAt(workload), workloadSize);
  to.byte(DASH);
  to.bytes(template, templateSize);
  writeSafe(to, hash);
}

// With a UID it is the hash of Kubernetes 1.38, which separates its parts; without one it is that of 1.37.
function podGroupHash(workload: usize, template: usize, templateSize: u32, uid: usize): u32 {
  let hash = hashed(FNV_OFFSET, workload);
  if (uid != 0) hash = hashedSeparator(hash);
  hash = hashedBytes(hash, template, templateSize);
  return uid == 0 ? hash : hashed(hashedSeparator(hash), uid);
}

// Adds the bytes of the blob to a hash (FNV-1a, 32 bits).
function hashed(hash: u32, blob: usize): u32 {
  return hashedBytes(hash, blobAt(blob), blobSize(blob));
}

function hashedBytes(hash: u32, at: usize, size: u32): u32 {
  for (let i: u32 = 0; i < size; ++i) hash = (hash ^ load<u8>(at + i)) * FNV_PRIME;
  return hash;
}

// Adds a byte of 0.
function hashedSeparator(hash: u32): u32 {
  return hash * FNV_PRIME;
}

function digitsOf(hash: u32): u32 {
  let digits: u32 = 1;
  for (; hash >= 10; hash /= 10) ++digits;
  return digits;
}

// Writes a dash and the digits, the highest first.
function writeSafe(to: Writer, hash: u32): void {
  to.byte(DASH);
  const digits = digitsOf(hash);
  const at = to.grow(MAX_DIGITS);
  for (let i = digits; i > 0; --i, hash /= 10) store<u8>(at + i - 1, u8(SAFE_DIGITS.charCodeAt(i32(hash % 10))));
  to.length += digits;
}
