/**
 * What a list or a bookmark says about itself besides its kind: its version, and the token of the next page. There is
 * one record of facts; the next list or bookmark that is read replaces them.
 */
import * as f from "../json/field-keys";
import * as reader from "../json/reader";
import { blobOf, freeBlob } from "../memory/blob";
import { DocumentFacts } from "./document-facts";
import { readVersion } from "./read-metadata";

const CONTINUE = f.keyOf("continue");

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/** The facts of the list or bookmark that was read last. */
@unmanaged
export class ListFacts extends DocumentFacts {
  /** resourceVersion; 0: it has none. */
  version: u64;
  /** The token of the next page, a blob that belongs to the facts until a caller takes it. 0: there is no next page. */
  continueToken: usize;
  /** For a bookmark: it ends a list that came as a stream. */
  endsInitialEvents: bool;

  /** Forgets the previous list. */
  begin(): void {
    freeBlob(this.continueToken);
    memory.fill(changetype<usize>(this), 0, offsetof<ListFacts>());
  }

  /** The token of the next page. The caller owns it. */
  takeToken(): usize {
    const token = this.continueToken;
    this.continueToken = 0;
    return token;
  }

  /** Reads the metadata of a list or of a bookmark. The reader must be at its value. */
  readMetadata(isBookmark: bool): void {
    if (!reader.enterObject()) return;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.RESOURCE_VERSION) {
        this.version = readVersion();
      } else if (!isBookmark && key == CONTINUE) {
        freeBlob(this.takeToken());
        if (reader.readString() && reader.stringSize() > 0)
          this.continueToken = blobOf(reader.stringAt(), reader.stringSize());
      } else if (isBookmark && key == f.ANNOTATIONS) {
        this.readAnnotations();
      } else {
        reader.skipValue();
      }
    }
  }

  private readAnnotations(): void {
    if (!reader.enterObject()) return;
    while (reader.nextKey()) {
      const ends = reader.stringIs(INITIAL_EVENTS_END);
      if (reader.readString() && ends && reader.stringIs("true")) this.endsInitialEvents = true;
    }
  }
}

const listFacts = changetype<ListFacts>(memory.data(offsetof<ListFacts>(), 8));

/** Begins the facts of a list. They replace those of the previous list. */
export function beginList(): ListFacts {
  listFacts.begin();
  return listFacts;
}
