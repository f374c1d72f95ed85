/**
 * What a document says that it is: its kind and apiVersion, compared with what its source shows. A server says both of
 * every list, watched object and answer; items of a list say neither. Invariant: a document of another kind is never
 * taken for one that is empty. Leaves out what else it must have: documents.ts.
 *
 * Facts of every sort lie in one record that the next document of the sort replaces. Their strings are addresses inside
 * the document.
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

@unmanaged
export class DocumentFacts {
  // Sizes 0: not said.
  private kind: usize;
  private kindSize: u32;
  private apiVersion: usize;
  private apiVersionSize: u32;

  /** Reads the member if it is one of the two, and skips it otherwise. */
  readOrSkip(key: u64): void {
    if (key == f.KIND) {
      if (!reader.readString()) return;
      this.kind = reader.stringAt();
      this.kindSize = sizeWithoutEscapes();
    } else if (key == f.APIVERSION) {
      if (!reader.readString()) return;
      this.apiVersion = reader.stringAt();
      this.apiVersionSize = sizeWithoutEscapes();
    } else {
      reader.skipValue();
    }
  }

  /** The document says of which kind it is. */
  saysKind(): bool {
    return this.kindSize != 0;
  }

  /** It is an object of this resource. An apiVersion that is not said is not asked for. */
  isObjectOf(resource: u8): bool {
    return this.isVersionOf(resource) && blobIs(KINDS[resource], this.kind, this.kindSize);
  }

  /** It is a list of this resource. */
  isListOf(resource: u8): bool {
    const size = blobSize(KINDS[resource]);
    return (
      this.isVersionOf(resource) &&
      this.kindSize > size &&
      blobIs(KINDS[resource], this.kind, size) &&
      blobIs(LIST, this.kind + size, this.kindSize - size)
    );
  }

  /** `<subject> is a Status of v1: it must be a PodList of v1` */
  wrongKind(subject: string, resource: u8, isList: bool): string {
    const given =
      this.kindSize == 0
        ? " has no kind: "
        : " is a " +
          quoted(this.kind, this.kindSize) +
          (this.apiVersionSize == 0 ? "" : " of " + quoted(this.apiVersion, this.apiVersionSize)) +
          ": ";
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

  private isVersionOf(resource: u8): bool {
    return this.apiVersionSize == 0 || blobIs(API_VERSIONS[resource], this.apiVersion, this.apiVersionSize);
  }
}

// The next string with escapes would stand in the place of one with escapes. No kind has any.
function sizeWithoutEscapes(): u32 {
  return reader.stringHasEscapes() ? 0 : reader.stringSize();
}

function quoted(at: usize, size: u32): string {
  return String.UTF8.decodeUnsafe(at, cutAtCharacter(at, size, MAX_QUOTED_BYTES));
}

function textOf(blob: usize): string {
  return String.UTF8.decodeUnsafe(blobAt(blob), blobSize(blob));
}
