/**
 * What a document says about its own type: its kind and apiVersion. They are compared with what its source shows. A
 * server says both in every list, watched object and answer; the items of a list say neither. Invariant: a document of
 * another kind never counts as an empty one. documents.ts checks what else a document must have.
 *
 * For each sort of document there is one record of facts, and the next document of that sort replaces it. Its strings
 * are addresses inside the document.
 */
import * as reader from "../json/reader";
import { blobAt, blobIs, blobSize, cutAtCharacter, literal } from "../memory/blob";
import * as f from "../json/field-keys";

/** The most bytes of an unexpected kind that a refusal quotes. */
const MAX_QUOTED_BYTES: u32 = 40;

/** The kinds, by RESOURCE_*. */
const KINDS: StaticArray<usize> = [0, literal("Job"), literal("Pod"), literal("Workload"), literal("PodGroup")];
const API_VERSIONS: StaticArray<usize> = [
  0,
  literal("batch/v1"),
  literal("v1"),
  literal("scheduling.k8s.io/v1beta1"),
  literal("scheduling.k8s.io/v1beta1"),
];
const LIST = literal("List");

/** The kind and apiVersion of a document. */
@unmanaged
export class DocumentFacts {
  // A size of 0 means that the document does not say it.
  private kind: usize;
  private kindSize: u32;
  private apiVersion: usize;
  private apiVersionSize: u32;

  /** Reads the member if it is kind or apiVersion, and skips it otherwise. */
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

  /** Whether the document says its kind. */
  saysKind(): bool {
    return this.kindSize != 0;
  }

  /** Whether it is an object of this resource. The kind must be there. An absent apiVersion is accepted. */
  isObjectOf(resource: u8): bool {
    return this.isVersionOf(resource) && blobIs(KINDS[resource], this.kind, this.kindSize);
  }

  /** Whether it is a list of this resource. An absent apiVersion is accepted. */
  isListOf(resource: u8): bool {
    const size = blobSize(KINDS[resource]);
    return (
      this.isVersionOf(resource) &&
      this.kindSize > size &&
      blobIs(KINDS[resource], this.kind, size) &&
      blobIs(LIST, this.kind + size, this.kindSize - size)
    );
  }

  /** Says what the document is and what it must be: `<subject> is a Status of v1: it must be a PodList of v1` */
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

// The size of the string just read; 0 if it has escapes. Such a string lies in scratch memory, where the next one with
// escapes would overwrite it. No known kind has escapes.
function sizeWithoutEscapes(): u32 {
  return reader.stringHasEscapes() ? 0 : reader.stringSize();
}

function quoted(at: usize, size: u32): string {
  return String.UTF8.decodeUnsafe(at, cutAtCharacter(at, size, MAX_QUOTED_BYTES));
}

function textOf(blob: usize): string {
  return String.UTF8.decodeUnsafe(blobAt(blob), blobSize(blob));
}
