/**
 * What a document says that it is: its kind and apiVersion, compared with what its source shows. A server says both of
 * every list, watched object and answer; items of a list say neither. Invariant: a document of another kind is never
 * taken for one that is empty. Leaves out what else it must have: documents.ts.
 */
import * as reader from "../json/reader";
import { blobAt, blobIs, blobSize, cutAtCharacter, literal } from "../memory/blob";
import * as f from "../json/field-keys";

/** A kind that is not expected is quoted up to here. */
const MAX_QUOTED_BYTES: u32 = 40;

/** By RESOURCE_*. */
const KINDS: StaticArray<usize> = [0, literal("Job"), literal("Pod"), literal("Workload"), literal("PodGroup")];
const API_VERSIONS: StaticArray<usize> = [
  0,
  literal("batch/v1"),
  literal("v1"),
  literal("scheduling.k8s.io/v1alpha2"),
  literal("scheduling.k8s.io/v1alpha2"),
];
const LIST = literal("List");

// Addresses inside the document; sizes 0: not said.
let kindAt: usize = 0;
let kindSize: u32 = 0;
let versionAt: usize = 0;
let versionSize: u32 = 0;

/** Forgets what the document before said. */
export function begin(): void {
  kindSize = 0;
  versionSize = 0;
}

/** Reads the member if it is one of the two, and skips it otherwise. */
export function readOrSkip(key: u64): void {
  if (key == f.KIND) {
    if (!reader.readString()) return;
    kindAt = reader.stringAt();
    kindSize = plainSize();
  } else if (key == f.APIVERSION) {
    if (!reader.readString()) return;
    versionAt = reader.stringAt();
    versionSize = plainSize();
  } else {
    reader.skipValue();
  }
}

/** The document says of which kind it is. */
export function isSaid(): bool {
  return kindSize != 0;
}

/** It is an object of this resource. An apiVersion that is not said is not asked for. */
export function isObjectOf(resource: u8): bool {
  return isVersionOf(resource) && blobIs(KINDS[resource], kindAt, kindSize);
}

/** It is a list of this resource. */
export function isListOf(resource: u8): bool {
  const size = blobSize(KINDS[resource]);
  return (
    isVersionOf(resource) &&
    kindSize > size &&
    blobIs(KINDS[resource], kindAt, size) &&
    blobIs(LIST, kindAt + size, kindSize - size)
  );
}

/** `<subject> is a Status of v1, not a PodList of v1`. */
export function wrongKind(subject: string, resource: u8, isList: bool): string {
  const given =
    kindSize == 0
      ? " has no kind: "
      : " is a " + quoted(kindAt, kindSize) + (versionSize == 0 ? "" : " of " + quoted(versionAt, versionSize)) + ": ";
  return (
    subject +
    given +
    "it must be a " +
    textOf(KINDS[resource]) +
    (isList ? "List" : "") +
    " of " +
    textOf(API_VERSIONS[resource])
  );
}

// The next string with escapes would stand in the place of one with escapes. No kind has any.
function plainSize(): u32 {
  return reader.stringHasEscapes() ? 0 : reader.stringSize();
}

function isVersionOf(resource: u8): bool {
  return versionSize == 0 || blobIs(API_VERSIONS[resource], versionAt, versionSize);
}

function quoted(at: usize, size: u32): string {
  return String.UTF8.decodeUnsafe(at, cutAtCharacter(at, size, MAX_QUOTED_BYTES));
}

function textOf(blob: usize): string {
  return String.UTF8.decodeUnsafe(blobAt(blob), blobSize(blob));
}
